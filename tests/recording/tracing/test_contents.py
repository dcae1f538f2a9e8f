"""What names stand for at the heads of loops."""

import numpy as np
import pytest

from hybridad.recording.effects import Journal
from hybridad.recording.tracing.contents import (
    Opaque,
    content_of,
    counts_of,
    named_before,
    owner_of,
    reachable,
    without_leaf,
)
from hybridad.recording.tracing.run import TraceRun
from hybridad.trace.ir import HOLE, Ref


class Thing:
    """The user's."""

    def __init__(self, **slots):
        vars(self).update(slots)


@pytest.fixture
def run():
    return TraceRun(lambda: None, Journal(keeps=True))


def test_containers_and_objects_are_told_by_what_they_hold(run):
    array, told = np.ones(3), {}
    run.recorder.new_array(array, run.recorder.new_id(), False)
    ref = run.recorder.ref(array)
    thing = Thing(a=array, b=2)
    x = {"list": [array, thing], "pair": (1, None)}
    content = content_of(run, x, told, {})
    assert content["list"][0] == ref and content["pair"] == (1, None)
    assert content["list"][1] == {"which one": Opaque(thing), "a": ref, "b": 2}
    assert {*told} == {id(x), id(x["list"]), id(x["pair"]), id(thing)}


def test_an_object_from_before_the_loop_is_that_one_in_each_run(run):
    thing, other = Thing(a=1), Thing(a=1)
    thing.deep = [{"k": other}]
    born = named_before(run, ("x", "y"), (3, thing))
    for made, text in ((thing, "<Thing y>"), (other, "<Thing y['deep'][0]['k']>")):
        content = content_of(run, made, {}, born)
        assert content["which one"] == text
    new = Thing(a=1)
    assert content_of(run, new, {}, born)["which one"] == Opaque(new)


def test_circles_end(run):
    x = []
    x.append(x)
    assert content_of(run, x, {}, {}) == [Opaque(x)]
    assert content_of(run, x, {}, {})[0] != Opaque([])


def test_what_cannot_be_told_is_itself(run):
    f = lambda: x
    x = 1
    content = content_of(run, {"f": f, "set": {1}}, {}, {})
    assert content["f"] == Opaque(f) and repr(content["f"]) == "<function>"
    assert content["set"] == Opaque(content["set"].value)


def test_reachable_goes_behind_closures_too():
    inner = [1]
    f = lambda: inner
    assert {id(inner), id(f)} <= {*reachable([{"f": f}])}


@pytest.mark.parametrize(("before", "now", "paths"), [
    ({"k": 1, "y": Ref(1)}, {"k": 2, "y": Ref(2)}, [("k",)]),
    ([1, [2, 3]], [1, [2, 4]], [(1, 1)]),
    ({"k": 1}, {"k": 1}, []), ({"k": 1}, {"j": 2}, []), ({"k": 1}, {"k": Ref(1)}, []),
    ({"r": 0.1}, {"r": 0.05}, [("r",)]), ({"r": 1}, {"r": 0.5}, []),
    ({"k": True}, {"k": False}, []), ([1], [1, 2], []), ((1, 2), (1, 3), []), (None, {"k": 1}, []),
])
def test_plain_numbers_that_change(before, now, paths):
    assert [*counts_of(before, now)] == paths


@pytest.mark.parametrize(("content", "path", "wanted"), [
    ({"a": {"k": 1}, "b": 2}, ("a", "k"), ({"a": {"k": HOLE}, "b": 2}, 1)),
    ([Ref(3), 1], (0,), ([HOLE, 1], Ref(3))),
    ({"a": 1.5}, ("a",), ({"a": HOLE}, 1.5)), ({"a": None}, ("a",), ({"a": None}, HOLE)),
    ({"a": 1}, ("b",), ({"a": 1}, HOLE)),
    ([1], (4,), ([1], HOLE)), (7, ("a",), (7, HOLE)), ({"a": 1}, ("a", "b"), ({"a": 1}, HOLE)),
])
def test_a_content_without_one(content, path, wanted):
    before = repr(content)
    assert without_leaf(content, path) == wanted
    assert repr(content) == before


def test_who_holds_it():
    thing = Thing(list=[1, {"k": 2}])
    assert owner_of({"t": thing}, ("t", "list", 1, "k")) is thing.list[1]
    assert owner_of({"t": thing}, ("t", "list")) is vars(thing)
    assert owner_of((1, 2), (0,)) is None
