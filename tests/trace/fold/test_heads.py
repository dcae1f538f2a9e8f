"""What is live at heads, and whether iterations can be one body."""

import pytest

from hybridad.trace.fold.heads import look, must_agree, same_but_refs, same_type
from hybridad.trace.ir import HOLE, Aval, Ref
from hybridad.trace.matching import Unmergeable
from hybridad.trace.path import Name

FLOAT, ARRAY = Aval("number", "float"), Aval("array", "<f8", (3,))


def front(*names, versions=None, memories=None):
    versions = versions or {}
    return look(names, sorted(versions), lambda m: versions.get(m, ()), (memories or {}).get, {})


def test_slots():
    names = (Name("y", Ref(1), 10, FLOAT), Name("buf", Ref(2)), Name("pair", (Ref(3), 1.0)))
    slots = front(*names, versions={7: [2], 8: [4]}, memories={2: 7}).slots
    assert [(slot.id, slot.incoming, slot.named) for slot in slots] == [
        (10, Ref(1), True), (2, Ref(2), False), (3, Ref(3), False), (2, Ref(2), False),
        (4, Ref(4), False)]
    assert [slot.root for slot in slots] == [False, True, False, True, True]


@pytest.mark.parametrize("a, b, what", [
    (Name("y", Ref(1), 10, FLOAT), Name("y", Ref(1), 10, Aval("number", "<f8")), "float and then"),
    (Name("y", HOLE), Name("y", Ref(1)), "bound"),
    (Name("y", None), Name("y", Ref(1), 10, FLOAT), "y is None"),
    (Name("y", True), Name("y", False), "True and then False"),
    (Name("y", (Ref(1), 1)), Name("y", (Ref(1), 2)), "y is"),
    (Name("y", 1), Name("z", 1), "z in the next"),
])
def test_keys_must_be_equal(a, b, what):
    with pytest.raises(Unmergeable, match=what):
        must_agree(front(a), front(b), lambda name: False, never)
    must_agree(front(a), front(a), lambda name: True, never)


def never(name):
    return False


def test_numbers_may_become_numpys():
    double, single = Aval("number", "<f8"), Aval("number", "<f4")
    assert same_type("y", FLOAT, FLOAT, never)
    assert not same_type("y", FLOAT, double, never)
    assert same_type("y", FLOAT, double, lambda name: name == "y")
    assert not same_type("z", FLOAT, double, lambda name: name == "y")
    assert not same_type("y", double, FLOAT, lambda name: True)     # the other way round
    assert not same_type("y", FLOAT, single, lambda name: True)


def test_sharing_matters_where_it_is_strict():
    apart = front(Name("y", Ref(1), 10, ARRAY, 1), Name("z", Ref(2), 11, ARRAY, 2))
    shared = front(Name("y", Ref(1), 10, ARRAY, 3), Name("z", Ref(2), 11, ARRAY, 3))
    must_agree(apart, shared, lambda name: False, never)
    with pytest.raises(Unmergeable, match="shares its memory"):
        must_agree(apart, shared, lambda name: name.name == "z", never)


def test_same_but_refs():
    assert same_but_refs((Ref(1), {"a": [Ref(2)]}), (Ref(3), {"a": [Ref(3)]}))
    assert not same_but_refs((Ref(1), 1), (Ref(1), 1.0))
