"""Array-likes: lists and tuples in which there are wrappers become arrays, on record."""

import numpy as np

from hybridad._record import is_wrapper, raw_of, record
from hybridad.rules.declare import PRIMITIVES

__all__ = ["as_array", "convert", "holds_wrapper", "plain"]


def holds_wrapper(x):
    """Whether `x` is a wrapper or a (nested) list or tuple with one inside."""
    if is_wrapper(x):
        return True
    return isinstance(x, (list, tuple)) and any(map(holds_wrapper, x))


def plain(x):
    """`x` with every wrapper in its lists, tuples and dicts replaced by the plain value."""
    if is_wrapper(x):
        return raw_of(x)
    if type(x) in (list, tuple):
        return type(x)([plain(item) for item in x])
    if type(x) is dict:
        return {key: plain(value) for key, value in x.items()}
    return x


def convert(x):
    """An array of a list or tuple with wrappers inside, recorded; anything else as it is."""
    if is_wrapper(x) or not holds_wrapper(x):
        return x
    ans = np.array(plain(x))
    parts = tuple(as_array(item) for item in x)
    return record(PRIMITIVES[np.stack], ans, parts, None)


def as_array(x):
    """An array of any list or tuple, as every function of NumPy makes one of an operand."""
    return np.array(x) if type(x) in (list, tuple) and not holds_wrapper(x) else convert(x)
