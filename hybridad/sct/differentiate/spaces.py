"""Cotangents in the space of what they belong to, with as few operations as shapes allow.

A cotangent may have a smaller shape than its value, if it broadcasts to it: the sum's hands on one
number for the whole array. It is made large only where somebody needs it so.
"""

import math

import numpy as np

from hybridad.sct.differentiate.traced import Traced, call, is_number, raw_of, shape_of
from hybridad.trace.ir import Method

__all__ = ["cast", "expanded", "projected"]


def projected(writer, c, like, logical=None):
    """What a rule returned, as a cotangent of `like`: its type, and its shape or a smaller one.

    Parameters
    ----------
    writer : Writer
    c : Traced or number or array
    like : object
        An example of the value.
    logical : tuple of int, optional
        The shape that `c` stands for, if it is a smaller one.

    Returns
    -------
    Traced or number or array
    """
    shape = np.shape(like)
    found = shape_of(c)
    logical = found if logical is None else logical
    if len(found) > len(logical):
        logical = found
    if logical != shape:
        c = _summed(writer, c, found, logical, shape)
    return cast(writer, c, like)


def _summed(writer, c, found, logical, shape):
    """Sum over the axes along which a value of `shape` was broadcast to `logical`."""
    lead = len(logical) - len(shape)
    if lead < 0:
        return c
    offset = len(logical) - len(found)
    sums, count = [], 1
    for k, n in enumerate(logical):
        if n == 1 or (k >= lead and shape[k - lead] != 1):
            continue
        if k >= offset and found[k - offset] != 1:
            sums.append(k - offset)
        else:
            count *= n
    if sums:
        if len(sums) == len(found):
            c = call(writer, Method("sum"), (c,), {}) if type(c) is Traced else np.sum(c)
        else:
            axis = sums[0] if len(sums) == 1 else tuple(sums)
            keepdims = {} if max(sums) < lead - offset else {"keepdims": True}
            if type(c) is Traced:
                c = call(writer, Method("sum"), (c,), {"axis": axis, **keepdims})
            else:
                c = np.sum(c, axis=axis, **keepdims)
    found = shape_of(c)
    if len(found) > len(shape):
        kept = found[len(found) - len(shape):]
        c = call(writer, np.reshape, (c, kept), {})
    return c if count == 1 else call(writer, np.multiply, (c, float(count)), {})


def cast(writer, c, like):
    """`c` in the dtype of `like`."""
    dtype = _dtype(like)
    raw = raw_of(c)
    if is_number(c):
        if type(raw) is complex and dtype.kind != "c":
            return call(writer, Method("real"), (c,), {})
        return c        # Python's numbers take the type of what they meet
    own = _dtype(raw)
    if own == dtype:
        return c
    if own.kind == "c" and dtype.kind != "c":
        c = call(writer, Method("real"), (c,), {}) if type(c) is Traced else np.real(c)
        if _dtype(raw_of(c)) == dtype:
            return c
    if isinstance(raw, np.ndarray):
        return writer.apply(Method("astype"), (c, dtype)) if type(c) is Traced else c.astype(dtype)
    return writer.apply(dtype.type, (c,))


def expanded(writer, c, like, owned=False):
    """The cotangent `c` in the full shape and type of the array (or number) `like`.

    Parameters
    ----------
    writer : Writer
    c : Traced or number or array
    like : Traced
        The value.
    owned : bool
        It will be written into, so it must be an array that does not repeat memory.
    """
    raw, shape = like.raw, shape_of(like)
    if not isinstance(raw, np.ndarray):
        if isinstance(raw_of(c), np.ndarray):
            c = c[()]
        return c
    found = raw_of(c)
    if not isinstance(found, np.ndarray) or (not found.shape and shape):
        if (not owned and not is_number(c) and _dtype(found) == raw.dtype) or (
                not owned and raw.dtype == np.float64 and type(found) is float):
            return writer.apply(np.broadcast_to, (c, shape))
        return writer.apply(np.full_like, (like, c))
    if type(c) is not Traced:
        c = writer.apply(np.broadcast_to, (c, shape)) if found.shape != shape else c
        return writer.apply(np.copy, (c,))
    if found.shape != shape:
        c = writer.apply(np.broadcast_to, (c, shape))
        found = c.raw
    if owned and (not found.flags.writeable or _repeats(found) or not writer.is_own(c)):
        c = writer.apply(Method("copy"), (c,))
    return c


def _repeats(array):
    return any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape)) and math.prod(
        array.shape) > 0


def _dtype(x):
    return x.dtype if hasattr(x, "dtype") else np.dtype(type(x))
