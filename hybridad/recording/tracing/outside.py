"""Builtin containers as operands and objects of method calls in a trace run."""

import functools
import operator
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from hybridad.recording.tracing.encoding import encode, has_known
from hybridad.recording.tracing.reads import enter_value, memory_of
from hybridad.recording.tracing.values import Dynamic, Text, is_a, outgoing

__all__ = ["OutsideContainers"]

_DICTS = (dict, OrderedDict, defaultdict, Counter)

_READING = {"get", "keys", "values", "items", "copy", "index", "count", "__len__", "__getitem__",
            "__contains__", "__iter__"}


class OutsideContainers:
    """What is done with builtin containers, those from outside and those of the run.

    Parameters
    ----------
    run : TraceRun
    """

    def __init__(self, run):
        self.run = run

    def as_local(self, site, x):
        """A container from outside as one of the run's own, with what is in it."""
        if not self.run.recorder.is_known(x):
            return x
        if type(x) in (list, tuple):
            return type(x)(site._plainly_here(x))
        if type(x) is deque:
            return deque(site._plainly_here(x), x.maxlen)
        if is_a(x, (set, frozenset)):     # the very same, so that its order is
            for item in self.run.elements(site, x):
                self.run.settled(site, item)
            return type(x)(x)
        if type(x) in _DICTS:
            return site.mapping(x)
        return x

    def elements(self, site, x):
        """What is in a set from outside, in its order."""
        asked = list, (self.run.recorder.ref(x),), {}
        return site.star(self.run.answered(site, asked, list(x)))

    def binary(self, site, function, a, b):
        """``[..] + [..]``, ``[..] * n``, ``"a" + text``, ..."""
        run = self.run
        if is_a(a, str) or is_a(b, str):
            return run.text(site, function, (a, b), {})
        a, b = self.as_local(site, a), self.as_local(site, b)
        if function is operator.mul:
            a, b = (run.settled(site, x) if type(x) is Dynamic else x for x in (a, b))
        recorder = run.recorder
        arrays = [x for x in (a, b) if recorder.is_known(x)]
        if arrays:      # an array and a list, which NumPy takes for one
            a, b = (site.call(np.array, x) if type(x) in (list, tuple) and not is_a(
                other, (int, np.integer)) else x for x, other in ((a, b), (b, a)))
            args = encode(recorder, (a, b))
            return recorder.apply(site, function, args, {}, function(a, b), arrays)
        return function(a, b)

    def inplace(self, site, function, name, a, b):
        """``[..] += ...``"""
        run = self.run
        if run.recorder.is_known(a):
            if type(a) is list and name == "add":
                self.method(site, a, a.extend, (list(site._plainly_here(b)),), {})
                return a
            run.recorder.refuse(f"an outside {type(a).__name__} is changed in place", site)
        run.journal.touch(a)
        run.loops.changes(a)
        if type(a) is list:
            b = run.settled(site, b) if type(b) is Dynamic else list(
                site._plainly_here(b)) if name == "add" else b
        elif type(a) is dict:
            b = site.call(dict, b)
        else:
            b = self.as_local(site, b)
        return function(a, b)

    def compare(self, site, function, name, a, b):
        """``[..] == [..]``"""
        run = self.run
        a, b = self.as_local(site, a), self.as_local(site, b)
        if type(a) is set or not has_known(run.recorder, (a, b)):   # what sets hold is decided
            return function(a, b)
        if type(a) in (list, tuple) and name in ("eq", "ne"):
            same = len(a) == len(b) and all(
                x is y or site.truth(site.eq(x, y)) for x, y in zip(a, b))
            return same is (name == "eq")
        if type(a) in (list, tuple):
            for x, y in zip(a, b):
                if x is not y and not site.truth(site.eq(x, y)):
                    return getattr(site, name)(x, y)
            return function(len(a), len(b))
        if type(a) is dict and name in ("eq", "ne"):
            same = a.keys() == b.keys() and all(
                x is b[key] or site.truth(site.eq(x, b[key])) for key, x in a.items())
            return same is (name == "eq")
        return run.recorder.refuse(f"a comparison of {type(a).__name__}s", site)

    def method(self, site, own, f, args, kwargs):
        """A method of a container from outside."""
        run, name = self.run, f.__name__
        if name in _READING:
            return self._read(site, own, f, name, args, kwargs)
        args = tuple([run.settled(site, x) if type(x) is Text else x for x in args])
        if name in ("extend", "extendleft") and len(args) == 1:
            args = (list(site._plainly_here(args[0])),)
        return self._change(site, "method", own, name, f, args, kwargs)

    def change(self, site, own, f, args):
        """A function that changes its first argument, a container from outside."""
        return self._change(site, "call", own, f, functools.partial(f, own), args, {})

    def _change(self, site, kind, own, name, f, args, kwargs):
        run, recorder = self.run, self.run.recorder
        run.journal.touch(own)
        for x in (*args, *kwargs.values()):
            run.escape(site, x)
        encoded = encode(recorder, (own, name, args, kwargs))
        for x in (*args, *kwargs.values()):
            run.stored(x)
        result = f(*outgoing(args), **{k: outgoing(x) for k, x in kwargs.items()})
        number = recorder.node("effect", kind, encoded, None, result, site,
                               memory_of(recorder, result))
        recorder.changed()
        if result is None:
            return None
        return enter_value(recorder, site, number, result, ("effect", site.line, site.col))

    def _read(self, site, own, f, name, args, kwargs):
        run = self.run
        if name == "get" and is_a(own, dict):
            if site.isin(args[0], own):
                return site.item(own, args[0])
            return args[1] if len(args) > 1 else None
        if name == "__getitem__":
            return site.item(own, *args)
        if name in ("index", "count") and is_a(own, (list, tuple)):
            hits = [k for k, x in enumerate(site._plainly_here(own))
                    if x is args[0] or site.truth(site.eq(x, args[0]))]
            if name == "count":
                return len(hits)
            return hits[0] if hits else f(*args, **kwargs)
        local = self.as_local(site, own)
        if local is own or (name == "copy" and type(local) is not type(own)):
            run.recorder.refuse(f"{type(own).__name__}.{name} of an outside container", site)
        return getattr(local, name)(*args, **kwargs)
