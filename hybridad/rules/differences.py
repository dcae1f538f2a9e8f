"""Rules of differences along an axis and of the trapezoidal rule.

All are linear in the values; the transpose of a difference is minus a difference, of the values
with zeros around them. `np.gradient`'s three-point stencil is that of its documentation.
"""

import numpy as np

from hybridad.rules.declare import linear, rule
from hybridad.rules.refusals import fixed


def _along(x, axis, start, stop=None):
    """``x[start:stop]`` along `axis`."""
    return x[(slice(None),) * (axis % np.ndim(x)) + (slice(start, stop),)]


def _around(g, axis, before, after):
    """`g` with zeros before and after it along `axis`."""
    shape = list(np.shape(g))
    shape[axis] = before
    head = np.zeros_like(g, shape=tuple(shape))
    shape[axis] = after
    return np.concatenate([head, g, np.zeros_like(g, shape=tuple(shape))], axis=axis)


# Differences


def _extra(x, axis):
    """How long `prepend` or `append` is along `axis`."""
    return 0 if x is None else np.shape(x)[axis] if np.ndim(x) else 1


def _diff_vjp(g, ans, argnum, a, n=1, axis=-1, prepend=None, append=None):
    if np.shape(ans)[axis] == 0:
        return None
    g = (-1) ** n * np.diff(_around(g, axis, n, n), n, axis)
    before, middle = _extra(prepend, axis), np.shape(a)[axis]
    stops = {0: (before, before + middle), 3: (0, before), 4: (before + middle, None)}
    return _along(g, axis, *stops[argnum])


def _diff_jvp(t, ans, argnum, a, n=1, axis=-1, prepend=None, append=None):
    shape = list(np.shape(a))
    parts = []
    for k, x in ((3, prepend), (0, a), (4, append)):
        if x is None:
            continue
        shape[axis] = _extra(x, axis)
        x = t if k == argnum else np.zeros_like(t, shape=())
        parts.append(np.broadcast_to(x, tuple(shape)))
    return np.diff(np.concatenate(parts, axis=axis), n, axis)


rule(np.diff, vjp=_diff_vjp, jvp=_diff_jvp)


def _ediff1d_vjp(g, ans, argnum, ary, to_end=None, to_begin=None):
    before = 0 if to_begin is None else np.size(to_begin)
    stop = np.size(g) - (0 if to_end is None else np.size(to_end))
    if argnum == 0:
        g = _around(g[before:stop], 0, 1, 1)
        return np.reshape(g[:-1] - g[1:], np.shape(ary)) if np.size(ary) else None
    x, g = (to_end, g[stop:]) if argnum == 1 else (to_begin, g[:before])
    return np.reshape(g, np.shape(x))


def _ediff1d_jvp(t, ans, argnum, ary, to_end=None, to_begin=None):
    parts = [ary, to_end, to_begin]
    parts = [None if x is None else t if k == argnum else np.zeros_like(t, shape=np.shape(x))
             for k, x in enumerate(parts)]
    return np.ediff1d(*parts)


rule(np.ediff1d, vjp=_ediff1d_vjp, jvp=_ediff1d_jvp)


# Trapezoidal rule: sum of (x[i+1] - x[i]) (y[i] + y[i+1]) / 2


def _widths(y, x, dx, axis):
    if x is None:
        return dx
    d = np.diff(x, 1, axis if np.ndim(x) > 1 else -1)
    if np.ndim(x) == 1:
        d = np.reshape(d, (-1,) + (1,) * (np.ndim(y) - 1 - axis % np.ndim(y)))
    return d


def _trapezoid_y(g, ans, y, x=None, dx=1.0, axis=-1):
    half = np.expand_dims(g, axis) * _widths(y, x, dx, axis) / 2.0
    shape = list(np.shape(y))
    shape[axis] = max(shape[axis] - 1, 0)
    half = np.broadcast_to(half, tuple(shape))
    return _along(_around(half, axis, 0, 1) + _around(half, axis, 1, 0), axis, 0, np.shape(y)[axis])


def _trapezoid_x(g, ans, y, x=None, dx=1.0, axis=-1):
    half = np.expand_dims(g, axis) * (_along(y, axis, 1) + _along(y, axis, 0, -1)) / 2.0
    g = _around(half, axis, 1, 0) - _around(half, axis, 0, 1)
    if np.ndim(x) == 1 < np.ndim(y):
        axis %= np.ndim(y)
        g = np.sum(g, axis=tuple(k for k in range(np.ndim(y)) if k != axis))
    return g


linear(np.trapezoid, _trapezoid_y, _trapezoid_x,
       lambda g, ans, y, x=None, dx=1.0, axis=-1: g * np.trapezoid(y, None, 1.0, axis))


# np.gradient along one axis (recording calls it axis by axis)


def _spacing(f, varargs, axis):
    """The axis, and the distances between neighbours along it."""
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        axis = axis[0]
    axis = (axis or 0) % np.ndim(f)
    h = varargs[0] if varargs else 1.0
    n = np.shape(f)[axis]
    return axis, np.broadcast_to(h, (n - 1,)) if np.ndim(h) == 0 else np.diff(h)


def _gradient_vjp(g, ans, argnum, f, *varargs, axis=None, edge_order=1):
    if argnum:
        return -g * ans / varargs[0]
    axis, h = _spacing(f, varargs, axis)
    g = np.moveaxis(g, axis, -1)
    p, q = h[:-1], h[1:]
    z = np.zeros_like(g)
    middle = g[..., 1:-1]
    z[..., :-2] += middle * (-q / (p * (p + q)))
    z[..., 1:-1] += middle * ((q - p) / (p * q))
    z[..., 2:] += middle * (p / (q * (p + q)))
    first, last = g[..., 0], g[..., -1]
    if edge_order == 1:
        z[..., 0] -= first / h[0]
        z[..., 1] += first / h[0]
        z[..., -2] -= last / h[-1]
        z[..., -1] += last / h[-1]
    else:
        p, q = h[0], h[1]
        z[..., 0] -= first * ((2.0 * p + q) / (p * (p + q)))
        z[..., 1] += first * ((p + q) / (p * q))
        z[..., 2] -= first * (p / (q * (p + q)))
        p, q = h[-2], h[-1]
        z[..., -3] += last * (q / (p * (p + q)))
        z[..., -2] -= last * ((p + q) / (p * q))
        z[..., -1] += last * ((2.0 * q + p) / (q * (p + q)))
    return np.moveaxis(z, -1, axis)


def _gradient_jvp(t, ans, argnum, f, *varargs, axis=None, edge_order=1):
    if argnum:
        return -t * ans / varargs[0]
    return np.gradient(t, *varargs, axis=axis, edge_order=edge_order)


_refuse_coordinates = fixed("np.gradient", coordinates=1)


def _check_gradient(f, *varargs, axis=None, edge_order=1):
    if varargs and np.ndim(varargs[0]):
        _refuse_coordinates(f, *varargs)


rule(np.gradient, vjp=_gradient_vjp, jvp=_gradient_jvp, check=_check_gradient)
