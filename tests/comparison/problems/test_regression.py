"""Logistic regression."""

import numpy as np
import pytest
from scipy.special import expit

from hybridad.comparison.problems.regression import logistic, parse_labelled_rows


def test_it_is_the_cross_entropy_and_a_penalty():
    rng = np.random.default_rng(0)
    features, labels = rng.standard_normal((5, 3)), np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    weights, bias = rng.standard_normal(3), 0.3
    p = expit(features @ weights + bias)
    entropy = -np.mean(labels * np.log(p) + (1.0 - labels) * np.log(1.0 - p))
    expected = entropy + 1e-3 * np.sum(weights**2)
    assert logistic(weights, bias, features, labels) == pytest.approx(expected, rel=1e-12)


def test_features_are_standardized_and_a_constant_one_is_zero():
    weights, bias, features, labels = parse_labelled_rows("a,b,y\n1,7,0\n3,7,1\n5,7,1\n")
    assert weights.shape == (2,) and bias == 0.1
    np.testing.assert_allclose(features, [[-(1.5**0.5), 0.0], [0.0, 0.0], [1.5**0.5, 0.0]])
    np.testing.assert_array_equal(labels, [0.0, 1.0, 1.0])
