"""Bringing a cotangent back into the space of its argument, and symbolic zeros.

`project` is what the engines do to everything that a rule returns; rules never do it themselves.
The other functions are for rules: they work on plain arrays and on values being recorded alike.
"""

import numpy as np

__all__ = ["broadcast_tangent", "expand", "project", "where_finite", "where_nonzero"]


def project(g, x):
    """The cotangent `g` as a member of the space of `x`: same shape, dtype, real where `x` is.

    Parameters
    ----------
    g : array or scalar
        What a rule returned: of the shape of `x` or any shape that broadcasts from or to it.
    x : array or scalar
        The argument; only its shape and dtype are looked at.

    Returns
    -------
    array or NumPy scalar

    Examples
    --------
    >>> project(np.ones((3, 2)), np.zeros(2))
    array([3., 3.])
    """
    shape, dtype = np.shape(x), _dtype(x)
    if np.shape(g) != shape:
        g = _unbroadcast(g, shape)
    if g.dtype != dtype:
        if dtype.kind != "c" and g.dtype.kind == "c":
            g = np.real(g)
        if g.dtype != dtype:
            g = g.astype(dtype)
    return g


def broadcast_tangent(t, ans):
    """The tangent `t` as a member of the space of `ans`: broadcast to its shape, cast to its dtype.

    Examples
    --------
    >>> broadcast_tangent(np.float64(1.0), np.zeros(2))
    array([1., 1.])
    """
    shape, dtype = np.shape(ans), _dtype(ans)
    if np.shape(t) != shape:
        t = np.broadcast_to(t, shape)
    if t.dtype != dtype:
        if dtype.kind != "c" and t.dtype.kind == "c":
            t = np.real(t)
        if t.dtype != dtype:
            t = t.astype(dtype)
    return t


def _dtype(x):
    return x.dtype if hasattr(x, "dtype") else np.dtype(type(x))


def _unbroadcast(g, shape):
    """Sum `g` over the axes along which an argument of `shape` was broadcast."""
    lead = np.ndim(g) - len(shape)
    if lead < 0:
        return np.broadcast_to(g, shape)
    gshape = np.shape(g)
    ones = tuple(k + lead for k, n in enumerate(shape) if n == 1 and gshape[k + lead] != 1)
    if lead and not ones:
        g = _sum(g, tuple(range(lead)))
    elif ones:
        g = _sum(g, (*range(lead), *ones), keepdims=True)
        g = np.reshape(g, np.shape(g)[lead:])
    return g if np.shape(g) == shape else np.broadcast_to(g, shape)


def _sum(g, axes, keepdims=False):
    """`np.sum`, without its wrapping for plain arrays: this runs for every bias of a network."""
    if type(g) is np.ndarray:
        return np.add.reduce(g, axis=axes, keepdims=keepdims)
    return np.sum(g, axis=axes, keepdims=keepdims)


def expand(g, x, axis=None, keepdims=False):
    """Undo a reduction of `x` over `axis`: `g` broadcast back to the shape of `x`.

    Parameters
    ----------
    g : array or scalar
        Of the shape of the reduction's result.
    x : array
        The reduced argument; only its shape is looked at.
    axis : int, tuple of int or None
    keepdims : bool

    Returns
    -------
    array
        A read-only broadcast view where that is possible.

    Examples
    --------
    >>> expand(np.array([1.0, 2.0]), np.zeros((2, 2)), axis=1)
    array([[1., 1.],
           [2., 2.]])
    """
    shape = np.shape(x)
    if not keepdims and axis is not None and shape:
        axes = (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
        kept = {a % len(shape) for a in axes}
        g = np.reshape(g, tuple(1 if k in kept else n for k, n in enumerate(shape)))
    return np.broadcast_to(g, shape)


def where_nonzero(g, x, safe=1.0):
    """The denominator `x`, and the harmless number `safe` where `g` is zero and `x` singular.

    Rules of primitives with singular points select with it *before* they divide, so that zero
    stays zero: ``g / where_nonzero(g, x)`` is 0 where `g` is, even if `x` is 0 or NaN there.

    The derivative of ``g / x`` by `g` is ``1 / x`` where `g` is zero, too. So while the sweep is
    itself recorded only the singular points are replaced; otherwise the value is all that counts
    and the cheaper test will do.

    Examples
    --------
    >>> g, x = np.array([0.0, 2.0]), np.array([0.0, 4.0])
    >>> g / where_nonzero(g, x)
    array([0. , 0.5])
    """
    if type(g) is np.float64 and np.ndim(x) == 0:
        # A scalar of the sweep itself, which is never recorded: no guard, and no ufunc calls.
        return safe if g == 0.0 else x
    if _is_plain(g):
        return np.where(g == 0, safe, x)
    return np.where(np.logical_or(g, np.abs(x) > 0), x, safe)


def where_finite(g, d):
    """The factor `d`, and 0 where `g` is zero and `d` infinite or NaN.

    The same as `where_nonzero` for a derivative that is not a quotient: ``g * where_finite(g, d)``
    is 0 where `g` is.

    Examples
    --------
    >>> g, d = np.array([0.0, 2.0]), np.array([np.inf, 4.0])
    >>> g * where_finite(g, d)
    array([0., 8.])
    """
    if type(g) is np.float64 and np.ndim(d) == 0:
        return 0.0 if g == 0.0 else d
    if _is_plain(g):
        return np.where(g == 0, 0.0, d)
    return np.where(np.logical_or(g, np.isfinite(d)), d, 0.0)


def _is_plain(g):
    """Whether `g` is NumPy's own, so that nothing is differentiated by it."""
    return type(g) is np.ndarray or issubclass(type(g), np.generic)
