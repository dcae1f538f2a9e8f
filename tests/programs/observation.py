"""What a call of a program does, taken down so that two runs of it can be compared."""

import contextlib
import copy
import enum
import gc
import io
import os
import random
import sys
import traceback
import types
import warnings
from collections import deque
from dataclasses import dataclass

import numpy as np
from hybridad._parray import PersistentArray, PersistentScalar

from hybridad.errors import HybridadError

__all__ = ["Outcome", "observe", "replay", "snapshot", "wrappers_among", "wrappers_anywhere",
           "wrappers_from"]

_WRAPPERS = (PersistentArray, PersistentScalar)
_HERE = os.path.dirname(__file__)
_ATOMS = (bool, int, str, bytes, type(None), type(Ellipsis), slice, range)


def snapshot(x, seen=None):
    """A value as nested tuples: types, bits, order, and which objects are the same.

    Classes are compared by name, since every scene makes its own.
    """
    seen = {} if seen is None else seen
    assert type(x) not in _WRAPPERS, f"a wrapper is left: {x!r}"
    name = type(x).__qualname__
    if isinstance(x, enum.Enum):
        return name, x.name
    if isinstance(x, (float, complex, np.generic)):
        return name, np.asarray(x).tobytes()
    if isinstance(x, _ATOMS):
        return name, repr(x)
    if id(x) in seen:
        return "again", seen[id(x)][0]
    seen[id(x)] = len(seen), x
    inner = lambda items: tuple(snapshot(item, seen) for item in items)
    if isinstance(x, np.ndarray):
        return name, x.dtype.str, x.shape, _content(x, inner), _owner(x, seen)
    if isinstance(x, dict):
        return name, inner(x), inner(x.values())
    if isinstance(x, (list, tuple, deque)):
        return name, inner(x)
    if isinstance(x, (set, frozenset)):
        return name, tuple(sorted(map(repr, inner(x))))
    if isinstance(x, BaseException):
        return name, inner(x.args)
    if isinstance(x, (type, types.FunctionType, types.ModuleType)):
        return name, getattr(x, "__qualname__", x.__name__)
    if isinstance(x, (np.random.Generator, np.random.RandomState)):
        return name, repr(x.bit_generator.state if hasattr(x, "bit_generator") else x.get_state())
    if isinstance(x, random.Random):
        return name, x.getstate()
    slots = [s for c in type(x).__mro__ for s in getattr(c, "__slots__", ()) if hasattr(x, s)]
    return name, inner(getattr(x, s) for s in slots), snapshot(getattr(x, "__dict__", {}), seen)


def _content(x, inner):
    return inner(x.ravel().tolist()) if x.dtype == object else x.tobytes()


def _owner(x, seen):
    """A number for the memory that an array looks into, the same for all that share it."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return seen.setdefault(("memory", id(x)), (len(seen), x))[0]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call did, but for the gradient.

    Attributes
    ----------
    value : tuple
        A snapshot of what it returned or of what it raised, with the lines of the traceback.
    state : tuple
        Of the outside afterwards.
    arguments : list of tuple
        Of all arguments afterwards.
    warned : list of tuple
        Category, text, file and line of each warning.
    printed : str
    refusal : str or None
        What the library said if it refused to go on.
    """

    value: tuple
    state: tuple
    arguments: list
    warned: list
    printed: str
    refusal: str | None = None

    def differences(self, other, exempt):
        """What is not as in another outcome, as a list of texts; arguments in `exempt` may be."""
        if self.refusal and not other.refusal:
            return [f"refused: {self.refusal}"]
        found = [f"{name}: {getattr(self, name)!r}, plainly {getattr(other, name)!r}"
                 for name in ("value", "state", "warned", "printed")
                 if getattr(self, name) != getattr(other, name)]
        return found + [f"argument {k}: {a!r}, plainly {b!r}"
                        for k, (a, b) in enumerate(zip(self.arguments, other.arguments))
                        if a != b and k not in exempt]


def observe(call, args, state):
    """Make a call and take down what it does.

    Parameters
    ----------
    call : callable
        Of the arguments, returns the value and something else.
    args : tuple
    state : callable
        As in `Scene`.

    Returns
    -------
    Outcome
    object
        The something else, None if the call raised.
    """
    printed, rest, refusal = io.StringIO(), None, None
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            value, rest = call(*args)
        except Exception as error:
            value = "raised", snapshot(error), _lines(error)
            refusal = str(error) if isinstance(error, HybridadError) else None
        else:
            value = snapshot(value)
    warned = [(w.category, str(w.message), w.filename, w.lineno) for w in caught]
    outside = snapshot(state())
    after = [snapshot(a) for a in args]
    return Outcome(value, outside, after, warned, printed.getvalue(), refusal), rest


def _lines(error):
    """Where an exception passed through programs, as functions and lines."""
    return [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__)
            if f.filename.startswith(_HERE) and f.filename != __file__]


def replay(program, k, args=None, last=None):
    """Go through the calls of a fresh scene plainly, up to call `k`.

    Parameters
    ----------
    program : Program
    k : int
    args : tuple, optional
        Passed in call `k` instead of the program's own.
    last : callable, optional
        ``last(scene, args)`` is done instead of call `k`.

    Returns
    -------
    object
        The value of the last call.
    """
    scene = program.scene()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for j in range(k):
            scene.before(j)
            with contextlib.suppress(Exception):
                scene.f(*copy.deepcopy(program.calls[j]))
        scene.before(k)
        args = copy.deepcopy(program.calls[k]) if args is None else args
        return last(scene, args) if last else scene.f(*args)


# Wrappers that are left. They are not tracked by gc themselves, nor are tuples and dicts of them.


def wrappers_among(objects):
    """Those of some objects that hold a wrapper."""
    return [x for x in objects if any(type(r) in _WRAPPERS for r in _referents(x))]


def _referents(x):
    if isinstance(x, types.FrameType):
        return ()
    if type(x) is np.ndarray:
        return x.ravel().tolist() if x.dtype == object else ()
    return gc.get_referents(x)


_OF_THE_SESSION = ("_pytest", "pluggy", "importlib", "_frozen_importlib")


def wrappers_from(*roots):
    """Descriptions of what holds a wrapper and can be reached from `roots`.

    Frames, modules and the classes and globals of libraries are not entered.
    """
    elsewhere = {id(vars(m)) for name, m in list(sys.modules.items())
                 if isinstance(m, types.ModuleType) and not name.startswith("tests.programs.")}
    reached, todo, found = set(), list(roots), []
    if any(type(r) in _WRAPPERS for r in roots):
        found.append("what the call returned")
    while todo:
        x = todo.pop()
        if id(x) in reached or id(x) in elsewhere or isinstance(x, types.ModuleType):
            continue
        if type(x) is type and not x.__module__.startswith("tests."):
            continue
        if type(x).__module__.startswith(_OF_THE_SESSION):  # a module's loader holds all of it
            continue
        reached.add(id(x))
        inside = _referents(x)
        if any(type(r) in _WRAPPERS for r in inside):
            found.append(f"{type(x).__qualname__} {x!r:.100}")
        todo.extend(inside)
    return found


def wrappers_anywhere():
    """Everything that gc knows and that holds a wrapper, but for frames and what only they hold.

    What has been frozen (`gc.freeze`) is left out, except for what modules of hybridad and the
    programs hold.
    """
    gc.collect()
    layer, holders, known = gc.get_objects() + _held_by_modules(), [], set()
    mine = [layer, holders]
    while layer:
        inside = gc.get_referents(*(x for x in layer if not isinstance(x, types.FrameType)))
        inside += [r for x in layer if type(x) is np.ndarray for r in _referents(x)]
        if any(type(x) in _WRAPPERS for x in inside):
            holders += wrappers_among(layer)
        layer = [x for x in inside if id(x) not in known and _is_untracked_container(x)]
        known |= set(map(id, layer))
        mine += [inside, layer]
    mine = set(map(id, mine)) | {id(mine)}
    return [x for x in holders
            if not all(isinstance(r, types.FrameType) or id(r) in mine
                       for r in gc.get_referrers(x))]


def _held_by_modules():
    held = [vars(m) for name, m in list(sys.modules.items())
            if name.startswith(("hybridad", "tests.programs")) and isinstance(m, types.ModuleType)]
    return held + [x for namespace in held for x in list(namespace.values()) if gc.is_tracked(x)]


def _is_untracked_container(x):
    if type(x) in (tuple, dict):
        return not gc.is_tracked(x)
    return type(x) is np.ndarray and x.dtype == object
