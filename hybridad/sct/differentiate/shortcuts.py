"""Calls of NumPy that need not be written down: what shapes and types tell, and cheaper forms."""

import math
import operator

import numpy as np

__all__ = ["COUNTING", "OF_NUMBERS", "OPERATORS", "SHORT", "STATIC"]

COUNTING = {np.flatnonzero, np.nonzero, np.argwhere, np.bincount, np.unique, np.compress,
            np.extract, np.repeat}
"""The shape of the result depends on values."""

STATIC = {np.shape, np.ndim, np.size, np.result_type, np.iscomplexobj, np.isrealobj,
          np.broadcast_shapes, len}
"""Only shapes and types are looked at."""

OPERATORS = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.divide: operator.truediv, np.power: operator.pow, np.matmul: operator.matmul,
    np.negative: operator.neg, np.remainder: operator.mod, np.floor_divide: operator.floordiv,
    np.equal: operator.eq, np.not_equal: operator.ne, np.less: operator.lt,
    np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
}
"""Ufuncs that have an operator, which reads better."""

OF_NUMBERS = {
    np.exp: math.exp, np.expm1: math.expm1, np.log: math.log, np.log2: math.log2,
    np.log10: math.log10, np.log1p: math.log1p, np.sqrt: math.sqrt, np.sin: math.sin,
    np.cos: math.cos, np.tan: math.tan, np.arcsin: math.asin, np.arccos: math.acos,
    np.arctan: math.atan, np.arctan2: math.atan2, np.sinh: math.sinh, np.cosh: math.cosh,
    np.tanh: math.tanh, np.arcsinh: math.asinh, np.arccosh: math.acosh, np.arctanh: math.atanh,
    np.hypot: math.hypot, np.absolute: operator.abs, np.abs: operator.abs, np.fabs: math.fabs,
    np.isfinite: math.isfinite, np.isnan: math.isnan, np.copysign: math.copysign,
}
"""Ufuncs that `math` has for Python's numbers, at a tenth of the cost."""


def _is_traced(x):
    return hasattr(x, "writer")


def _kind_of(x):
    return x.dtype.kind if hasattr(x, "dtype") else np.asarray(x).dtype.kind


def _same_shape(x, shape=None, *args, newshape=None, order="C", copy=None, **kwargs):
    shape = newshape if shape is None else shape
    if args:
        shape = (shape, *args)
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    return x if _is_traced(x) and shape == x.shape else NotImplemented


def _same_broadcast(x, shape=None, subok=False):
    return x if _is_traced(x) and tuple(np.atleast_1d(shape)) == x.shape \
        and x.shape else NotImplemented


def _real_already(x, *args):
    return x if _is_traced(x) and _kind_of(x) != "c" else NotImplemented


def _not_permuted(x, *axes):
    if not _is_traced(x):
        return NotImplemented
    n = len(x.shape)
    if n < 2:
        return x
    if len(axes) == 1 and axes[0] is not None and len(axes[0]) == n:
        return x if [k % n for k in axes[0]] == list(range(n)) else NotImplemented
    return NotImplemented


def _not_moved(x, source, destination):
    if not _is_traced(x):
        return NotImplemented
    n = len(x.shape)
    source, destination = np.atleast_1d(source), np.atleast_1d(destination)
    return x if all((a - b) % n == 0 for a, b in zip(source, destination)) else NotImplemented


def _positive(x, *args):
    return x if _is_traced(x) and not args else NotImplemented


SHORT = {
    np.reshape: _same_shape, "reshape": _same_shape, np.broadcast_to: _same_broadcast,
    np.real: _real_already, np.conjugate: _real_already, np.conj: _real_already,
    "real": _real_already, "conj": _real_already, "conjugate": _real_already,
    np.transpose: _not_permuted, "transpose": _not_permuted, "T": _not_permuted,
    np.moveaxis: _not_moved, np.swapaxes: _not_moved,
    np.positive: _positive, operator.pos: _positive,
}
"""Function or name of a method -> function that gives the result, or NotImplemented."""
