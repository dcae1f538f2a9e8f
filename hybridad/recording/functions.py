"""``__array_function__``: NumPy's functions on wrappers, and those that write into an argument."""

import numpy as np

from hybridad._access import record_write
from hybridad._record import active, is_wrapper, raw_of
from hybridad.recording.arraylike import convert, plain
from hybridad.recording.calls import call
from hybridad.recording.refusals import lost
from hybridad.rules.compositions import COMPOSITIONS
from hybridad.rules.declare import PRIMITIVES

__all__ = ["array_function"]


def array_function(function, args, kwargs):
    """Serve a call of `function`, one of NumPy's, with wrappers among its arguments."""
    special = _SPECIAL.get(function)
    if special is not None:
        return special(*args, **kwargs)
    composition = COMPOSITIONS.get(function)
    if composition is not None:
        return composition(*args, **kwargs)
    return call(PRIMITIVES.get(function), function, args, kwargs)


def _write(target, index, value, perform, masked=False):
    """Write the value (converted, broadcast) into `target`, a wrapper or a plain array."""
    if not is_wrapper(target):
        if active(value):
            lost(value, "a plain array (a write into a plain array)")
        perform()
        return
    record_write(target, raw_of(target), index, None, (value,), None, perform, masked=masked)


def _copyto(dst, src, casting="same_kind", where=True):
    src = convert(src)
    where = plain(where)
    mask = None if where is True else np.array(np.broadcast_to(where, np.shape(dst)))
    perform = lambda: np.copyto(raw_of(dst), raw_of(src), casting=casting, where=where)
    _write(dst, mask, src, perform, masked=mask is not None)


def _put(a, ind, v, mode="raise"):
    v = convert(v)
    size = np.size(a)
    flat = np.ravel(np.asarray(plain(ind)))
    if mode == "wrap":
        flat = flat % size
    elif mode == "clip":
        flat = np.clip(flat, 0, size - 1)
    index = np.unravel_index(np.where(flat < 0, flat + size, flat), np.shape(a))
    _write(a, index, _cycled(v, flat.size),
           lambda: np.put(raw_of(a), plain(ind), raw_of(v), mode=mode))


def _cycled(v, n):
    """The first `n` elements of `v`, repeated as often as needed."""
    return np.ravel(v)[np.arange(n) % max(np.size(v), 1)]


def _place(arr, mask, vals):
    vals = convert(vals)
    mask = np.array(plain(mask), dtype=bool)
    _write(arr, mask, _cycled(vals, np.count_nonzero(mask)),
           lambda: np.place(raw_of(arr), mask, raw_of(vals)))


def _putmask(a, mask, values):
    values = convert(values)
    mask = np.array(plain(mask), dtype=bool)
    value = np.reshape(_cycled(values, np.size(a)), np.shape(a))
    _write(a, mask, value, lambda: np.putmask(raw_of(a), mask, raw_of(values)), masked=True)


def _fill_diagonal(a, val, wrap=False):
    val = convert(val)
    marks = np.zeros(np.shape(a), dtype=bool)
    np.fill_diagonal(marks, True, wrap)
    index = np.nonzero(marks)
    value = _cycled(val, index[0].size) if np.ndim(val) else val
    _write(a, index, value, lambda: np.fill_diagonal(raw_of(a), raw_of(val), wrap))


def _put_along_axis(arr, indices, values, axis=-1):
    values = convert(values)
    indices = plain(indices)
    perform = lambda: np.put_along_axis(raw_of(arr), indices, raw_of(values), axis)
    if axis is None:
        index = np.unravel_index(np.ravel(indices), np.shape(arr))
        return _write(arr, index, values, perform)
    axis = axis % np.ndim(arr)
    grid = list(np.ogrid[tuple(slice(n) for n in np.shape(indices))])
    grid[axis] = np.array(indices)
    return _write(arr, tuple(grid), values, perform)


def _broadcast_arrays(*args, subok=False):
    shape = np.broadcast_shapes(*[np.shape(x) for x in args])
    return tuple(np.broadcast_to(convert(x), shape) for x in args)


def _each(function):
    """`atleast_1d` and the like: several arguments give a tuple."""

    def serve(*args):
        results = tuple(call(PRIMITIVES[function], function, (convert(x),), {}) for x in args)
        return results[0] if len(results) == 1 else results

    return serve


def _apply_along_axis(func1d, axis, arr, *args, **kwargs):
    moved = np.moveaxis(arr, axis, -1)
    shape = moved.shape[:-1]
    rows = [convert(func1d(moved[index], *args, **kwargs)) for index in np.ndindex(*shape)]
    stacked = np.stack(rows)
    result = np.reshape(stacked, shape + np.shape(rows[0]))
    return np.moveaxis(result, -1, axis) if np.ndim(rows[0]) == 1 else result


def _unstack(x, /, *, axis=0):
    moved = np.moveaxis(x, axis, 0)
    return tuple(moved[k] for k in range(len(moved)))


_SPECIAL = {
    np.copyto: _copyto,
    np.put: _put,
    np.place: _place,
    np.putmask: _putmask,
    np.fill_diagonal: _fill_diagonal,
    np.put_along_axis: _put_along_axis,
    np.broadcast_arrays: _broadcast_arrays,
    np.atleast_1d: _each(np.atleast_1d),
    np.atleast_2d: _each(np.atleast_2d),
    np.atleast_3d: _each(np.atleast_3d),
    np.apply_along_axis: _apply_along_axis,
    **({np.unstack: _unstack} if hasattr(np, "unstack") else {}),
}
