"""Accumulation in place."""

import pytest

from hybridad.sct.passes import accumulate_in_place
from tests.sct.passes.traces import cleaned

HEAD = """
    %0 = input 0, differentiated=True  : float64[3] C m0
    %1 = input 1, differentiated=True  : float64[3] C m1
    %2 = %0 * %1  : float64[3] C m2
    %3 = %0 * %2  : float64[3] C m3  [adjoint]
    %4 = .T(%3)  : float64[3] C m3  [adjoint]
    %5 = np.broadcast_to(%3, (3,))  : float64[3] C m3  [adjoint]
    %7 = %0[0]  : float64
"""


def changed(operation, more="", wanted="%6"):
    lines = cleaned(accumulate_in_place, HEAD + f"""
    %6 = {operation}  : float64[3] C m6  [adjoint]
    {more}
    return %7  cotangents ({wanted},)
    """)
    return lines[7].split(" = ")[1]


@pytest.mark.parametrize("operation, expected", [
    ("%3 + %1", "write operator.iadd(%3, %1)"),
    ("%1 + %3", "write operator.iadd(%3, %1)"),
    ("%3 - %1", "write operator.isub(%3, %1)"),
    ("np.add(%3, %1)", "write operator.iadd(%3, %1)"),
    ("%1 - %3", "%1 - %3"),
    ("%3 * %1", "%3 * %1"),
    ("%1 + %0", "%1 + %0"),  # the caller's
    ("%2 + %1", "%2 + %1"),  # a forward value
    ("%4 + %1", "%4 + %1"),  # a view
])
def test_one_sum(operation, expected):
    assert changed(operation) == expected


@pytest.mark.parametrize("more, wanted", [
    ("%8 = %3 * %1  : float64[3] C m8  [adjoint]", "%8"),
    ("%8 = %4 * %1  : float64[3] C m8  [adjoint]", "%8"),  # a view of the old sum
    ("", "%6, %3"),
    ("", "%6, %5"),
])
def test_not_if_the_old_sum_is_needed(more, wanted):
    assert changed("%3 + %1", more, wanted) == "%3 + %1"


def test_views_show_the_memory_of_the_sum():
    block_lines = cleaned(accumulate_in_place, HEAD + """
    %6 = %3 + %1  : float64[3] C m6  [adjoint]
    %8 = .T(%6)  : float64[3] C m6  [adjoint]
    %9 = %6 + %0  : float64[3] C m9  [adjoint]
    %10 = %8 * %9  : float64[3] C m10  [adjoint]
    return %7  cotangents (%10,)
    """)
    assert "%6 = write operator.iadd(%3, %1)" in block_lines
    assert "%9 = %6 + %0" in block_lines  # or the view would change


LOOP = """
    %0 = input 0, differentiated=True  : float64[3] C m0
    loop %1 range 0, 4, 1
      item %2  : int
      phi %3 = %0 -> %4  : float64[3] C m1
      %5 = np.sin(%3)  : float64[3] C m2
      next %5
    %6 = BEGIN  : float64[3] C m3  [adjoint]
    loop %7 mirror  of %1  backward  [adjoint]
      phi %8 = %6 -> %9  : float64[3] C m4
      %10 = %8 + %5  : float64[3] C m5  [adjoint]
      next %10
    return %4  cotangents (RESULT,)
"""


def test_a_sum_that_a_loop_carries():
    text = LOOP.replace("BEGIN", "np.zeros_like(%0)")
    lines = cleaned(accumulate_in_place, text.replace("RESULT", "%9"))
    assert "  %10 = write operator.iadd(%8, %5)" in lines
    assert "  phi %8 = %6 -> %9" in lines


def test_it_begins_with_a_copy_of_what_is_needed():
    text = LOOP.replace("BEGIN", "np.zeros_like(%0)")
    lines = cleaned(accumulate_in_place, text.replace("RESULT", "%9, %6"))
    assert "%11 = np.copy(%6)" in lines
    assert "  phi %8 = %11 -> %9" in lines
    view = LOOP.replace("BEGIN", ".T(%0)").replace("m3", "m0").replace("RESULT", "%9")
    assert "%11 = np.copy(%6)" in cleaned(accumulate_in_place, view)
