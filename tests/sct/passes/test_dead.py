"""Dead code: what goes, and what must not."""

import pytest

from hybridad.sct.passes import remove_dead
from tests.sct.passes.traces import cleaned


@pytest.mark.parametrize("operation", [
    "%2 = %0.T  : float64[3] C m0".replace("%0.T", ".T(%0)"),
    "%2 = %0[1:3]  : float64[2] C m0",
    "%2 = np.zeros(3)  : float64[3] C m5",
    "%2 = %1 + 1  : int",
    "%2 = np.log(%0)  : float64[3] C m5  [adjoint]",
    "%2 = write operator.setitem(%0, 0, 1.0)  : float64[3] C m0  [adjoint]",
    "%2 = read function()",
    "%2 = build list([%0])",
])
def test_goes(operation):
    lines = cleaned(remove_dead, f"""
        %0 = input 0, differentiated=True  : float64[3] C m0
        %1 = input 1  : int
        {operation}
        return %0
    """)
    assert lines == ["%0 = input 0, differentiated=True", "%1 = input 1", "return %0"]


@pytest.mark.parametrize("operation", [
    "%2 = np.log(%0)  : float64[3] C m5",  # may warn
    "%2 = %0 * %0  : float64[3] C m5",  # may warn of an overflow
    "%2 = %0[%1]  : float64",  # may raise
    "%2 = %0[7:9, 0]  : float64[3] C m0",
    "%2 = %1 / 2  : float",
    "%2 = check type(%1, int)",
    "%2 = note(%0)",
    "%2 = effect attribute(%0, 'name', %1)",
    "%2 = foreign(print, (%1,), {})",
    "%2 = read attribute(%0, 'name')",
    "%2 = write operator.setitem(%0, 0, 1.0)  : float64[3] C m0",
    "%2 = write operator.setitem(%3, slice(None, None, None), %4)  : float64[3] C m3",
])
def test_stays(operation):
    lines = cleaned(remove_dead, f"""
        %0 = input 0, differentiated=True  : float64[3] C m0
        %1 = input 1  : int
        %3 = input 2  : float64[3] C m3
        %4 = input 3  : float64
        {operation}
        return %0
    """)
    assert len(lines) == 6


def test_a_quiet_write_into_own_memory_goes():
    lines = cleaned(remove_dead, """
        %0 = input 0  : float64
        %1 = np.zeros(3)  : float64[3] C m1
        %2 = write operator.setitem(%1, slice(None, None, None), %0)  : float64[3] C m1
        return %0
    """)
    assert lines == ["%0 = input 0", "return %0"]


def test_a_loop_loses_phis_that_feed_themselves():
    assert cleaned(remove_dead, """
        %0 = input 0  : float64
        loop %1 range 0, 4, 1
          item %2  : int
          phi %3 = 0 -> %4  : int
          phi %5 = %0 -> %6  : float64
          %7 = %3 + %2  : int
          %8 = %5 * 2.0  : float64
          next %7, %8
        return %6
    """) == [
        "%0 = input 0",
        "loop %1 range 0, 4, 1",
        "  item %2",
        "  phi %5 = %0 -> %6",
        "  %8 = %5 * 2.0",
        "  next %8",
        "return %6",
    ]


def test_a_loop_of_which_nothing_comes_goes():
    text = """
        %0 = input 0  : float64
        loop %1 range 0, 4, STEP
          item %2  : int
          phi %3 = 0 -> %4  : int
          %7 = %3 + %2  : int
          next %7
        return %0
    """
    assert cleaned(remove_dead, text.replace("STEP", "1")) == ["%0 = input 0", "return %0"]
    assert len(cleaned(remove_dead, text.replace("STEP", "0"))) == 5  # `range` raises


def test_a_while_loop_stays():
    lines = cleaned(remove_dead, """
        %0 = input 0  : float64
        loop %1 while
          phi %3 = 0 -> %4  : int
          %7 = %3 + 1  : int
          %8 = %7 > 4
          branch bool %8
            True:
              leave %7
            False:
              next %7  leaf 1
        return %0
    """)
    assert "loop %1 while" in lines


def test_a_mirror_without_results_goes_and_its_family_stays():
    text = """
        %0 = input 0, differentiated=True  : float64
        loop %1 range 0, 4, 1
          item %2  : int
          phi %3 = %0 -> %4  : float64
          %5 = %3 * 2.0  : float64
          next %5
        %6 = seed  : float64  [adjoint]
        loop %7 mirror  of %1  backward  [adjoint]
          phi %8 = %6 -> %9  : float64
          %10 = %8 * 2.0  : float64  [adjoint]
          next %10
        return %4  cotangents (RESULT,)
    """
    gone = cleaned(remove_dead, text.replace("RESULT", "%6"))
    assert not any("mirror" in line for line in gone)
    assert any("mirror" in line for line in cleaned(remove_dead, text.replace("RESULT", "%9")))
    assert "loop %1 range 0, 4, 1" in gone
