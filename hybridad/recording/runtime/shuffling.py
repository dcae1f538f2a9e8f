"""Random rearrangements: `shuffle`, `permutation`, `permuted` and `choice` of arrays in the run.

The generator rearranges the numbers of the elements, in an array of the same shape and layout, so
that it draws what it would draw for the array itself; the result is a gather.
"""

import copy
import random

import numpy as np

from hybridad._access import record_write
from hybridad._record import is_wrapper, raw_of, record
from hybridad.recording.arraylike import as_array, plain
from hybridad.rules.declare import PRIMITIVES

__all__ = ["METHOD_MEANINGS", "drawn", "numbers_of"]


def numbers_of(raw):
    """The numbers of the elements in C order, in the layout of the array."""
    numbers = np.empty_like(raw, dtype=np.intp)
    numbers[...] = np.arange(raw.size).reshape(raw.shape)
    return numbers


def _gathered(x, origin):
    """The elements of `x` at `origin`, in the layout of `origin`."""
    ans = np.empty_like(origin, dtype=raw_of(x).dtype)
    ans[...] = raw_of(x).reshape(-1)[origin]
    return record(PRIMITIVES[np.take], ans, (x, origin), None)


def drawn(method, x, *args, **options):
    """The result of a generator's method, or what it would leave in `x`."""
    x = copy.copy(x)
    result = method(x, *args, **options)
    return x if result is None else result


def _drawn(site, method, x, *args, **options):
    """The same, drawn once."""
    return site.effect(drawn, (method, x, *args), options)


def _write(target, x, origin):
    """Write the elements of `x` at `origin` into `target`."""
    values = raw_of(x).reshape(-1)[origin]
    if not is_wrapper(target):
        target[...] = values
        return

    def perform():
        raw_of(target)[...] = values

    record_write(target, raw_of(target), None, PRIMITIVES[np.take], (x, origin), None, perform)


def _is_array(x):
    return is_wrapper(x) and isinstance(raw_of(x), np.ndarray)


def _shuffle(site, rng, x, *axis, **options):
    if type(x) is list:
        order = _drawn(site, rng.shuffle, list(range(len(x))), *axis, **options)
        return site.set_item([x[k] for k in order], x, slice(None))
    raw = raw_of(x)
    if not _is_array(x) or raw.ndim == 0 or not raw.flags.writeable:
        return site.effect(rng.shuffle, (raw, *axis), options)
    return _write(x, x, _drawn(site, rng.shuffle, numbers_of(raw), *axis, **options))


def _permutation(site, rng, x, *axis, **options):
    x = as_array(x)
    if not _is_array(x) or raw_of(x).ndim == 0:
        return site.lift_fresh(_drawn(site, rng.permutation, plain(x), *axis, **options))
    return _gathered(x, _drawn(site, rng.permutation, numbers_of(raw_of(x)), *axis, **options))


def _permuted(site, rng, x, *, axis=None, out=None):
    x = as_array(x)
    if not _is_array(x) or raw_of(x).ndim == 0:
        if not is_wrapper(out):
            return site.lift_fresh(site.effect(rng.permuted, (plain(x),),
                                               {"axis": axis, "out": out}))
        x = np.copy(x)
    if out is None:
        return _gathered(x, _drawn(site, rng.permuted, numbers_of(raw_of(x)), axis=axis))
    into = np.empty_like(raw_of(out), dtype=np.intp)
    _write(out, x, _drawn(site, rng.permuted, numbers_of(raw_of(x)), axis=axis, out=into))
    return out


def _choice(site, rng, a, size=None, replace=True, p=None, **options):
    a, p = as_array(a), plain(p)
    if not _is_array(a) or raw_of(a).ndim == 0:
        return site.lift_fresh(_drawn(site, rng.choice, plain(a), size, replace, p, **options))
    raw, axis = raw_of(a), options.pop("axis", 0)
    if (raw.ndim > 1 and isinstance(rng, np.random.RandomState)) or not raw.size:
        return rng.choice(raw, size, replace, p, **options)     # raises
    chosen = _drawn(site, rng.choice, raw.shape[axis], size, replace, p, **options)
    return np.take(a, chosen, axis)


METHOD_MEANINGS = {
    (np.random.Generator, "shuffle"): _shuffle,
    (np.random.Generator, "permutation"): _permutation,
    (np.random.Generator, "permuted"): _permuted,
    (np.random.Generator, "choice"): _choice,
    (np.random.RandomState, "shuffle"): _shuffle,
    (np.random.RandomState, "permutation"): _permutation,
    (np.random.RandomState, "choice"): _choice,
    (random.Random, "shuffle"): _shuffle,
}
"""Methods of random generators: (type, name) -> handler(site, generator, *args, **kwargs)."""
