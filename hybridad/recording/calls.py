"""Calls of NumPy functions on wrappers: compute plainly, then record, or see that it is a view."""

import inspect

import numpy as np

from hybridad._access import record_write
from hybridad._record import (
    active,
    can_be_view,
    inactive,
    is_wrapper,
    raw_of,
    record,
    record_alias,
    record_outputs,
    shares_storage,
    view_of,
    windowed,
)
from hybridad.recording.arraylike import convert, plain
from hybridad.recording.refusals import lost, missing

__all__ = ["call", "first_wrapper", "write_out"]


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
        As the user gave them; an ``out=`` makes it a write.
    """
    name = getattr(function, "__name__", "the function")
    if primitive is None:
        return _call_unknown(name, function, args, kwargs)
    out = kwargs.get("out")
    if out is not None:
        kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    args, kwargs = _positional(primitive, args, kwargs)
    if primitive.sequence and primitive.kind != "constant":
        operands, static = _sequence_operands(primitive, args, kwargs)
        raws = ([plain(x) for x in operands],)
    else:
        operands = args = tuple(convert(x) if type(x) in (list, tuple) else x for x in args)
        static = kwargs
        raws = tuple(raw_of(x) for x in args)
    static = {k: plain(v) for k, v in static.items() if k != "overwrite_input"}
    if out is not None:
        return write_out(primitive, operands, static, out,
                         lambda target: function(*raws, **static, out=target))
    ans = function(*raws, **static)
    return _finish(primitive, function, ans, operands, static)


def _call_unknown(name, function, args, kwargs):
    wrapped = first_wrapper((*args, *kwargs.values()))
    if any(active(x) for x in _flat((*args, *kwargs.values()))):
        missing(name)
    ans = function(*[plain(x) for x in args], **plain(kwargs))
    return inactive(wrapped, ans) if isinstance(ans, np.ndarray) else ans


def _flat(items):
    for x in items:
        if isinstance(x, (list, tuple)):
            yield from _flat(x)
        else:
            yield x


def _positional(primitive, args, kwargs):
    """Move array arguments given by keyword to their positions."""
    if not any(is_wrapper(v) or type(v) in (list, tuple) and first_wrapper(v) is not None
               for v in kwargs.values()):
        return args, kwargs
    names = _parameter_names(primitive)
    kwargs = dict(kwargs)
    args = list(args)
    last = max(names.index(k) for k in kwargs if first_wrapper((kwargs[k],)) is not None
               and k in names)
    for name in names[len(args): last + 1]:
        if name in kwargs:
            args.append(kwargs.pop(name))
        else:
            args.append(_default(primitive, name))
    if first_wrapper(tuple(kwargs.values())) is not None:
        missing(f"{primitive.name} with differentiated {', '.join(kwargs)}")
    return tuple(args), kwargs


def _parameter_names(primitive):
    try:
        return list(inspect.signature(primitive.func).parameters)
    except (TypeError, ValueError):
        return list(primitive.params)


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
    return tuple(map(convert, operands)), {**dict(zip(names, others)), **kwargs}


def _finish(primitive, function, ans, operands, static):
    source = first_wrapper(operands)
    if isinstance(ans, (list, tuple)):
        if primitive.outs:
            result = record_outputs(primitive, ans, operands, static)
            return type(ans)(*result) if hasattr(ans, "_fields") else result
        return type(ans)([_finish_one(primitive, function, part, operands, static, source)
                          for part in ans])
    return _finish_one(primitive, function, ans, operands, static, source)


def _finish_one(primitive, function, ans, operands, static, source):
    if source is None:
        return ans
    if isinstance(ans, np.ndarray) and primitive.kind != "constant":
        if ans is raw_of(source):
            return source
        if can_be_view(source, ans):
            whole = windowed(source)
            if whole is source:
                return view_of(source, ans)
            # An array that repeats memory was copied; look at the copy in the same way.
            return call(primitive, function, (whole, *operands[1:]), static)
        if primitive.kind == "views":
            return call(primitive, function, (np.copy(source), *operands[1:]), static)
        if shares_storage(source, ans) and active(source):
            again = lambda: record(primitive, ans, operands, static)
            return record_alias(source, again(), again)
    elif primitive.kind == "constant":
        return inactive(source, ans)
    return record(primitive, ans, operands, static)


def write_out(primitive, operands, static, out, perform, where=None):
    """A call with ``out=``: a write into an array.

    Parameters
    ----------
    primitive : Primitive
    operands : tuple
    static : dict
    out : wrapper or ndarray
    perform : callable
        Does the plain call with the plain output array.
    where : array, optional
        The ufunc's mask.
    """
    if not is_wrapper(out):
        for x in operands:
            if active(x):
                lost(x, "a plain array (out= of a plain array)")
        perform(out)
        return out
    target = raw_of(out)
    if primitive.kind == "constant":
        primitive, operands = None, (0.0,)
    mask = None if where is None else np.array(np.broadcast_to(plain(where), target.shape))
    record_write(out, target, mask, primitive, operands, static or None, lambda: perform(target),
                 masked=mask is not None)
    return out
