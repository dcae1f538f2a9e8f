"""Calls of NumPy functions on wrappers: compute plainly, then record, or see that it is a view."""

import functools
import inspect

import numpy as np

from hybridad._access import record_write
from hybridad._record import (
    active,
    inactive,
    is_wrapper,
    raw_of,
    record,
    record_outputs,
    repeats,
    seen,
    shares_storage,
    tape_of,
)
from hybridad.recording.arraylike import as_array, convert, plain
from hybridad.recording.lines import at_users_line
from hybridad.recording.refusals import check_kind, lost, missing, name_of
from hybridad.recording.sharing import of_the_same_memory

__all__ = ["call", "check_call", "first_wrapper", "frozen", "is_operand", "write_out"]


def first_wrapper(args):
    """The first wrapper among `args` (which may hold lists of them), or None."""
    for x in args:
        if is_wrapper(x):
            return x
        if isinstance(x, (list, tuple)):
            found = first_wrapper(x)
            if found is not None:
                return found
    return None


def call(primitive, function, args, kwargs):
    """Call `function` on plain values and record that `primitive` was called.

    Parameters
    ----------
    primitive : Primitive or None
        None: allowed only where no argument is active.
    function : callable
        What computes the plain value; the primitive's function, or the method of the same meaning.
    args, kwargs
        As the user gave them; an ``out`` makes it a write.
    """
    if primitive is None:
        return _call_unknown(function, args, kwargs)
    args, kwargs, out = _sort(primitive, args, kwargs)
    if primitive.sequence and primitive.kind != "constant":
        operands, static = _sequence_operands(primitive, args, kwargs)
        raws = ([raw_of(x) for x in operands],)
    else:
        operands = tuple(_operand(primitive, k, x) for k, x in enumerate(args))
        static = kwargs
        raws = tuple(raw_of(x) for x in operands)
        operands = tuple(None if x is np._NoValue else x for x in operands)
    if primitive.kind != "constant":
        for x in operands:
            check_kind(x)
    static = {k: plain(v) for k, v in static.items() if k != "overwrite_input"}
    if out is not None:
        check_call(primitive, operands, _said_to_rule(primitive, static))
        return write_out(primitive, operands, _said_to_rule(primitive, static), out,
                         lambda target: at_users_line(function, raws, {**static, "out": target}))
    if primitive.kind == "views":
        ans = function(*raws, **static)
    else:
        ans = at_users_line(function, raws, static)
    check_call(primitive, operands, _said_to_rule(primitive, static))
    return _finish(primitive, function, ans, operands, static)


def check_call(primitive, operands, static):
    """Raise, at the user's line, for a call with an active argument that no rule can do."""
    if primitive is not None and primitive.check is not None and any(map(active, operands)):
        primitive.check(*operands, **static)


def _operand(primitive, k, x):
    """Positional argument `k`: an array, if there is a derivative by it; else as it was given."""
    if type(x) not in (list, tuple):
        return x
    return as_array(x) if is_operand(primitive, k) else convert(x)


def is_operand(primitive, k):
    """Whether positional argument `k` of a primitive is an array by which there is a derivative."""
    return primitive is not None and primitive.vjp is None and k < len(primitive.vjps) \
        and primitive.vjps[k] is not None


_OF_THE_RESULT = {"order", "subok", "casting", "dtype"}


def _said_to_rule(primitive, static):
    """The keywords that tell what is computed, and not only in which memory and type."""
    return {k: frozen(v) for k, v in static.items()
            if k in primitive.params or k not in _OF_THE_RESULT}


def frozen(x):
    """An index or a static argument as it is now, whatever the user writes into it later."""
    kind = type(x)
    if kind is np.ndarray:
        return x.copy(order="K")
    if kind is list or kind is tuple:
        return kind([frozen(item) for item in x])
    return x


def _call_unknown(function, args, kwargs):
    wrappers = [x for x in _flat((*args, *kwargs.values())) if is_wrapper(x)]
    if any(map(active, wrappers)):
        missing(name_of(function))
    out = kwargs.get("out")
    if is_wrapper(out):
        kwargs = {k: plain(v) for k, v in kwargs.items() if k != "out"}
        return write_out(None, (), None, out,
                         lambda target: at_users_line(
                             function, [plain(x) for x in args], {**kwargs, "out": target}))
    ans = at_users_line(function, [plain(x) for x in args], plain(kwargs))
    ans = of_the_same_memory(wrappers, ans)
    return inactive(wrappers[0], ans) if isinstance(ans, np.ndarray) and wrappers else ans


def _flat(items):
    for x in items:
        if isinstance(x, (list, tuple)):
            yield from _flat(x)
        else:
            yield x


def _sort(primitive, args, kwargs):
    """Positional arguments, among them all arrays, the other keywords, and ``out``."""
    names = _parameter_names(primitive)
    kwargs = dict(kwargs)
    out = kwargs.pop("out", None)
    if len(args) > 2 and "out" in names[: len(args)]:
        place = names.index("out")
        kwargs.update(zip(names[place + 1:], args[place + 1:]))
        args, out = args[:place], args[place]
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if not any(first_wrapper((x,)) is not None for x in kwargs.values()):
        return args, kwargs, out
    args = list(args)
    arrays = [k for k, x in kwargs.items() if first_wrapper((x,)) is not None]
    last = max((names.index(k) for k in arrays if k in names), default=-1)
    for name in names[len(args): last + 1]:
        args.append(kwargs.pop(name) if name in kwargs else _default(primitive, name))
    for name in arrays:
        if name in kwargs and any(map(active, _flat((kwargs[name],)))):
            missing(f"{primitive.name} with a differentiated {name}")
    return tuple(args), kwargs, out


# What NumPy's compiled functions do not tell themselves before NumPy 2.4.
_SIGNATURES = {np.concatenate: ("arrays", "axis", "out"), np.dot: ("a", "b", "out")}


@functools.cache
def _parameter_names(primitive):
    """Names of the parameters that can be passed by position."""
    try:
        parameters = inspect.signature(primitive.func).parameters.values()
    except (TypeError, ValueError):
        return _SIGNATURES.get(primitive.func, primitive.params)
    return tuple(p.name for p in parameters
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


def _default(primitive, name):
    try:
        default = inspect.signature(primitive.func).parameters[name].default
    except (TypeError, ValueError, KeyError):
        return None
    return None if default is inspect.Parameter.empty else default


def _sequence_operands(primitive, args, kwargs):
    """The arrays of the sequence, and the other arguments by name."""
    arrays, *others = args
    operands = tuple(arrays[k] for k in range(len(arrays))) if is_wrapper(arrays) else tuple(arrays)
    names = _parameter_names(primitive)[1:]
    return tuple(map(as_array, operands)), {**dict(zip(names, others)), **kwargs}


def _finish(primitive, function, ans, operands, static):
    source = first_wrapper(operands)
    if isinstance(ans, (list, tuple)):
        if primitive.outs:
            result = record_outputs(primitive, ans, operands, _said_to_rule(primitive, static))
            return type(ans)(*result) if hasattr(ans, "_fields") else result
        return type(ans)([_finish_one(primitive, function, part, operands, static, source)
                          for part in ans])
    return _finish_one(primitive, function, ans, operands, static, source)


def _finish_one(primitive, function, ans, operands, static, source):
    if source is None:
        return ans
    if isinstance(ans, np.ndarray) and primitive.kind != "constant" and tape_of(source).is_open:
        if ans is raw_of(source):
            return source
        if primitive.kind == "views" and repeats(source):
            return call(primitive, function, (np.copy(source), *operands[1:]), static)
        if shares_storage(source, ans):
            static = _said_to_rule(primitive, static)
            return seen(source, ans, lambda: record(primitive, ans, operands, static))
    elif primitive.kind == "constant":
        return inactive(source, ans)
    return record(primitive, ans, operands, _said_to_rule(primitive, static))


def write_out(primitive, operands, static, out, perform, where=None):
    """A call with ``out=``: a write into an array.

    Parameters
    ----------
    primitive : Primitive or None
        None: the result depends on nothing that is differentiated.
    operands : tuple
    static : dict
    out : wrapper or ndarray
    perform : callable
        Does the plain call with the plain output array.
    where : array, optional
        The ufunc's mask.
    """
    if primitive is None or primitive.kind == "constant":
        primitive, operands = None, (0.0,)
    if not is_wrapper(out):
        for x in operands:
            if active(x):
                lost(x, "a plain array (out= of a plain array)")
        perform(out)
        return out
    target = raw_of(out)
    mask = None if where is None else np.array(np.broadcast_to(plain(where), target.shape))
    record_write(out, target, mask, primitive, operands, static or None, lambda: perform(target),
                 masked=mask is not None)
    return out
