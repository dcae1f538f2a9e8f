"""How large a trace is."""

from hybridad.trace.counts import sides, statements
from hybridad.trace.text import parse

TREE = parse("""
%0 = input 0  : int
loop %2 range 0, %0, 1
  item %3  : int
  phi %4 = 1.0 -> %5  : float
  %6 = %4 > 2.0  : bool
  branch bool %6
    True:
      next %4
    False:
      %7 = %4 + 1.0  : float
      next %7  leaf 1
branch left %2
  0:
    return %5
""")


def test_sides():
    assert sides(TREE) == 3


def test_statements():
    assert statements(TREE) == 3
