"""Loops as a person would write them."""

import numpy as np
import pytest

from hybridad.sct.emit import emit
from hybridad.sct.load import Exit, load
from hybridad.trace.ir import Block, Loop, Phi, Ref, Return
from hybridad.trace.text import parse

NEWTON = """
    %0 = input 0, differentiated=True  : float  a
    loop %20 while
      phi %1 = 1.0 -> %11  : float  d
      phi %2 = %0 -> %12  : float  y
      %3 = abs(%1)  : float  # n.py:4
      %4 = %3 > 1e-12  : bool  # n.py:4
      branch bool %4  # n.py:4
        True:
          %5 = %2 * %2  : float  # n.py:5
          %6 = %5 - %0  : float  # n.py:5
          %7 = 2.0 * %2  : float  # n.py:5
          %8 = %6 / %7  : float  d  # n.py:5
          %9 = %2 - %8  : float  y  # n.py:6
          next %8, %9
        False:
          leave %1, %2  leaf 1  uncounted
    return %12  # n.py:7
"""


def rows_of(block):
    rows = emit(block).text.splitlines()
    return rows[next(k for k, row in enumerate(rows) if row.startswith("def")) + 1:]


def test_newton():
    assert rows_of(parse(NEWTON)) == [
        "    # a: float",
        "    d = 1.0",
        "    y = a",
        "    # n.py:4",
        "    while abs(d) > 1e-12:",
        "        # n.py:5",
        "        d = (y * y - a) / (2.0 * y)",
        "        # n.py:6",
        "        y = y - d",
        "    # n.py:7",
        "    return (y,)",
    ]
    assert load(emit(parse(NEWTON)))(2.0)[0] == pytest.approx(2.0 ** 0.5)


def test_a_buffer_is_written_in_place():
    block = parse("""
        %0 = input 0  : float64[5] C m0  x
        %1 = np.zeros(5)  : float64[5] C m1  out
        loop %2 range 1, 5, 1
          item %3  : int  i
          phi %4 = %1 -> %5  : float64[5] C m1  out
          %6 = %3 - 1  : int  # a.py:2
          %7 = %4[%6]  : float64  # a.py:2
          %8 = %0[%3]  : float64  # a.py:2
          %9 = %7 + %8  : float64  # a.py:2
          %10 = write operator.setitem(%4, %3, %9)  : float64[5] C m1  out  # a.py:2
          next %10
        return %5
    """)
    rows = rows_of(block)
    assert "    for i in range(1, 5):" in rows
    assert "        out[i] = out[i - 1] + x[i]" in rows
    assert len(rows) == 6
    assert load(emit(block))(np.ones(5))[0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_buffers_that_change_places():
    block = parse("""
        %0 = input 0  : float64[2] C m0  x
        %1 = .copy(%0)  : float64[2] C m1  a
        %2 = .copy(%0)  : float64[2] C m2  b
        loop %3 range 0, 3, 1
          phi %4 = %1 -> %5  : float64[2] C m3  a
          phi %6 = %2 -> %7  : float64[2] C m4  b
          %8 = %4 * 2.0  : float64[2] C m5
          %9 = write operator.setitem(%6, slice(None), %8)  : float64[2] C m4
          next %9, %4
        %10 = %5 - %7  : float64[2] C m6
        return %10
    """)
    text = emit(block).text
    assert "a, b = b, a" in text
    assert text.count("copy") == 2
    assert load(emit(block))(np.ones(2))[0].tolist() == [4.0, 4.0]


def test_a_branch_in_a_body():
    block = parse("""
        %0 = input 0  : int  n
        loop %1 range 0, %0, 1
          item %2  : int  i
          phi %3 = 0.0 -> %4  : float  s
          %5 = %2 % 2  : int  # a.py:1
          %6 = %5 == 0  : bool  # a.py:1
          branch bool %6  # a.py:1
            True:
              %7 = %3 + 1.0  : float  s
              next %7
            False:
              %8 = %2 > 6  : bool  # a.py:3
              branch bool %8  # a.py:3
                True:
                  leave %3  leaf 1  label 1
                False:
                  next %3  leaf 2
        branch left %1
          0:
            return %4
          1:
            %9 = %4 * 10.0
            return %9
    """)
    function = load(emit(block))
    assert [function(n)[0] for n in (0, 1, 5, 7, 20)] == [0.0, 1.0, 3.0, 4.0, 40.0]


def test_a_loop_that_was_seen_once():
    function = load(emit(parse("""
        %0 = input 0  : int  n
        loop %1 range 0, %0, 1  once
          phi %2 = 1.0 -> %3  : float  s
          %4 = %2 * 2.0
          next %4
        return %3
    """)))
    assert function(0) == (1.0,)
    assert function(1) == (2.0,)
    assert type(function(2)) is Exit


def test_a_loop_that_was_never_seen_to_run():
    block = Block((*parse("""
        %0 = input 0  : int  n
        return %0
    """).nodes, Loop(1, "range", (0, Ref(0), 1), None, (Phi(2, 1.0, 3, "s"),), Block())),
        Return(Ref(3)))
    function = load(emit(block))
    assert function(0) == (1.0,)
    assert type(function(1)) is Exit


def test_a_while_that_was_seen_once():
    function = load(emit(parse("""
        %0 = input 0  : int  n
        loop %1 while  once
          phi %2 = 0 -> %3  : int  k
          %4 = %2 < %0  : bool
          branch bool %4
            True:
              %5 = %2 + 1  : int
              next %5
            False:
              leave %2  leaf 1  uncounted
        return %3
    """)))
    assert function(1) == (1,)
    assert type(function(2)) is Exit


def test_what_is_needed_behind_a_loop_of_what_it_overwrites():
    block = parse("""
        %0 = input 0  : float64[2] C m0  x
        %1 = np.exp(%0)  : float64[2] C m1  a
        loop %2 range 0, 3, 1
          phi %3 = %1 -> %4  : float64[2] C m1  a
          %5 = write operator.iadd(%3, 1.0)  : float64[2] C m1
          next %5
        %6 = np.sum(%4)  : float64
        %7 = %1 * 1.0  : float64[2] C m2  g_x  [adjoint]
        return %6  cotangents (%7,)
    """)
    value, g = load(emit(block))(np.zeros(2))
    assert (value, g.tolist()) == (8.0, [1.0, 1.0])


def test_a_copy_that_a_loop_goes_on_with_is_copied_again():
    """Two loops after one another overwrite what the adjoint still needs."""
    block = parse("""
        %0 = input 0  : float64[2] C m0  x
        %1 = np.exp(%0)  : float64[2] C m1  a
        %2 = np.exp(%0)  : float64[2] C m2  b
        loop %3 range 0, 2, 1
          phi %4 = %2 -> %5  : float64[2] C m2  b
          %6 = write operator.iadd(%4, 1.0)  : float64[2] C m2
          next %6
        loop %7 range 0, 3, 1
          phi %8 = %1 -> %9  : float64[2] C m1  a
          phi %10 = %5 -> %11  : float64[2] C m2  b
          %12 = write operator.iadd(%8, 1.0)  : float64[2] C m1
          next %10, %12
        %13 = np.sum(%9)  : float64
        %14 = np.sum(%11)  : float64
        %15 = %13 + 10.0 * %14  : float64
        %16 = %1 + %2  : float64[2] C m3  g_x  [adjoint]
        return %15  cotangents (%16,)
    """.replace("%15 = %13 + 10.0 * %14", "%17 = 10.0 * %14  : float64\n        %15 = %13 + %17"))
    source = emit(block)
    value, g = load(source)(np.zeros(2))
    assert (value, g.tolist()) == (68.0, [2.0, 2.0])
    assert source.text.count(".copy()") == 2     # of `a` and of `b`, each once


def test_what_is_written_to_after_it_was_copied():
    """A loop may change what it does not show, so its old content is copied; then it is changed."""
    block = parse("""
        %0 = input 0  : float64[2] C m0  x
        %1 = np.exp(%0)  : float64[2] C m1  a
        %2 = write operator.iadd(%1, 1.0)  : float64[2] C m1  a
        %3 = np.sum(%2)  : float64
        loop %4 range 0, 2, 1
          phi %5 = %1 -> %6  : float64[2] C m1  a
          %7 = write operator.imul(%5, 3.0)  : float64[2] C m1
          next %7
        %8 = np.sum(%6)  : float64
        %9 = %3 + %8  : float64
        %10 = %1 * 1.0  : float64[2] C m2  g_x  [adjoint]
        return %9  cotangents (%10,)
    """)
    value, g = load(emit(block))(np.zeros(2))
    assert (value, g.tolist()) == (4.0 + 18.0, [1.0, 1.0])
