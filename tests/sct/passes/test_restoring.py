"""What an adjoint takes out of an array and puts back."""

import pytest

from hybridad.sct.passes import leave_in_place
from tests.sct.passes.traces import cleaned

TEXT = """
    %0 = input 0  : float64[3] C m0
    %1 = input 1  : float64[3] C m1
    %2 = 2.0 * %0  : float64[3] C m2  [adjoint]
    %3 = %2[1]  : float64  [adjoint]
    %4 = write operator.setitem(%2, 1, ZERO)  : float64[3] C m2  [adjoint]
    %5 = write operator.iadd(%4[WHERE], %3)  : float64[3] C m2  [adjoint]
    %6 = write operator.iadd(%5[BACK], %3)  : float64[3] C m2  [adjoint]
    return %6
"""


def lines(zero="0.0", where="2", back="1"):
    text = TEXT.replace("ZERO", zero).replace("WHERE", where).replace("BACK", back)
    return cleaned(leave_in_place, text)


def test_it_stays_where_it_is():
    assert lines()[2:] == [
        "%2 = 2.0 * %0",
        "%3 = %2[1]",
        "%5 = write operator.iadd(%2[2], %3)",
        "return %5",
    ]


@pytest.mark.parametrize("change", [{"zero": "1.0"}, {"back": "2"}])
def test_what_is_not_the_same_is_written(change):
    assert len(lines(**change)) == len(TEXT.strip().split("\n"))


def test_what_is_looked_at_in_between_is_written():
    text = TEXT.replace("ZERO", "0.0").replace("[WHERE]", "[2]").replace("[BACK]", "[1]").replace(
        "return %6", "%7 = %6 + %4  : float64[3] C m3  [adjoint]\n    return %7")
    assert len(cleaned(leave_in_place, text)) == len(text.strip().split("\n"))
