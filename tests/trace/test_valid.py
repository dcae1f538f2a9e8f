"""Traces that say what no trace can say are refused, each for its own reason."""

import numpy as np
import pytest

from hybridad.trace.ir import Block, Branch, Next, Node, Ref, Return
from hybridad.trace.text import parse
from hybridad.trace.valid import InvalidTrace, check
from tests.trace import test_interpret

LOOP = """
%0 = input 0  : float64[3] C m0
%1 = input 1  : int
loop %9 range 0, %1, 1
  item %2  : int
  phi %3 = 1.0 -> %8  : float64
  %4 = %0[%2]  : float64
  branch bool %4
    True:
      %5 = %3 * %4  : float64
      loop %20 while
        phi %21 = %5 -> %22
        %23 = %21 > 1.0
        branch bool %23
          True:
            %24 = %21 / 2.0
            next %24
          False:
            leave %21  uncounted
      next %22
    False:
      %6 = -%3  : float64
      next %6  leaf 1
"""
MIRROR = """
%10 = seed()  [adjoint]
loop %40 mirror  of %9  backward  [adjoint]
  phi %41 = %10 -> %42
  %50 = %41 * %4  [adjoint]
  branch leaf %9
    0:
      loop %43 mirror  of %20  backward  [adjoint]
        phi %44 = %50 -> %45
        %46 = %44 / %24  [adjoint]
        next %46
      %47 = %45 * %5  [adjoint]
      next %47
    1:
      %48 = %50 * %6  [adjoint]
      next %48
"""
SECOND = """
loop %60 mirror  of %9  [adjoint]
  phi %61 = %10 -> %62
  %63 = %61 * %50  [adjoint]
  branch leaf %9
    0:
      loop %64 mirror  of %20  [adjoint]
        phi %65 = %47 -> %66
        %67 = %24 * %46  [adjoint]
        next %67
      next %66
    1:
      next %48
"""
END = "return %8  cotangents (%42,)\n"


@pytest.mark.parametrize("text", [
    LOOP + "return %8", LOOP + MIRROR + END, LOOP + MIRROR + SECOND + END,
    *[getattr(test_interpret, name) for name in ("PRODUCT", "NEWTON", "CUMULATIVE", "LEAVES")]])
def test_good_traces(text):
    check(parse(text))


def broken(text, old, new):
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the text"
    return text.replace(old, new)


WHOLE = LOOP + MIRROR + SECOND + END


@pytest.mark.parametrize("old, new, what, line", [
    # ids
    ("%6 = -%3", "%5 = -%3", "%5 is defined twice", "%5 = -%3"),
    ("phi %61", "phi %41", "%41 is defined twice", "loop %60"),
    ("%5 = %3 * %4", "%5 = %3 * %99", "%99 is not defined here, but nowhere before", "%5 ="),
    ("%6 = -%3", "%6 = -%5", "%5 is not defined here, but in another block", "%6 ="),
    ("cotangents (%42,)", "cotangents (%4,)", "%4 is not defined here", "return"),
    ("next %22", "next %21", "%21 is not defined here", "next %21"),
    ("next %22", "next %20", "%20 is a loop", "next"),
    ("phi %3 = 1.0", "phi %3 = %4", "%4 is not defined here", "loop %9"),
    # the family
    ("%48 = %50 * %6", "%48 = %50 * %5", "%5 is not defined here", "%48 ="),
    ("%50 = %41 * %4 ", "%50 = %41 * %5 ", "%5 is not defined here", "%50 ="),
    ("%46 = %44 / %24", "%46 = %44 / %67", "nowhere before", "%46 ="),
    ("%63 = %61 * %50", "%63 = %61 * %47", "%47 is not defined here", "%63 ="),
    ("%67 = %24 * %46", "%67 = %24 * %48", "%48 is not defined here", "%67 ="),
    ("loop %60 mirror  of %9", "loop %60 mirror  of %20", "%20 is no loop whose", "loop %60"),
    ("loop %60 mirror  of %9", "loop %60 mirror  of %40", "%40 is no loop whose", "loop %60"),
    # loops
    ("range 0, %1, 1", "range %1,", "no description of a 'range' loop", "loop %9"),
    ("range 0, %1, 1", "until %1,", "no such loop", "loop %9"),
    ("loop %20 while", "loop %20 while  backward", "Only a mirror", "loop %20"),
    ("loop %20 while\n", "loop %20 while\n        item %70\n", "has no item", "loop %20"),
    ("loop %60 mirror", "loop %60 mirror  once", "all iterations", "loop %60"),
    ("branch bool %23", "branch leaf %9", "stands in no mirror", "branch leaf %9"),
    # leaves
    ("next %6  leaf 1", "next %6", "Two leaves of loop %9", "next %6"),
    ("next %6  leaf 1", "next %6, %6  leaf 1", "Loop %9 carries 1", "next %6, %6"),
    ("next %6  leaf 1", "leave  leaf 1", "Loop %9 carries 1", "leave"),
    ("next %6  leaf 1", "return %6", "Iterations end in next or leave", "return %6"),
    ("return %8  cotangents (%42,)", "next %8", "the trace in return", "next %8"),
    ("next %47", "leave %47", "never left", "leave %47"),
    ("next %67", "next %67, 1.0", "Loop %64 carries", "next %67"),
    ("    1:\n      next %48", "    2:\n      next %48", "leaves of loop %9 are [0, 1]", "leaf %9"),
    # branches
    ("branch bool %23\n          True", "branch bool %23\n          1", "1 is no outcome of 'bool'",
     "branch bool %23"),
    ("branch bool %23", "branch truth %23", "no kind 'truth'", "branch truth"),
    ("branch bool %23", "branch bool %47", "%47 is not defined here", "branch bool %47"),
    ("branch bool %23", "branch left %20", "no loop that has ended", "branch left"),
    # writes and memory
    ("%50 = %41 * %4 ", "%50 = write operator.iadd(%0, 1.0)  : m1 ",
     "memory 0 cannot give memory 1", "%50 = write"),
    ("%5 = %3 * %4 ", "%70 = write operator.iadd(%0, 1.0)  : m0\n      %5 = %3 * %4 ",
     "it must be a phi", "%70 ="),
    ("%5 = %3 * %4 ", "%70 = %0[:%2]  : m4\n      %5 = %3 * %4 ", "a view of memory 0", "%70 ="),
    # types
    ("next %22", "%25 = int(%22)  : int\n      next %25", "not of the type that %3 has", "next"),
    ("%6 = -%3  : float64", "%6 = -%3  : float64 m3", "has no memory", "%6 ="),
    # parts and forms
    ("return %8", "return %10", "function itself uses %10, of the adjoint", "return %10"),
    ("%23 = %21 > 1.0", "%23 = operator.iadd(%21, 1.0)", "a write", "%23 ="),
    ("%10 = seed()", "%10 = input 2", "Inputs stand first", "%10 ="),
    ("%6 = -%3", "%6 = check truth(%3)", "no check 'truth'", "%6 ="),
    ("%6 = -%3", "%6 = check is(%3)", "has 2 arguments", "%6 ="),
])
def test_bad_traces(old, new, what, line):
    with pytest.raises(InvalidTrace) as caught:
        check(parse(broken(WHOLE, old, new)))
    said = str(caught.value)
    assert what in said
    assert line in said.partition("\n  in  ")[2]


def test_labels_of_a_loop_that_was_left():
    check(parse("loop %0 range 0, 2, 1\n  leave  label 3\nbranch left %0\n  3:\n    return 1\n"
                "  0:\n    return 2"))
    with pytest.raises(InvalidTrace, match="0 is no outcome of 'left'"):
        check(parse("loop %0 while\n  leave  label 3\nbranch left %0\n  0:\n    return 1"))


def test_paths_return_the_same_things():
    text = "%0 = input 0\nbranch bool %0\n  True:\n    return 1  cotangents (%0,)\n  False:\n    "
    check(parse(text + "return 1  cotangents (None,)"))
    for other in ("return 1", "return 1  cotangents (%0, %0)",
                  "return 1  cotangents (%0,)  tangents 1"):
        with pytest.raises(InvalidTrace, match="different numbers"):
            check(parse(text + other))


def test_loop_whose_iterations_do_not_count_has_no_mirror():
    text = "loop %0 while\n  leave  uncounted\n"
    check(parse(text + "return 1"))
    with pytest.raises(InvalidTrace, match="no iteration that counts"):
        check(parse(text + "loop %1 mirror  of %0\n  next\nreturn 1"))


def test_mirrors_in_one_side_are_not_seen_in_the_other():
    text = """
        %0 = input 0
        loop %1 range 0, 2, 1
          item %2
          next
        branch bool %0
          True:
            loop %3 mirror  of %1
              %4 = -%2
              next
            loop %5 mirror  of %1
              %6 = -%4
              next
            return 1
          False:
            loop %7 mirror  of %1
              %8 = -%2
              next
            return 2
    """
    check(parse(text))
    with pytest.raises(InvalidTrace, match="%4 is not defined here, but in another block"):
        check(parse(text.replace("%8 = -%2", "%8 = -%4")))


def test_a_number_may_become_another_length_but_no_other_type():
    text = """
        %0 = input 0  : float64[3] C
        loop %1 range 0, 2, 1
          phi %2 = %0 -> %3  : float64[3] C
          %4 = np.append(%2, 1.0)  : float64[4] C
          next %4
        return %3
    """
    check(parse(text))
    with pytest.raises(InvalidTrace, match="not of the type"):
        check(parse(text.replace("float64[4]", "float32[4]")))


def test_blocks_made_by_hand():
    node = Node(0, "input", 0)
    with pytest.raises(InvalidTrace, match="A block ends in None"):
        check(Block((node,)))
    with pytest.raises(InvalidTrace, match="No side"):
        check(Block((node,), Branch(Ref(0), "bool", {})))
    with pytest.raises(InvalidTrace, match="tests a value"):
        check(Block((node,), Branch(True, "bool", {True: Block((), Return(1))})))
    with pytest.raises(InvalidTrace, match="is no operation"):
        check(Block((node, Next(())), Return(1)))
    with pytest.raises(InvalidTrace, match="is no id"):
        check(Block((Node("x", "apply", np.ones, (3,)),), Return(1)))


def test_deep_trees():
    block = Block((), Return(0))
    for _ in range(2000):
        block = Block((), Branch(Ref(0), "bool", {True: block}))
    check(Block((Node(0, "input", 0),), block.end))
