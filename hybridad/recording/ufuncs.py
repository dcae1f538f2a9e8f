"""``__array_ufunc__`` apart from plain calls: out=, where=, dtype=, reduce, accumulate, outer, at."""

import sys

import numpy as np

from hybridad._access import record_write
from hybridad._record import active, inactive, is_wrapper, raw_of, record, record_outputs
from hybridad.errors import ArgumentError, message
from hybridad.recording.arraylike import convert, plain
from hybridad.recording.calls import call, first_wrapper, write_out
from hybridad.recording.refusals import lost, missing, unsupported
from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.indexing import last_writes

__all__ = ["ufunc_method"]

_REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
_ACCUMULATIONS = {np.add: np.cumsum, np.multiply: np.cumprod}


def ufunc_method(ufunc, method, inputs, kwargs):
    """Serve a ufunc call on wrappers.

    Parameters
    ----------
    ufunc : numpy.ufunc
    method : {"__call__", "reduce", "accumulate", "reduceat", "outer", "at"}
    inputs : tuple
    kwargs : dict
        As NumPy hands them over: ``out`` is a tuple.
    """
    inputs = tuple(convert(x) if type(x) in (list, tuple) else x for x in inputs)
    for x in inputs:
        _check_operand(x)
    kwargs = dict(kwargs)
    out = kwargs.pop("out", None)
    if out is not None and len(out) == 1:
        out = out[0]
    return _METHODS[method](ufunc, inputs, kwargs, out)


def _check_operand(x):
    """Other kinds of arrays (masked arrays, matrices, pandas) are refused by name."""
    if is_wrapper(x) or type(x) is np.ndarray or isinstance(x, (np.generic, int, float, complex)):
        return
    if isinstance(x, np.ndarray) or hasattr(type(x), "__array_ufunc__"):
        kind = f"{type(x).__module__}.{type(x).__name__}"
        raise ArgumentError(message(
            f"{kind} cannot take part in differentiated arithmetic.",
            "Convert it first: np.asarray(a) (for a masked array, fill it: a.filled(0.0))."))


def primitive_of(ufunc):
    """The primitive of a ufunc, or None; the rules of scipy.special load when it is in use."""
    primitive = PRIMITIVES.get(ufunc)
    if primitive is None and "scipy.special" in sys.modules:
        import hybridad.rules.scipy_special  # noqa: F401

        primitive = PRIMITIVES.get(ufunc)
    return primitive


def _primitive(ufunc, operands):
    primitive = primitive_of(ufunc)
    if primitive is None and any(active(x) for x in operands):
        missing(ufunc.__name__)
    return primitive


def _call(ufunc, inputs, kwargs, out):
    primitive = _primitive(ufunc, inputs)
    raws = tuple(raw_of(x) for x in inputs)
    kwargs = plain(kwargs)
    where = kwargs.get("where", True)
    if out is not None:
        if isinstance(out, tuple):
            return _call_outputs_into(ufunc, primitive, inputs, kwargs, out)
        static = {k: v for k, v in kwargs.items() if k in ("axis", "axes", "keepdims")}
        return write_out(primitive, inputs, static, out,
                         lambda target: ufunc(*raws, out=target, **kwargs),
                         None if where is True else where)
    if where is not True and primitive is not None and primitive.kind != "constant":
        target = inactive(first_wrapper(inputs), ufunc(*raws, **kwargs))
        if not is_wrapper(target):
            return target
        # Already computed; what the mask leaves out has no derivative.
        return write_out(primitive, inputs, None, target, lambda target: None, where)
    ans = ufunc(*raws, **kwargs)
    if primitive is None:
        return inactive(first_wrapper(inputs), ans)
    # Of the keywords only those of generalized ufuncs say what is computed.
    static = {k: v for k, v in kwargs.items() if k in ("axis", "axes", "keepdims")}
    if isinstance(ans, tuple):
        return record_outputs(primitive, ans, inputs, static) if primitive.outs else ans
    return record(primitive, ans, inputs, static)


def _call_outputs_into(ufunc, primitive, inputs, kwargs, out):
    if any(active(x) for x in inputs):
        unsupported(f"{ufunc.__name__} with several out= arrays", "Leave out= away.")
    results = ufunc(*[raw_of(x) for x in inputs], **kwargs)
    for target, result in zip(out, results):
        if target is not None:
            target[...] = result
    return tuple(result if target is None else target for target, result in zip(out, results))


def _reduce(ufunc, inputs, kwargs, out):
    (x,) = inputs
    kwargs = {"axis": 0, **kwargs}
    if ufunc in _REDUCTIONS:
        static = {k: v for k, v in kwargs.items() if v is not np._NoValue}
        reduce = lambda raw, **options: ufunc.reduce(raw, **options)
        if out is not None:
            static["out"] = out
        return call(PRIMITIVES[_REDUCTIONS[ufunc]], reduce, (x,), static)
    primitive = _primitive(ufunc, inputs)
    if primitive is None or primitive.kind == "constant" or not active(x):
        return inactive(x, ufunc.reduce(raw_of(x), **plain(kwargs), out=plain(out)))
    if out is not None or set(kwargs) - {"axis", "keepdims"}:
        unsupported(f"{ufunc.__name__}.reduce with {', '.join(kwargs)}", "Write the loop.")
    rows = _rows(x, kwargs["axis"], ufunc)
    total = rows[0]
    for row in rows[1:]:
        total = ufunc(total, row)
    return np.expand_dims(total, kwargs["axis"]) if kwargs.get("keepdims") else total


def _rows(x, axis, ufunc):
    if not isinstance(axis, int):
        unsupported(f"{ufunc.__name__} over axis {axis}", "Reduce one axis after the other.")
    moved = np.moveaxis(x, axis, 0)
    return [moved[k] for k in range(len(moved))]


def _accumulate(ufunc, inputs, kwargs, out):
    (x,) = inputs
    kwargs = {"axis": 0, **kwargs}
    if ufunc in _ACCUMULATIONS:
        accumulate = lambda raw, **options: ufunc.accumulate(raw, **options)
        if out is not None:
            kwargs["out"] = out
        return call(PRIMITIVES[_ACCUMULATIONS[ufunc]], accumulate, (x,), kwargs)
    primitive = _primitive(ufunc, inputs)
    if primitive is None or primitive.kind == "constant" or not active(x):
        return inactive(x, ufunc.accumulate(raw_of(x), **plain(kwargs), out=plain(out)))
    if out is not None:
        unsupported(f"{ufunc.__name__}.accumulate with out=", "Leave out= away.")
    rows = _rows(x, kwargs["axis"], ufunc)
    for k in range(1, len(rows)):
        rows[k] = ufunc(rows[k - 1], rows[k])
    return np.stack(rows, axis=kwargs["axis"])


def _outer(ufunc, inputs, kwargs, out):
    a, b = inputs
    if out is not None:
        unsupported(f"{ufunc.__name__}.outer with out=", "Leave out= away.")
    a = np.reshape(a, np.shape(a) + (1,) * np.ndim(b))
    return ufunc(a, b, **kwargs)


def _at(ufunc, inputs, kwargs, out):
    target, index, *values = inputs
    values = [convert(v) for v in values]
    index = plain(index)
    if not is_wrapper(target):
        for v in values:
            if active(v):
                lost(v, "a plain array (ufunc.at on a plain array)")
        return ufunc.at(target, index, *[raw_of(v) for v in values])
    raw = raw_of(target)
    if ufunc in (np.add, np.subtract):
        value = values[0] if ufunc is np.add else np.negative(values[0])
        perform = lambda: ufunc.at(raw, index, raw_of(values[0]))
        return record_write(target, raw, index, None, (value,), None, perform, adds=True)
    if last_writes(raw.shape, index) is not None:
        unsupported(f"{ufunc.__name__}.at with repeated indices", "Write the loop.")
    target[index] = ufunc(target[index], *values)
    return None


def _reduceat(ufunc, inputs, kwargs, out):
    if any(active(x) for x in inputs):
        unsupported(f"{ufunc.__name__}.reduceat", "Reduce the slices one by one.")
    return ufunc.reduceat(*[plain(x) for x in inputs], **plain(kwargs), out=plain(out))


_METHODS = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
    "reduceat": _reduceat,
}
