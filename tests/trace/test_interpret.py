"""The reference interpreter against plain loops and closed forms."""

import types

import numpy as np
import pytest

from hybridad.trace.text import parse
from tests.trace.interpret import Undefined, run

X = np.array([2.0, 3.0, 5.0])

PRODUCT = """
%0 = input 0, differentiated=True  : float64[3] C m0  x
%1 = input 1  : int  n
loop %9 range 0, %1, 1
  item %2
  phi %3 = 1.0 -> %8  y
  %4 = %0[%2]
  %5 = %3 * %4
  next %5
%10 = seed()  [adjoint]
%11 = np.zeros_like(%0)  : m1  [adjoint]
loop %20 mirror  of %9  backward  [adjoint]
  phi %12 = %10 -> %18
  phi %13 = %11 -> %19  : m1
  %14 = %12 * %4  [adjoint]
  %15 = %12 * %3  [adjoint]
  %16 = write operator.iadd(%13[%2], %15)  : m1  [adjoint]
  next %14, %16
return %8  cotangents (%19,)
"""

NEWTON = """
%0 = input 0  : float
loop %20 while
  phi %1 = %0 -> %21  y
  phi %2 = 1.0 -> %22  d
  %3 = abs(%2)
  %4 = %3 > 1e-12
  branch bool %4
    False:
      leave %1, %2  leaf 9  uncounted
    True:
      %5 = %1 * %1
      %6 = %5 - %0
      %7 = 2.0 * %1
      %8 = %6 / %7
      %9 = %1 - %8
      next %9, %8
%30 = seed()  [adjoint]
loop %50 mirror  of %20  backward  [adjoint]
  phi %31 = %30 -> %41
  phi %32 = 0.0 -> %42
  phi %33 = 0.0 -> %43
  # d = (y*y - a) / (2y);  y' = y - d
  %34 = %32 - %31  [adjoint]
  %35 = %34 / %7  [adjoint]
  %36 = %8 / %1
  %37 = 1.0 - %36
  %38 = %34 * %37  [adjoint]
  %39 = %31 + %38  [adjoint]
  %40 = %33 - %35  [adjoint]
  next %39, 0.0, %40
%60 = %41 + %43  [adjoint]
return %21  cotangents (%60,)
"""

CUMULATIVE = """
%0 = input 0  : float64[3] C m0  x
%1 = input 1  : int  n
%2 = np.zeros(3)  : m1
loop %9 range 0, %1, 1
  item %3
  phi %4 = %2 -> %5  : m1  out
  phi %6 = 0.0 -> %7  s
  loop %19 range 0, 2, 1
    item %10
    phi %11 = %6 -> %12
    %13 = %0[%3]
    %14 = %11 + %13
    next %14
  %8 = write operator.setitem(%4, %3, %12)  : m1
  next %8, %12
return %5  aux (%2, %7)
"""

LEAVES = """
%0 = input 0  : float64[3] C m0
%1 = input 1
loop %9 items %0
  item %2
  phi %3 = 1.0 -> %4
  %5 = %2 > %1
  branch bool %5
    True:
      %6 = %3 * 10.0
      leave %6  leaf 1  label 1
    False:
      %7 = %3 * %2
      %8 = %7 * %2
      next %8
branch left %9
  1:
    loop %20 mirror  of %9  backward  [adjoint]
      phi %21 = 1.0 -> %22
      branch leaf %9
        1:
          %23 = %21 * 10.0  [adjoint]
          next %23
        0:
          %24 = %2 * %2  [adjoint]
          %25 = %21 * %24  [adjoint]
          next %25
    return %4  aux 'left'  cotangents (%22,)
  0:
    return %4  aux 'used up'  cotangents (None,)
"""


@pytest.mark.parametrize("n", [0, 1, 3])
def test_mirror_of_a_product_gives_the_products_of_the_others(n):
    result = run(parse(PRODUCT), (X, n))
    expected = [np.prod(np.delete(X[:n], i)) if i < n else 0.0 for i in range(3)]
    assert result.value == np.prod(X[:n])
    np.testing.assert_allclose(result.cotangents[0], expected)
    assert result.exit is None


@pytest.mark.parametrize("a", [2.0, 9.0])
def test_uncounted_leave_is_no_iteration_of_the_mirror(a):
    result = run(parse(NEWTON), (a,))
    assert abs(result.value - a ** 0.5) < 1e-14
    assert abs(result.cotangents[0] - 0.5 / a ** 0.5) < 1e-12


def test_nested_loops_and_old_versions():
    value, aux, cotangents, tangents, left = run(parse(CUMULATIVE), (X, 3))
    np.testing.assert_array_equal(value, 2 * np.cumsum(X))
    np.testing.assert_array_equal(aux[0], np.zeros(3))
    assert aux[1] == 2 * X.sum()
    assert (cotangents, tangents, left) == (None, None, None)


@pytest.mark.parametrize("limit, value, aux, slope", [
    (4.0, 2.0**2 * 3.0**2 * 10.0, "left", 360.0), (0.0, 10.0, "left", 10.0),
    (9.0, 900.0, "used up", None)])
def test_leaves_and_what_follows_a_loop_that_was_left(limit, value, aux, slope):
    result = run(parse(LEAVES), (X, limit))
    assert (result.value, result.aux) == (value, aux)
    assert result.cotangents == (slope,)


def test_mirrors_nest_and_see_the_iteration_they_belong_to():
    # s = sum_i sum_{j<=i} x[i] * x[j]**2
    block = parse("""
        %0 = input 0
        loop %30 range 0, 3, 1
          item %1
          phi %2 = 0.0 -> %3
          %4 = %0[%1]
          %5 = %1 + 1
          loop %31 range 0, %5, 1
            item %6
            phi %7 = %2 -> %8
            %9 = %0[%6]
            %10 = %9 * %9
            %11 = %4 * %10
            %12 = %7 + %11
            next %12
          next %8
        %40 = np.zeros_like(%0)
        loop %60 mirror  of %30  backward
          phi %41 = %40 -> %42
          loop %61 mirror  of %31  backward
            phi %43 = %41 -> %44
            phi %45 = 0.0 -> %46
            %47 = %45 + %10
            %48 = 2.0 * %9
            %49 = %48 * %4
            %50 = write operator.iadd(%43[%6], %49)
            next %50, %47
          %51 = write operator.iadd(%44[%1], %46)
          next %51
        return %3  cotangents (%42,)
    """)
    def value(x):
        return sum(x[i] * x[j] ** 2 for i in range(3) for j in range(i + 1))
    result = run(block, (X,))
    assert result.value == value(X)
    steps = 1e-6 * np.eye(3)
    numeric = [(value(X + step) - value(X - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(result.cotangents[0], numeric, rtol=1e-7)


def test_mirror_sees_earlier_mirrors_of_the_family():
    # y = x**n; the mirror's mirror adds what the mirror computed in each iteration
    block = parse("""
        %0 = input 0
        loop %9 range 0, 3, 1
          phi %1 = 1.0 -> %2
          %3 = %1 * %0
          next %3
        loop %19 mirror  of %9  backward
          phi %10 = 1.0 -> %11
          %12 = %10 * %1
          %13 = %10 * %0
          next %13
        loop %29 mirror  of %9
          phi %20 = 0.0 -> %21
          %24 = %20 + %12
          next %24
        return %2  cotangents (%21,)
    """)
    result = run(block, (2.0,))
    assert result.value == 8.0
    assert result.cotangents[0] == 3 * 2.0**2


def test_writes_go_to_parts_of_a_copy_with_the_layout_of_the_array():
    base = np.arange(24.0).reshape(4, 6)
    x = base[::2, ::-3]
    written = {}
    block = parse("""
        %0 = input 0  : m0
        %1 = write operator.setitem(%0.T()[1], 0, 7.0)  : m0
        %2 = write operator.imul(%1, 2.0)  : m0
        %3 = write np.add.at(%2[:, 0], np.array([0, 0], '<i8'), 1.0)  : m0
        %4 = write np.copyto(np.transpose(%3)[1:, 1], 9.0)  : m0
        %5 = write .fill(%4[1, :1], 5.0)  : m0
        return (%0, %1, %2, %3)  aux %5
    """)
    old, one, two, three = run(block, (x,), written=written).value
    np.testing.assert_array_equal(old, [[5, 2], [17, 14]])
    np.testing.assert_array_equal(one, [[5, 7], [17, 14]])
    np.testing.assert_array_equal(two, [[10, 14], [34, 28]])
    np.testing.assert_array_equal(three, [[12, 14], [34, 28]])
    np.testing.assert_array_equal(written[0], [[12, 14], [5, 9]])
    assert one.strides == x.strides
    np.testing.assert_array_equal(base, np.arange(24.0).reshape(4, 6))


def test_write_whose_path_copies_is_refused():
    block = parse("""
        %0 = input 0
        %1 = write operator.setitem(%0[%0], 0, 1)
        return %1
    """)
    with pytest.raises(ValueError, match="does not lead to a view"):
        run(block, (np.array([1, 0]),))


def test_results_cannot_be_changed_in_place():
    block = parse("""
        %0 = input 0
        %1 = np.negative(%0)
        %2 = operator.imul(%1, 2.0)
        return %2
    """)
    with pytest.raises(ValueError, match="read-only") as caught:
        run(block, (X,))
    assert "%2" in caught.value.__notes__[0]


def test_unknown_side_check_and_second_iteration_are_exits():
    block = parse("""
        %0 = input 0
        check type(%0, int)
        branch int %0
          2:
            loop %9 range 0, %0, 1  once
              next
            return 0
          1:
            loop %8 range 0, %0, 1  once
              next
            return 1
          0:
            return 2
    """)
    assert run(block, (1,)).value == 1
    assert run(block, (0,)).value == 2
    assert run(block, (2,)).exit.where.id == 9
    left = run(block, (5,)).exit
    assert (left.where, left.seen) == (block.end, 5)
    assert run(block, (5.0,)).exit.where.target == "type"


@pytest.mark.parametrize("kind, test, side", [
    ("bool", 3.5, "True"), ("index", np.int64(4), "4"), ("str", 1.5, "'1.5'"),
    ("shape", np.zeros((2, 3)), "(2, 3)"), ("value", (1, 2), "(1, 2)")])
def test_conversions_of_branches(kind, test, side):
    text = f"%0 = input 0\nbranch {kind} %0\n  {side}:\n    return 'seen'"
    assert run(parse(text), (test,)).value == "seen"


@pytest.mark.parametrize("text, good, bad", [
    ("is(%0, None)", None, 0), ("equal(%0, (1, 'a'))", (1, "a"), (True, "a")),
    ("array(%0, ('<f8', (3,), 'C'))", X, X[::-1]), ("number(%0, 'float64')", X[0], 2.0),
    ("length(%0, 2)", "ab", "a"), ("keys(%0, ['a'])", {"a": 1}, {"b": 1}),
    ("bound(%0, 'upper', str.upper)", str, bytes), ("type(%0, float)", 1.0, X[0])])
def test_checks(text, good, bad):
    block = parse(f"%0 = input 0\ncheck {text}\nreturn 1")
    assert run(block, (good,)).value == 1
    assert run(block, (bad,)).exit is not None


def test_checks_of_two_values():
    block = parse("%0 = input 0\n%1 = input 1\ncheck apart(%0, %1)\ncheck is(%0, %0)\nreturn 1")
    assert run(block, (X, X.copy())).value == 1
    assert run(block, (X, X[1:])).exit is not None


SCALE = 4.0


def test_outside_state_is_read_and_changed_in_order():
    factor = 3.0
    holder = types.SimpleNamespace(a=1.0, log=[0])

    def function(x, w=2.0, *, v=5.0):
        return x * w * v * factor * SCALE

    block = parse("""
        %0 = input 0
        %1 = read function()
        %2 = read cell(%1, 'factor')
        %3 = read default(%1, 'w')
        %4 = read default(%1, 'v')
        %5 = read global(%1, 'SCALE')
        %6 = read global(%1, 'len')
        %7 = read attribute(%0, 'a')
        effect attribute(%0, 'a', %2)
        %8 = read attribute(%0, 'a')
        %9 = read attribute(%0, 'log')
        effect method(%9, 'append', (%2,), {})
        effect method(%9, 'extend', ([%3, %4],), {})
        effect item(%9, 0, 'first')
        %10 = read item(%9, 0)
        effect delete item(%9, 1)
        effect delete attribute(%0, 'a')
        effect cell(%1, 'factor', 6.0)
        %11 = foreign(%6, (%9,), {})
        %12 = build list((%2, %11))
        return (%2, %3, %4, %5, %7, %8, %10, %11, %12)
    """)
    value = run(block, (holder,), function=function).value
    assert value == (3.0, 2.0, 5.0, SCALE, 1.0, 3.0, "first", 3, [3.0, 3])
    assert holder == types.SimpleNamespace(log=["first", 2.0, 5.0])
    assert factor == 6.0
    assert run(block, (types.SimpleNamespace(a=0, log=[0]),), function=function,
               reads={11: 77}).value[-2:] == (77, [6.0, 77])


def test_undefined_ids():
    for text in ("return %5", "%0 = input 0\n%1 = %0 + %5\nreturn %1",
                 # only defined in the loop
                 "loop %9 range 0, 2, 1\n  %1 = math.exp(1.0)\n  next\nreturn %1",
                 # an iteration does not see the one before it
                 "loop %9 range 0, 2, 1\n  item %0\n  branch index %0\n    0:\n"
                 "      %1 = math.exp(1.0)\n      next\n    1:\n      return %1",
                 # not bound before the first iteration
                 "loop %9 range 0, 0, 1\n  phi %1 = _ -> %2\n  next 2.0\nreturn %2",
                 # the other leaf
                 "loop %9 range 0, 2, 1\n  item %0\n  branch index %0\n    0:\n      %1 = "
                 "math.exp(1.0)\n      next\n    1:\n      next  leaf 1\n"
                 "loop %8 mirror  of %9\n  %7 = -%1\n  next\nreturn 0"):
        with pytest.raises((Undefined, TypeError), match=r"%\d|ended in"):
            run(parse(text), (1.0,))


def test_name_that_is_bound_in_the_loop_only():
    block = parse("""
        %0 = input 0
        loop %9 range 0, %0, 1
          item %3
          phi %1 = _ -> %2
          next %3
        return %2
    """)
    assert run(block, (3,)).value == 2


def test_seeds():
    block = parse("%0 = seed()  : float32\n%1 = seed 4\n%2 = seed()  : float64[2] C\n"
                  "return (%0, %1, %2)")
    one, two, three = run(block, seeds={4: 2.5}).value
    assert (type(one), one, two) == (np.float32, 1, 2.5)
    np.testing.assert_array_equal(three, [1.0, 1.0])
