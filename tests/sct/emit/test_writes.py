"""Writes in place."""

import numpy as np
import pytest

from hybridad.sct.emit import emit
from hybridad.sct.load import load
from hybridad.trace.text import parse


@pytest.mark.parametrize("write, row", [
    ("operator.setitem(%0, 1, %1)", "x[1] = s"),
    ("operator.setitem(%0[1:3], slice(None), %1)", "x[1:3][:] = s"),
    ("operator.iadd(%0, %1)", "x += s"),
    ("operator.imul(%0[1:3], %1)", "x[1:3] *= s"),
    ("operator.iadd(%0.T(), %1)", "window = x.T; window += s"),
    ("np.copyto(%0[:2], %1)", "np.copyto(x[:2], s)"),
    ("np.add.at(%0, [0, 0], %1)", "np.add.at(x, [0, 0], s)"),
    (".fill(%0, %1)", "x.fill(s)"),
])
def test_forms(write, row):
    block = parse(f"""
        %0 = input 0  : float64[4] C m0  x
        %1 = input 1  : float  s
        %2 = write {write}  : float64[4] C m0
        return 0.0
    """)
    rows = emit(block).text.splitlines()
    assert "; ".join(row.strip() for row in rows[rows.index("    # s: float") + 1:-1]) == row


def test_what_is_needed_of_the_old_content_is_copied():
    block = parse("""
        %0 = input 0  : float64[4] C m0  x
        %1 = np.exp(%0)  : float64[4] C m1  y
        %2 = write operator.setitem(%1, 0, 0.0)  : float64[4] C m1
        %3 = np.sum(%2)  : float64
        %4 = %1 * 2.0  : float64[4] C m2  g_x  [adjoint]
        return %3  cotangents (%4,)
    """)
    source = emit(block)
    x = np.arange(4.0)
    value, g = load(source)(x)
    assert value == np.sum(np.exp(x)[1:])
    assert g.tolist() == (2.0 * np.exp(x)).tolist()
    assert source.text.count(".copy()") == 1


def test_nothing_is_copied_that_nobody_needs():
    text = emit(parse("""
        %0 = input 0  : float64[4] C m0  x
        %1 = np.exp(%0)  : float64[4] C m1  y
        %2 = write operator.setitem(%1, 0, 0.0)  : float64[4] C m1
        %3 = write operator.setitem(%2, 1, 0.0)  : float64[4] C m1
        return %3
    """)).text
    assert "copy" not in text


def test_differentiated_arguments_are_never_written_to():
    function = load(emit(parse("""
        %0 = input 0, differentiated=True  : float64[4] C m0  x
        %1 = input 1  : float64[4] C m1  y
        %2 = write operator.iadd(%0, 1.0)  : float64[4] C m0
        %3 = write operator.iadd(%1, 1.0)  : float64[4] C m1
        %4 = np.sum(%2)
        return %4
    """)))
    x, y = np.zeros(4), np.zeros(4)
    assert function(x, y) == (4.0,)
    assert (x.sum(), y.sum()) == (0.0, 4.0)
