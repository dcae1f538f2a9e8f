"""NumPy's loops over functions of the user in a trace run: one call after the other."""

import itertools

import numpy as np

from hybridad.recording.tracing.values import Dynamic

__all__ = ["CALL_MEANINGS", "MEANINGS"]


def _fromiter(site, run, iter, dtype, count=-1, **kwargs):
    if kwargs or np.dtype(dtype).kind not in "biufc":
        run.recorder.refuse("np.fromiter of objects", site)
    count = run.settled(site, count)
    values = site._plainly_here(iter)
    items = list(values) if count < 0 else list(itertools.islice(values, count))
    if 0 <= count != len(items):
        return np.fromiter(items, dtype, count)     # raises
    return site.call(np.array, items, dtype)


def _fromfunction(site, run, function, shape, *, dtype=float, **kwargs):
    indices = site.call(np.indices, shape, dtype=dtype)
    return site.call(function, *[site.item(indices, k) for k in range(len(indices))], **kwargs)


def _apply_along_axis(site, run, func1d, axis, arr, *args, **kwargs):
    arr = site.call(np.asanyarray, arr)
    axis = run.settled(site, axis) % arr.ndim
    outer = (*arr.shape[:axis], *arr.shape[axis + 1:])
    rows = site.call(np.moveaxis, arr, axis, -1)
    made = [site.call(np.asanyarray, site.call(func1d, site.item(rows, index), *args, **kwargs))
            for index in np.ndindex(*outer)]
    if not made or any(x.dtype != made[0].dtype for x in made):
        run.recorder.refuse("np.apply_along_axis with results of several types", site)
    inner = made[0].ndim
    stacked = site.call(np.reshape, site.call(np.stack, made), (*outer, *made[0].shape))
    order = (*range(axis), *range(len(outer), len(outer) + inner), *range(axis, len(outer)))
    return site.call(np.transpose, stacked, order)


def _vectorized(site, run, vectorized, *args, **kwargs):
    """A call of an object of `np.vectorize`: Python's numbers one by one, in the order of C."""
    if vectorized.signature is not None or vectorized.excluded or kwargs \
            or vectorized.pyfunc is np._NoValue or not args:
        run.recorder.refuse("np.vectorize with a signature, or of some arguments only", site)
    function = site.attr(vectorized, "pyfunc")
    arrays = [site.call(np.asarray, x) for x in args]
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    arrays = [site.call(np.broadcast_to, x, shape) for x in arrays]
    places, results = list(np.ndindex(*shape)), []
    types = vectorized.otypes
    if types is None and places:    # NumPy asks for the type of the first result
        first = site.call(function, *[site.item(x, places[0]) for x in arrays])
        types = [] if type(first) is tuple else [np.asarray(first).dtype]
        if vectorized.cache:
            results.append(first)
    if not places or len(types) != 1 or np.dtype(types[0]).kind not in "biufc" \
            or any(x.dtype.kind not in "biufc" for x in arrays):
        run.recorder.refuse("np.vectorize of several results, of objects, or of nothing", site)
    for place in places[len(results):]:
        results.append(site.call(function, *[_number(site, x, place) for x in arrays]))
    return site.call(np.reshape, site.call(np.array, results, np.dtype(types[0])), shape)


def _number(site, x, place):
    """An element as a number of Python's."""
    element = site.item(x, place)
    return element if type(element) is Dynamic else site.call(site.attr(element, "item"))


MEANINGS = {
    np.fromiter: _fromiter, np.fromfunction: _fromfunction,
    np.apply_along_axis: _apply_along_axis,
    np.vectorize: lambda site, run, *args, **kwargs: np.vectorize(*args, **kwargs),
}
"""Callable -> ``handler(site, run, *args, **kwargs)``."""

CALL_MEANINGS = {np.vectorize: _vectorized}
"""Class -> ``handler(site, run, instance, *args, **kwargs)`` of a call of its instances."""
