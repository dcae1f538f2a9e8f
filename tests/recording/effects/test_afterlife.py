"""What outlives a run holds no wrappers."""

import functools
import gc
import types

import numpy as np
import pytest
from hybridad._record import is_wrapper, raw_of

from hybridad.recording.effects import Journal, settle
from tests.recording.effects.runs import recording, wrappers


def always():
    return 1


def test_known_places_and_roots():
    journal, h = Journal(False), []
    w, = wrappers(2.0)
    journal.touch(h)
    h.append(w)
    root, = settle(journal, raw_of, roots=[(w, [w])])
    assert h[0] is root[0] is root[1][0] is raw_of(w)


def test_nothing_alive_nothing_done():
    journal, h = Journal(False), []
    w, = wrappers(2.0)
    journal.touch(h)
    h.append(w)
    assert settle(journal, raw_of, roots=[w], alive=lambda: 0) == [w]
    assert h[0] is w


def test_exceptions_their_causes_and_members():
    w, = wrappers(2.0)
    try:
        try:
            raise KeyError(w)
        except KeyError as error:
            first = error
            group = ExceptionGroup("several", [ValueError((w,)), TypeError([w])])
            raise group from error
    except ExceptionGroup as error:
        caught = error
    caught.add_note("n")
    caught.value = w
    caught.__context__ = OSError(w)
    settle(Journal(False), raw_of, error=caught)
    assert caught.value is first.args[0] is caught.__cause__.args[0] is raw_of(w)
    assert caught.exceptions[0].args[0][0] is caught.exceptions[1].args[0][0] is raw_of(w)
    assert caught.__context__.args[0] is raw_of(w)


class Box:
    __slots__ = ("w",)


class Thing:
    pass


def test_net_finds_what_nobody_noted():
    w, = wrappers(2.0)
    thing, box, listed, named, pair = Thing(), Box(), [w], {"a": w}, [(1, (w, w))]
    thing.w = box.w = w
    thing.names, thing.unlisted = {"b": w}, {"c": (w,)}
    kept = {1: {w}, 2: functools.partial(max, w), 3: (lambda: w), 4: types.CellType(w),
            5: np.array([w], dtype=object)}
    frozen = [frozenset([w])]
    gc.collect()    # so that dictionaries and tuples of wrappers are not listed
    settle(Journal(False), raw_of, alive=always)
    raw = raw_of(w)
    assert thing.w is box.w is listed[0] is named["a"] is raw
    assert pair[0][1][0] is pair[0][1][1] is raw
    assert thing.names["b"] is raw and thing.unlisted["c"][0] is raw
    assert not any(map(is_wrapper, kept[1])) and kept[2].args[0] is raw
    assert kept[3]() is kept[4].cell_contents is raw
    assert not any(map(is_wrapper, frozen[0]))


@pytest.mark.parametrize("hold", [
    lambda pair: [pair], lambda pair: {"a": pair}, lambda pair: types.SimpleNamespace(a=pair),
    lambda pair: {"a": {"b": pair}}, lambda pair: [((pair, 1), 2)],
    lambda pair: types.CellType(pair)])
def test_net_replaces_tuples_in_what_holds_them(hold):
    w, = wrappers(2.0)
    held = hold((w, []))     # the list keeps the tuple listed
    settle(Journal(False), raw_of, alive=always)
    assert not any(map(is_wrapper, _reachable(held)))


def _reachable(x):
    seen, stack = {}, [x]
    while stack:
        x = stack.pop()
        if id(x) in seen or isinstance(x, type | types.ModuleType):
            continue
        seen[id(x)] = x
        stack.extend(gc.get_referents(x))
    return seen.values()


def test_wrappers_of_other_runs_and_frames_are_left():
    w, other = wrappers(2.0, 3.0)
    generator = (v for v in [w])
    held = [w, other]

    def waiting(v):
        yield 1
        yield v

    paused = waiting(w)
    next(paused)
    name = id(w)
    settle(Journal(False), lambda x: raw_of(x) if id(x) == name else x, alive=always)
    assert held[0] is raw_of(w) and held[1] is other
    assert next(paused) is w
    del generator


def test_exotic_objects_do_not_hurt():
    import ctypes
    import threading
    import weakref

    class Hostile:
        def __getattribute__(self, name):
            raise AssertionError(name)

        __eq__ = __hash__ = __bool__ = __len__ = __repr__ = __getattribute__

        @property
        def __dict__(self):
            raise AssertionError

    class Meta(type):
        def __getattribute__(cls, name):
            raise AssertionError(name)

    w, = wrappers(2.0)

    class Strange(metaclass=Meta):
        pass

    kept = [Hostile(), Strange, weakref.proxy(Thing), threading.local(), ctypes.c_double(1.0),
            memoryview(b"a"), Ellipsis, type.__call__(Strange)]
    held = [w, kept]
    settle(Journal(False), raw_of, roots=[held], alive=always)
    assert held[0] is raw_of(w) and len(kept) == 8


def test_arrays_stay_aliased():
    journal, thing = Journal(False), Thing()
    with recording(np.arange(3.0)) as (_, x):
        y = x * 2.0
        journal.set_attribute(thing, "y")
        thing.y, thing.pair = y, (y[:2],)
    settle(journal, raw_of, roots=[thing])
    assert type(thing.y) is np.ndarray and np.shares_memory(thing.y, thing.pair[0])
