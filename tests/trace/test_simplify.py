"""What only later runs might have needed is taken away."""

import pytest

from hybridad.trace.simplify import simplify
from hybridad.trace.text import parse, show

CASES = {
    "a phi that never changes": ("""
%0 = input 0  : int
%1 = input 1  : float
loop %2 range 0, %0, 1
  item %3  : int
  phi %4 = %1 -> %5  : float
  phi %6 = 0.0 -> %7  : float
  %8 = %6 + %4  : float
  next %4, %8
branch left %2
  0:
    %9 = %5 + %7  : float
    return %9
""", """
%0 = input 0  : int
%1 = input 1  : float
loop %2 range 0, %0, 1
  item %3  : int
  phi %6 = 0.0 -> %7  : float
  %8 = %6 + %1  : float
  next %8
%9 = %1 + %7  : float
return %9
"""),
    "by way of an inner loop": ("""
%0 = input 0  : int
%1 = input 1  : float
loop %2 range 0, %0, 1
  item %3  : int
  phi %4 = %1 -> %5  : float
  loop %6 range 0, %0, 1
    item %7  : int
    phi %8 = %4 -> %9  : float
    next %8
  branch left %6
    0:
      next %9
branch left %2
  0:
    return %5
""", """
%0 = input 0  : int
%1 = input 1  : float
loop %2 range 0, %0, 1
  item %3  : int
  loop %6 range 0, %0, 1
    item %7  : int
    next
  next
return %1
"""),
    "an array that is written to where nobody needs it later": ("""
%0 = input 0  : float64[3] C m1
loop %2 while
  phi %4 = %0 -> %5  : float64[3] C m1
  %6 = write operator.setitem(%4, 0, 1.0)  : float64[3] C m1
  %7 = %6[1]  : float64
  %8 = %7 > 1.0  : bool
  branch bool %8
    True:
      next %4
    False:
      leave _  leaf 1  label 2
branch left %2
  2:
    return 1.0
""", """
%0 = input 0  : float64[3] C m1
loop %2 while
  phi %4 = %0 -> %5  : float64[3] C m1
  %6 = write operator.setitem(%4, 0, 1.0)  : float64[3] C m1
  %7 = %6[1]  : float64
  %8 = %7 > 1.0  : bool
  branch bool %8
    True:
      next %4
    False:
      leave _  leaf 1  label 2
return 1.0
"""),
    "no iteration was seen": ("""
%0 = input 0  : int
loop %2 range 0, %0, 1  once
  phi %4 = 1.0 -> %5  : float
branch left %2
  0:
    return %5
""", """
%0 = input 0  : int
%6 = range(0, %0, 1)  : object range
%2 = len(%6)  : int
branch value %2
  0:
    return 1.0
"""),
    "a way out by the end was not seen": ("""
%0 = input 0  : int
loop %2 range 0, %0, 1
  item %3  : int
  leave  label 1
branch left %2
  1:
    return 1.0
""",) * 2,
}


@pytest.mark.parametrize("name", CASES)
def test_simplify(name):
    text, expected = CASES[name]
    tree = simplify(parse(text))
    assert show(tree) == show(parse(expected))
    assert show(simplify(tree)) == show(tree)
