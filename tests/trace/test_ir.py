"""Uses of values."""

import pickle

import numpy as np

from hybridad.trace.ir import Method, Ref, Step, map_refs, refs_of


def test_a_use_is_equal_to_nothing_but_itself():
    assert Ref(3) == Ref(3) and Ref(3) != Ref(4) and Ref(3) != 3
    assert {Ref(3): 1}[Ref(3)] == 1
    assert pickle.loads(pickle.dumps(Ref(3))) == Ref(3)


def test_a_use_is_compared_with_an_array_as_a_whole():
    array = np.ones(2)
    assert (Ref(1) == array) is False and (array == Ref(1)) is False
    assert (Ref(1) != array) is True and (array != Ref(1)) is True


def test_uses_are_found_and_replaced_wherever_they_stand():
    x = (Ref(0), [1.0, {"k": Ref(1)}], slice(None, Ref(2)), Step(Method("take"), (Ref(3),)))
    assert [ref.id for ref in refs_of(x)] == [0, 1, 2, 3]
    made = map_refs(lambda ref: Ref(ref.id + 10), x)
    assert [ref.id for ref in refs_of(made)] == [10, 11, 12, 13]
