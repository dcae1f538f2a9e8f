"""The journal: what was noted is undone, and made plain."""

import gc
import sys
import types
import weakref
from collections import OrderedDict, deque

import numpy as np
import pytest
from hybridad._record import is_wrapper, raw_of
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridad.recording.effects import Journal
from tests.recording.effects.runs import wrappers


@pytest.fixture
def journal():
    return Journal(True)


class Thing:
    n = 0

    def __init__(self):
        self.a, self.b = 1, [2]


class Slotted:
    __slots__ = ("x", "y")


def test_container_is_noted_once_with_what_it_held_first(journal):
    inner = [1.0]
    h = [inner, 2.0]
    journal.touch(h)
    h.append(3.0)
    journal.touch(h)
    h.clear()
    journal.undo()
    assert h == [[1.0], 2.0] and h[0] is inner


def test_list_that_grows_then_changes(journal):
    h = [1, 2, 3]
    journal.touch(h, grows=True)
    h.append(4)
    journal.touch(h, grows=True)
    h.append(5)
    journal.touch(h)
    h.reverse()
    journal.undo()
    assert h == [1, 2, 3]


@pytest.mark.parametrize("start", [[], [1, 2]])
def test_list_that_only_grows(journal, start):
    h = list(start)
    journal.touch(h, grows=True)
    h += [3, 4]
    journal.undo()
    assert h == start


def test_growing_list_is_not_copied(journal):
    h = [0.0] * 100_000
    journal.touch(h, grows=True)
    assert journal._places[id(h)]._saved is None


def test_attributes_keep_their_order(journal):
    t = Thing()
    journal.set_attribute(t, "b")
    del t.b
    journal.set_attribute(t, "new")
    t.new = 5
    journal.set_attribute(t, "b")
    t.b = 7
    journal.set_attribute(t, "n")
    t.n += 1
    b = Thing.n
    journal.undo()
    assert list(vars(t).items()) == [("a", 1), ("b", [2])] and t.n == b == 0


def test_attribute_that_was_deleted_comes_back_in_its_place(journal):
    t = Thing()
    held = t.a
    journal.set_attribute(t, "a")
    del t.a
    journal.undo()
    assert list(vars(t)) == ["a", "b"] and t.a is held


def test_attributes_of_a_list_and_its_items(journal):
    class Items(list):
        pass

    items = Items([1])
    journal.set_attribute(items, "label")
    items.label = "x"
    journal.touch(items)
    items.append(2)
    journal.undo()
    assert items == [1] and not vars(items)


def test_slots_classes_functions_and_modules(journal):
    s, module = Slotted(), types.ModuleType("made")
    s.x = 1

    def f(w=1.0):
        return w

    for obj, name, value in ((s, "x", 2), (s, "y", 3), (Thing, "n", 9), (Thing, "m", 9),
                             (f, "calls", 1), (f, "__defaults__", (2.0,)), (module, "g", 4)):
        journal.set_attribute(obj, name)
        setattr(obj, name, value)
    journal.undo()
    assert s.x == 1 and not hasattr(s, "y")
    assert Thing.n == 0 and not hasattr(Thing, "m")
    assert not vars(f) and f() == 1.0 and not hasattr(module, "g")


def test_what_has_no_place_is_let_pass(journal):
    class P:
        x = property(lambda self: 1, lambda self, v: None)

    journal.set_attribute(P(), "x")
    journal.set_attribute(3.0, "x")
    journal.touch((1, 2))
    journal.touch(object())
    assert not journal._places


def test_globals(journal):
    namespace = {"kept": 1, "lost": 2}
    for name in ("kept", "lost", "new", "brief"):
        journal.set_global(namespace, name)
        namespace[name] = 9
    del namespace["lost"], namespace["brief"]
    journal.undo()
    assert namespace == {"kept": 1, "lost": 2}


def test_cells(journal):
    n, empty = 1.0, types.CellType()

    def bump():
        nonlocal n
        n += 1.0

    for cell in (*bump.__closure__, empty):
        journal.set_cell(cell)
    bump()
    empty.cell_contents = 2.0
    changed = n
    journal.undo()
    assert changed == 2.0 and n == 1.0
    with pytest.raises(ValueError, match="empty"):
        _ = empty.cell_contents


def test_cell_that_stays_empty(journal):
    cell = types.CellType()
    journal.set_cell(cell)
    journal.undo()
    journal.concretize(raw_of)
    with pytest.raises(ValueError, match="empty"):
        _ = cell.cell_contents


def test_overlapping_views_of_one_array(journal):
    buf = np.arange(6.0).reshape(2, 3)
    row, column = buf[0], buf[:, 1]
    for view in (row, column):
        journal.write_array(view)
        view[:] = -1.0
    journal.undo()
    np.testing.assert_array_equal(buf, np.arange(6.0).reshape(2, 3))


def test_arrays_over_foreign_memory(journal):
    memory = bytearray(np.arange(4.0).tobytes())
    a, b = np.frombuffer(memory), np.frombuffer(memory, offset=8)
    journal.write_array(a)
    a[:] = 7.0
    journal.touch(memoryview(memory))
    memory[:8] = bytes(8)
    journal.write_array(b)
    b[:] = 8.0
    journal.undo()
    np.testing.assert_array_equal(a, np.arange(4.0))


def test_view_of_what_became_read_only(journal):
    a = np.arange(3.0)
    view = a[1:]
    a.flags.writeable = False
    journal.touch(view)
    view[:] = 9.0
    journal.undo()
    np.testing.assert_array_equal(a, [0.0, 1.0, 2.0])


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_subclasses_of_ndarray_run_no_code_of_theirs(journal):
    class Loud(np.ndarray):
        def __array_finalize__(self, other):
            if getattr(other, "quiet", True) is False:
                raise AssertionError

    a = np.arange(3.0).view(Loud)
    a.quiet = False
    journal.write_array(a)
    np.ndarray.__setitem__(a, 0, 5.0)
    journal.write_array(a)
    journal.undo()
    assert np.ndarray.__getitem__(a, 0) == 0.0


def test_newest_is_undone_first(journal):
    t = Thing()
    journal.set_attribute(t, "a")
    t.a = 2
    journal.touch(vars(t))
    vars(t)["a"] = 3
    journal.undo()
    assert t.a == 1


def test_undo_goes_on_after_a_failure(journal):
    kept, memory = [1], bytearray(b"ab")
    journal.touch(kept)
    journal.touch(memory)
    kept.append(2)
    memory.append(99)
    with memoryview(memory), pytest.raises(ExceptionGroup, match="could not undo"):
        journal.undo()
    assert kept == [1]


def test_undo_of_nothing_kept():
    with pytest.raises(AssertionError, match="keeps nothing"):
        Journal(False).undo()


def test_local_containers_do_not_live_on(journal):
    class Marked(list):
        pass

    first = Marked()
    gone = weakref.ref(first)
    journal.touch(first)
    del first
    kept = [[k] for k in range(3000)]
    for item in kept:
        journal.touch(item)
    assert gone() is None
    del item, kept[10:]
    journal.prune()
    assert len(journal._places) == 10
    journal.forget()
    assert not journal._places


@pytest.mark.parametrize("keeps", [True, False])
def test_local_objects_do_not_live_on(keeps):
    journal = Journal(keeps)
    kept, gone = [], []
    for k in range(3000):
        t = Thing()
        gone.append(weakref.ref(t))
        for name in ("a", "b", "new"):
            journal.set_attribute(t, name)
            setattr(t, name, k)
        if k % 1000 == 0:
            kept.append(t)
    del t
    journal.prune()
    assert sum(x() is not None for x in gone) == len(kept) == 3
    if keeps:
        journal.undo()
        assert all(vars(t) == {"a": 1, "b": [2]} for t in kept)


def test_container_that_is_still_seen_is_not_forgotten(journal):
    inner = [1]
    outside = {"inner": inner}
    journal.touch(inner)
    inner.append(2)
    journal.touch(outside)
    del outside["inner"], inner
    journal.prune()
    journal.undo()
    assert outside == {"inner": [1]}


# Making plain -----------------------------------------------------------------------------------


@pytest.mark.parametrize("keeps", [True, False])
def test_every_place_becomes_plain(keeps):
    journal = Journal(keeps)
    w, = wrappers(2.0)
    t, slotted, held, grown, namespace = Thing(), Slotted(), {}, [0.0, w], {}
    cell = types.CellType()
    objects = np.array([None, 1.0], dtype=object)
    journal.set_attribute(t, "w")
    journal.set_attribute(slotted, "x")
    journal.set_attribute(Thing, "late")
    journal.touch(held)
    grown = [0.0]
    journal.touch(grown, grows=True)
    journal.set_global(namespace, "g")
    journal.set_global(namespace, "deleted")
    journal.set_cell(cell)
    journal.write_array(objects)
    t.w = slotted.x = Thing.late = held["w"] = namespace["g"] = cell.cell_contents = w
    objects[0] = w
    grown.append(w)
    journal.concretize(raw_of)
    found = [t.w, slotted.x, Thing.late, held["w"], namespace["g"], cell.cell_contents,
             objects[0], grown[1]]
    assert all(x is raw_of(w) for x in found)
    del Thing.late


def test_only_what_a_list_has_grown_by_is_looked_at():
    class Never(list):
        def __iter__(self):
            raise AssertionError

    journal = Journal(False)
    h = Never([1.0] * 10)
    seen = []
    journal.touch(h, grows=True)
    w, = wrappers(1.0)
    h.append(w)
    journal.concretize(lambda x: seen.append(x) or raw_of(x))
    assert seen == [w] and list.__getitem__(h, 10) is raw_of(w)


# Random changes ---------------------------------------------------------------------------------


KEYS = st.sampled_from(["a", "b", "c", 1, 2.5])


def _change(data, x, values):
    value = data.draw(values)
    kind = type(x)
    if kind is list or kind is deque:
        name = data.draw(st.sampled_from(
            ["append", "extend", "insert", "pop", "reverse", "clear", "setitem", "rotate"]))
        if name == "append":
            x.append(value)
        elif name == "extend":
            x.extend([value, value])
        elif name == "insert" and kind is list:
            x.insert(1, value)
        elif name == "pop" and x:
            x.pop()
        elif name == "reverse":
            x.reverse()
        elif name == "setitem" and x:
            x[0] = value
        elif name == "rotate" and kind is deque:
            x.rotate(1)
        elif name == "clear":
            x.clear()
    elif kind is set:
        if data.draw(st.booleans()):
            x.add(data.draw(KEYS))
        elif x:
            x.pop()
    else:
        name = data.draw(st.sampled_from(["set", "pop", "clear", "update", "order"]))
        if name == "set":
            x[data.draw(KEYS)] = value
        elif name == "pop" and x:
            x.popitem()
        elif name == "clear":
            x.clear()
        elif name == "update":
            x.update(z=value)
        elif name == "order" and kind is OrderedDict and x:
            x.move_to_end(next(iter(x)))


def _picture(x):
    """Identity, content and order of everything inside."""
    if isinstance(x, dict):
        return id(x), [(k, _picture(v)) for k, v in x.items()]
    if isinstance(x, list | deque | tuple):
        return id(x), [_picture(v) for v in x]
    return id(x), list(x) if isinstance(x, set) else x


def _inside(x, seen):
    if id(x) in seen:
        return
    seen[id(x)] = x
    if isinstance(x, dict):
        for pair in x.items():
            _inside(pair, seen)
    elif isinstance(x, list | deque | tuple | set):
        for item in x:
            _inside(item, seen)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_random_changes(data):
    containers = [[1, 2], {"a": 1, 1: 2}, {1, 2.5}, deque([1, 2], maxlen=4),
                  OrderedDict(a=1, b=2), []]
    containers[0].append(containers[1])
    containers[1]["q"] = containers[3]
    before = [_picture(x) for x in containers]
    journal = Journal(True)
    made = wrappers(1.0, 2.0)
    values = st.one_of(st.sampled_from(made), st.sampled_from(containers), st.just(7),
                       st.builds(lambda w: (w, [w]), st.sampled_from(made)))
    for _ in range(data.draw(st.integers(1, 12))):
        x = data.draw(st.sampled_from(containers))
        journal.touch(x)
        _change(data, x, values)
    journal.concretize(raw_of)
    seen = {}
    for x in containers:
        _inside(x, seen)
    assert not any(is_wrapper(x) for x in seen.values())
    journal.undo()
    assert [_picture(x) for x in containers] == before


def test_refcounts_are_left_alone():
    x = object()
    count = sys.getrefcount(x)
    journal = Journal(True)
    h = [x]
    journal.touch(h)
    h.append(x)
    journal.undo()
    journal.forget()
    del h
    gc.collect()
    assert sys.getrefcount(x) == count
