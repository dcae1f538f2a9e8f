"""Positions, uses and needs."""

import pytest

from hybridad.sct.emit.outline import Outline
from hybridad.trace.text import parse

LOOP = """
    %0 = input 0  : float  x
    %1 = %0 * 2.0  : float  a
    loop %2 range 0, 3, 1
      item %3  : int  i
      phi %4 = %0 -> %5  : float  y
      %6 = %4 * %1  : float
      next %6
    %7 = %5 + %0  : float
    loop %8 mirror  of %2  backward  [adjoint]
      phi %9 = %7 -> %10  : float
      %11 = %9 * %6  : float  [adjoint]
      next %11
    return %10
"""


def test_what_is_used_later_on_some_path_is_live():
    outline = Outline(parse("""
        %0 = input 0  : float  x
        %1 = %0 > 0.0
        %2 = %0 * 2.0
        branch bool %1
          True:
            %3 = %2 + 1.0
            return %3
          False:
            return %0
    """))
    root = outline.root
    a, x = outline.values[2], outline.values[0]
    assert outline.is_live(a, root.positions[2], root)
    assert outline.is_live(x, root.positions[2], root)
    side = root.sides[True]
    assert not outline.is_live(x, side.start, side)
    assert not outline.is_live(a, side.positions[0], side)
    other = root.sides[False]
    assert not outline.is_live(a, other.start, other)
    assert outline.is_live(x, other.start, other)


def test_what_a_loop_uses_of_the_outside_is_live_in_all_of_it():
    outline = Outline(parse(LOOP))
    body = outline.scopes[2].body
    assert outline.is_live(outline.values[1], body.positions[0], body)
    assert not outline.is_live(outline.values[4], body.positions[0], body)
    assert not outline.is_live(outline.values[1], outline.scopes[2].after, outline.root)


def test_a_mirror_needs_what_it_uses_of_its_family():
    outline = Outline(parse(LOOP))
    assert outline.needs == {8: {None: {6: 1}}}


def test_an_id_of_an_iteration_is_unknown_outside():
    with pytest.raises(NameError, match="%4 of a loop's body"):
        Outline(parse("""
            %0 = input 0  : float  x
            loop %2 range 0, 3, 1
              phi %3 = %0 -> %5
              %4 = %3 * 2.0
              next %4
            return %4
        """))


def test_an_id_that_is_defined_nowhere():
    with pytest.raises(NameError, match="%7 is used before"):
        Outline(parse("return %7"))


def test_a_path_of_many_decisions():
    from hybridad.trace.ir import Block, Branch, Node, Ref, Return
    block = Block((), Return(Ref(0)))
    for _ in range(5000):
        block = Block((), Branch(Ref(0), "bool", {True: block}))
    block = Block((Node(0, "input", 0),), block.end)
    outline = Outline(block)
    assert len(outline.values[0].uses) == 5001
