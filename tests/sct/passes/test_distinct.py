"""Sums to which each iteration adds in a place of its own."""

import pytest

from hybridad.sct.passes import assign_where_distinct
from tests.sct.passes.traces import cleaned

TEXT = """
    %0 = input 0  : float64[9] C m0
    %1 = input 1  : float64
    loop %2 range SPEC
      item %3  : int
      phi %4 = %1 -> %5  : float64
      %6 = OTHER  : int
      %7 = %0[%6]  : float64
      %8 = %4 * %7  : float64
      next %8
    %9 = START  : float64[9] C m1  [adjoint]
    loop %10 mirror  of %2  backward  [adjoint]
      phi %11 = %9 -> %12  : float64[9] C m1
      phi %13 = 1.0 -> %14  : float64
      %15 = write operator.iadd(%11[INDEX], %13)  : float64[9] C m1  [adjoint]
      %16 = %13 * %7  : float64  [adjoint]
      next %15, %16
    return %5, %12
"""


def assigns(index="%3", spec="0, 5, 1", other="%3 + 2", start="np.zeros_like(%0)", text=TEXT):
    text = text.replace("SPEC", spec).replace("OTHER", other).replace("INDEX", index)
    found = cleaned(assign_where_distinct, text.replace("START", start))
    (line,) = [x for x in found if "%15 =" in x]
    return "setitem" in line


@pytest.mark.parametrize("options", [
    {}, {"index": "%6"}, {"spec": "4, -1, -2"}, {"index": "%6", "other": "%3 - 1",
                                                "spec": "1, 6, 1"},
    {"index": "%6", "other": "-1 - %3"}, {"start": "np.zeros(9)"},
])
def test_it_assigns(options):
    assert assigns(**options)


@pytest.mark.parametrize("options", [
    {"index": "1"}, {"index": "%6", "other": "%3 % 2"}, {"spec": "-2, 3, 1"},
    {"index": "%6", "other": "%3 - 1"}, {"start": "np.ones_like(%0)"},
    {"index": "%6", "other": "1 - %3"},
])
def test_it_adds_where_two_iterations_may_meet(options):
    assert not assigns(**options)


def test_it_adds_to_what_is_read():
    text = TEXT.replace("%16 = %13 * %7  : float64  [adjoint]",
                        "%17 = %11[0]  : float64  [adjoint]\n"
                        "      %16 = %13 * %17  : float64  [adjoint]")
    assert not assigns(text=text)
