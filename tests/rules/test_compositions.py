"""Compositions give what NumPy gives: values, shapes, dtypes."""

import numpy as np
import pytest

import hybridad
from hybridad.rules.compositions import COMPOSITIONS

X = np.array([-2.0, 0.5, 3.0])
ROW, SQUARE = np.array([[1.0, 2.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])

CALLS = [
    (np.select, ([X < 0, X < 1], [X, 2.0 * X])),
    (np.select, ([X < 0, X < 1], [X, X[:, None]], 7.0)),
    (np.select, ([X < 0, X > -9.0], [X.astype("f"), 3], 2)),
    (np.select, ([X < 0], [1j * X], 1.5)),
    (np.choose, (np.array([1, 0, 1]), [X, -X])),
    (np.choose, (np.array([[5], [-1]]), [X, 2.0], None, "wrap")),
    (np.choose, (np.array([5, -1, 0]), [X, 2.0], None, "clip")),
    (np.choose, (1, [X, -X])),
    (np.select, ([X < 0, X < 1], [1, True], 2.5)),
    (np.select, ([X < 0, X < 1], [1, 2.5], X.astype("f"))),
    (np.select, ([True], [1.5])),
    (np.choose, (np.array([1, 0, 1]), [X.astype("f"), 2.0])),
    (np.choose, (np.array([1, 0, 1]), [2, X.astype("f")])),
    (np.choose, (np.array([1, 0, 1]), [2, 3.5])),
    (np.choose, (np.array([1, 0, 1]), [X.astype("f"), True])),
    (np.choose, (np.array([1, 0, 1]), [X.astype("f"), 2.0j])),
    (np.choose, (np.array([1, 0, 1]), [X.astype("f"), np.float64(2.0)])),
    (np.block, ([X, 1.0, X],)),
    (np.block, ([[SQUARE, 2.0 * SQUARE], [ROW, ROW]],)),
    (np.block, ([[SQUARE], [ROW]],)),
    (np.block, ([[[SQUARE]], [[SQUARE]]],)),
    (np.block, ([SQUARE, np.ones((3, 2, 1))[:1]],)),
    (np.block, (X,)),
]


@pytest.mark.parametrize("k", range(len(CALLS)))
def test_same_as_numpy(k):
    p, args = CALLS[k]
    expected, found = p(*args), COMPOSITIONS[p](*args)
    assert np.shape(found) == np.shape(expected)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("p, args", [
    (np.select, ([X < 0], [X, X])),
    (np.select, ([], [])),
    (np.select, ([X], [X])),
    (np.choose, (np.array([2]), [X, X])),
])
def test_same_errors(p, args):
    with pytest.raises(Exception) as expected:
        p(*args)
    with pytest.raises(expected.type):
        COMPOSITIONS[p](*args)


@pytest.mark.parametrize("f, slope", [
    (lambda s: np.select([X < 0, X < 1], [s, X]), 1.0),
    (lambda s: np.select([X < 0, X < 1], [X.astype("f"), s * 1], 2), 1.0),
    (lambda s: np.select([X < 0, X < 9], [s, 2 * s], np.float32(2.0)), 5.0),
    (lambda s: np.select([X < 0, X < 1], [s, 1j * X]), 1.0),
    (lambda s: np.select([True], [s]), 1.0),
    (lambda s: np.choose([1, 0, 1], [X.astype("f"), s]), 2.0),
    (lambda s: np.choose([1, 0, 1], [s, 3]), 1.0),
])
def test_numbers_of_python_being_recorded(f, slope):
    seen = []

    def g(s):
        y = f(s)
        seen.append(y)
        return np.sum(np.real(y))

    assert hybridad.grad(g)(1.5) == slope
    (found,), expected = seen, f(1.5)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
