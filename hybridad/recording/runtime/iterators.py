"""Meanings of the builtins and of `itertools` that give iterators.

Python's own iterators run on wrappers as they are, lazily. What goes in is lifted, functions are
called through the site, and what decides (a predicate, an equal key) decides through it, too.
"""

import functools
import itertools

from hybridad._record import is_wrapper, raw_of
from hybridad.recording.runtime.operands import lift, own

__all__ = ["MEANINGS"]


def _on_lifted(function):
    """All positional arguments are iterables."""

    def meaning(site, *iterables, **options):
        return function(*[lift(site, x) for x in iterables], **options)

    return meaning


def _on_first(function):
    """The first argument is an iterable, the others are integers."""

    def meaning(site, iterable, *args, **options):
        return function(lift(site, iterable), *map(raw_of, args),
                        **{name: raw_of(x) for name, x in options.items()})

    return meaning


def _unchanged(function):
    """Nothing to lift, to call or to decide."""

    def meaning(site, *args, **options):
        return function(*args, **options)

    return meaning


# ---- iter, next, reversed ----------------------------------------------------------------------

class _UntilSentinel:
    """What ``iter(function, sentinel)`` gives."""

    __slots__ = ("function", "sentinel", "site")

    def __init__(self, site, function, sentinel):
        self.site, self.function, self.sentinel = site, function, sentinel

    def __iter__(self):
        return self

    def __next__(self):
        if self.site is None:
            raise StopIteration
        try:
            value = self.site.call(self.function)
        except StopIteration:
            self.site = None
            raise
        if self.sentinel is value or self.site.truth(self.site.eq(self.sentinel, value)):
            self.site = None
            raise StopIteration
        return value


def _iter(site, *args):
    if len(args) == 2 and callable(args[0]):
        return _UntilSentinel(site, *args)
    if len(args) == 1:
        return iter(lift(site, args[0]))
    return iter(*args)


def _next(site, iterator, *default):
    method = own(iterator, "__next__")
    if method is None:
        if is_wrapper(iterator):
            return next(raw_of(iterator), *default)  # raises
        if not hasattr(type(iterator), "__next__"):
            return next(iterator, *default)
        return next(site.iter(iterator), *default)
    try:
        return site.call(method, iterator)
    except StopIteration:
        if default:
            return default[0]
        raise


def _reversed(site, sequence, /):
    method = own(sequence, "__reversed__")
    if method is not None:
        return site.call(method, sequence)
    if own(sequence, "__getitem__") is not None and own(sequence, "__len__") is not None:
        return _Backwards(site, sequence, site.call(own(sequence, "__len__"), sequence))
    plainly = reversed(sequence if hasattr(raw_of(sequence), "__len__") else raw_of(sequence))
    return iter(site.iter(plainly))


class _Backwards:
    """What ``reversed`` gives for a sequence of the user's."""

    __slots__ = ("k", "sequence", "site")

    def __init__(self, site, sequence, length):
        self.site, self.sequence, self.k = site, sequence, length

    def __iter__(self):
        return self

    def __next__(self):
        self.k -= 1
        if self.k >= 0:
            try:
                return self.site.item(self.sequence, self.k)
            except (IndexError, StopIteration):
                self.k = 0
        raise StopIteration


# ---- functions and predicates ------------------------------------------------------------------

def _map(site, function, *iterables, **options):
    return map(site.form(function), *[lift(site, x) for x in iterables], **options)


def _deciding(site, predicate, *args):
    return site.truth(site.call(predicate, *args))


def _on_predicate(function):
    """`filter` and `filterfalse`, whose predicate may be None."""

    def meaning(site, predicate, iterable, /):
        if predicate is None or predicate is bool:
            return function(site.truth, lift(site, iterable))
        return function(functools.partial(_deciding, site, predicate), lift(site, iterable))

    return meaning


def _while(function):
    """`takewhile` and `dropwhile`."""

    def meaning(site, predicate, iterable, /):
        return function(functools.partial(_deciding, site, predicate), lift(site, iterable))

    return meaning


def _starmap(site, function, iterable, /):
    arguments = map(functools.partial(lift, site), lift(site, iterable))
    return itertools.starmap(site.form(function), arguments)


def _accumulate(site, iterable, func=None, *, initial=None):
    function = site.add if func is None else site.form(func)
    return itertools.accumulate(lift(site, iterable), function, initial=initial)


def _compress(site, data, selectors):
    return itertools.compress(lift(site, data), map(site.truth, lift(site, selectors)))


class _Key:
    """A key of `groupby`, compared through the site."""

    __slots__ = ("site", "value")

    def __init__(self, site, value):
        self.site, self.value = site, value

    def __eq__(self, other):
        mine, others = self.value, other.value
        return mine is others or self.site.truth(self.site.eq(mine, others))

    __hash__ = None


def _groupby(site, iterable, key=None):
    key_of = (lambda x: x) if key is None else site.form(key)
    groups = itertools.groupby(lift(site, iterable), lambda x: _Key(site, key_of(x)))
    return map(_with_its_value, groups)


def _with_its_value(pair):
    key, group = pair
    return key.value, group


# ---- chains ------------------------------------------------------------------------------------

class _Later:
    """An iterable that is lifted when its turn comes."""

    __slots__ = ("iterable", "site")

    def __init__(self, site, iterable):
        self.site, self.iterable = site, iterable

    def __iter__(self):
        return iter(lift(self.site, self.iterable))


def _chain(site, *iterables):
    return itertools.chain(*[_Later(site, x) for x in iterables])


def _chain_from_iterable(site, iterable, /):
    return itertools.chain.from_iterable(map(functools.partial(lift, site), lift(site, iterable)))


MEANINGS = {
    iter: _iter,
    next: _next,
    reversed: _reversed,
    enumerate: _on_first(enumerate),
    zip: _on_lifted(zip),
    map: _map,
    filter: _on_predicate(filter),
    itertools.accumulate: _accumulate,
    itertools.chain: _chain,
    itertools.chain.from_iterable: _chain_from_iterable,
    itertools.combinations: _on_first(itertools.combinations),
    itertools.combinations_with_replacement: _on_first(itertools.combinations_with_replacement),
    itertools.compress: _compress,
    itertools.count: _unchanged(itertools.count),
    itertools.cycle: _on_first(itertools.cycle),
    itertools.dropwhile: _while(itertools.dropwhile),
    itertools.filterfalse: _on_predicate(itertools.filterfalse),
    itertools.groupby: _groupby,
    itertools.islice: _on_first(itertools.islice),
    itertools.pairwise: _on_first(itertools.pairwise),
    itertools.permutations: _on_first(itertools.permutations),
    itertools.product: _on_lifted(itertools.product),
    itertools.repeat: _unchanged(itertools.repeat),
    itertools.starmap: _starmap,
    itertools.takewhile: _while(itertools.takewhile),
    itertools.tee: _on_first(itertools.tee),
    itertools.zip_longest: _on_lifted(itertools.zip_longest),
}
"""Function -> ``meaning(site, *args, **kwargs)``."""

if hasattr(itertools, "batched"):
    MEANINGS[itertools.batched] = _on_first(itertools.batched)
