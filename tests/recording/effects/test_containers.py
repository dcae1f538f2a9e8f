"""Methods of builtin containers: noted, run on wrappers, and what plain Python gives."""

import array
import copy
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest
from hybridad._record import is_wrapper, raw_of

from hybridad.errors import LostDerivativeError
from hybridad.recording.effects import CONTAINERS, MEANINGS, Journal, call_method
from hybridad.recording.effects.containers import missing
from tests.recording.effects.runs import PlainSite, recording

CHANGES = {
    "list": ([3, 1, 2], [
        ("append", 4), ("extend", [4, 5]), ("extend", (v for v in "ab")), ("insert", 1, 9),
        ("remove", 1), ("pop",), ("pop", 0), ("clear",), ("sort",), ("reverse",),
        ("__setitem__", 0, 7), ("__delitem__", 0), ("__iadd__", [1]), ("__imul__", 2),
        ("__init__", [8])]),
    "dict": ({"a": 1, "b": 2}, [
        ("clear",), ("pop", "a"), ("popitem",), ("setdefault", "c", 3), ("update", {"a": 3}),
        ("update", [("z", 1)]), ("__setitem__", "a", 2), ("__delitem__", "b"),
        ("__ior__", {"q": 1})]),
    "set": ({1, 2, 3}, [
        ("add", 4), ("remove", 1), ("discard", 2), ("pop",), ("clear",), ("update", [5], {6}),
        ("difference_update", [1]), ("intersection_update", {1}),
        ("symmetric_difference_update", [1, 9]), ("__ior__", {7}), ("__isub__", {1})]),
    "deque": (deque([3, 1, 2], maxlen=4), [
        ("append", 4), ("appendleft", 4), ("extend", [4, 5]), ("extendleft", [4, 5]),
        ("insert", 1, 9), ("remove", 1), ("pop",), ("popleft",), ("clear",), ("reverse",),
        ("rotate", 1), ("__setitem__", 0, 7), ("__iadd__", [1])]),
    "ordered": (OrderedDict(a=1, b=2), [
        ("move_to_end", "a"), ("popitem",), ("popitem", False), ("update", {"c": 1})]),
    "default": (defaultdict(list, a=[1]), [("__missing__", "b"), ("pop", "a")]),
    "bytearray": (bytearray(b"cab"), [("append", 1), ("extend", b"xy"), ("reverse",)]),
    "array": (array.array("d", [1.0, 2.0]), [("append", 3.0), ("fromlist", [4.0]), ("byteswap",)]),
}


@pytest.mark.parametrize("kind, call", [(k, c) for k, (_, calls) in CHANGES.items()
                                        for c in calls], ids=str)
def test_changes_are_what_python_does_and_are_undone(kind, call):
    name, *args = call
    made, wanted, before = (copy.deepcopy(CHANGES[kind][0]) for _ in range(3))
    if name == "extend" and hasattr(args[0], "gi_frame"):
        args = [iter("ab")]
        theirs = [iter("ab")]
    else:
        theirs = args
    journal = Journal(True)
    result = call_method(PlainSite(), journal, getattr(made, name), tuple(args), {})
    plain = getattr(wanted, name)(*theirs)
    assert repr(made) == repr(wanted)
    assert (result is made and plain is wanted) or result == plain
    journal.undo()
    assert repr(made) == repr(before)


@pytest.mark.parametrize("container, name, args", [
    ([1, 2], "index", (2,)), ([1, 2], "count", (2,)), ([1], "copy", ()), ({"a": 1}, "get", ("a",)),
    ({1}, "union", ([2],)), ((1, 2), "index", (2, 1)), ("ab", "upper", ()),
    (frozenset([1]), "isdisjoint", ([2],)), (b"a", "join", ([b"x", b"y"],)),
    (Counter("aab"), "copy", ()), ("-", "join", (["x", "y"],)), ([1], "__len__", ())])
def test_reads_are_not_noted(container, name, args):
    journal = Journal(True)
    bound = getattr(container, name)
    if type(bound).__name__ != "method":
        assert call_method(PlainSite(), journal, bound, args, {}) == bound(*args)
    assert not journal._places


@pytest.fixture
def run():
    with recording(np.array([3.0, 1.0, 2.0])) as (run, x):
        run.tape.site = "here"
        yield run, x, PlainSite(run)


def test_appending_does_not_copy(run):
    run, x, site = run
    h = [0.0] * 10
    call_method(site, run.journal, h.append, (x[0],), {})
    call_method(site, run.journal, h.extend, (x,), {})
    assert run.journal._places[id(h)]._saved is None
    assert len(h) == 14 and all(map(is_wrapper, h[10:]))


def test_a_list_may_be_extended_by_itself(run):
    run, _, site = run
    h = [1, 2]
    call_method(site, run.journal, h.extend, (h,), {})
    assert h == [1, 2, 1, 2]


def test_search_among_wrappers(run):
    run, x, site = run
    h = list(x)
    assert call_method(site, run.journal, h.index, (x[1],), {}) == 1
    assert call_method(site, run.journal, h.count, (3.0,), {}) == 1
    call_method(site, run.journal, h.remove, (x[2],), {})
    assert [float(raw_of(v)) for v in h] == [3.0, 1.0]
    assert [kind for _, _, kind, _ in run.tape.guards()].count("compare") >= 4
    assert not site.called
    with pytest.raises(ValueError, match="not in list"):
        call_method(site, run.journal, h.remove, (x[2],), {})


class Same:
    """Equal to numbers."""

    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == (other.v if type(other) is Same else other)

    __hash__ = None


@pytest.mark.parametrize("kind", [list, deque, tuple])
def test_search_with_equality_of_the_users(kind):
    site, held = PlainSite(), kind([1.0, Same(2.0), 3.0, Same(2.0)])
    for name, args in (("index", (2.0,)), ("index", (2.0, 2)), ("index", (Same(3.0), -2)),
                       ("count", (2.0,)), ("index", (3.0, 0, 3))):
        bound = getattr(held, name)
        assert call_method(site, None, bound, args, {}) == bound(*args)
    with pytest.raises(ValueError, match="not in"):
        call_method(site, None, held.index, (9.0,), {})
    assert set(site.called) == {"eq"}
    if kind is not tuple:
        journal = Journal(True)
        call_method(site, journal, held.remove, (2.0,), {})
        assert len(held) == 3 and type(held[2]) is Same
        with pytest.raises(ValueError, match="not in"):
            call_method(site, journal, held.remove, (9.0,), {})
        journal.undo()
        assert len(held) == 4


@pytest.mark.parametrize("bound", [[].index, [].sort, ().count])
def test_wrong_calls_are_pythons(bound):
    with pytest.raises(TypeError):
        call_method(PlainSite(), None, bound, (), {"x": 1})


def test_keys_are_hashed_and_noted(run):
    run, x, site = run
    d, s = {}, set()
    call_method(site, run.journal, d.update, ([(x[0], 1)],), {})
    call_method(site, run.journal, s.add, (x[1],), {})
    call_method(site, run.journal, s.update, ([x[1], x[2]], {5.0}), {})
    assert call_method(site, run.journal, d.get, (x[0],), {}) == 1
    assert call_method(site, run.journal, d.setdefault, (3.0, 2), {}) == 1
    assert len(s) == 3 and "hash" in {kind for _, _, kind, _ in run.tape.guards()}
    with pytest.raises(LostDerivativeError, match="hash"):
        d[x[0]]


def test_text_of_a_wrapper_is_guarded():
    with recording(2.0) as (run, x):
        site = PlainSite(run)
        assert call_method(site, None, "{:.1f}".format, (x,), {}) == "2.0"
        assert call_method(site, None, "{}".format, (1,), {}) == "1"
    assert site.guards == [("str", "2.0")]


def test_indices_are_plain(run):
    run, _, site = run
    with recording(1.0) as (_, k):
        with pytest.raises(TypeError, match="integer"):
            call_method(site, None, [1, 2].pop, (k,), {})
        with pytest.raises(TypeError, match="integer"):
            call_method(site, None, [1, 2].insert, (k, 1), {})


def test_array_of_numbers_refuses_what_is_differentiated(run):
    run, x, site = run
    with pytest.raises(LostDerivativeError):
        call_method(site, run.journal, array.array("d").append, (x[0],), {})
    with pytest.raises(LostDerivativeError):
        MEANINGS[array.array](site, "d", [x[0]])
    assert MEANINGS[array.array](site, "d", [1.0]) == array.array("d", [1.0])


def test_default_factory_is_called_through_the_site(run):
    run, _, site = run

    def make():
        return [1]

    d = defaultdict(make)
    value = missing(site, run.journal, d, "a")
    assert d["a"] is value and site.called == [make]
    run.journal.undo()
    assert not d
    with pytest.raises(KeyError, match="b"):
        missing(site, None, defaultdict(), "b")


def test_constructors(run):
    run, x, site = run
    assert list(MEANINGS[deque](site, (v for v in [1, 2]), maxlen=1)) == [2]
    assert MEANINGS[deque](site) == deque()
    assert all(map(is_wrapper, MEANINGS[deque](site, x)))
    assert MEANINGS[OrderedDict](site, [("a", 1)], b=2) == OrderedDict(a=1, b=2)
    assert MEANINGS[defaultdict](site, list, [("a", 1)]) == {"a": 1}
    assert MEANINGS[defaultdict](site, None).default_factory is None
    assert MEANINGS[Counter](site, "aab") == Counter("aab")
    assert MEANINGS[Counter](site, None) == Counter()
    assert MEANINGS[Counter](site, {"a": 2}) == {"a": 2}
    counted = MEANINGS[Counter](site, [x[0], 3.0, x[1]])
    assert sorted(counted.values()) == [1, 2]


def test_methods_of_counters(run):
    run, x, site = run
    c = Counter("ab")
    MEANINGS[Counter.update](site, c, "a")
    MEANINGS[Counter.update](site, c, {"b": x[0]})
    assert is_wrapper(c["b"]) and c["a"] == 2
    assert MEANINGS[Counter.most_common](site, c, 1)[0][0] == "b"
    run.journal.undo()
    assert c == Counter("ab")
    with pytest.raises(TypeError):
        MEANINGS[Counter.update](site)


def test_instances_of_derived_classes():
    class Items(list):
        pass

    journal, items = Journal(True), Items([2, 1])
    call_method(PlainSite(), journal, items.sort, (), {})
    assert items == [1, 2]
    journal.undo()
    assert items == [2, 1]
    assert list in CONTAINERS and Counter in CONTAINERS
