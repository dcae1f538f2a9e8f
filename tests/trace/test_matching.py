"""Whether operations are the same under other names."""

import operator

import numpy as np
import pytest

from hybridad.trace.ir import Aval, Node, Ref, Step
from hybridad.trace.matching import Matching, Unmergeable, described, same_static


@pytest.mark.parametrize("a, b, same", [
    (1, 1, True), (1, True, False), (1, 1.0, False), (0.0, -0.0, False), ("a", "a", True),
    (float("nan"), float("nan"), True), (np.float64(1), np.float64(1), True),
    (np.float64(1), np.float32(1), False), (np.ones(2), np.ones(2), True),
    (np.ones(2), np.ones(3), False), (np.zeros(1), -np.zeros(1), False),
    (object(), object(), False), (np.dtype(float), np.dtype("f8"), True), (None, None, True),
    (frozenset("a"), frozenset("a"), True),
])
def test_same_static(a, b, same):
    assert same_static(a, b) is same


class Hostile:
    """Must never be compared."""

    def __eq__(self, other):
        raise AssertionError

    __hash__ = None


def test_no_code_of_the_user_is_called():
    assert not same_static(Hostile(), Hostile())
    x = Hostile()
    assert same_static(x, x)


def test_nested_values_are_compared_with_ids_renamed():
    matching = Matching()
    matching.pair(1, 11)
    step = Step(operator.getitem, (slice(Ref(1), None),))
    other = Step(operator.getitem, (slice(Ref(11), None),))
    assert matching.same((Ref(1), [1, {"a": step}]), (Ref(11), [1, {"a": other}]))
    assert not matching.same((Ref(1),), [Ref(11)])
    assert not matching.same({"a": 1}, {"b": 1})


def test_values_must_be_one_in_both():
    matching = Matching()
    matching.pair(1, 11)
    for tree, path in ((2, 11), (1, 12)):
        with pytest.raises(Unmergeable, match="two values are one"):
            matching.pair(tree, path)


def test_what_is_outside_goes_by_its_own_id():
    matching = Matching(outside=lambda id: id < 5)
    assert matching.find(3) == 3
    with pytest.raises(Unmergeable, match="no name stands for"):
        matching.find(7)
    matching.pair(3, 8)  # what was 3 in the first iteration is 8 in this one
    with pytest.raises(Unmergeable, match="as it was"):
        matching.find(3)


def test_memory_matters_where_it_is_written_to():
    for written in ((), (1,)):
        matching = Matching(written=written)
        matching.pair_memory(1, 11)
        if written:
            with pytest.raises(Unmergeable, match="share memory"):
                matching.pair_memory(2, 11)
        else:
            matching.pair_memory(2, 11)
            assert matching.find_memory(11, None) == 1


def test_described():
    assert described(Node(0, "apply", np.sin)) == "sin"


def test_types_are_told():
    a, b = [Node(0, "apply", np.sin, (1.0,), aval=Aval("array", "<f8", (n,))) for n in (2, 3)]
    with pytest.raises(Unmergeable, match=r"sin gave <f8\[2\] and then <f8\[3\]"):
        Matching().node(a, b)
