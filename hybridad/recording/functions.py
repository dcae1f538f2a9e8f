"""``__array_function__``: NumPy's functions on wrappers, and those that write into an argument."""

import string

import numpy as np

from hybridad._access import record_write
from hybridad._record import active, is_wrapper, raw_of, record
from hybridad.recording.arraylike import as_array, as_objects, plain
from hybridad.recording.calls import call
from hybridad.recording.counting import histogram, unique
from hybridad.recording.lines import at_users_line
from hybridad.recording.refusals import lost, unsupported
from hybridad.rules.compositions import COMPOSITIONS
from hybridad.rules.declare import PRIMITIVES

__all__ = ["array_function"]


def array_function(function, args, kwargs):
    """Serve a call of `function`, one of NumPy's, with wrappers among its arguments."""
    if function in _OF_ARRAYS_ONLY and any(isinstance(x, (list, tuple)) for x in args):
        function(*plain(args), **plain(kwargs))     # NumPy may raise
    special = _SPECIAL.get(function)
    if special is not None:
        return special(*args, **kwargs)
    composition = COMPOSITIONS.get(function)
    if composition is not None:
        return composition(*args, **kwargs)
    return call(PRIMITIVES.get(function), function, args, kwargs)


# Functions that write into an argument


def _write(target, index, value, perform, masked=False):
    """Write the value (converted, broadcast) into `target`, a wrapper or a plain array."""
    if not is_wrapper(target):
        # Rounding to integers has no derivative to lose.
        if active(value) and np.asarray(target).dtype.kind not in "biu":
            lost(value, "a plain array (a write into a plain array)")
        perform()
        return
    record_write(target, raw_of(target), index, None, (value,), None, perform, masked=masked)


def _copyto(dst, src, casting="same_kind", where=True):
    src, given = as_array(src), plain(src)
    where = plain(where)
    if type(dst) is np.ndarray and dst.dtype.hasobject:
        return at_users_line(np.copyto, (dst, as_objects(src), casting, where), {})
    mask = None if where is True else np.array(np.broadcast_to(where, np.shape(dst)))
    perform = lambda: at_users_line(np.copyto, (raw_of(dst), given, casting, where), {})
    _write(dst, mask, src, perform, masked=mask is not None)


def _put(a, ind, v, mode="raise"):
    v, given = as_array(v), plain(v)
    size = np.size(a)
    flat = np.ravel(np.asarray(plain(ind)))
    perform = lambda: np.put(raw_of(a), plain(ind), given, mode=mode)
    if mode == "wrap":
        flat = flat % size
    elif mode == "clip":
        flat = np.clip(flat, 0, size - 1)
    elif flat.size and (flat.min() < -size or flat.max() >= size):
        np.put(raw_of(a).copy(), plain(ind), given, mode=mode)  # raises
    if np.size(v) == 0 or flat.size == 0:
        return perform()
    index = np.unravel_index(np.where(flat < 0, flat + size, flat), np.shape(a))
    return _write(a, index, _cycled(v, flat.size), perform)


def _cycled(v, n):
    """The first `n` elements of `v`, repeated as often as needed."""
    return np.ravel(v)[np.arange(n) % np.size(v)]


def _place(arr, mask, vals):
    vals, given = as_array(vals), plain(vals)
    mask = np.array(plain(mask), dtype=bool)
    perform = lambda: np.place(raw_of(arr), mask, given)
    if np.size(vals) == 0 or np.size(mask) != np.size(arr):
        return perform()
    mask = mask.reshape(np.shape(arr))
    return _write(arr, mask, _cycled(vals, np.count_nonzero(mask)), perform)


def _putmask(a, mask, values):
    values, given = as_array(values), plain(values)
    mask = np.array(plain(mask), dtype=bool)
    perform = lambda: np.putmask(raw_of(a), mask, given)
    if np.size(values) == 0 or np.size(mask) != np.size(a):
        return perform()
    value = np.reshape(_cycled(values, np.size(a)), np.shape(a))
    return _write(a, mask.reshape(np.shape(a)), value, perform, masked=True)


def _fill_diagonal(a, val, wrap=False):
    val, given = as_array(val), plain(val)
    marks = np.zeros(np.shape(a), dtype=bool)
    np.fill_diagonal(marks, True, wrap)
    index = np.nonzero(marks)
    value = _cycled(val, index[0].size) if np.ndim(val) else val
    _write(a, index, value, lambda: np.fill_diagonal(raw_of(a), given, wrap))


def _put_along_axis(arr, indices, values, axis=-1):
    values, given = as_array(values), plain(values)
    indices = np.array(plain(indices))
    perform = lambda: np.put_along_axis(raw_of(arr), indices, given, axis)
    if axis is None:
        index = np.unravel_index(np.where(indices < 0, indices + np.size(arr), indices),
                                 np.shape(arr)) if indices.ndim == 1 else ()
        return _write(arr, index, values, perform)
    grid = list(np.ogrid[tuple(slice(n) for n in np.shape(arr))])
    grid[axis] = indices
    return _write(arr, tuple(grid), values, perform)


def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    in_place = not copy and isinstance(x, np.ndarray)
    ans = call(PRIMITIVES[np.nan_to_num], np.nan_to_num, (x,),
               {"copy": in_place or copy, "nan": nan, "posinf": posinf, "neginf": neginf})
    if not in_place:
        return ans
    x[...] = ans
    return x


# Functions of several arrays, of functions, or of several meanings


def _average(a, axis=None, weights=None, returned=False, **kwargs):
    if returned and (active(a) or active(as_array(weights))):
        unsupported("np.average(..., returned=True)",
                    "Call np.average(...), and np.sum(weights) for the sum of the weights.")
    return call(PRIMITIVES[np.average], np.average, (a,),
                {"axis": axis, "weights": weights, "returned": returned, **kwargs})


def _broadcast_arrays(*args, subok=False):
    args = tuple(np.atleast_1d(x) if np.ndim(x) else np.copy(x) for x in map(as_array, args))
    shape = np.broadcast_shapes(*[np.shape(x) for x in args])
    if all(np.shape(x) == shape for x in args):
        return args
    return tuple(x[...] if np.shape(x) == shape else np.broadcast_to(x, shape) for x in args)


def _choose(a, choices, out=None, mode="raise"):
    ans = COMPOSITIONS[np.choose](a, [as_array(x) for x in choices], mode=mode)
    if out is None:
        return ans
    np.copyto(out, ans, casting="unsafe")
    return out


def _clip(a, a_min=np._NoValue, a_max=np._NoValue, out=None, *, min=np._NoValue, max=np._NoValue,
          **kwargs):
    if a_min is np._NoValue and a_max is np._NoValue:
        a_min = None if min is np._NoValue else min
        a_max = None if max is np._NoValue else max
    elif any(bound is np._NoValue for bound in (a_min, a_max)) or not (
            min is max is np._NoValue):
        np.clip(*map(plain, (a, a_min, a_max)), min=plain(min), max=plain(max))  # raises
    return call(PRIMITIVES[np.clip], np.clip, (a, a_min, a_max), {"out": out, **kwargs})


def _each(function):
    """`atleast_1d` and the like: several arguments give a tuple."""

    def serve(*args):
        results = tuple(call(PRIMITIVES[function], function, (as_array(x),), {}) for x in args)
        return results[0] if len(results) == 1 else results

    return serve


def _einsum(*operands, **kwargs):
    """Arrays that are followed by lists of their axes are put as the formula that it means."""
    if len(operands) > 1 and not isinstance(operands[0], str):
        letters = string.ascii_uppercase + string.ascii_lowercase
        terms = ["".join("..." if k is Ellipsis else letters[k] for k in axes)
                 for axes in (*operands[1::2], *(operands[-1:] if len(operands) % 2 else ()))]
        formula = ",".join(terms[: len(operands) // 2])
        if len(operands) % 2:
            formula += "->" + terms[-1]
        operands = (formula, *operands[: len(operands) // 2 * 2 : 2])
    return call(PRIMITIVES[np.einsum], np.einsum, operands, kwargs)


def _gradient(f, *spacing, axis=None, edge_order=1):
    """Along several axes a tuple."""
    f = as_array(f)
    axes = range(np.ndim(f)) if axis is None else axis
    if isinstance(axes, (int, np.integer)) or len(axes) == 1 or len(spacing) not in (
            0, 1, len(axes)):
        return call(PRIMITIVES[np.gradient], np.gradient, (f, *spacing),
                    {"axis": axis, "edge_order": edge_order})
    spacing = [*spacing] * len(axes) if len(spacing) == 1 else spacing
    return tuple(np.gradient(f, *spacing[k : k + 1], axis=a, edge_order=edge_order)
                 for k, a in enumerate(axes))


def _insert(arr, obj, values, axis=None):
    """A gather: where each element of the result comes from tells NumPy's own insertion."""
    arr, values = as_array(arr), as_array(values)
    values = np.copy(values) if np.ndim(values) == 0 else values
    obj = plain(obj)
    n, shape = np.size(arr), np.shape(values)
    origin = np.insert(np.arange(n).reshape(np.shape(arr)), obj,
                       n + np.arange(np.size(values)).reshape(shape), axis)
    flat = np.concatenate([np.ravel(arr), np.ravel(np.astype(values, arr.dtype))])
    ans = np.insert(raw_of(arr), obj, raw_of(values), axis)
    return record(PRIMITIVES[np.take], ans, (flat, origin), None)


def _linspace(start, stop, num=50, endpoint=True, retstep=False, **options):
    """The step, if it is asked for, is another result."""
    ans = call(PRIMITIVES[np.linspace], np.linspace, (start, stop, num, endpoint), options)
    if not retstep:
        return ans
    start, stop, div = as_array(start), as_array(stop), num - 1 if endpoint else num
    _, raw = np.linspace(raw_of(start), raw_of(stop), num, endpoint, retstep=True)
    step = (np.multiply(1.0, stop) - start) / div if div > 0 else raw
    return ans, record(PRIMITIVES[np.copy], raw, (step,), None)


def _meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    order = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        order[:2] = 1, 0
    grids = [np.reshape(as_array(x), [-1 if k == j else 1 for j in order])
             for k, x in enumerate(xi)]
    if not sparse:
        grids = np.broadcast_arrays(*grids)
    return tuple(np.copy(x, order="C") for x in grids) if copy else tuple(grids)


def _piecewise(x, condlist, funclist, *args, **kw):
    x = np.copy(x) if np.ndim(x) == 0 else x
    conditions = plain(condlist)
    if np.isscalar(conditions) or (
            not isinstance(conditions[0], (list, np.ndarray)) and x.ndim != 0):
        conditions = [conditions]
    conditions = np.asarray(conditions, dtype=bool)
    if len(conditions) == len(funclist) - 1:
        otherwise = ~np.any(conditions, axis=0, keepdims=True)
        conditions = np.concatenate([conditions, otherwise])
    elif len(conditions) != len(funclist):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or "
                         f"{len(conditions) + 1} functions are expected")
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist):
        if not callable(function) or is_wrapper(function):
            value = function
        elif np.any(condition):
            value = function(x[condition], *args, **kw)
        else:
            continue
        # Rounding to integers has no derivative to lose.
        y[condition] = plain(value) if y.dtype.kind in "biu" else value
    return y


def _apply_along_axis(func1d, axis, arr, *args, **kwargs):
    moved = np.moveaxis(as_array(arr), axis, -1)
    shape = moved.shape[:-1]
    if 0 in shape:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    rows = [as_array(func1d(moved[index], *args, **kwargs)) for index in np.ndindex(*shape)]
    dtype = np.asanyarray(plain(rows[0])).dtype
    rows = [x if np.asanyarray(plain(x)).dtype == dtype else np.astype(x, dtype) for x in rows]
    result = np.reshape(np.stack(rows), shape + np.shape(rows[0]))
    n, axis = np.ndim(rows[0]), axis % np.ndim(arr)
    return np.moveaxis(result, list(range(-n, 0)), list(range(axis, axis + n))) if n else result


def _apply_over_axes(func, a, axes):
    value = as_array(a)
    for axis in (axes,) if np.ndim(axes) == 0 else axes:
        axis = axis % np.ndim(a)
        result = func(value, axis)
        if np.ndim(result) != np.ndim(value):
            result = np.expand_dims(result, axis)
        if np.ndim(result) != np.ndim(value):
            raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def _select(condlist, choicelist, default=0):
    conditions, choices = ([as_array(x) for x in xs] for xs in (condlist, choicelist))
    return COMPOSITIONS[np.select](conditions, choices, as_array(default))


def _unstack(x, /, *, axis=0):
    moved = np.moveaxis(x, axis, 0)
    return tuple(moved[k] for k in range(len(moved)))


_SPECIAL = {
    np.apply_along_axis: _apply_along_axis,
    np.apply_over_axes: _apply_over_axes,
    np.atleast_1d: _each(np.atleast_1d),
    np.atleast_2d: _each(np.atleast_2d),
    np.atleast_3d: _each(np.atleast_3d),
    np.average: _average,
    np.broadcast_arrays: _broadcast_arrays,
    np.choose: _choose,
    np.clip: _clip,
    np.copyto: _copyto,
    np.einsum: _einsum,
    np.fill_diagonal: _fill_diagonal,
    np.gradient: _gradient,
    np.histogram: histogram,
    np.insert: _insert,
    np.linspace: _linspace,
    np.meshgrid: _meshgrid,
    np.nan_to_num: _nan_to_num,
    np.piecewise: _piecewise,
    np.place: _place,
    np.put: _put,
    np.put_along_axis: _put_along_axis,
    np.putmask: _putmask,
    np.select: _select,
    np.unique: unique,
    **({np.unstack: _unstack} if hasattr(np, "unstack") else {}),
}

# NumPy asks their arguments for attributes that lists have not.
_OF_ARRAYS_ONLY = {
    np.array2string, np.array_repr, np.array_str, np.common_type, np.diag_indices_from, np.dsplit,
    np.hsplit, np.result_type, np.rollaxis, np.split, np.take_along_axis, np.tril_indices_from,
    np.triu_indices_from, np.vsplit,
    *(getattr(np, name) for name in ("astype", "unstack") if hasattr(np, name)),
}
