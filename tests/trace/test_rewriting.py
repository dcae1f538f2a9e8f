"""Traces with other ids."""

from hybridad.trace.ir import Ref, Return
from hybridad.trace.rewriting import Rewriting, convert, leaves_of, parts_of, renumber
from hybridad.trace.text import parse, show

TEXT = """
%10 = input 0  : int
%11 = input 1  : float
loop %2 range 0, %10, 1
  item %3  : int
  phi %4 = %11 -> %5  : float
  %6 = %4 + %11  : float
  next %6
%7 = %5 > 2.0  : bool
branch bool %7
  True:
    return %5
  False:
    return %11
"""


def test_renumber_goes_in_the_order_of_the_text():
    assert show(renumber(parse(TEXT), 20)) == show(parse("""
%20 = input 0  : int
%21 = input 1  : float
loop %22 range 0, %20, 1
  item %24  : int
  phi %23 = %21 -> %26  : float
  %25 = %23 + %21  : float
  next %25
%27 = %26 > 2.0  : bool
branch bool %27
  True:
    return %26
  False:
    return %21
"""))


def test_a_decision_that_becomes_static_is_none():
    tree = Rewriting({7: True, 11: 3.5}).block(parse(TEXT))
    assert tree.end == Return(Ref(5))
    assert tree.nodes[2].phis[0].init == 3.5


def test_other_uses_stay():
    assert show(Rewriting({}).block(parse(TEXT))) == show(parse(TEXT))


def test_walks():
    tree = parse(TEXT)
    assert len(list(parts_of(tree))) == 3
    assert {leaf.value for leaf in leaves_of(tree)} == {Ref(5), Ref(11)}


def test_convert():
    assert convert("bool", 2.0) is True and convert("int", 2.5) == 2
    assert convert("value", 2.5) == 2.5 and convert("str", 1) == "1"
