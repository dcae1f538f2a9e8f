"""Objects by which values are told apart: each has an identity of its own."""

import numpy as np

from hybridad.trace.ir import Aval

__all__ = ["Dynamic", "Text", "another", "aval_of", "bare", "is_a", "is_number", "is_static",
           "layout_of", "outgoing", "repeats_itself"]


class Dynamic(int):
    """An int that varies from call to call, or from iteration to iteration.

    Plain ints have no identity of their own, so one that must be known again is one of these.
    """

    __slots__ = ()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class Text(str):
    """A text that shows a value of the run."""

    __slots__ = ()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def is_a(x, kinds):
    """Whether `x` is an instance, by its type: `isinstance` would ask the user's code."""
    return issubclass(type(x), kinds)


def another(x):
    """The same number or text as another object, which nobody else has."""
    kind = type(x)
    if kind is float:
        return x * 1.0
    if kind is complex:
        return complex(x.real, x.imag)      # a product is no copy: infinities, -0.0
    if kind is int or kind is Dynamic:
        return Dynamic(x)
    if kind is str or kind is Text:
        return Text(x)
    if issubclass(kind, np.generic):
        return x.copy()
    return x


def bare(x):
    """`x` for NumPy, which takes an int of another class for no Python int."""
    kind = type(x)
    if kind is Dynamic:
        return int(x)
    if kind is tuple and any(type(item) is Dynamic for item in x):
        return tuple([bare(item) for item in x])
    return x


def outgoing(x):
    """What others get to see: Python's own ints and texts, also in containers, which are kept."""
    kind = type(x)
    if kind is Dynamic:
        return int(x)
    if kind is Text:
        return str(x)
    if kind is tuple:
        items = [outgoing(item) for item in x]
        return x if all(a is b for a, b in zip(items, x)) else tuple(items)
    if kind is list:
        x[:] = [outgoing(item) for item in x]
    elif kind is dict:
        items = [(outgoing(key), outgoing(value)) for key, value in x.items()]
        x.clear()
        x.update(items)
    return x


_NUMBERS = (float, complex, int)


def is_number(x):
    """Whether `x` is a number that has an identity, once it was made `another`."""
    kind = type(x)
    return (kind in _NUMBERS or kind is Dynamic
            or (issubclass(kind, np.number) and kind is not np.bool_))


def is_static(x):
    """Whether `x` is known by what it is: a truth value, a text, None, ...; never a number."""
    kind = type(x)
    if kind in (bool, str, bytes, type(None), type(...), type(NotImplemented), np.bool_):
        return True
    if kind is slice or kind is range:
        return all(part is None or type(part) is int for part in (x.start, x.stop, x.step))
    return kind is tuple and all(is_static(item) or type(item) is int for item in x)


def layout_of(x):
    """C-contiguous, Fortran-contiguous, or neither."""
    flags = x.flags
    return "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"


def aval_of(x):
    """What is known of a value that is like `x`."""
    kind = type(x)
    if kind is np.ndarray:
        return Aval("array", x.dtype.str, x.shape, layout_of(x))
    if kind is Dynamic:
        return Aval("number", "int")
    if kind in (float, complex, int, bool):
        return Aval("number", kind.__name__)
    if issubclass(kind, np.generic):
        return Aval("number", x.dtype.str)
    return Aval("object", "str" if kind is Text else kind.__name__)


def repeats_itself(array):
    """Whether two elements of an array may lie in the same memory."""
    extent = array.itemsize
    for stride, n in sorted((abs(s), n) for s, n in zip(array.strides, array.shape) if n > 1):
        if stride < extent:
            return array.size > 0
        extent += stride * (n - 1)
    return False
