"""Order in a trace run: sorting, extremes, heaps and bisection; each comparison is a decision."""

import bisect
import functools
import heapq

from hybridad.recording.effects.order import HEAPS, is_less
from hybridad.recording.runtime.folding import SortKey
from hybridad.recording.tracing.operations import is_users

__all__ = ["MEANINGS", "find", "sort"]

_MISSING = object()


def _extreme(compare):
    def serve(site, run, *args, key=None, default=_MISSING):
        items = site.star(args[0]) if len(args) == 1 else list(args)
        if not items:
            if default is _MISSING:
                name = "max" if compare == "gt" else "min"
                raise ValueError(f"{name}() iterable argument is empty")
            return default
        keys = items if key is None else [site.call(key, x) for x in items]
        best = 0
        for k in range(1, len(items)):
            if site.truth(getattr(site, compare)(keys[k], keys[best])):
                best = k
        return items[best]

    return serve


def sort(site, run, items, *, key=None, reverse=False):
    """``items.sort(...)`` of a list of the run's own."""
    run.journal.touch(items)
    made = _sorted(site, run, list(items), key=key, reverse=reverse)
    items[:] = made


def find(site, items, x, first=0, last=None):
    """The places in a list or tuple where something equals `x`."""
    for k in range(*slice(first, last).indices(len(items))):
        if items[k] is x or site.truth(site.eq(items[k], x)):
            yield k


def _sorted(site, run, iterable, /, *, key=None, reverse=False):
    items = site.star(iterable)
    keys = items if key is None else [site.call(key, x) for x in items]
    order = sorted(range(len(items)), key=lambda k: SortKey(site, keys[k]),
                   reverse=run.settled(site, reverse))
    return [items[k] for k in order]


# -- heaps ---------------------------------------------------------------------------------------


def _heap(function, slowly):
    def serve(site, run, heap, *items):
        if run.recorder.is_known(heap):
            return run.containers.change(site, heap, function, items)
        run.journal.touch(heap)
        run.loops.changes(heap)
        return slowly(functools.partial(is_less, site), heap, *items)

    return serve


def _first(reverse):
    def serve(site, run, n, iterable, key=None):
        items = _sorted(site, run, iterable, key=key, reverse=reverse)
        if any(map(is_users, items)) and key is None:
            run.recorder.refuse("the first of what the user's code compares", site)
        return items[:max(0, run.settled(site, n))]

    return serve


# -- bisection -----------------------------------------------------------------------------------


def _bisection(is_right):
    def serve(site, run, a, x, lo=0, hi=None, *, key=None):
        if lo < 0:
            raise ValueError("lo must be non-negative")
        lo = run.settled(site, lo)
        hi = len(a) if hi is None else run.settled(site, hi)
        if run.recorder.is_known(a):
            site._length(run, a)
        while lo < hi:
            middle = (lo + hi) // 2
            item = site.item(a, middle)
            if key is not None:
                item = site.call(key, item)
            if is_right:
                is_before = not is_less(site, x, item)
            else:
                is_before = is_less(site, item, x)
            lo, hi = (middle + 1, hi) if is_before else (lo, middle)
        return lo

    return serve


def _insertion(is_right):
    find_place = _bisection(is_right)

    def serve(site, run, a, x, lo=0, hi=None, *, key=None):
        place = find_place(site, run, a, x if key is None else site.call(key, x), lo, hi, key=key)
        site.call(a.insert, place, x)

    return serve


MEANINGS = {
    max: _extreme("gt"), min: _extreme("lt"), sorted: _sorted,
    **{function: _heap(function, slowly) for function, slowly in HEAPS.items()},
    heapq.nlargest: _first(True), heapq.nsmallest: _first(False),
    bisect.bisect_left: _bisection(False), bisect.bisect_right: _bisection(True),
    bisect.insort_left: _insertion(False), bisect.insort_right: _insertion(True),
}
"""Callable -> ``handler(site, run, *args, **kwargs)``."""
