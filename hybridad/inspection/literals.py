"""Constants as Python text that makes them again, bit for bit."""

import math

import numpy as np

__all__ = ["LARGEST", "NotWritable", "write_literal"]

LARGEST = 10_000  # elements of an array

_CONTAINERS = {tuple: "({})", list: "[{}]", set: "{{{}}}", frozenset: "frozenset([{}])"}


class NotWritable(Exception):
    """There is no text that makes this constant; the message says of what kind it is."""


def write_literal(x):
    """An expression whose value is `x`; it uses the names ``np`` and ``math``.

    Parameters
    ----------
    x : object
        Number, text, dtype, array, or a container of them.

    Returns
    -------
    str

    Raises
    ------
    NotWritable

    Examples
    --------
    >>> import numpy as np
    >>> write_literal(np.array([[0.1, -np.inf]])), write_literal((np.float32(0.1), "a"))
    ("np.array([[0.1, -math.inf]], '<f8')", "(np.float32(0.1), 'a')")
    """
    kind = type(x)
    if x is None or x is Ellipsis or kind in (bool, int, str, bytes):
        return "..." if x is Ellipsis else repr(x)
    if kind is float:
        return _float(x)
    if kind is complex:
        return f"complex({_float(x.real)}, {_float(x.imag)})"
    if kind in _CONTAINERS:
        items = [write_literal(item) for item in x]
        if kind is set or kind is frozenset:
            items.sort()  # for the same text in every process
        if kind is set and not x:
            return "set()"
        return _CONTAINERS[kind].format(", ".join(items) + "," * (kind is tuple and len(x) == 1))
    if kind is dict:
        pairs = [f"{write_literal(key)}: {write_literal(item)}" for key, item in x.items()]
        return f"{{{', '.join(pairs)}}}"
    if kind is slice or kind is range:
        parts = ", ".join(map(write_literal, (x.start, x.stop, x.step)))
        return f"{kind.__name__}({parts})"
    if isinstance(x, np.generic):
        _check_dtype(x.dtype)
        return f"np.{_name(kind)}({_item(x)})"
    if isinstance(x, np.dtype):
        _check_dtype(x)
        return f"np.dtype({x.str!r})"
    if kind is np.ndarray:
        return _array(x)
    raise NotWritable(f"a {kind.__qualname__}")


def _float(x):
    if math.isfinite(x):
        return repr(x)
    if x != x:
        if math.copysign(1.0, x) < 0:
            return "-math.nan"
        return "math.nan"
    return "math.inf" if x > 0 else "-math.inf"


def _name(kind):
    name = kind.__name__.rstrip("_")
    name = name if getattr(np, name, None) is kind else kind.__name__
    if getattr(np, name, None) is not kind:
        raise NotWritable(f"a number of type {kind.__name__}")
    return name


def _check_dtype(dtype):
    if dtype.kind not in "biufc" or dtype.char in "gG" or dtype.metadata:
        raise NotWritable(f"of type {dtype}")


def _item(x):
    """A NumPy scalar as a number of Python's, in its short form where that gives the same."""
    if x.dtype.kind == "f" and type(x)(float(str(x))) == x:
        return _float(float(str(x)))
    return write_literal(x.item())


def _array(x):
    _check_dtype(x.dtype)
    if x.size > LARGEST:
        raise NotWritable(f"an array of {x.size:,} elements")
    if not (x.flags.c_contiguous or x.flags.f_contiguous):
        raise NotWritable(f"an array of strides {list(x.strides)}")
    order = "" if x.flags.c_contiguous else ", order='F'"
    if 0 in x.shape:
        return f"np.empty({x.shape!r}, {x.dtype.str!r}{order})"
    return f"np.array({_items(x)}, {x.dtype.str!r}{order})"


def _items(x):
    if x.ndim == 0:
        return _item(x[()])
    return f"[{', '.join(map(_items, x))}]"
