"""What the cases of shapes cannot show: orders that depend on memory layout."""

import numpy as np
import pytest

import hybridad.rules.shapes  # noqa: F401
from hybridad.rules.declare import PRIMITIVES

X = np.arange(24.0).reshape(2, 3, 4)
LAYOUTS = [X, X.T, X.transpose(1, 2, 0), X[:, ::-1], np.asfortranarray(X)[::-1]]


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("x", LAYOUTS)
def test_ravel_order(x, order):
    ans = np.ravel(x, order)
    rule = PRIMITIVES[np.ravel]
    np.testing.assert_array_equal(rule.vjps[0](ans, ans, x, order), x)
    np.testing.assert_array_equal(rule.jvps[0](np.ascontiguousarray(x), ans, x, order), ans)


@pytest.mark.parametrize("order", "CFA")
@pytest.mark.parametrize("x", LAYOUTS)
def test_reshape_order(x, order):
    ans = np.reshape(x, (4, 6), order=order)
    rule = PRIMITIVES[np.reshape]
    np.testing.assert_array_equal(rule.vjps[0](ans, ans, x, (4, 6), order=order), x)
    tangent = np.ascontiguousarray(x)
    np.testing.assert_array_equal(rule.jvps[0](tangent, ans, x, (4, 6), order=order), ans)
