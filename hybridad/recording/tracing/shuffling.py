"""Random rearrangements in a trace run: what the generator draws is foreign, the rest a gather."""

import operator

import numpy as np

from hybridad.recording.runtime.shuffling import METHOD_MEANINGS, drawn, numbers_of
from hybridad.recording.tracing.encoding import (
    encode,
    has_active,
    has_known,
    is_constant_object,
)
from hybridad.recording.tracing.values import is_a

__all__ = ["MEANINGS"]


def _is_array(x):
    """Whether `x` is what the tape has as a value of the run."""
    return type(x) is np.ndarray and x.ndim > 0 and x.dtype.kind in "fc"


def _given(site, run, x):
    """What is rearranged, and whether that is what the tape has as a value of the run."""
    if not is_a(x, (list, tuple)):
        return x, _is_array(x)
    x = run.as_local(site, x)
    is_value = has_active(run.recorder, x) or any(map(_is_array, x))
    if has_known(run.recorder, x):
        return site.call(np.array, x), is_value
    made = np.asarray(x)
    made.flags.writeable = made.dtype.kind not in "fc"      # the tape has no floats that are
    return run.recorder.constant(made, site), False


def _draw(site, run, method, x, *args, **options):
    if not run.recorder.is_known(method) and not is_constant_object(method):
        run.attributes.know_method(site, method)
    return run.foreign(site, drawn, (method, x, *args), options, False)


def _origin(site, run, method, x, *args, **options):
    """Where the elements come from: the generator rearranges their numbers."""
    if not x.flags.c_contiguous:
        run.recorder.refuse(f"{method.__name__} of an array that is not contiguous", site)
    numbers = run.recorder.constant(numbers_of(x), site)
    return _draw(site, run, method, numbers, *args, **options)


def _shuffle(site, run, method, x, *axis, **options):
    if type(x) is list:
        order = _draw(site, run, method, list(range(len(x))), *axis, **options)
        items = run.as_local(site, x)
        places = [site.item(order, k) for k in range(len(items))]
        site.set_item([_looked_up(site, run, items, k) for k in places], x, slice(None))
    elif _is_array(x) and x.flags.writeable:
        origin = _origin(site, run, method, x, *axis, **options)
        site.set_item(site.call(np.take, x, origin), x, Ellipsis)
    else:
        run.foreign(site, method, (x, *axis), options)


def _looked_up(site, run, items, k):
    """``items[k]``; of ints that is an operation, of anything else the place is decided."""
    if not all(type(x) is int for x in items):
        return items[run.settled(site, k)]
    return run.recorder.compute(site, operator.getitem, (items, encode(run.recorder, k)), {},
                                lambda: items[k])


def _permutation(site, run, method, x, *axis, **options):
    x, is_value = _given(site, run, x)
    if not is_value:
        return _draw(site, run, method, x, *axis, **options)
    return site.call(np.take, x, _origin(site, run, method, x, *axis, **options))


def _permuted(site, run, method, x, *, axis=None, out=None):
    x, is_value = _given(site, run, x)
    if out is not None or not is_value:
        run.recorder.refuse("permuted of integers, or with out=", site)
    return site.call(np.take, x, _origin(site, run, method, x, axis=axis))


def _choice(site, run, method, a, size=None, replace=True, p=None, **options):
    a, is_value = _given(site, run, a)
    if not is_value:
        return _draw(site, run, method, a, size, replace, p, **options)
    axis = options.pop("axis", 0)
    chosen = _draw(site, run, method, a.shape[axis], size, replace, p, **options)
    return site.call(np.take, a, chosen, axis)


_HANDLERS = {"shuffle": _shuffle, "permutation": _permutation, "permuted": _permuted,
             "choice": _choice}

MEANINGS = {getattr(kind, name): _HANDLERS[name] for kind, name in METHOD_MEANINGS}
"""Method of a generator's class -> ``handler(site, run, bound method, *args, **kwargs)``."""
