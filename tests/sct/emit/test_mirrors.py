"""Mirrors: what an iteration needs comes back, from the last to the first."""

import pytest

from hybridad.sct.emit import emit
from hybridad.sct.load import load
from hybridad.trace.text import parse
from tests.sct.emit.test_loops import NEWTON

ADJOINT = NEWTON.replace("    return %12  # n.py:7\n", """
    loop %21 mirror  of %20  backward  [adjoint]
      phi %31 = 1.0 -> %41  : float  g_y
      phi %32 = 0.0 -> %42  : float  g_a
      phi %39 = 0.0 -> %43  : float  g_d
      %53 = %39 - %31  : float  g_d  [adjoint]  # n.py:6
      %33 = 2.0 * %2  : float  [adjoint]  # n.py:5
      %34 = %53 / %33  : float  g_r  [adjoint]  # n.py:5
      %35 = %32 - %34  : float  g_a  [adjoint]  # n.py:5
      %36 = %34 * 2.0  : float  [adjoint]  # n.py:5
      %37 = %36 * %2  : float  [adjoint]  # n.py:5
      %38 = %31 + %37  : float  g_y  [adjoint]  # n.py:5
      %40 = %34 * %8  : float  [adjoint]  # n.py:5
      %44 = %40 * 2.0  : float  [adjoint]  # n.py:5
      %45 = %38 - %44  : float  g_y  [adjoint]  # n.py:5
      next %45, %35, 0.0
    %50 = %42 + %41  : float  g_a  [adjoint]
    return %12  cotangents (%50,)
""")


@pytest.mark.parametrize("a", [0.3, 2.0, 700.0])
def test_the_gradient_of_newtons_square_root(a):
    source = emit(parse(ADJOINT))
    value, g = load(source)(a)
    assert value == pytest.approx(a ** 0.5, rel=1e-12)
    assert g == pytest.approx(0.5 / a ** 0.5, rel=1e-9)
    assert "saved.append((y, d))" in source.text
    assert "in reversed(saved):" in source.text


def test_a_pullback_can_be_called_again():
    text = ADJOINT.replace("%31 = 1.0", "%31 = %30").replace(
        "    loop %21", "    %30 = seed  : float  [adjoint]\n    loop %21")
    _value, pullback = load(emit(parse(text), pullback=True))(2.0)
    assert pullback(1.0) == pullback(1.0)
    assert pullback(2.0)[0] == pytest.approx(2.0 * pullback(1.0)[0])


def test_indices_come_from_the_range():
    text = emit(parse("""
        %0 = input 0  : float64[5] C m0  c
        %1 = input 1  : float  x
        loop %2 range 0, 5, 1
          item %3  : int  i
          phi %4 = 0.0 -> %5  : float64  p
          %6 = %4 * %1  : float64  # h.py:3
          %7 = %0[%3]  : float64  # h.py:3
          %8 = %6 + %7  : float64  p  # h.py:3
          next %8
        %9 = np.zeros_like(%0)  : float64[5] C m1  g_c  [adjoint]
        loop %10 mirror  of %2  backward  [adjoint]
          phi %11 = 1.0 -> %12  : float64  g_p
          phi %13 = 0.0 -> %14  : float64  g_x
          phi %15 = %9 -> %16  : float64[5] C m1  g_c
          %17 = write operator.iadd(%15[%3], %11)  : float64[5] C m1  [adjoint]  # h.py:3
          %18 = %11 * %4  : float64  [adjoint]  # h.py:3
          %19 = %13 + %18  : float64  g_x  [adjoint]  # h.py:3
          %20 = %11 * %1  : float64  g_p  [adjoint]  # h.py:3
          next %20, %19, %17
        return %5  cotangents (%16, %14)
    """)).text
    rows = [row.strip() for row in text.splitlines()]
    start = next(k for k, row in enumerate(rows) if "reversed" in row)
    assert rows[start:start + 5] == [
        "for i, p_1 in zip(reversed(range(5)), reversed(saved_p)):", "# adjoint of h.py:3",
        "g_c[i] += g_p", "g_x += g_p * p_1", "g_p = g_p * x"]
