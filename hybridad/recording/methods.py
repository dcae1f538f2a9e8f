"""The methods and attributes of ndarray and of NumPy's and Python's scalars, on wrappers.

`METHODS` maps each name to a function of the wrapper or to a property; the test walks
``dir(ndarray)`` and demands that every name is here, on the wrapper itself, or refused in
`REFUSED` with a reason.
"""

import builtins
import operator

import numpy as np

from hybridad._access import record_write
from hybridad._record import (
    active,
    inactive,
    raw_of,
    record,
    repeats,
    tape_of,
    view_of,
)
from hybridad._run import run_in_progress
from hybridad.recording.arraylike import convert, plain
from hybridad.recording.calls import call
from hybridad.recording.flat import Flat
from hybridad.recording.lines import at_users_line
from hybridad.recording.refusals import unsupported
from hybridad.recording.sharing import read_only
from hybridad.rules.declare import PRIMITIVES

__all__ = ["METHODS", "REFUSED", "set_attribute"]


def _method(name, function):
    """The method `name`, with the arguments and the rule of the NumPy function."""

    def method(x, *args, **kwargs):
        plainly = lambda raw, *rest, **options: at_users_line(
            getattr(raw, name), rest, options)
        plainly.__name__ = name
        return call(PRIMITIVES[function], plainly, (x, *args), kwargs)

    method.__name__ = name
    return method


def _constant(name):
    """A method without derivative: the plain result."""

    def method(x, *args, **kwargs):
        return at_users_line(getattr(raw_of(x), name), tuple(map(plain, args)), plain(kwargs))

    method.__name__ = name
    return method


def _attribute(name):
    """An attribute that tells nothing of the values."""
    return property(lambda x: getattr(raw_of(x), name))


def _reshape(x, *shape, order="C", **kwargs):
    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    return np.reshape(x, kwargs.pop("shape", shape), order=order, **kwargs)


def _transpose(x, *axes):
    if len(axes) == 1 and not isinstance(axes[0], (int, np.integer)):
        (axes,) = axes
    return np.transpose(x, None if axes is None or len(axes) == 0 else tuple(axes))


def _flatten(x, order="C"):
    flat = lambda raw, order="C": raw.flatten(order)
    return call(PRIMITIVES[np.ravel], flat, (x,), {"order": order})


def _copy(x, order="C"):
    raw = raw_of(x)
    ans = raw.copy(order) if isinstance(raw, np.ndarray) else raw.copy()
    return record(PRIMITIVES[np.copy], ans, (x,), None)


def _shallow(x):
    return _copy(x, "K") if isinstance(raw_of(x), np.ndarray) else x


def _astype(x, dtype, order="K", casting="unsafe", subok=True, copy=True):
    raw = raw_of(x)
    if np.dtype(dtype).hasobject:
        unsupported("astype(object)", "Keep the floating type.")
    if isinstance(raw, np.ndarray):
        ans = at_users_line(raw.astype, (dtype, order, casting, subok, copy), {})
    else:
        ans = at_users_line(raw.astype, (dtype,), {})
    if ans is raw:
        return x
    return record(PRIMITIVES[np.copy], ans, (x,), None)


def _item(x, *args):
    raw = raw_of(x)
    ans = raw.item(*args)
    if not active(x):
        return ans
    if isinstance(raw, np.ndarray):
        index = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if len(index) == 1:
            index = np.unravel_index(operator.index(index[0]) % raw.size, raw.shape)
        elif not index:
            index = (0,) * raw.ndim
        x = x[tuple(int(k) for k in index)]
    return record(PRIMITIVES[np.copy], ans, (x,), None)


def _tolist(x):
    raw = raw_of(x)
    if not active(x):
        return raw.tolist()
    if not isinstance(raw, np.ndarray) or raw.ndim == 0:
        return _item(x)
    if raw.ndim == 1:
        return [_item(x, k) for k in range(raw.size)]
    return [_tolist(x[k]) for k in range(raw.shape[0])]


def _fill(x, value):
    value = convert(value)
    perform = lambda: at_users_line(raw_of(x).fill, (raw_of(value),), {})
    record_write(x, raw_of(x), None, None, (value,), None, perform)


def _sort(x, axis=-1, kind=None, order=None, *, stable=None):
    perform = lambda: raw_of(x).sort(axis=axis, kind=kind, order=order, stable=stable)
    record_write(x, raw_of(x), None, PRIMITIVES[np.sort], (x,), {"axis": axis}, perform)


def _partition(x, kth, axis=-1, kind="introselect", order=None):
    """An in-place reordering: the write of what `take_along_axis` gives."""
    raw = raw_of(x)
    places = np.argpartition(raw, kth, axis=axis, kind=kind)
    perform = lambda: raw.partition(kth, axis=axis, kind=kind, order=order)
    record_write(x, raw, None, PRIMITIVES[np.take_along_axis], (x, places, axis), None, perform)


def _flat(x):
    return Flat(x) if tape_of(x).is_open else raw_of(x).flat


def _clip(x, min=None, max=None, out=None, **kwargs):
    return np.clip(x, min, max, out=out, **kwargs)


def _compress(x, condition, axis=None, out=None):
    return np.compress(condition, x, axis, out)


def _put(x, indices, values, mode="raise"):
    np.put(x, indices, values, mode=mode)


def _view(x, dtype=None, type=None):
    raw = raw_of(x)
    if isinstance(raw, np.generic) and dtype is type is None:
        return x
    if isinstance(dtype, builtins.type) and issubclass(dtype, np.ndarray):
        dtype, type = None, dtype
    if type not in (None, np.ndarray) or not isinstance(raw, np.ndarray):
        unsupported("view() as another type", "Use the array itself.")
    made = raw if dtype is None else raw.view(dtype)
    if made.dtype.kind not in "fc" and not active(x):
        return read_only(made)
    real_of = {"c": raw.dtype.itemsize // 2}.get(raw.dtype.kind, raw.dtype.itemsize)
    real_to = {"c": made.dtype.itemsize // 2}.get(made.dtype.kind, made.dtype.itemsize)
    if active(x) and (made.dtype.kind not in "fc" or real_of != real_to):
        unsupported(f"view() of {raw.dtype} as {made.dtype}", "Use astype() to convert values.")
    if made.size > raw.size and real_of == real_to:
        whole = np.copy(x) if repeats(x) else x
        return view_of(whole, raw_of(whole).view(made.dtype))
    return call(PRIMITIVES[np.squeeze], lambda a: a.view(made.dtype), (x,), {})


def _conjugate(x):
    raw = raw_of(x)
    if raw.dtype.kind != "c":
        return x
    return np.conjugate(x)


def _real(x):
    raw = raw_of(x)
    if isinstance(raw, np.ndarray):
        return call(PRIMITIVES[np.real], lambda a: a.real, (x,), {})
    return record(PRIMITIVES[np.real], raw.real, (x,), None)


def _imag(x):
    raw = raw_of(x)
    if isinstance(raw, np.ndarray):
        if raw.dtype.kind != "c":
            return inactive(x, raw.imag)
        return call(PRIMITIVES[np.imag], lambda a: a.imag, (x,), {})
    return record(PRIMITIVES[np.imag], raw.imag, (x,), None)


def _python_conjugate(x):
    """`conjugate` of Python's own numbers, and of arrays."""
    raw = raw_of(x)
    if isinstance(raw, (np.ndarray, np.generic)):
        return _conjugate(x)
    return record(PRIMITIVES[np.conjugate], raw.conjugate(), (x,), None)


def _base(x):
    base = raw_of(x).base
    if not isinstance(base, np.ndarray) or not tape_of(x).is_open:
        return base
    return view_of(x, base)


def _setflags(x, write=None, align=None, uic=None):
    raw_of(x).setflags(write=write, align=align, uic=uic)


def _round(x, decimals=0, out=None):
    return np.round(x, decimals, out)


REFUSED = {
    "byteswap": "Convert values with astype().",
    "choose": "Index with an array: choices[x].",
    "ctypes": "Pass the value out of the differentiated function first.",
    "data": "Use the array itself.",
    "dump": "Store the result of the differentiated function instead.",
    "dumps": "Store the result of the differentiated function instead.",
    "getfield": "Use .real, .imag or astype().",
    "resize": "Use np.resize or np.concatenate, which make a new array.",
    "setfield": "Assign to .real, .imag or x[...].",
    "tobytes": "Store the result of the differentiated function instead.",
    "tofile": "Store the result of the differentiated function instead.",
    "tostring": "Store the result of the differentiated function instead.",
    "to_device": "Move arrays outside of the differentiated function.",
    "_set_dtype": "Use x = x.astype(dtype) or x.view(dtype).",
    "_set_shape": "Use x = x.reshape(shape).",
    "__array_wrap__": "Call the NumPy function itself.",
    "__array_finalize__": "Subclasses are not followed.",
    "__setstate__": "Pickle the result of the differentiated function instead.",
    "__buffer__": "Use the array itself.",
    "as_integer_ratio": "Use the value itself.",
    "hex": "Use format().",
}
"""Attributes that are refused on active values, with what to write instead."""


_READING = {"dumps", "tobytes", "tostring"}
"""What of these makes a copy of the values: nothing is lost, if none is differentiated."""


def _refusal(name):
    def fget(x):
        if active(x) or (isinstance(raw_of(x), np.ndarray) and tape_of(x).is_open
                         and name not in _READING):
            unsupported(f"{type(raw_of(x)).__name__}.{name}", REFUSED[name])
        return getattr(raw_of(x), name)

    return property(fget)


# What classes have and their instances have not, though `hasattr` of the class finds it.
_OF_CLASSES = {*dir(type)} - {*dir(object)}

METHODS = {
    **{name: _attribute(name) for name in _OF_CLASSES},
    **{name: _method(name, getattr(np, name)) for name in (
        "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "prod",
        "ravel", "repeat", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var")
       if hasattr(np.ndarray, name)},
    **{name: _constant(name) for name in (
        "all", "any", "argmax", "argmin", "argpartition", "argsort", "nonzero", "searchsorted",
        "is_integer", "__array_namespace__")},
    **{name: _attribute(name) for name in (
        "device", "flags", "itemsize", "nbytes", "strides", "__array_priority__")},
    **{name: _refusal(name) for name in REFUSED},
    "T": property(_transpose),
    "flat": property(_flat),
    "mT": property(lambda x: np.swapaxes(x, -1, -2)),
    "real": property(_real),
    "imag": property(_imag),
    "base": property(_base),
    "reshape": _reshape,
    "transpose": _transpose,
    "flatten": _flatten,
    "copy": _copy,
    "clip": _clip,
    "compress": _compress,
    "__copy__": _shallow,
    "__deepcopy__": lambda x, memo: _shallow(x),
    "astype": _astype,
    "item": _item,
    "tolist": _tolist,
    "fill": _fill,
    "sort": _sort,
    "partition": _partition,
    "put": _put,
    "view": _view,
    "conj": _python_conjugate,
    "conjugate": _python_conjugate,
    "round": _round,
    "setflags": _setflags,
}


_RESHAPED = {
    "shape": "Use x = x.reshape(shape).",
    "strides": "Use a view: x[...], x.T or x.reshape(shape).",
    "dtype": "Use x = x.astype(dtype) or x.view(dtype).",
    "data": "Assign to x[...].",
}


def set_attribute(x, name, value):
    """Serve ``x.name = value``: the parts of complex numbers can be written to."""
    raw = raw_of(x)
    if isinstance(raw, np.ndarray):
        if name == "real" or (name == "imag" and raw.dtype.kind == "c"):
            getattr(x, name)[...] = value
            return
        if name == "flat" and tape_of(x).is_open:
            Flat(x)[...] = value
            return
        if name == "shape" and not active(x):
            run = run_in_progress()
            if run is not None:
                run.journal.set_attribute(raw, name)
        elif name in _RESHAPED:
            unsupported(f"Assigning to ndarray.{name}", _RESHAPED[name])
    setattr(raw, name, value)
