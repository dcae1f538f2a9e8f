"""The Gaussian mixture."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, wishart

from hybridad.comparison.problems import find, read
from hybridad.comparison.problems.mixture import factors, mixture, mixture_loop, parse_mixture

MIXTURE = "2 1 3\n0.5\n1.0 2.0\n0.1 0.2 0.3\n1.0 2.0\n2.0 2.0\n1.0 5.0\n1.5 4\n"


def test_a_file_gives_all_seven_arguments():
    alpha, mu, q, l, x, gamma, m = parse_mixture(MIXTURE)
    np.testing.assert_array_equal(alpha, [0.5])
    np.testing.assert_array_equal(mu, [[1.0, 2.0]])
    np.testing.assert_array_equal(q, [[0.1, 0.2]])
    np.testing.assert_array_equal(l, [[0.3]])
    np.testing.assert_array_equal(x, [[1.0, 2.0], [2.0, 2.0], [1.0, 5.0]])
    assert (gamma, m) == (1.5, 4) and type(m) is int


def test_one_point_may_stand_for_all():
    x = parse_mixture(MIXTURE.replace("2.0 2.0\n1.0 5.0\n", ""))[4]
    np.testing.assert_array_equal(x, [[1.0, 2.0]] * 3)


def test_factors_are_filled_by_columns():
    low = factors(np.log([[1.0, 2.0, 3.0]]), np.array([[4.0, 5.0, 6.0]]))
    np.testing.assert_allclose(low, [[[1.0, 0.0, 0.0], [4.0, 2.0, 0.0], [5.0, 6.0, 3.0]]])


def test_both_forms_are_the_log_posterior():
    """Against SciPy's normal and Wishart distributions."""
    rng = np.random.default_rng(0)
    alpha, mu, q, l = (rng.standard_normal(s) for s in ((3,), (3, 2), (3, 2), (3, 1)))
    x, gamma, m = rng.standard_normal((7, 2)), 0.8, 1
    precisions = [low.T @ low for low in factors(q, l)]
    weights = alpha - logsumexp(alpha)
    densities = [
        multivariate_normal(mean, np.linalg.inv(precision)).logpdf(x)
        for mean, precision in zip(mu, precisions)
    ]
    expected = np.sum(logsumexp(weights[:, None] + densities, axis=0))
    prior = wishart(2 + m + 1, np.eye(2) / gamma**2)
    expected += sum(prior.logpdf(precision) for precision in precisions)
    assert mixture(alpha, mu, q, l, x, gamma, m) == pytest.approx(expected, rel=1e-12)
    assert mixture_loop(alpha, mu, q, l, x, gamma, m) == pytest.approx(expected, rel=1e-12)


def test_both_forms_agree_on_the_shipped_file():
    args = read(find("mixture_loop"))
    assert mixture(*args) == pytest.approx(mixture_loop(*args), rel=1e-12)
