"""The tables of what need not be written down."""

import math

import numpy as np
import pytest

from hybridad.sct.differentiate.shortcuts import COUNTING, OF_NUMBERS, OPERATORS, SHORT, STATIC


@pytest.mark.parametrize("ufunc", OPERATORS)
def test_operators_mean_the_same(ufunc):
    args = (np.array([0.5, 2.0]), np.array([1.5, 2.0]))[: ufunc.nin]
    np.testing.assert_array_equal(OPERATORS[ufunc](*args), ufunc(*args))


@pytest.mark.parametrize("ufunc", OF_NUMBERS)
def test_functions_of_numbers_mean_the_same(ufunc):
    args = (1.5, 0.7) if ufunc.nin == 2 else (1.5 if ufunc is np.arccosh else 0.6,)
    found = OF_NUMBERS[ufunc](*args)
    assert math.isclose(found, ufunc(*args), rel_tol=1e-15)
    assert type(found) in (float, bool)


def test_no_function_is_in_two_tables():
    assert not COUNTING & STATIC
    assert not set(SHORT) & (COUNTING | STATIC)
