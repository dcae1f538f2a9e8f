"""Common subexpressions: what merges, and what must not."""

import pytest

from hybridad.sct.passes import merge_subexpressions
from tests.sct.passes.traces import cleaned

TWICE = """
    %0 = input 0, differentiated=True  : float64[3] C m0
    %1 = input 1, differentiated=True  : float64[3] C m1
    %2 = FIRST  : float64[3] C m2
    %3 = SECOND  : float64[3] C m3  [adjoint]
    MORE
    return RESULT  cotangents (%3,)
"""


def merged(first, second, more="", result="%0"):
    text = TWICE.replace("FIRST", first).replace("SECOND", second).replace("MORE", more)
    lines = cleaned(merge_subexpressions, text.replace("RESULT", result))
    return lines[-1].endswith("cotangents (%2,)")


@pytest.mark.parametrize("first, second, same", [
    ("np.exp(%0)", "np.exp(%0)", True),
    ("%0 * %1", "%0 * %1", True),
    ("%0 * %1", "%1 * %0", True),
    ("%0 - %1", "%1 - %0", False),
    ("%0 * 1.0", "%0 * 1", False),
    ("%0 * 0.0", "%0 * (-0.0)", False),
    ("%0 * 2.0", "%0 * 2.0", True),
    ("np.zeros_like(%0)", "np.zeros_like(%0)", False),
    ("np.copy(%0)", "np.copy(%0)", False),
])
def test_adjoint_and_forward(first, second, same):
    assert merged(first, second) is same


def test_not_where_memory_is_written():
    write = "%4 = write operator.iadd(%{}[0], 1.0)  : float64[3] C m{}  [adjoint]"
    assert not merged("np.exp(%0)", "np.exp(%0)", write.format(2, 2))
    assert not merged("np.exp(%0)", "np.exp(%0)", write.format(3, 3))


def test_not_where_both_are_returned():
    assert not merged("np.exp(%0)", "np.exp(%0)", result="%2")


def test_forward_operations_only_if_they_cannot_warn():
    text = """
        %0 = input 0  : int
        %1 = input 1  : float64[3] C m1
        %2 = %0 + 1  : int
        %3 = %0 + 1  : int
        %4 = %1 * %1  : float64[3] C m2
        %5 = %1 * %1  : float64[3] C m3
        return (%2, %3, %4, %5)
    """
    assert cleaned(merge_subexpressions, text)[-1] == "return (%2, %2, %4, %5)"


def test_not_across_the_sides_of_a_branch():
    lines = cleaned(merge_subexpressions, """
        %0 = input 0, differentiated=True  : float64
        %1 = np.exp(%0)  : float64
        branch bool %0
          True:
            %2 = np.sin(%0)  : float64
            %3 = np.exp(%0)  : float64  [adjoint]
            return %2  cotangents (%3,)
          False:
            %4 = np.sin(%0)  : float64  [adjoint]
            return %1  cotangents (%4,)
    """)
    assert [line.strip() for line in lines if "return" in line] == [
        "return %2  cotangents (%1,)", "return %1  cotangents (%4,)"]


FAMILY = """
    %0 = input 0, differentiated=True  : float64
    loop %1 range 0, 4, 1
      item %2  : int
      phi %3 = %0 -> %4  : float64
      %5 = np.sin(%3)  : float64
      %6 = %2 > 1  : bool
      branch bool %6
        True:
          %7 = np.exp(%3)  : float64
          next %7
        False:
          %8 = np.cos(%3)  : float64
          next %8  leaf 1
    %9 = seed  : float64  [adjoint]
    loop %10 mirror  of %1  backward  [adjoint]
      phi %11 = %9 -> %12  : float64
      branch leaf %1
        0:
          %13 = np.exp(%3)  : float64  [adjoint]
          %14 = np.cos(%3)  : float64  [adjoint]
          %15 = %13 * %14  : float64  [adjoint]
          next %15
        1:
          %16 = np.exp(%3)  : float64  [adjoint]
          %17 = np.cos(%3)  : float64  [adjoint]
          %18 = np.sin(%3)  : float64  [adjoint]
          %19 = %16 + %17  : float64  [adjoint]
          %20 = %19 + %18  : float64  [adjoint]
          next %20  leaf 1
    %21 = np.sin(%3)  : float64
    return %4  cotangents (%12,)
"""


def test_a_mirror_finds_what_the_same_leaf_has_computed():
    text = FAMILY.replace("    %21 = np.sin(%3)  : float64\n", "")
    lines = [line.strip() for line in cleaned(merge_subexpressions, text)]
    assert "%15 = %7 * %14" in lines  # exp was computed on this way, cos was not
    assert "%19 = %16 + %8" in lines
    assert "%20 = %19 + %5" in lines


def test_a_body_finds_what_stands_before_the_loop_and_not_the_other_way_round():
    lines = cleaned(merge_subexpressions, """
        %0 = input 0, differentiated=True  : float64
        %1 = np.sin(%0)  : float64
        loop %2 range 0, 4, 1
          item %3  : int
          phi %4 = %0 -> %5  : float64
          %6 = np.sin(%0)  : float64  [adjoint]
          %7 = np.cos(%0)  : float64  [adjoint]
          %8 = %6 + %7  : float64  [adjoint]
          next %8
        %9 = np.cos(%0)  : float64  [adjoint]
        return %5  cotangents (%9,)
    """)
    assert "  %8 = %1 + %7" in lines
    assert lines[-1] == "return %5  cotangents (%9,)"


def test_views_of_one_version_are_one():
    lines = cleaned(merge_subexpressions, """
        %0 = input 0, differentiated=True  : float64[3, 4] C m0
        %1 = .T(%0)  : float64[4, 3] F m0
        %2 = .T(%0)  : float64[4, 3] F m0  [adjoint]
        %3 = write operator.setitem(%0, 0, 1.0)  : float64[3, 4] C m0
        %4 = .T(%3)  : float64[4, 3] F m0  [adjoint]
        return %1  cotangents (%2, %4)
    """)
    assert lines[-1] == "return %1  cotangents (%1, %4)"


def test_mirrors_in_different_leaves_have_nothing_in_common():
    lines = [line.strip() for line in cleaned(merge_subexpressions, """
        %0 = input 0, differentiated=True  : float64
        loop %1 range 0, 3, 1
          item %2  : int
          phi %3 = %0 -> %4  : float64
          loop %5 range 0, 2, 1
            item %6  : int
            phi %7 = %3 -> %8  : float64
            %9 = np.sin(%7)  : float64
            next %9
          %10 = %8 > 0.5  : bool_
          branch bool %10
            True:
              next %8
            False:
              next %8  leaf 1
        loop %11 mirror  of %1  backward  [adjoint]
          phi %12 = 1.0 -> %13  : float64
          branch leaf %1
            0:
              loop %14 mirror  of %5  backward  [adjoint]
                phi %15 = %12 -> %16  : float64
                %17 = np.cos(%7)  : float64  [adjoint]
                %18 = %15 * %17  : float64  [adjoint]
                next %18
              next %16
            1:
              loop %19 mirror  of %5  backward  [adjoint]
                phi %20 = %12 -> %21  : float64
                %22 = np.cos(%7)  : float64  [adjoint]
                %23 = %20 * %22  : float64  [adjoint]
                next %23
              next %21  leaf 1
        return %4  cotangents (%13,)
    """)]
    assert "%22 = np.cos(%7)" in lines      # %17 was computed in other iterations
    assert "%23 = %20 * %22" in lines
