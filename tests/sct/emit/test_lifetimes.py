"""Copies before arrays are overwritten, variables that are deleted."""

import numpy as np

from hybridad.sct.emit import emit
from hybridad.sct.load import load
from hybridad.trace.text import parse

HEAD = """
        %0 = input 0  : float64[4] C m0  x
        %1 = np.exp(%0)  : float64[4] C m1  y
        %2 = %1[1:3]  : float64[2] C m1  row
"""


def emitted(text):
    source = emit(parse(HEAD + text))
    return source.text, load(source)(np.arange(4.0))


def test_a_view_that_is_used_only_after_the_write_is_a_copy_from_the_start():
    text, (value, row) = emitted("""
        %3 = write operator.imul(%1[1:3], 0.0)  : float64[4] C m1
        %4 = np.sum(%3)  : float64
        %5 = %2 * 1.0  : float64[2] C m2  g  [adjoint]
        return %4  cotangents (%5,)
    """)
    assert "row = y[1:3].copy()" in text
    assert text.count("copy") == 1
    assert row.tolist() == np.exp([1.0, 2.0]).tolist()
    assert value == 1.0 + np.exp(3.0)


def test_a_view_that_the_program_uses_stays_a_view_until_then():
    text, (value, row) = emitted("""
        %6 = np.sum(%2)  : float64
        %3 = write operator.imul(%1[1:3], 0.0)  : float64[4] C m1
        %5 = %2 * 1.0  : float64[2] C m2  g  [adjoint]
        return %6  cotangents (%5,)
    """)
    assert "row_kept = row.copy()" in text
    assert row.tolist() == np.exp([1.0, 2.0]).tolist()
    assert value == np.sum(row)


def test_large_arrays_are_deleted_where_nobody_needs_them_any_more():
    source = emit(parse("""
        %0 = input 0  : float64[100000] C m0  x
        %1 = np.tanh(%0)  : float64[100000] C m1  a
        %2 = %1[1:]  : float64[99999] C m1  b
        %3 = np.sum(%2)  : float64  s
        %4 = np.sum(%0)  : float64  t
        %5 = %3 + %4
        return %5
    """))
    rows = [row.strip() for row in source.text.splitlines()]
    assert rows.index("del a") == rows.index("b = a[1:]") + 1
    assert rows.index("del b") == rows.index("s = np.sum(b)") + 1
    assert "del x" not in rows
    load(source)(np.ones(100000))
