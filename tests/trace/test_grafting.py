"""What only a path has is put into a tree."""

from hybridad.trace.grafting import Leaves, Widening, equal, is_empty
from hybridad.trace.ir import HOLE, Block, Next, Ref
from hybridad.trace.rewriting import leaves_of
from hybridad.trace.text import parse

BODY = parse("""
loop %2 while
  phi %4 = 1.0 -> %5  : float
  %6 = %4 > 2.0  : bool
  branch bool %6
    True:
      next %4
    False:
      leave %4  leaf 1
return %5
""").nodes[0].body


def test_new_leaves_have_new_numbers():
    leaves = Leaves(lambda: 4)
    assert [leaves.number(), leaves.number()] == [4, 5]
    assert Leaves(2).number() == 2


def test_room_for_more_values():
    wide = list(leaves_of(Widening(2).block(BODY)))
    assert [leaf.values[1:] for leaf in wide] == [(HOLE, HOLE)] * 2
    assert {leaf.number for leaf in wide} == {0, 1}


def test_equal():
    assert equal(Ref(1), Ref(1)) and not equal(Ref(1), 1)
    assert equal((Ref(1), 2.0), (Ref(1), 2.0)) and not equal((Ref(1),), (Ref(2),))


def test_is_empty():
    assert is_empty(Block((), None)) and not is_empty(Block((), Next(())))
