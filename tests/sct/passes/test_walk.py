"""Going through trees."""

import sys

from hybridad.sct.passes.walk import Rewriter, unwind, used_by_end, uses, walk
from hybridad.trace.ir import Block, Branch, Node, Ref, Return
from hybridad.trace.text import parse, show

TEXT = """\
%0 = input 0  : float64
loop %1 range 0, 4, 1
  item %2  : int
  phi %3 = %0 -> %4  : float64
  %5 = %3 * %0  : float64
  next %5
branch bool %4
  True:
    %6 = np.sum((%0, [%4]), axis=%0)  : float64
    return %6
  False:
    return {'a': %0}  aux %4
"""


def test_walk_is_in_the_order_of_the_run():
    block = parse(TEXT)
    seen = [(getattr(x, "id", type(x).__name__), loop and loop.id) for x, loop in walk(block)]
    assert seen == [(0, None), (1, None), (5, 1), ("Next", 1), ("Branch", None), (6, None),
                    ("Return", None), ("Return", None)]


def test_uses():
    block = parse(TEXT)
    side = block.end.sides[True]
    assert uses(side.nodes[0]) == [0, 4, 0]
    assert used_by_end(block.end) == [4]
    assert used_by_end(block.end.sides[False].end) == [0, 4]
    assert used_by_end(block.nodes[1].body.end) == [5]


def test_nothing_changed_is_the_same_object():
    block = parse(TEXT)
    assert Rewriter().run(block) is block


def test_values_and_memory_take_the_place_of_others():
    rewriter = Rewriter()
    rewriter.stand_for(9, 3, Node(0, "input", memory=1))
    block = parse(TEXT.replace("%6 = np", "%7 = .T(%0)  : float64[3] C m1\n    %6 = np"))
    text = show(rewriter.run(block))
    assert "phi %3 = %9" in text
    assert "%5 = %3 * %9" in text
    assert "axis=%9" in text
    assert "%7 = .T(%9)  : float64[3] C m3" in text
    assert "{'a': %9}" in text


def test_deep_trees():
    """As many decisions as no recursion in Python would bear."""
    block = Block((), Return(Ref(0)))
    for _ in range(3 * sys.getrecursionlimit()):
        block = Block((), Branch(Ref(0), "bool", {True: block}))
    rewriter = Rewriter()
    rewriter.alias[0] = 1
    new = rewriter.run(block)
    depth = 0
    while type(new.end) is Branch:
        assert new.end.test == Ref(1)
        new, depth = new.end.sides[True], depth + 1
    assert depth == 3 * sys.getrecursionlimit()
    assert new.end == Return(Ref(1))


def test_unwind():
    def factorial(n):
        return 1 if n == 0 else n * (yield factorial(n - 1))

    assert unwind(factorial(5)) == 120
