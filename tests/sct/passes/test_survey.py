"""Facts about a tree."""

from hybridad.sct.passes.survey import Survey
from hybridad.trace.text import parse

BLOCK = parse("""
    %0 = input 0, differentiated=True  : float64[3] C m0
    %1 = input 1  : float64[3] C m1
    %2 = %0 * 2.0  : float64[3] C m2
    %3 = %0 * 3.0  : float64[3] C m3
    %4 = write operator.iadd(%3, %2)  : float64[3] C m3
    loop %5 range 0, 4, 1
      item %6  : int
      phi %7 = %2 -> %8  : float64[3] C m4
      %9 = %7 + %4  : float64[3] C m5
      loop %10 range 0, %6, 1
        item %11  : int
        next
      next %9
    %12 = %0 / 1.0  : float64[3] C m6  [adjoint]
    return %8  cotangents (%12,)
""")


def test_who_uses_what():
    survey = Survey(BLOCK)
    assert survey.counts[0] == 3
    assert survey.counts[2] == 2
    assert survey.home[9] == 5 and survey.home[8] is None and survey.home[11] == 10
    assert list(survey.around(11)) == [10, 5]
    assert survey.next_id == 13
    assert survey.next_memory == 7
    assert survey.parts and not survey.static


def test_memory():
    survey = Survey(BLOCK)
    assert survey.is_written(3) and survey.is_written(4) and not survey.is_written(0)
    assert survey.is_exposed(1)  # the caller's
    assert not survey.is_exposed(0)
    assert survey.is_exposed(8)
    assert survey.is_exposed(9) and survey.is_exposed(2)  # they come out of the loop
    assert survey.is_returned(12)
    assert survey.is_free(12) and survey.is_free(0) and not survey.is_free(2)


def test_denominators():
    survey = Survey(parse("""
        %0 = input 0, differentiated=True  : float64
        %1 = input 1, differentiated=True  : float64
        %2 = %0 / %1  : float64  [adjoint]
        %3 = 1.0 / %0  : float64  [adjoint]
        return %0  cotangents (%2, %3)
    """))
    assert survey.denominators == {1}
