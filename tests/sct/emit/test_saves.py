"""What is kept for mirrors, and what is computed again."""

from hybridad.sct.emit.memory import Memories
from hybridad.sct.emit.outline import Outline
from hybridad.sct.emit.saves import plan_saves
from hybridad.trace.text import parse


def plan(text):
    outline = Outline(parse(text))
    return plan_saves(outline, Memories(outline))


def test_values_are_kept_indices_and_windows_are_computed_again():
    kept, readings = plan("""
        %0 = input 0  : float64[5] C m0  x
        loop %1 range 0, 5, 1
          item %2  : int  i
          phi %3 = 1.0 -> %4  : float64
          %5 = %2 - 1  : int
          %6 = %0[%5]  : float64
          %7 = %3 * %6  : float64
          next %7
        loop %8 mirror  of %1  backward
          phi %9 = 1.0 -> %10
          %11 = %9 * %6
          %12 = %11 * %3
          next %12
        return %10
    """)
    assert kept[1].leaves == {0: [3]}
    assert not kept[1].numbered
    assert readings[8].lists == [1]
    assert readings[8].again == {None: [5, 6]}
    assert readings[8].item


def test_what_is_written_into_is_kept():
    kept, readings = plan("""
        %0 = input 0  : float64[5] C m0  x
        loop %1 range 0, 5, 1
          item %2  : int  i
          phi %3 = %0 -> %4  : float64[5] C m0
          %6 = %3[%2]  : float64
          %7 = write operator.setitem(%3, %2, 1.0)  : float64[5] C m0
          next %7
        loop %8 mirror  of %1  backward
          phi %9 = 1.0 -> %10
          %11 = %9 * %6
          next %11
        return %10
    """)
    assert kept[1].leaves == {0: [6]}
    assert readings[8].again == {None: []}


def test_leaves_are_numbered_and_keep_what_they_need():
    kept, readings = plan("""
        %0 = input 0  : float  x
        loop %1 range 0, 5, 1
          phi %2 = %0 -> %3  : float
          %4 = %2 > 1.0
          branch bool %4
            True:
              %5 = %2 / 2.0
              next %5
            False:
              %6 = %2 * 3.0
              next %6  leaf 1
        loop %8 mirror  of %1  backward
          phi %9 = 1.0 -> %10
          branch leaf %1
            0:
              %11 = %9 * %5
              next %11
            1:
              next %9  leaf 1
        return %10
    """)
    assert kept[1].numbered
    assert kept[1].leaves == {0: [5], 1: []}
    assert readings[8].lists == [1]


def test_the_list_of_an_inner_loop_is_kept_by_the_outer_one():
    kept, _readings = plan("""
        %0 = input 0  : float  x
        loop %1 range 0, 5, 1
          phi %2 = %0 -> %3  : float
          loop %4 range 0, 2, 1
            phi %5 = %2 -> %6  : float
            %7 = %5 * %5
            next %7
          next %6
        loop %8 mirror  of %1  backward
          phi %9 = 1.0 -> %10
          loop %11 mirror  of %4  backward
            phi %12 = %9 -> %13
            %14 = %12 * %5
            next %14
          next %13
        return %10
    """)
    assert kept[4].leaves == {0: [5]}
    assert kept[1].leaves == {0: [("saved", 4)]}


def test_without_anything_to_bring_back_iterations_are_counted():
    kept, readings = plan("""
        %0 = input 0  : float  x
        loop %1 while
          phi %2 = %0 -> %3  : float
          %4 = %2 > 1.0
          branch bool %4
            True:
              %5 = %2 / 2.0
              next %5
            False:
              leave %2  leaf 1  uncounted
        loop %8 mirror  of %1  backward
          phi %9 = 1.0 -> %10
          %11 = %9 / 2.0
          next %11
        return %10
    """)
    assert not kept
    assert readings[8].count
