"""Containers at a `TraceSite`: indexing, iteration, displays, membership.

A builtin container from outside is known to the recorder: each look into it is a read.
All others are the run's own; they are plain Python, and what is in them is known by itself.
"""

import operator
from collections import deque

import numpy as np

from hybridad.recording.runtime import objects
from hybridad.recording.runtime.specials import special, users
from hybridad.recording.tracing.active import here
from hybridad.recording.tracing.encoding import VIEWS, arrays_in, encode, is_opaque
from hybridad.recording.tracing.flat import Flat
from hybridad.recording.tracing.operations import Operations, is_users
from hybridad.recording.tracing.reads import read
from hybridad.recording.tracing.values import Dynamic, Text, is_a, is_number, outgoing

__all__ = ["Containers", "shape_depends"]

_SEQUENCES = (list, tuple, deque)
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)


class Containers(Operations):
    """What sites do for containers."""

    __slots__ = ()

    # -- items -----------------------------------------------------------------------------------

    def item(self, o, index):
        """``o[index]``"""
        run = here()
        if run is None:
            return o[index]
        recorder = run.recorder
        kind = type(o)
        if kind is np.ndarray:
            return self._element(run, o, index)
        if kind is Flat:
            return o.item(self, index)
        if recorder.is_known(o) and not is_number(o):
            if is_a(o, _SEQUENCES) and type(index) is slice:
                index = self._settled_index(run, index)
                items = [self.item(o, k) for k in range(*index.indices(self._length(run, o)))]
                return tuple(items) if is_a(o, tuple) else kind(items)
            if is_a(o, (*_SEQUENCES, dict)):
                return self._outside_item(run, o, index)
        method = special(o, "__getitem__") if is_users(o) else None
        if run.enters(method):
            return self.call(method, o, index)
        if is_a(o, _CONTAINERS) or kind in (str, bytes, range):
            index = self._settled_index(run, index)
            if is_a(o, dict) and kind is not dict and users(o, "__missing__") is not None \
                    and not dict.__contains__(o, index):
                return self.call(special(o, "__missing__"), o, index)
            if kind is range:
                run.settle_range(self, o)
            return recorder.surely(lambda: o[index])
        if recorder.is_known(o) and is_a(o, np.generic):
            return self.item(self.call(np.asarray, o), index)
        if kind.__module__.startswith("numpy"):        # np.r_, np.mgrid, ...
            return recorder.apply(self, operator.getitem, (o, encode(recorder, index)), {},
                                  o[index], arrays_in(index))
        return run.asked(self, operator.getitem, (o, index))

    def _outside_item(self, run, o, index):
        recorder = run.recorder
        key = run.settled(self, index) if not is_a(index, (int, np.integer)) else index
        method = special(o, "__getitem__")
        if run.enters(method):
            return self.call(method, o, index)
        if key not in o if is_a(o, dict) else False:
            if special(o, "__missing__") is not None:
                recorder.refuse("a missing key of a default dictionary from outside", self)
        try:
            value = o[index]
        except LookupError:     # it raises as long as this holds
            if is_a(o, dict):
                self.isin(key, o)
            else:
                self._length(run, o)
            value = recorder.surely(lambda: o[index])
        return read(recorder, self, "item", (recorder.ref(o), encode(recorder, key)), value)

    def _local_index(self, run, index):
        """An index whose lists and tuples are the run's own: NumPy looks into them."""
        if type(index) is tuple or type(index) is list:
            local = run.as_local(self, index)
            parts = [self._local_index(run, part) for part in local]
            return local if all(a is b for a, b in zip(local, parts)) else type(index)(parts)
        return index

    def _element(self, run, o, index):
        recorder = run.recorder
        index = self._local_index(run, index)
        if type(index) is list or type(index) is tuple:
            for part in index if type(index) is tuple else (index,):
                if type(part) is list and any(recorder.is_known(x)
                                              and not is_a(x, (int, np.integer))
                                              for x in part):
                    recorder.refuse("a list of numbers of the run as an index", self)
        if not recorder.is_known(o):
            recorder.refuse("an array of unknown origin", self)
        encoded = encode(recorder, index)
        made = recorder.compute(self, operator.getitem, (recorder.ref(o), encoded), {},
                                lambda: o[index], (o,))
        if type(made) is np.ndarray and shape_depends(recorder, index):
            recorder.decide(self, made, "shape", made.shape)
        return made

    def _settled_index(self, run, index):
        """An index into a container of the run's own: decided, if it came from data."""
        if type(index) is slice:
            return slice(*(self._settled_index(run, x)
                           for x in (index.start, index.stop, index.step)))
        return run.settled(self, index)

    def _length(self, run, o):
        n = len(o)
        run.recorder.check("length", run.recorder.ref(o), n, self)
        return n

    def slice(self, a, b, c):
        """``a:b:c`` in an index"""
        return slice(a, b, c)

    def set_item(self, value, o, index):
        """``o[index] = value``"""
        run = here()
        if run is None:
            o[index] = value
            return
        recorder = run.recorder
        if type(o) is np.ndarray:
            self._write(run, value, o, index)
            return
        if type(o) is Flat:
            o.set_item(self, index, value)
            return
        method = special(o, "__setitem__")
        if run.enters(method):
            self.call(method, o, index, value)
            return
        if recorder.is_known(o) and is_a(o, (list, dict, deque)):
            run.effect(self, "item", (o, index, value), lambda: run.journal.touch(o))
            o[outgoing(index)] = outgoing(value)
            return
        run.journal.touch(o)
        run.loops.changes(o)
        if is_a(o, (list, dict, deque)):
            o[self._settled_index(run, index)] = value
            return
        run.native(self, operator.setitem, (o, index, value))

    def _write(self, run, value, o, index):
        recorder = run.recorder
        if not recorder.is_known(o):
            recorder.refuse("an array of unknown origin was written to", self)
            run.journal.write_array(o)
            o[index] = value
            return
        if o.dtype.hasobject:
            recorder.refuse("a write into an array of objects", self)
        index = self._local_index(run, index)
        if type(value) in (list, tuple):
            value = self.call(np.array, value)
        rest = encode(recorder, index), encode(recorder, value)
        run.before_write(self, o)
        o[index] = value
        if recorder.is_window(value, o, rest[0]):
            return      # the last step of ``o[index] += ...``: it is there already
        recorder.written(self, o, operator.setitem, rest)

    def del_item(self, o, index):
        """``del o[index]``"""
        run = here()
        if run is None:
            del o[index]
            return
        method = special(o, "__delitem__")
        if run.enters(method):
            self.call(method, o, index)
            return
        if run.recorder.is_known(o):
            run.effect(self, "delete item", (o, index), lambda: run.journal.touch(o))
        else:
            run.journal.touch(o)
            run.loops.changes(o)
            index = self._settled_index(run, index)
        del o[index]

    # -- iteration -------------------------------------------------------------------------------

    def iter(self, x):
        """What ``for v in x`` goes through."""
        run = here()
        if run is None:
            return x
        kind = type(x)
        if kind is Text:
            x = run.settled(self, x)
        if id(x) in run.iterables:
            return run.loops.other(self, x)
        if kind is range:
            return run.loops.range(self, x)
        if kind is np.ndarray:
            return run.loops.items(self, x) if x.ndim else x
        if kind is Flat:
            return run.loops.items(self, x.row(self))
        if run.recorder.is_known(x):
            if is_a(x, _SEQUENCES):
                self._length(run, x)
                return run.loops.other(self, self._items_of(run, x))
            if is_a(x, dict):
                run.recorder.check("keys", run.recorder.ref(x), list(x), self)
                return run.loops.other(self, list(x))
            if is_a(x, VIEWS):
                return self.iter(run.asked(self, list, (x,)))
            if hasattr(kind, "__next__"):
                run.recorder.refuse(f"a {kind.__name__} from outside is gone through", self)
            if is_a(x, (set, frozenset)):
                return self.iter(run.elements(self, x))
        if is_users(x) and kind not in _NATIVE:
            if is_opaque(run.recorder, x) and users(x, "__iter__") is None and (
                    special(x, "__iter__") is not None or users(x, "__getitem__") is None):
                return self.iter(run.asked(self, list, (x,)))
            return run.loops.other(self, objects.iter(self, run, x))
        return run.loops.other(self, x)

    def _items_of(self, run, x):
        for k in range(len(x)):
            yield read(run.recorder, self, "item", (run.recorder.ref(x), k), x[k])

    def star(self, x):
        """``*x`` in a call or a display"""
        run = here()
        return x if run is None else list(self._plainly(run, x))

    def kinds(self, x):
        """Classes, or tuples of them: those that `isinstance` and ``except`` are given"""
        run = here()
        if run is None or not is_a(x, tuple):
            return x
        return tuple([self.kinds(item) for item in self._plainly(run, x)])

    def unpack(self, x):
        """The right side of ``a, b = x``"""
        run = here()
        return x if run is None else self._plainly(run, x)

    def _plainly(self, run, x):
        """Go through something where no loop stands in the source."""
        with run.loops.aside():
            made = self.iter(x)
        return made

    def mapping(self, x):
        """``**x`` in a call or a display"""
        run = here()
        if run is None or not run.recorder.is_known(x):
            return x
        run.recorder.check("keys", run.recorder.ref(x), list(x), self)
        return {key: self.item(x, key) for key in x}

    def set_of(self, items):
        """``{a, b}``"""
        run = here()
        if run is not None:
            items = [run.settled(self, x) for x in items]
        return set(items)

    def dict_of(self, items):
        """``{k: v}``"""
        run = here()
        if run is not None:
            items = [(run.settled(self, key), value) for key, value in items]
        return dict(items)

    def isin(self, a, b):
        """``a in b``"""
        run = here()
        if run is None:
            return a in b
        recorder = run.recorder
        if type(b) is Text:
            a, b = run.settled(self, a), run.settled(self, b)
        if is_a(b, VIEWS):
            b = list(self._plainly(run, b))
        if type(b) is np.ndarray:
            return recorder.apply(self, operator.contains,
                                  (encode(recorder, b), encode(recorder, a)), {}, a in b)
        if recorder.is_known(b):
            if is_a(b, (dict, set, frozenset)):
                a = run.settled(self, a)
                number = recorder.node("read", "contains", (recorder.ref(b), encode(recorder, a)),
                                       None, None, self)
                return recorder.give(number, a in b, self)
            if is_a(b, _SEQUENCES):
                b = list(self._plainly(run, b))
        if is_users(b) and type(b) not in _NATIVE:
            if is_opaque(recorder, b) and not any(
                    users(b, name) for name in ("__contains__", "__iter__", "__getitem__")):
                return run.asked(self, operator.contains, (b, a))
            return objects.contains(self, run, a, b)
        if is_a(b, _SEQUENCES):
            return objects.is_among(self, a, b)
        if type(b) is range:
            run.settle_range(self, b)
        return run.settled(self, a) in b

    def notin(self, a, b):
        """``a not in b``"""
        return not self.isin(a, b)

    def is_(self, a, b):
        """``a is b``"""
        run = here()
        outcome = a is b
        if run is not None and run.recorder.loops and is_number(a) and is_number(b) and (
                run.recorder.is_known(a) or run.recorder.is_known(b)):
            # Loops make other objects of the numbers that they carry.
            run.recorder.refuse("whether two numbers are one object", self)
        if run is not None and not is_number(a) and not is_number(b):
            recorder = run.recorder
            ours, theirs = recorder.identity(a), recorder.identity(b)
            if ours is not None and theirs is not None and (
                    recorder.is_outside(a) and recorder.is_outside(b)):
                return recorder.apply(self, operator.is_, (ours, theirs), {}, outcome)
        return outcome

    def isnot(self, a, b):
        """``a is not b``"""
        return not self.is_(a, b)


_NATIVE = (zip, enumerate, map, filter, reversed, range, str, bytes, Text, type({}.keys()),
           type({}.values()), type({}.items()), Dynamic, type(iter([])), type(iter(())),
           type(x for x in ()))


def shape_depends(recorder, index):
    """Whether the shape of what an index gives depends on data."""
    if type(index) is tuple:
        return any(shape_depends(recorder, part) for part in index)
    if type(index) is slice:
        return recorder.is_known(index) or any(
            recorder.is_known(x) for x in (index.start, index.stop, index.step))
    return type(index) is np.ndarray and index.dtype == bool


def _arrays(values):
    return arrays_in(tuple(values))
