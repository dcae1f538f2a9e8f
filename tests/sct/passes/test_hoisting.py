"""Hoisting out of loops."""

import pytest

from hybridad.sct.passes import hoist_invariants
from tests.sct.passes.traces import cleaned

TEXT = """
    %0 = input 0, differentiated=True  : float64[3, 3] C m0
    %1 = input 1  : float64
    loop %2 range 0, 4, 1
      item %3  : int
      phi %4 = %1 -> %5  : float64
      %6 = OPERATION
      %7 = %4 * %4  : float64
      next %7
    return %5
"""


def moves(operation, text=TEXT):
    lines = cleaned(hoist_invariants, text.replace("OPERATION", operation))
    (line,) = [line for line in lines if "%6 = " in line]
    return not line.startswith(" ")


@pytest.mark.parametrize("operation, expected", [
    (".T(%0)  : float64[3, 3] F m0", True),
    ("%0[1:]  : float64[2, 3] C m0", True),
    ("np.exp(%0)  : float64[3, 3] C m6", False),  # it may warn, and the loop may not run
    ("%0[5]  : float64[3] C m0", False),  # it may raise
    ("np.exp(%0)  : float64[3, 3] C m6  [adjoint]", True),
    ("np.exp(%4)  : float64  [adjoint]", False),
    ("%0[%3]  : float64[3] C m0  [adjoint]", False),
    ("np.zeros_like(%0)  : float64[3, 3] C m6  [adjoint]", False),
    ("np.linalg.inv(%0)  : float64[3, 3] C m6  [adjoint]", False),
    ("1.0 / 3.0  : float  [adjoint]", False),
    ("2.0 * 3.0  : float  [adjoint]", True),
])
def test_what_moves(operation, expected):
    assert moves(operation) is expected


def test_not_what_is_written_into():
    text = TEXT.replace("      %7 =", "      %8 = write operator.iadd(%6[0], %1)  "
                        ": float64[3, 3] C m6  [adjoint]\n      %7 =")
    assert not moves("np.exp(%0)  : float64[3, 3] C m6  [adjoint]", text)


def test_out_of_two_loops_but_not_away_from_the_family():
    lines = cleaned(hoist_invariants, """
        %0 = input 0, differentiated=True  : float64
        loop %1 range 0, 4, 1
          item %2  : int
          phi %3 = %0 -> %4  : float64
          %5 = np.sin(%3)  : float64
          loop %6 range 0, 4, 1
            item %7  : int
            phi %8 = %5 -> %9  : float64
            %10 = np.cos(%8)  : float64
            next %10
          next %9
        %11 = seed  : float64  [adjoint]
        loop %12 mirror  of %1  backward  [adjoint]
          phi %13 = %11 -> %14  : float64
          loop %15 mirror  of %6  backward  [adjoint]
            phi %16 = %13 -> %17  : float64
            %18 = np.exp(%0)  : float64  [adjoint]
            %19 = np.exp(%3)  : float64  [adjoint]
            %20 = np.exp(%8)  : float64  [adjoint]
            %21 = %18 * %19  : float64  [adjoint]
            next %21
          next %17
        return %4  cotangents (%14,)
    """)
    depth = {line.split()[0]: len(line) - len(line.lstrip()) for line in lines}
    assert depth["%18"] == 0
    assert depth["%19"] == depth["%21"] == 2
    assert depth["%20"] == 4


MIRROR = """
    %0 = input 0  : float64[9] C m0
    %1 = input 1  : float64
    loop %2 range SPEC
      item %3  : int
      phi %4 = %1 -> %5  : float64
      %8 = %4 * 2.0  : float64
      next %8
    loop %10 mirror  of %2  backward  [adjoint]
      phi %13 = 1.0 -> %14  : float64
      %6 = %0[7]  : float64  [adjoint]
      %16 = %13 * %6  : float64  [adjoint]
      next %16
    return %5, %14
"""


@pytest.mark.parametrize("spec, expected", [("0, 4, 1", True), ("0, 0, 1", False),
                                            ("0, %5, 1", False)])
def test_the_adjoint_looks_at_elements_before_a_loop_that_runs(spec, expected):
    assert moves("", MIRROR.replace("SPEC", spec).replace("%5, 1", "%1, 1")) == expected
