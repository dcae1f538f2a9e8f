"""What plain Python makes of a program: values, effects, and slopes by finite differences."""

import copy
import functools
import io
import math
import types

import numpy as np

from tests.generator.kinds import Arr, Int
from tests.generator.program import Call, Program, RunTooLong, Trail

__all__ = ["observe", "same", "state_of"]

_ATTEMPTS = 4
_STEPS = (2.0**-10, 2.0**-12)


# What is outside of `f`


def state_of(namespace):
    """The data in a namespace, in its classes, objects and closures, by where it is."""
    return {label: get() for label, get, _ in _places(namespace)}


def _snapshot(namespace):
    return _copied(state_of(namespace), namespace)


def _restore(namespace, state):
    state = _copied(state, namespace)
    for label, _, put in _places(namespace):
        if label in state:
            put(state[label])


def _copied(state, namespace):
    """A deep copy, but of the module's own objects; views see the copy of what they saw."""
    memo = {id(o): o for o in namespace.values() if _is_instance(o)}
    for array in _arrays(state.values()):
        if isinstance(base := array.base, np.ndarray):
            owner = memo.setdefault(id(base), base.copy(order="K"))
            offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
            memo[id(array)] = np.ndarray(array.shape, array.dtype, owner, offset, array.strides)
    return copy.deepcopy(state, memo)


def _arrays(values):
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, (list, tuple, dict)):
            yield from _arrays(value.values() if isinstance(value, dict) else value)


def _places(namespace):
    """(label, reader, writer) of every place in which there is data."""
    for name, value in list(namespace.items()):
        if name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        if isinstance(value, type):
            for key, held in list(vars(value).items()):
                if isinstance(held, float):
                    yield (f"{name}.{key}", functools.partial(getattr, value, key),
                           functools.partial(setattr, value, key))
        elif _is_instance(value):
            for key in list(vars(value)):
                yield (f"{name}.{key}", functools.partial(getattr, value, key),
                       functools.partial(setattr, value, key))
        elif isinstance(value, (types.FunctionType, functools.partial, types.MethodType)):
            yield from _cells(name, value)
        else:
            yield (name, functools.partial(namespace.get, name),
                   functools.partial(namespace.__setitem__, name))


def _is_instance(value):
    return type(value).__module__ == "generated_program"


def _cells(label, function, seen=()):
    """The places in the closure of a function, and in those of functions in it."""
    function = getattr(function, "func", function)
    function = getattr(function, "__func__", function)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if isinstance(cell.cell_contents, (types.FunctionType, functools.partial)):
            if cell not in seen:  # a recursive function is in its own closure
                yield from _cells(f"{label}.{name}", cell.cell_contents, (*seen, cell))
        elif not isinstance(cell.cell_contents, type):
            yield (f"{label}.<{name}>", functools.partial(getattr, cell, "cell_contents"),
                   functools.partial(setattr, cell, "cell_contents"))


def same(a, b):
    """Equal in type, structure and every bit."""
    if isinstance(a, dict):
        return type(a) is type(b) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if _is_instance(a):  # of classes of two namespaces
        return type(a).__name__ == type(b).__name__ and same(vars(a), vars(b))
    if type(a) is not type(b):
        return False
    if isinstance(a, np.random.Generator):
        return a.bit_generator.state == b.bit_generator.state
    if isinstance(a, io.StringIO):
        return a.getvalue() == b.getvalue()
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return repr(a) == repr(b)  # tells -0.0 from 0.0, and that NaN is NaN


# Runs


def observe(program, changed, signature, seed):
    """The program with its calls, or None if it is no use as a test.

    `changed` holds the changes before each call, `signature` the kinds of the arguments.
    """
    trail = Trail()
    try:
        namespace = program.load(trail)
        calls = []
        for k, changes in enumerate(changed):
            for line in changes:
                exec(line, namespace)
            call = _call(namespace, trail, program, changes, signature, (seed, k))
            if call is None:
                return None
            calls.append(call)
    except (RunTooLong, RuntimeWarning, OverflowError):  # it grows too large
        return None
    finally:
        program.unload()
    if all(call.slope is None for call in calls):
        return None
    return Program(program.marked, program.differentiated, tuple(calls))


def _call(namespace, trail, program, changes, signature, seed):
    """The first of some calls that is smooth around its arguments, or the last; None if no use."""
    before = _snapshot(namespace)
    call = None
    for attempt in range(_ATTEMPTS):
        rng = np.random.default_rng((*seed, attempt))
        texts = tuple(_argument(kind, rng) for kind in signature)
        direction = tuple(_argument(signature[k], rng) for k in program.differentiated)
        _restore(namespace, before)
        given = [eval(text, namespace) for text in texts]
        trail.clear()
        value = namespace["f"](*given)
        if not isinstance(value, float) or not math.isfinite(value) or abs(value) > 1e5:
            return None
        decisions, writes = list(trail.decisions), frozenset(trail.writes)
        after = _snapshot(namespace)
        call = Call(changes, texts, value, tuple(given), after, len(decisions), writes, direction,
                    _slope(namespace, trail, before, texts, direction, decisions))
        _restore(namespace, after)
        if call.slope is not None:
            break
    return call


def _slope(namespace, trail, before, texts, direction, decisions):
    """The derivative by finite differences; None at a kink, or where a decision is near."""

    def at(step):
        _restore(namespace, before)
        given = [eval(text, namespace) for text in texts]
        for k, along in enumerate(direction):
            given[k] = given[k] + step * eval(along, namespace)
        trail.clear()
        value = namespace["f"](*given)
        if trail.decisions != decisions:
            raise _Elsewhere
        return value

    try:
        coarse, fine = ((8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)
                        for h in _STEPS)
    except (_Elsewhere, ArithmeticError, ValueError, IndexError, AssertionError, RuntimeWarning):
        return None
    smooth = abs(fine - coarse) <= 1e-7 * abs(fine) + 1e-8
    return float(fine) if smooth else None


class _Elsewhere(Exception):
    """A run took another path."""


def _argument(kind, rng):
    """The text of a random argument of a kind."""
    if isinstance(kind, Int):
        return str(rng.integers(kind.stop))
    values = np.round(rng.uniform(-1.4, 1.4, getattr(kind, "shape", ())), 4).tolist()
    return f"np.array({values})" if isinstance(kind, Arr) else str(values)
