"""Shapes that hold in every run."""

from hybridad.sct.passes.steady import unsteady_ids
from hybridad.sct.passes.survey import Survey
from hybridad.trace.text import parse


def test_what_follows_from_values():
    block = parse("""
        %0 = input 0  : float64[3] C m0
        %1 = input 1  : int
        %2 = %0[:%1]  : float64[2] C m0
        %3 = %0[%1]  : float64
        %4 = %0[1:]  : float64[2] C m0
        %5 = %2 * %4  : float64[2] C m1
        %6 = np.sum(%5)  : float64
        %7 = %6 * %0  : float64[3] C m2
        %8 = np.zeros(%1)  : float64[3] C m3
        %9 = %0 > 0  : bool_[3] C m4
        %10 = %0[%9]  : float64[1] C m5
        %11 = %0 * %1  : float64[3] C m6
        loop %12 range 0, 4, 1
          item %13  : int
          phi %14 = %0 -> %15  : float64[3] C m7
          phi %16 = %4 -> %17  : float64[2] C m8
          next %0, %2
        loop %18 items %2
          item %19  : float64
          next
        return %7
    """)
    assert unsteady_ids(block, Survey(block)) == {2, 5, 8, 10, 16, 17, 19}


def test_nothing_varies():
    block = parse("""
        %0 = input 0  : float64[3] C m0
        %1 = %0[1:]  : float64[2] C m0
        return %1
    """)
    assert unsteady_ids(block, Survey(block)) == set()
