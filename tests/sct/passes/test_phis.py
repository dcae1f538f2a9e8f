"""Phis that never change."""

from hybridad.sct.passes import remove_constant_phis
from tests.sct.passes.traces import cleaned


def test_what_never_changes_is_what_it_began_with():
    assert cleaned(remove_constant_phis, """
        %0 = input 0  : float64[3] C m0
        loop %1 range 0, 4, 1
          item %2  : int
          phi %3 = %0 -> %4  : float64[3] C m1
          phi %5 = 1.0 -> %6  : float
          %7 = %5 * 2.0  : float
          %8 = %3[%2]  : float64
          next %3, %7
        %9 = %4[0]  : float64
        return %9
    """) == [
        "%0 = input 0",
        "loop %1 range 0, 4, 1",
        "  item %2",
        "  phi %5 = 1.0 -> %6",
        "  %7 = %5 * 2.0",
        "  %8 = %0[%2]",
        "  next %7",
        "%9 = %0[0]",
        "return %9",
    ]


def test_a_number_that_is_always_the_same():
    assert cleaned(remove_constant_phis, """
        %0 = input 0  : float
        loop %1 range 0, 4, 1
          item %2  : int
          phi %3 = 1.0 -> %4  : float
          phi %5 = 0.0 -> %6  : float
          phi %7 = 2.0 -> %8  : float
          %9 = %3 * %0  : float
          next %3, -0.0, 2.0
        %10 = %4 * %6  : float
        %11 = %10 * %8  : float
        return %11
    """) == [
        "%0 = input 0",
        "loop %1 range 0, 4, 1",
        "  item %2",
        "  phi %5 = 0.0 -> %6",
        "  %9 = 1.0 * %0",
        "  next -0.0",
        "%10 = 1.0 * %6",
        "%11 = %10 * 2.0",
        "return %11",
    ]


def test_one_that_goes_lets_another_one_go():
    lines = cleaned(remove_constant_phis, """
        %0 = input 0  : float64
        loop %1 range 0, 4, 1
          item %2  : int
          phi %3 = %0 -> %4  : float64
          loop %5 range 0, 4, 1
            item %6  : int
            phi %7 = %3 -> %8  : float64
            next %7
          next %8
        return %4
    """)
    assert not any("phi" in line for line in lines)
    assert lines[-1] == "return %0"


def test_one_that_changes_on_one_way_stays():
    text = """
        %0 = input 0  : float64
        loop %1 range 0, 4, 1
          item %2  : int
          phi %3 = %0 -> %4  : float64
          %5 = %2 > 1  : bool
          branch bool %5
            True:
              next %3
            False:
              %6 = %3 * 2.0  : float64
              next %6  leaf 1
        return %4
    """
    assert "  phi %3 = %0 -> %4" in cleaned(remove_constant_phis, text)


def test_what_is_returned_may_become_a_number():
    assert cleaned(remove_constant_phis, """
        loop %1 range 0, 4, 1
          item %2  : int
          phi %3 = 1.0 -> %4  : float
          next %3
        return %4
    """)[-1] == "return 1.0"
