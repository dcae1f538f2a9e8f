"""Order: sorting, heaps and bisection of values that may be wrappers.

Wrappers note the comparisons that C makes of them. What C cannot be left to is the ``__lt__`` of a
user's class, which is called through the site, so that it runs in recording form.
"""

import bisect
import functools
import heapq
from types import FunctionType

from hybridad.recording.effects.attributes import look_up
from hybridad.recording.effects.changes import touch

__all__ = ["HEAPS", "MEANINGS", "is_less", "sort"]

_PLAIN = frozenset((int, float, str, bool, bytes, complex, type(None)))


class _Ordered:
    """A value whose comparison goes through a site."""

    __slots__ = ("_site", "_value")

    def __init__(self, site, value):
        self._site, self._value = site, value

    def __lt__(self, other):
        return is_less(self._site, self._value,
                       other._value if type(other) is _Ordered else other)

    def __gt__(self, other):
        return is_less(self._site, other._value if type(other) is _Ordered else other, self._value)


def is_less(site, a, b):
    """``bool(a < b)``, with what the items of two lists or tuples decide."""
    kind = type(a)
    if kind is type(b) and (kind is tuple or kind is list):
        for x, y in zip(a, b):
            if x is not y and not site.truth(site.eq(x, y)):
                return is_less(site, x, y)
        return len(a) < len(b)
    return site.truth(site.lt(a, b))


def _is_compared_by_user(x):
    kind = type(x)
    if kind in _PLAIN:
        return False
    if kind is tuple or kind is list:
        return any(map(_is_compared_by_user, x))
    return (type(look_up(kind, "__lt__")) is FunctionType
            or type(look_up(kind, "__gt__")) is FunctionType)


def _needs_site(items):
    """Whether comparing the items calls functions of the user's."""
    kinds = set(map(type, items))
    if kinds <= _PLAIN:
        return False
    return any(map(_is_compared_by_user, items))


def _ordered(site, x):
    return _Ordered(site, x) if _is_compared_by_user(x) else x


def _key(site, key, items=None):
    """What to give C as the key function."""
    if key is None:
        if items is not None and not _needs_site(items):
            return None
        return lambda x: _ordered(site, x)
    form = site.form(key)
    return lambda x: _ordered(site, form(x))


def sort(site, items, args, kwargs):
    """``items.sort(key=..., reverse=...)``, of a list that was touched."""
    if args or not kwargs.keys() <= {"key", "reverse"}:
        return list.sort(items, *args, **kwargs)  # raises
    key = _key(site, kwargs.get("key"), items)
    return list.sort(items, key=key, reverse=kwargs.get("reverse", False))


# Heaps ------------------------------------------------------------------------------------------


def _heap(function, slowly):
    def handler(site, *args, **kwargs):
        if args:
            touch(args[0])
        # The items of a heap are of one kind: looking at all would take longer than the heap does.
        if args and type(args[0]) is list and not kwargs and _needs_site(
                args[0][:1] + [*args[1:]]):
            return slowly(functools.partial(is_less, site), *args)
        return function(*args, **kwargs)
    return handler


def _sift_down(less, heap, start, place):
    item = heap[place]
    while place > start:
        above = (place - 1) >> 1
        if not less(item, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


def _sift_up(less, heap, place):
    end, start, item = len(heap), place, heap[place]
    below = 2 * place + 1
    while below < end:
        if below + 1 < end and not less(heap[below], heap[below + 1]):
            below += 1
        heap[place] = heap[below]
        place, below = below, 2 * below + 1
    heap[place] = item
    _sift_down(less, heap, start, place)


def _push(less, heap, item):
    heap.append(item)
    _sift_down(less, heap, 0, len(heap) - 1)


def _pop(less, heap):
    item = heap.pop()
    return _replace(less, heap, item) if heap else item


def _replace(less, heap, item):
    item, heap[0] = heap[0], item
    _sift_up(less, heap, 0)
    return item


def _push_and_pop(less, heap, item):
    return _replace(less, heap, item) if heap and less(heap[0], item) else item


def _heapify(less, heap):
    for place in reversed(range(len(heap) // 2)):
        _sift_up(less, heap, place)


def _extreme(function):
    def handler(site, n, iterable, key=None):
        return function(n, site.iter(iterable), key=_key(site, key))
    return handler


def _merge(site, *iterables, key=None, reverse=False):
    return heapq.merge(*map(site.iter, iterables), key=_key(site, key), reverse=reverse)


# Bisection --------------------------------------------------------------------------------------


def _bisection(function, inserts):
    find = {bisect.insort_left: bisect.bisect_left,
            bisect.insort_right: bisect.bisect_right}.get(function, function)

    def handler(site, a, x, lo=0, hi=None, *, key=None):
        if inserts:
            touch(a)
        if key is None and not _needs_site([x, *([a[0]] if len(a) else [])]):
            return function(a, x, lo, hi)
        form = _same if key is None else site.form(key)
        sought = form(x) if inserts else x
        place = find(a, _ordered(site, sought), lo, hi, key=_key(site, key))
        return a.insert(place, x) if inserts else place
    return handler


def _same(x):
    return x


HEAPS = {heapq.heappush: _push, heapq.heappop: _pop, heapq.heapify: _heapify,
         heapq.heappushpop: _push_and_pop, heapq.heapreplace: _replace}
"""Function -> ``slowly(is_less, heap, *items)``, which does the same and asks `is_less`."""

MEANINGS = {
    **{f: _heap(f, slowly) for f, slowly in HEAPS.items()},
    **{f: _extreme(f) for f in (heapq.nlargest, heapq.nsmallest)},
    heapq.merge: _merge,
    **{f: _bisection(f, False) for f in (bisect.bisect_left, bisect.bisect_right)},
    **{f: _bisection(f, True) for f in (bisect.insort_left, bisect.insort_right)},
}
