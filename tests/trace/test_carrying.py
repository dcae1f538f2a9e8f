"""Loops are merged with what they carry."""

import pytest

from hybridad.trace.merge import Unmergeable, merge
from hybridad.trace.text import parse, show
from hybridad.trace.valid import check

LOOP = """
%0 = input 0  : int
%1 = input 1  : float64[3] C m1
%9 = %1 * 2.0  : float64[3] C m2
loop %2 range 0, %0, 1
  item %3  : int
{phi}  %6 = %3 < 2  : bool
  branch bool %6
    {body}
branch left %2
  0:
    return {result}
"""
READS = LOOP.format(phi="", body="True:\n      %7 = %9[0]  : float64\n      next", result="%9")
WRITES = LOOP.format(
    phi="  phi %4 = %9 -> %5  : float64[3] C m2\n",
    body="False:\n      %7 = write operator.setitem(%4, 0, 1.0)  : float64[3] C m2\n      next %7",
    result="%5")


def test_a_path_in_which_an_array_was_not_written_to():
    tree, changed = merge(parse(WRITES), parse(READS))
    check(tree)
    assert changed
    assert "%10 = %4[0]" in show(tree) and "next %4  leaf 1" in show(tree)
    assert tree.end.sides[0].end.value.id == 5


def test_a_tree_in_which_an_array_was_not_written_to():
    with pytest.raises(Unmergeable, match="carried"):
        merge(parse(READS), parse(WRITES))


@pytest.mark.parametrize("old, new, what", [
    ("range 0,", "range 1,", "goes through something else"),
    ("item %3  : int", "item %3  : int64", "values of another type"),
    ("item %3  : int", "", "values of another type"),
    ("0, %0, 1", "0, %0, 1  # a.py:1", "range loop"),
])
def test_other_loops(old, new, what):
    text = READS.replace("%3 < 2", "%0 < 2")
    with pytest.raises(Unmergeable, match=what):
        merge(parse(text), parse(text.replace(old, new)))


def test_what_the_last_iteration_hands_on_must_be_known():
    text = LOOP.format(phi="  phi %4 = 1.0 -> %5  : float  y\n",
                       body="True:\n      %7 = %4 + 1.0  : float\n      next %7", result="%5")
    other = text.replace("True:", "False:").replace("next %7", "next _")
    with pytest.raises(Unmergeable, match="not known"):
        merge(parse(text), parse(other))
    tree, _ = merge(parse(text), parse(text.replace("next %7", "next _")))
    assert show(tree) == show(parse(text))
