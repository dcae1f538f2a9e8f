"""Grids and joins that are written as an index: `np.mgrid`, `np.ogrid`, `np.r_`, `np.c_`."""

import numpy as np

from hybridad._record import is_wrapper, raw_of, record
from hybridad.recording.arraylike import as_array, assemble, holds_wrapper, plain
from hybridad.recording.lines import at_users_line
from hybridad.recording.refusals import unsupported
from hybridad.recording.runtime.creation import arange, linspace
from hybridad.rules.declare import PRIMITIVES

__all__ = ["ITEM_MEANINGS"]


def _holds_wrapper(part):
    if isinstance(part, slice):
        return any(map(is_wrapper, (part.start, part.stop, part.step)))
    return holds_wrapper(part)


def _raw_part(part):
    if isinstance(part, slice):
        return slice(raw_of(part.start), raw_of(part.stop), raw_of(part.step))
    return plain(part)


def _item(made_by, key):
    return made_by[key]


def _take(made_by, key):
    """The parts of an index, and what NumPy gives for their plain values."""
    parts = key if isinstance(key, tuple) else (key,)
    raws = tuple(map(_raw_part, parts))
    raws = raws if isinstance(key, tuple) else raws[0]
    return parts, at_users_line(_item, (made_by, raws), {})


def _fresh(site, ans):
    return tuple(map(site.lift_fresh, ans)) if type(ans) is tuple else site.lift_fresh(ans)


# np.mgrid and np.ogrid: along each axis start + k * step


def _grid(site, grid, key):
    parts, ans = _take(grid, key)
    if not any(map(_holds_wrapper, parts)):
        return _fresh(site, ans)
    if not isinstance(key, tuple):
        return _points(site, key, ans.shape[0], ans.dtype)
    shape = np.broadcast_shapes(*(x.shape for x in ans))
    site.guard("shape", shape)
    axes = []
    for k, part in enumerate(parts):
        points = _points(site, part, shape[k], ans[k].dtype)
        axes.append(points[tuple(slice(None) if j == k else None for j in range(len(parts)))])
    if type(ans) is tuple:
        return tuple(axes)
    return record(PRIMITIVES[np.stack], ans, tuple(np.broadcast_to(x, shape) for x in axes),
                  None)


def _points(site, part, n, dtype):
    """One axis of a grid, by the arithmetic of NumPy's own."""
    start, step = 0 if part.start is None else part.start, 1 if part.step is None else part.step
    if isinstance(step, (complex, np.complexfloating)):
        step = n if n == 1 else (part.stop - start) / float(n - 1)
    return np.astype(np.arange(n, dtype=dtype) * step + start, dtype, copy=False)


# np.r_ and np.c_: a gather, since NumPy's own join of numbered elements tells where each comes from


def _join(site, joiner, key):
    if type(key) is tuple and _is_matrix(key) and any(map(_holds_wrapper, key)):
        unsupported("A matrix made by np.r_", "Use np.concatenate or np.column_stack.")
    parts, ans = _take(joiner, key)
    if not any(map(_holds_wrapper, parts)):
        return _fresh(site, ans)
    pool, places, count = [], [], 0
    for part in parts:
        if isinstance(part, slice):
            part = _range(site, part)
        if isinstance(part, str):
            places.append(part)
            continue
        part = as_array(part)
        size = np.size(raw_of(part))
        place = np.arange(count, count + size).reshape(np.shape(raw_of(part)))
        places.append(place if place.ndim else place[()])
        pool.append(part)
        count += size
    flat = assemble(pool, np.concatenate([np.ravel(raw_of(x)) for x in pool], dtype=ans.dtype),
                    dtype=ans.dtype)
    origin = joiner[tuple(places)]
    return record(PRIMITIVES[np.take], ans, (flat, origin), None)


def _is_matrix(key):
    return bool(key) and isinstance(key[0], str) and key[0] in ("r", "c")


def _range(site, part):
    """A slice in `np.r_`: a range, or as many points as the imaginary step says."""
    start = 0 if part.start is None else part.start
    if isinstance(part.step, (complex, np.complexfloating)):
        return linspace(site, start, part.stop, int(abs(part.step)))
    return arange(site, start, part.stop, 1 if part.step is None else part.step)


ITEM_MEANINGS = {
    type(np.mgrid): _grid,
    type(np.ogrid): _grid,
    type(np.r_): _join,
    type(np.c_): _join,
}
"""Objects of NumPy that are indexed to make arrays: type -> handler(site, object, index)."""
