"""Rules of what picks elements by integer or boolean arrays, sorts or interpolates.

Also here, for the tape's own reads and writes by index: `scatter_add` and `last_writes`.
The transpose of a gather is a scatter with `+=`; a permutation is turned around by its inverse.
"""

import math

import numpy as np

from hybridad.rules.declare import linear, rule

__all__ = ["last_writes", "scatter_add", "scattered"]


# Scattering


def scatter_add(zeros, index, g):
    """Add `g` to ``zeros[index]`` in place, elements that the index names several times too.

    Parameters
    ----------
    zeros : ndarray
    index : object
        Any index that NumPy takes.
    g : array or scalar
        Of the shape of ``zeros[index]``, or one that broadcasts to it.

    Examples
    --------
    >>> x = np.zeros(3)
    >>> scatter_add(x, np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]))
    >>> x
    array([4., 0., 2.])
    """
    parts = index if type(index) is tuple else (index,)
    if not any(map(_may_repeat, parts)):
        zeros[index] += g
        return
    shape = zeros.shape
    if zeros.ndim > 1 and np.size(g) > 1000 and zeros.flags.c_contiguous:
        if all(map(_is_integral, parts)):
            rows = _rows(shape, parts)
            tail = shape[len(parts) :]
            g = np.broadcast_to(g, rows.shape + tail)
            columns = math.prod(tail)
            _add_rows(zeros.reshape(math.prod(shape[: len(parts)]), columns), rows.ravel(),
                      g.reshape(rows.size, columns))
            return
        if 4 * np.size(g) > zeros.size:
            positions = np.arange(zeros.size).reshape(shape)[index]
            g = np.broadcast_to(g, positions.shape)
            np.add.at(zeros.reshape(-1), positions.ravel(), g.ravel())
            return
    np.add.at(zeros, index, g)


def _add_rows(zeros, rows, g):
    """``zeros[rows] += g`` for large matrices.

    `np.add.at` takes 1 ns an element of a vector, but 80 ns a row and 7 ns an element otherwise:
    long rows are added as one long vector, short ones column by column. (`np.bincount` was hardly
    ever faster, sorting never.)
    """
    columns = zeros.shape[1]
    if columns < 8:
        for k in range(columns):
            np.add.at(zeros[:, k], rows, g[:, k])
    else:
        flat = rows[:, None] * columns + np.arange(columns)
        np.add.at(zeros.reshape(-1), flat.ravel(), g.ravel())


def _may_repeat(part):
    """Whether a part of an index may name an element twice: an integer array of several."""
    if isinstance(part, (list, tuple)):
        part = np.asarray(part)
    return isinstance(part, np.ndarray) and part.size > 1 and part.dtype.kind != "b"


def _is_integral(part):
    if isinstance(part, (bool, np.bool_)):
        return False
    if isinstance(part, (list, tuple)):
        part = np.asarray(part)
    return isinstance(part, (int, np.integer)) or (
        isinstance(part, np.ndarray) and part.dtype.kind in "iu")


def _rows(shape, parts):
    """Integers and integer arrays that index the first axes, as one array into them raveled."""
    rows = 0
    for n, part in zip(shape, parts):
        part = np.asarray(part, dtype=np.intp)
        rows = rows * n + np.where(part < 0, part + n, part)
    return rows


def last_writes(shape, index):
    """Which elements of `v` survive ``x[index] = v``: of several for one place, the last.

    Parameters
    ----------
    shape : tuple of int
        The shape of `x`.
    index : object
        Any index that NumPy takes.

    Returns
    -------
    ndarray of bool or None
        Of the shape of ``x[index]``; None if no place is written twice.

    Examples
    --------
    >>> last_writes((3,), np.array([0, 2, 0]))
    array([False,  True,  True])
    >>> last_writes((3,), np.array([0, 2, 1])) is None
    True
    """
    parts = index if type(index) is tuple else (index,)
    if not any(map(_may_repeat, parts)):
        return None
    if all(map(_is_integral, parts)):
        tail = shape[len(parts) :]
        survives = _last(_rows(shape, parts), math.prod(shape[: len(parts)]))
        if survives is None or not tail:
            return survives
        survives = survives.reshape(survives.shape + (1,) * len(tail))
        return np.broadcast_to(survives, survives.shape[: -len(tail)] + tail)
    size = math.prod(shape)
    return _last(np.arange(size).reshape(shape)[index], size)


def _last(positions, size):
    """True where a position does not come again later; None if that is everywhere."""
    flat = positions.ravel()
    count = np.arange(flat.size)
    if 16 * flat.size > size:
        writer = np.empty(size, dtype=np.intp)
        writer[flat] = count
        survives = writer[flat] == count
    else:
        order = np.argsort(flat, kind="stable")
        again = flat[order[1:]] == flat[order[:-1]]
        survives = np.ones(flat.size, dtype=bool)
        survives[order[:-1][again]] = False
    return None if survives.all() else survives.reshape(positions.shape)


def scattered(g, shape, index):
    """Zeros of `shape` with `g` added at `index`: for rules, where values may be recorded."""
    z = np.zeros_like(g, shape=shape)
    parts = index if type(index) is tuple else (index,)
    if type(z) is np.ndarray and all(type(p) in (np.ndarray, int, slice) for p in parts):
        scatter_add(z, index, g)
    else:
        np.add.at(z, index, g)
    return z


# Gathering


def _flat(a):
    return np.reshape(a, (np.size(a),))


def _take_transpose(g, ans, a, indices, axis=None, out=None, mode="raise"):
    if axis is None:
        n = np.size(a)
        g = scattered(g, (n,), _within(indices, n, mode))
        return np.reshape(g, np.shape(a))
    axis %= np.ndim(a)
    indices = _within(indices, np.shape(a)[axis], mode)
    return scattered(g, np.shape(a), (slice(None),) * axis + (indices,))


def _within(indices, n, mode):
    indices = np.asarray(indices) if isinstance(indices, (list, tuple)) else indices
    if mode == "wrap":
        return indices % n
    if mode == "clip":
        return np.minimum(np.maximum(indices, 0), n - 1)
    return indices


def _take_along_axis_transpose(g, ans, arr, indices, axis=-1):
    if axis is None:
        return np.reshape(scattered(g, (np.size(arr),), indices), np.shape(arr))
    shape = np.shape(arr)
    axis %= len(shape)
    index = tuple(
        indices if k == axis else np.reshape(np.arange(n), (-1,) + (1,) * (len(shape) - 1 - k))
        for k, n in enumerate(shape)
    )
    return scattered(g, shape, index)


def _compress_transpose(g, ans, condition, a, axis=None, out=None):
    return _take_transpose(g, ans, a, np.flatnonzero(condition), axis)


linear(np.take, _take_transpose)
linear(np.take_along_axis, _take_along_axis_transpose)
linear(np.compress, None, _compress_transpose)
linear(np.extract, None, lambda g, ans, condition, arr:
       _take_transpose(g, ans, arr, np.flatnonzero(condition)))
linear(np.delete, lambda g, ans, arr, obj, axis=None:
       _take_transpose(g, ans, arr, np.delete(np.arange(
           np.size(arr) if axis is None else np.shape(arr)[axis]), obj), axis))


# Sorting: both `a` and `ans` hold the same numbers, so their sorted orders match them


def _destinations(ans, a, axis):
    """Where each element of `a` stands in `ans`, a rearrangement of `a` along `axis`."""
    ranks = np.argsort(np.argsort(a, axis=axis, kind="stable"), axis=axis)
    return np.take_along_axis(np.argsort(ans, axis=axis, kind="stable"), ranks, axis=axis)


def _rearranged_vjp(g, ans, a, axis):
    if axis is None:
        return np.reshape(np.take(g, _destinations(ans, _flat(a), 0)), np.shape(a))
    return np.take_along_axis(g, _destinations(ans, a, axis), axis=axis)


def _rearranged_jvp(t, ans, a, axis):
    if axis is None:
        t, a, axis = _flat(t), _flat(a), 0
    return np.take_along_axis(t, _destinations(a, ans, axis), axis=axis)


def _even(g, ans, axis):
    """Equal numbers share evenly what belongs to them: none of them comes first by its value."""
    axis = 0 if axis is None else axis
    rows = np.moveaxis(g, axis, -1)
    values = np.moveaxis(ans, axis, -1)
    begins = np.ones_like(values, dtype=bool)
    begins[..., 1:] = values[..., 1:] != values[..., :-1]
    group = np.cumsum(begins) - 1
    counts = np.bincount(group, minlength=np.size(group))   # then no shape comes from values
    sums = np.zeros_like(rows, shape=counts.shape)
    np.add.at(sums, group, np.ravel(rows))
    return np.moveaxis(np.reshape((sums / np.maximum(counts, 1))[group], np.shape(rows)), -1, axis)


rule(np.sort, lambda g, ans, a, axis=-1, kind=None, order=None, stable=None:
     _rearranged_vjp(_even(g, ans, axis), ans, a, axis),
     jvps=(lambda t, ans, a, axis=-1, kind=None, order=None, stable=None:
           _even(_rearranged_jvp(t, ans, a, axis), ans, axis),))
rule(np.partition, lambda g, ans, a, kth, axis=-1, kind="introselect", order=None:
     _rearranged_vjp(g, ans, a, axis),
     jvps=(lambda t, ans, a, kth, axis=-1, kind="introselect", order=None:
           _rearranged_jvp(t, ans, a, axis),))


# Interpolation: on the piece [x0, x1] ans is f0 + w (f1 - f0) with w = (x - x0) / (x1 - x0)


def _pieces(x, xp, fp, left, right, period):
    """`(source, j, w, slope, held)`: the knots in order, each x's piece there, weight and slope.

    `source` is None if the knots are in order as they are. The slope is 0 outside the knots.
    `held` is where the result is `left` or `right`.
    """
    if period is None:
        source = None
    else:
        period = abs(period)
        x, xp = x % period, xp % period
        order = np.argsort(xp)
        source = np.concatenate([order[-1:], order, order[:1]])
        turn = np.zeros(np.shape(source)[0])
        turn[0], turn[-1] = -period, period
        xp = np.take(xp, source) + turn
        fp = np.take(fp, source)
        left = right = None
    n = np.shape(xp)[0]
    j = np.minimum(np.maximum(np.searchsorted(xp, x, side="right") - 1, 0), max(n - 2, 0))
    k = np.minimum(j + 1, n - 1)
    x0, below, above = np.take(xp, j), x < xp[0], x > xp[-1]
    width = np.take(xp, k) - x0
    width = np.where(width == 0, 1.0, width)
    inside = ~(below | above)
    w = np.where(inside, (x - x0) / width, above)
    slope = np.where(inside, (np.take(fp, k) - np.take(fp, j)) / width, 0.0)
    held = (below & (left is not None)) | (above & (right is not None))
    return source, j, k, w, slope, held


def _interp_x(g, ans, x, xp, fp, left=None, right=None, period=None):
    return g * _pieces(x, xp, fp, left, right, period)[4]


def _spread(g, source, j, k, w, shape):
    """The transpose of interpolating values given at the knots."""
    if source is not None:
        j, k = np.take(source, j), np.take(source, k)
    return scattered(g * (1.0 - w), shape, j) + scattered(g * w, shape, k)


def _interp_xp(g, ans, x, xp, fp, left=None, right=None, period=None):
    source, j, k, w, slope, _ = _pieces(x, xp, fp, left, right, period)
    return _spread(-g * slope, source, j, k, w, np.shape(xp))


def _interp_fp(g, ans, x, xp, fp, left=None, right=None, period=None):
    source, j, k, w, _, held = _pieces(x, xp, fp, left, right, period)
    return _spread(np.where(held, 0.0, g), source, j, k, w, np.shape(fp))


def _interp_xp_jvp(t, ans, x, xp, fp, left=None, right=None, period=None):
    source, j, k, w, slope, _ = _pieces(x, xp, fp, left, right, period)
    t = t if source is None else np.take(t, source)
    return -slope * ((1.0 - w) * np.take(t, j) + w * np.take(t, k))


def _interp_fp_jvp(t, ans, x, xp, fp, left=None, right=None, period=None):
    source, j, k, w, _, held = _pieces(x, xp, fp, left, right, period)
    t = t if source is None else np.take(t, source)
    return np.where(held, 0.0, (1.0 - w) * np.take(t, j) + w * np.take(t, k))


rule(np.interp, _interp_x, _interp_xp, _interp_fp,
     jvps=(_interp_x, _interp_xp_jvp, _interp_fp_jvp))
