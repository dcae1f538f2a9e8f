"""Containers in a trace run, made of what is in others: `list`, `set`, `dict`, `deque`, ..."""

from collections import Counter, OrderedDict, defaultdict, deque

from hybridad.recording.tracing.values import is_a

__all__ = ["MEANINGS", "pairs"]


def _collect(kind):
    def serve(site, run, *args):
        return kind(site._plainly_here(args[0])) if args else kind()

    return serve


def _set(kind):
    def serve(site, run, *args):
        return kind([run.settled(site, x) for x in site._plainly_here(args[0])]) if args else kind()

    return serve


def pairs(site, run, x):
    """What is in a mapping, or in an iterable of pairs, as a dictionary of the run's own."""
    if is_a(x, dict):
        return dict(site.mapping(x))
    if hasattr(x, "keys"):
        keys = site._plainly_here(site.call(site.attr(x, "keys")))
        return site.dict_of([(key, site.item(x, key)) for key in keys])
    return site.dict_of([tuple(site.unpack(pair)) for pair in site._plainly_here(x)])


def _dict(site, run, *args, **kwargs):
    return dict(*[pairs(site, run, x) for x in args], **kwargs)


def _from_keys(site, run, keys, value=None):
    return site.dict_of([(key, value) for key in site._plainly_here(keys)])


def _filled(kind):
    """Dictionaries that begin with what is in a mapping."""
    def serve(site, run, *args, **kwargs):
        if kind is defaultdict:
            return kind(*args[:1], *[pairs(site, run, x) for x in args[1:]], **kwargs)
        return kind(*[pairs(site, run, x) for x in args], **kwargs)

    return serve


def _counter(site, run, *args, **kwargs):
    if args and hasattr(args[0], "keys"):
        return Counter(pairs(site, run, args[0]), **kwargs)
    return Counter(*[[run.settled(site, item) for item in site._plainly_here(x)] for x in args],
                   **kwargs)


def _deque(site, run, *args, **kwargs):
    return deque(*[site._plainly_here(x) for x in args[:1]],
                 *[run.settled(site, x) for x in args[1:]],
                 **{name: run.settled(site, x) for name, x in kwargs.items()})


MEANINGS = {
    list: _collect(list), tuple: _collect(tuple), set: _set(set), frozenset: _set(frozenset),
    dict: _dict, deque: _deque, Counter: _counter, OrderedDict: _filled(OrderedDict),
    defaultdict: _filled(defaultdict), dict.fromkeys: _from_keys,
}
"""Callable -> ``handler(site, run, *args, **kwargs)``."""
