"""Functions of NumPy that are thin compositions of primitives, written out as such.

They take arrays where no single rule fits: in nested lists, or in a sequence that is not the first
argument. `COMPOSITIONS` maps each function to its formula, which gives the same values and dtypes
and may be run on values being recorded.
"""

import numpy as np

__all__ = ["COMPOSITIONS"]


def _array(x):
    return x if hasattr(x, "dtype") else np.asarray(x)


def _is_weak(x):
    """Whether `x` is one of Python's numbers, whose type bends to that of the arrays."""
    return (isinstance(x, (int, float, complex)) and not isinstance(x, bool)
            and not hasattr(x, "dtype"))


def _of_one_type(xs):
    """Arrays and numbers as arrays of their common dtype."""
    xs = [x if _is_weak(x) else _array(x) for x in xs]
    dtype = np.result_type(*(x if _is_weak(x) else x.dtype for x in xs))
    zero = dtype.type(0)
    return [np.where(True, x, zero) if _is_weak(x) else x.astype(dtype, copy=False) for x in xs]


def _select(condlist, choicelist, default=0):
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    *choices, result = _of_one_type((*choicelist, default))
    for condition, choice in zip(reversed(condlist), reversed(choices)):
        if _array(condition).dtype.kind != "b":
            raise TypeError("conditions of np.select must be boolean")
        result = np.where(condition, choice, result)
    return result


def _choose(a, choices, out=None, mode="raise"):
    a, n = _array(a), len(choices)
    if mode == "wrap":
        a = np.remainder(a, n)
    elif mode == "clip":
        a = np.minimum(np.maximum(a, 0), n - 1)
    elif np.any((a < 0) | (a >= n)):
        raise ValueError("invalid entry in choice array")
    choices = _of_one_type(choices)
    shape = np.broadcast_shapes(np.shape(a), *map(np.shape, choices))
    table = np.stack([np.broadcast_to(choice, shape) for choice in choices])
    return np.take_along_axis(table, np.broadcast_to(a, (1, *shape)), axis=0)[0]


def _depth(arrays):
    return 1 + max(map(_depth, arrays)) if isinstance(arrays, list) else 0


def _deepest(arrays):
    return max(map(_deepest, arrays)) if isinstance(arrays, list) else np.ndim(arrays)


def _joined(arrays, depth, ndim):
    if not isinstance(arrays, list):
        return np.reshape(arrays, (1,) * (ndim - np.ndim(arrays)) + np.shape(arrays))
    return np.concatenate([_joined(x, depth - 1, ndim) for x in arrays], axis=-depth)


def _block(arrays):
    depth = _depth(arrays)
    if depth == 0:
        return np.copy(arrays)
    return _joined(arrays, depth, max(depth, _deepest(arrays)))


COMPOSITIONS = {np.select: _select, np.choose: _choose, np.block: _block}
