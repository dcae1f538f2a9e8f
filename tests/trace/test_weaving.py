"""A tree and a path side by side."""

from hybridad.trace.matching import Matching
from hybridad.trace.text import parse, show
from hybridad.trace.weaving import Weaving

TEXT = "%0 = input 0  : float\n%1 = %0 > 1.0  : bool\nbranch bool %1\n  {}:\n    return %0\n"


def itself(number):
    return number


def test_nothing_new_is_the_same_object():
    tree, path = parse(TEXT.format(True)), parse(TEXT.format(True))
    weaving = Weaving(Matching(), itself, itself)
    assert weaving.weave(tree, path) is tree and not weaving.changed


def test_a_new_side_changes_nothing_in_place():
    tree = parse(TEXT.format(True))
    weaving = Weaving(Matching(), itself, itself)
    new = weaving.weave(tree, parse(TEXT.format(False)))
    assert weaving.changed and set(new.end.sides) == {True, False}
    assert show(tree) == show(parse(TEXT.format(True)))
    assert new.end.sides[True] is tree.end.sides[True]
