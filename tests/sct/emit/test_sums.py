"""Sums in place."""

import numpy as np

from hybridad.sct.emit import emit
from hybridad.sct.load import load
from hybridad.trace.text import parse

HEAD = """
        %0 = input 0  : float64[4] C m0  x
        %1 = np.sum(%0)  : float64
"""


def emitted(text):
    source = emit(parse(HEAD + text))
    return source.text, load(source)(np.arange(4.0))[1:]


def test_into_fresh_memory_that_nobody_needs():
    text, (found,) = emitted("""
        %2 = np.sin(%0)  : float64[4] C m1  g_x  [adjoint]
        %3 = np.cos(%0)  : float64[4] C m2  [adjoint]
        %4 = %2 + %3  : float64[4] C m3  g_x  [adjoint]
        return %1  cotangents (%4,)
    """)
    assert "g_x += g" in text or "g_x += np.cos(x)" in text
    assert found.tolist() == (np.sin(np.arange(4.0)) + np.cos(np.arange(4.0))).tolist()


def test_not_into_what_is_used_again():
    text, (_found, other) = emitted("""
        %2 = np.sin(%0)  : float64[4] C m1  g_x  [adjoint]
        %3 = %2 + %0  : float64[4] C m2  g_x  [adjoint]
        return %1  cotangents (%3, %2)
    """)
    assert "+=" not in text
    assert other.tolist() == np.sin(np.arange(4.0)).tolist()


def test_not_into_what_a_view_still_shows():
    text, (_found, other) = emitted("""
        %2 = np.sin(%0)  : float64[4] C m1  g_x  [adjoint]
        %3 = %2[1:]  : float64[3] C m1  g_v  [adjoint]
        %4 = %2 + %0  : float64[4] C m2  g_x  [adjoint]
        return %1  cotangents (%4, %3)
    """)
    assert "+=" not in text
    assert other.tolist() == np.sin(np.arange(1.0, 4.0)).tolist()


def test_not_into_what_the_program_made_or_was_given():
    text, _ = emitted("""
        %2 = %0 + 1.0  : float64[4] C m1  g_x  [adjoint]
        return %1  cotangents (%2,)
    """)
    assert "+=" not in text


def test_not_into_another_type():
    text, (found,) = emitted("""
        %2 = np.sin(%0)  : float64[4] C m1  g_x  [adjoint]
        %3 = %2 + 1j  : complex128[4] C m2  g_x  [adjoint]
        return %1  cotangents (%3,)
    """)
    assert "+=" not in text
    assert found.dtype == np.complex128
