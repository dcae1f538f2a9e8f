"""Sums that loops carry."""

import pytest

from hybridad.sct.passes.accumulators import carried_sums
from hybridad.sct.passes.survey import Survey
from hybridad.trace.text import parse

TEXT = """
    %0 = input 0, differentiated=True  : float64[3] C m0
    loop %1 range 0, 4, 1
      item %2  : int
      phi %3 = %0 -> %4  : float64[3] C m1
      %5 = np.sin(%3)  : float64[3] C m2
      next %5
    %6 = np.zeros_like(%0)  : float64[3] C m3  [adjoint]
    loop %7 mirror  of %1  backward  [adjoint]
      phi %8 = %6 -> %9  : float64[3] C m4
      BODY
      next RESULT
    return %4  cotangents (%9,)
"""


def links(body, result):
    block = parse(TEXT.replace("BODY", "\n      ".join(body)).replace("RESULT", result))
    sums = carried_sums(block, Survey(block))
    return {phi: total.links for phi, total in sums.items()}


ADD = "  : float64[3] C m{}  [adjoint]"


@pytest.mark.parametrize("body, result, expected", [
    (["%10 = %8 + %5"], "%10", {8: {10: 0}}),
    (["%10 = %5 + %8"], "%10", {8: {10: 1}}),
    (["%10 = %8 - %5", "%11 = %3 + %10"], "%11", {8: {10: 0, 11: 1}}),
    (["%10 = %5 - %8"], "%10", {}),
    (["%10 = %8 * %5"], "%10", {}),
    (["%10 = %8 + %8"], "%10", {}),
    (["%10 = %8 + %5", "%11 = %8 * %5"], "%10", {}),  # looked at on the way
    (["%10 = %8 + %5", "%11 = %10 * %5"], "%10", {}),
    (["%10 = %8 + %5"], "%5", {}),
    (["%10 = %8 + %5"], "%8", {}),
])
def test_a_sum(body, result, expected):
    lines = [line + ADD.format(line[1:3]) for line in body]
    assert links(lines, result) == expected


def test_a_sum_that_goes_through_a_loop():
    block = parse("""
        %0 = input 0, differentiated=True  : float64[3] C m0
        loop %1 range 0, 4, 1
          item %2  : int
          loop %3 range 0, 4, 1
            item %4  : int
            %5 = np.sin(%0)  : float64[3] C m2
            next
          next
        %6 = np.zeros_like(%0)  : float64[3] C m3  [adjoint]
        loop %7 mirror  of %1  backward  [adjoint]
          phi %8 = %6 -> %9  : float64[3] C m4
          loop %10 mirror  of %3  backward  [adjoint]
            phi %11 = %8 -> %12  : float64[3] C m5
            %13 = %11 + %5  : float64[3] C m6  [adjoint]
            next %13
          next %12
        return %0  cotangents (%9,)
    """)
    (total,) = carried_sums(block, Survey(block)).values()
    assert [phi.id for phi in total.phis] == [8, 11]
    assert total.links == {13: 0}
