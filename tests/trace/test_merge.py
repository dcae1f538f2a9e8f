"""A tree grows by paths, as text."""

import pytest

from hybridad.trace.ir import Loop, Node
from hybridad.trace.merge import Unmergeable, merge
from hybridad.trace.rewriting import parts_of
from hybridad.trace.text import parse, show
from hybridad.trace.valid import check

LINE = """
%0 = input 0  : float
%1 = %0 * 2.0  : float
%2 = %1 > 1.0  : bool
branch bool %2
  {outcome}:
    %3 = %1 {sign} %0  : float
    return %3
"""


def path(outcome, sign="+"):
    return parse(LINE.format(outcome=outcome, sign=sign))


def defined(block):
    """All ids that a tree makes."""
    for part in parts_of(block):
        for node in part.nodes:
            if type(node) is Loop:
                yield node.id
                yield from [phi.id for phi in node.phis] + [phi.out for phi in node.phis]
                yield from [] if node.item is None else [node.item]
                yield from defined(node.body)
            else:
                yield node.id


def test_a_missing_side_is_grafted_with_fresh_ids():
    tree, changed = merge(path(True), path(False, "-"))
    check(tree)
    assert changed
    assert show(tree) == show(parse("""
%0 = input 0  : float
%1 = %0 * 2.0  : float
%2 = %1 > 1.0  : bool
branch bool %2
  True:
    %3 = %1 + %0  : float
    return %3
  False:
    %4 = %1 - %0  : float
    return %4
"""))
    ids = list(defined(tree))
    assert len(ids) == len(set(ids))


def test_ids_of_the_path_do_not_matter():
    other = parse(LINE.format(outcome=True, sign="+").replace("%", "%4"))
    tree, changed = merge(path(True), other)
    assert not changed and show(tree) == show(path(True))


def test_the_tree_has_the_examples_of_the_path():
    old, new = [type(p)((Node(0, "input", 0, example=x), *p.nodes[1:]), p.end)
                for p, x in ((path(True), 1.0), (path(True), 5.0))]
    tree, changed = merge(old, new)
    assert not changed and tree.nodes[0].example == 5.0 and old.nodes[0].example == 1.0


@pytest.mark.parametrize("text, what", [
    (LINE.format(outcome=True, sign="-"), "add"),
    (LINE.format(outcome=True, sign="+").replace("* 2.0", "* 3.0"), "mul"),
    (LINE.format(outcome=True, sign="+").replace("return %3", "return %1"), "returned"),
    (LINE.format(outcome=True, sign="+").replace("bool %2\n", "value %2\n"), "decided"),
    (LINE.format(outcome=True, sign="+").replace("2.0  : float", "2.0  : float64"), "float"),
    ("%0 = input 0  : float\n%1 = %0 * 2.0  : float\nreturn %1", "gt"),
])
def test_other_operations_are_unmergeable(text, what):
    with pytest.raises(Unmergeable, match=what):
        merge(path(True), parse(text))


LOOP = """
%0 = input 0  : int
%1 = input 1  : float
loop %2 range 0, %0, 1{once}
  item %3  : int
  phi %4 = 1.0 -> %5  : float  y
  %6 = %3 < 2  : bool
  branch bool %6
{sides}
branch left %2
  0:
    return %5
"""
TRUE = "    True:\n      %7 = %4 * %1  : float\n      next %7\n"
FALSE = "    False:\n      %8 = %4 - %1  : float\n      next %8\n"


def test_bodies_merge_and_numbers_of_leaves_stay():
    tree = parse(LOOP.format(once="  once", sides=TRUE))
    tree, changed = merge(tree, parse(LOOP.format(once="", sides=FALSE)))
    check(tree)
    loop = tree.nodes[-1]
    assert changed and not loop.once
    assert [side.end.number for side in loop.body.end.sides.values()] == [0, 1]
    again, changed = merge(tree, parse(LOOP.format(once="", sides=TRUE + FALSE.replace(
        "next %8", "next %8  leaf 1"))))
    assert not changed and show(again) == show(tree)


def test_once_is_over_when_a_second_iteration_was_seen():
    tree = parse(LOOP.format(once="  once", sides=TRUE))
    same, changed = merge(tree, tree)
    assert same.nodes[-1].once and not changed
    more, changed = merge(tree, parse(LOOP.format(once="", sides=TRUE)))
    assert not more.nodes[-1].once and changed


def test_a_loop_without_iterations_learns_its_body():
    text = LOOP.format(once="  once", sides="")
    empty = parse(text.replace("  %6 = %3 < 2  : bool\n  branch bool %6\n", "").replace(
        "  item %3  : int\n", ""))
    full = parse(LOOP.format(once="", sides=TRUE).replace("%5", "%15"))
    tree, changed = merge(empty, full)
    check(tree)
    assert changed and not tree.nodes[-1].once
    assert tree.nodes[-1].phis[0].out == tree.end.sides[0].end.value.id
    back, changed = merge(full, empty)
    assert not changed and show(back) == show(full)


def test_other_ways_out_and_what_is_carried_by_them():
    plain = LOOP.format(once="", sides=TRUE)
    carried = "-> %5  : float  y\n"
    left = plain.replace(carried, carried + "  phi %9 = _ -> %10  : float  z\n")
    left = left.replace(TRUE, "    False:\n      leave _, %1  label 1\n")
    left = left.replace("  0:\n    return %5", "  1:\n    return %10")
    tree, changed = merge(parse(plain), parse(left))
    check(tree)
    assert changed and set(tree.end.sides) == {0, 1}
    assert len(tree.nodes[-1].phis) == 2
    ids = list(defined(tree))
    assert len(ids) == len(set(ids))
