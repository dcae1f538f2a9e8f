"""Cotangents and tangents in the type of what they belong to, for specialized code."""

import math

import numpy as np

from hybridad._record import active, is_wrapper, raw_of, tape_of

__all__ = ["Like", "fitted", "fitted_tangent", "is_recorded"]


class Like:
    """What a cotangent or tangent belongs to: its type, and of arrays dtype and shape.

    Parameters
    ----------
    x : number or array
    """

    __slots__ = ("dtype", "is_complex", "kind", "shape")

    def __init__(self, x):
        x = raw_of(x)
        self.kind = type(x)
        is_array = self.kind is np.ndarray
        self.dtype, self.shape = (x.dtype, x.shape) if is_array else (None, ())
        self.is_complex = np.iscomplexobj(x)

    @property
    def size(self):
        """How many numbers it is."""
        return math.prod(self.shape)


def is_recorded(part):
    """Whether a part of a cotangent or tangent is a value of a run that has to be followed."""
    return is_wrapper(part) and active(part) and tape_of(part).is_open


def fitted(part, like):
    """A part of a cotangent as specialized code takes it; None is zero.

    Parameters
    ----------
    part : number or array or None
        Perhaps being recorded.
    like : Like

    Returns
    -------
    number or array
        An array may be that of the caller.

    Examples
    --------
    >>> fitted(None, Like(np.ones(2, "f")))
    array([0., 0.], dtype=float32)
    >>> fitted(np.array([1, 2j]), Like(np.ones(2)))
    array([1., 0.])
    """
    if part is None:
        return like.kind(0) if like.dtype is None else np.zeros(like.shape, like.dtype)
    if is_recorded(part):
        return _fitted_recorded(part, like)
    part = raw_of(part)
    if like.dtype is None:
        return like.kind(part if like.is_complex else np.real(part))
    part = np.asarray(part)
    if part.dtype != like.dtype:
        part = (part if like.is_complex else part.real).astype(like.dtype)
    return part


def _fitted_recorded(part, like):
    """The code is recorded, too, so numbers may stay what they are."""
    raw, dtype = raw_of(part), like.dtype or np.dtype(like.kind)
    if np.iscomplexobj(raw) and not like.is_complex:
        part = part.real
    if like.dtype is None:
        return part[()] if isinstance(raw, np.ndarray) else part
    return part if part.dtype == dtype else part.astype(dtype)


def fitted_tangent(part, x):
    """A part of a tangent of a leaf `x` of the arguments, in memory of its own; None is zero.

    Examples
    --------
    >>> fitted_tangent(None, 2.0), fitted_tangent(np.array([1, 2]), np.ones(2))
    (0.0, array([1., 2.]))
    """
    if type(x) is not np.ndarray:
        return fitted(part, Like(x))
    made = np.zeros_like(x)
    if part is not None:
        made[...] = raw_of(part)
    return made
