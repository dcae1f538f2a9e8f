"""Whose memory an array shows."""

import numpy as np

from hybridad.sct.emit.memory import Memories, copied
from hybridad.sct.emit.outline import Outline
from hybridad.trace.ir import Aval
from hybridad.trace.text import parse

TEXT = """
    %0 = input 0  : float64[4] C m0  x
    %1 = np.tanh(%0)  : float64[4] C m1
    %2 = %1[1:3]  : float64[2] C m1
    %3 = .reshape(%1, (2, 2))  : float64[2, 2] C m1
    %4 = np.exp(%0)  : float64[4] C m2
    %5 = write operator.setitem(%4, 0, 1.0)  : float64[4] C m2
    loop %6 range 0, 3, 1
      phi %7 = %5 -> %8  : float64[4] C m3
      %9 = write operator.iadd(%7, 1.0)  : float64[4] C m3
      next %9
    return %8
"""


def known():
    outline = Outline(parse(TEXT))
    return Memories(outline), outline.values


def test_outside_and_own():
    memories, values = known()
    assert memories.is_outside(values[0])
    assert not memories.is_outside(values[1])
    assert memories.is_fresh(values[1])
    assert not memories.is_fresh(values[2])


def test_what_can_be_given_away_as_it_is():
    memories, values = known()
    assert [id for id in (0, 1, 2, 3, 5, 8) if memories.is_whole(values[id])] == [1, 3, 5, 8]


def test_a_loop_joins_what_it_carries():
    memories, values = known()
    assert memories.root(2) == memories.root(3) != memories.root(1)
    assert memories.is_written(values[4])
    assert not memories.is_written(values[1])


def test_foreign_calls_may_change_arrays():
    outline = Outline(parse("""
        %0 = input 0  : float64[4] C m0  x
        %1 = foreign ($f, (%0,), {})
        %2 = foreign ($p, (%0,), {})
        return 0.0
    """, {"f": np.random.default_rng().shuffle, "p": print}))
    memories = Memories(outline)
    assert [ref.id for ref in memories.changed(outline.values[1].node)] == [0]
    assert memories.changed(outline.values[2].node) == []
    assert memories.is_written(outline.values[0])


def test_copies_keep_the_layout():
    assert copied("x", Aval("array", "<f8", (2,), "C")) == "x.copy()"
    assert copied("x", Aval("array", "<f8", (2, 2), "F")) == 'x.copy(order="K")'
