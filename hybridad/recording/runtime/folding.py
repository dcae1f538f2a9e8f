"""Meanings of the builtins that go through an iterable and give one value: `sum`, `max`, `all`, ...

They add, compare and ask for truth in the very order of Python's own.
"""

import functools
import itertools

from hybridad._record import active, is_wrapper, raw_of, record
from hybridad.recording.lines import at_users_line
from hybridad.recording.runtime.operands import lift
from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.python import sum_rows

__all__ = ["MEANINGS", "SortKey"]

_MISSING = object()
_NUMBERS = (float, int, bool, complex)
_COMPARED_AS_THEY_ARE = (float, int, bool, str, bytes, type(None))


# ---- sums --------------------------------------------------------------------------------------

def _sum(site, iterable, /, start=0):
    is_zero = type(start) is int and start == 0
    if is_zero and is_wrapper(iterable) and getattr(raw_of(iterable), "ndim", 0):
        ans = at_users_line(sum, (raw_of(iterable),), {})
        return record(PRIMITIVES[sum_rows], ans, (iterable,), None)
    if isinstance(start, (str, bytes, bytearray)):
        return sum(iterable, start)
    items = iter(lift(site, iterable))
    if type(raw_of(start)) in _NUMBERS:
        # Python adds its own numbers in a loop of their own, which since 3.12 is compensated, up to
        # the first item of another type.
        numbers, items = _leading_numbers(items)
        start = _sum_of_numbers(numbers, start)
        if items == ():
            return start
    return at_users_line(functools.reduce, (site.add, items, start), {})


def _leading_numbers(items):
    numbers = []
    for item in items:
        if type(raw_of(item)) not in _NUMBERS:
            return numbers, itertools.chain((item,), items)
        numbers.append(item)
    return numbers, ()


def _sum_of_numbers(numbers, start):
    ans = sum(map(raw_of, numbers), raw_of(start))
    if not active(start) and not any(map(active, numbers)):
        return ans
    if type(start) is int and start == 0:
        return record(PRIMITIVES[sum], ans, tuple(numbers), None)
    # -0.0 + x is x, also if x is -0.0.
    return record(PRIMITIVES[sum], ans, (start, *numbers), {"start": -0.0})


# ---- order -------------------------------------------------------------------------------------

def _is_less(site, a, b):
    if type(a) in _COMPARED_AS_THEY_ARE and type(b) in _COMPARED_AS_THEY_ARE:
        return a < b
    return site.truth(site.lt(a, b))


def _is_greater(site, a, b):
    if type(a) in _COMPARED_AS_THEY_ARE and type(b) in _COMPARED_AS_THEY_ARE:
        return a > b
    return site.truth(site.gt(a, b))


def _extreme(function, is_better):
    """`min` or `max`: the first of those than which none is better."""

    def meaning(site, *args, key=None, default=_MISSING):
        if not args or (len(args) > 1 and default is not _MISSING):
            options = {} if default is _MISSING else {"default": default}
            return function(*args, key=key, **options)  # raises
        best = best_key = _MISSING
        for item in args if len(args) > 1 else lift(site, args[0]):
            item_key = item if key is None else site.call(key, item)
            if best is _MISSING or is_better(site, item_key, best_key):
                best, best_key = item, item_key
        if best is not _MISSING:
            return best
        return function(()) if default is _MISSING else default

    return meaning


class SortKey:
    """A key of a sort, compared through the site."""

    __slots__ = ("site", "value")

    def __init__(self, site, value):
        self.site, self.value = site, value

    def __lt__(self, other):
        return self.site.truth(self.site.lt(self.value, other.value))


def _sorted(site, iterable, /, *, key=None, reverse=False):
    items = list(lift(site, iterable))
    keys = items if key is None else [site.call(key, item) for item in items]
    if not all(type(value) in _COMPARED_AS_THEY_ARE for value in keys):
        keys = [SortKey(site, value) for value in keys]
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    return [items[k] for k in order]


# ---- truth -------------------------------------------------------------------------------------

def _any(site, iterable, /):
    return any(map(site.truth, lift(site, iterable)))


def _all(site, iterable, /):
    return all(map(site.truth, lift(site, iterable)))


# ---- any function ------------------------------------------------------------------------------

def _reduce(site, function, iterable, /, *initial):
    return functools.reduce(site.form(function), lift(site, iterable), *initial)


MEANINGS = {
    sum: _sum,
    min: _extreme(min, _is_less),
    max: _extreme(max, _is_greater),
    sorted: _sorted,
    any: _any,
    all: _all,
    functools.reduce: _reduce,
}
"""Function -> ``meaning(site, *args, **kwargs)``."""
