"""Exact points of `hybridad.rules.reductions`: zeros in products, ties, no spread, NaN, nothing."""

import numpy as np
import pytest

import hybridad.rules.reductions  # noqa: F401
from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.spaces import broadcast_tangent, project


def pull(p, g, x, *args, **kwargs):
    """The cotangent of `x` through ``p(x, ...)``."""
    ans = p(x, *args, **kwargs)
    g = np.broadcast_to(np.asarray(g, dtype=np.asarray(ans).dtype), np.shape(ans))[()]
    with np.errstate(all="ignore"):
        return project(PRIMITIVES[p].vjps[0](g, ans, x, *args, **kwargs), x)


def push(p, t, x, *args, **kwargs):
    """The tangent of ``p(x, ...)``."""
    ans = p(x, *args, **kwargs)
    with np.errstate(all="ignore"):
        return broadcast_tangent(PRIMITIVES[p].jvps[0](t, ans, x, *args, **kwargs), ans)


def jacobian_by_products(function, x):
    """The exact Jacobian of a function that is affine in each element: differences of any size."""
    columns = []
    for k in range(x.size):
        up, down = x.copy(), x.copy()
        up[k], down[k] = x[k] + 1.0, x[k] - 1.0
        columns.append((function(up) - function(down)) / 2.0)
    return np.stack(columns, axis=-1)


PRODUCTS = [[2.0, 0.0, 3.0, -1.0], [2.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0], [0.0], [5.0],
            [1.0, 2.0, 3.0, 0.0, 5.0, -1.0, 2.0]]


@pytest.mark.parametrize("x", PRODUCTS)
def test_prod_with_zeros(x):
    x = np.array(x)
    exact = jacobian_by_products(np.prod, x)
    np.testing.assert_array_equal(pull(np.prod, 1.0, x), exact)
    np.testing.assert_array_equal(push(np.prod, np.eye(x.size)[0], x), exact[0])


@pytest.mark.parametrize("p", [np.cumprod, np.nancumprod])
@pytest.mark.parametrize("x", PRODUCTS)
def test_cumprod_with_zeros(p, x):
    x = np.array(x)
    exact = jacobian_by_products(np.cumprod, x)
    for k, row in enumerate(exact):
        np.testing.assert_array_equal(pull(p, np.eye(x.size)[k], x), row)
    for k, column in enumerate(exact.T):
        np.testing.assert_array_equal(push(p, np.eye(x.size)[k], x), column)


def test_prod_along_axes_with_zeros():
    x = np.array([[0.0, 2.0, 0.0], [3.0, 4.0, 0.0]])
    np.testing.assert_array_equal(pull(np.prod, 1.0, x, axis=1), [[0, 0, 0], [0, 0, 12]])
    np.testing.assert_array_equal(pull(np.prod, 1.0, x, axis=0), [[3, 4, 0], [0, 2, 0]])


def test_long_cumprod_agrees_with_division():
    x = np.random.default_rng(0).uniform(0.8, 1.2, 1000)
    g = np.random.default_rng(1).standard_normal(1000)
    expected = np.cumsum((g * np.cumprod(x))[::-1])[::-1] / x
    np.testing.assert_allclose(pull(np.cumprod, g, x), expected, rtol=1e-9)


@pytest.mark.parametrize("p", [np.max, np.amax, np.nanmax])
def test_ties_share(p):
    x = np.array([1.0, 3.0, 3.0, 0.0])
    np.testing.assert_array_equal(pull(p, 2.0, x), [0, 1, 1, 0])
    assert push(p, np.array([5.0, 1.0, 2.0, 7.0]), x) == 1.5
    np.testing.assert_array_equal(pull(p, 1.0, x, initial=3.0), [0, 1 / 3, 1 / 3, 0])
    np.testing.assert_array_equal(pull(p, 1.0, x, initial=4.0), np.zeros(4))


def test_ptp_of_equal_numbers():
    np.testing.assert_array_equal(pull(np.ptp, 1.0, np.ones(4)), np.zeros(4))


@pytest.mark.parametrize("p", [np.std, np.nanstd, np.var, np.nanvar])
@pytest.mark.parametrize("x", [[0.1] * 3, [2.0] * 4, [7.7], [1 / 3] * 7])
def test_no_spread(p, x):
    x = np.array(x)
    np.testing.assert_allclose(pull(p, 1.0, x), np.zeros(x.size), atol=1e-15)
    np.testing.assert_allclose(push(p, np.ones(x.size), x), 0.0, atol=1e-15)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("p", [np.std, np.var])
def test_zero_cotangent_without_degrees_of_freedom(p):
    np.testing.assert_array_equal(pull(p, 0.0, np.array([2.0]), ddof=1), [0.0])
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    where = np.array([[True, True], [False, False]])
    g = np.array([1.0, 0.0])
    assert np.all(pull(p, g, x, axis=1, where=where)[1] == 0.0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("p", [np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanprod, np.nanvar,
                               np.nanstd, np.nanmedian])
def test_nan_is_left_out(p):
    plain = getattr(np, p.__name__[3:])
    x = np.array([1.0, np.nan, 4.0, -2.0])
    numbers = x[~np.isnan(x)]
    np.testing.assert_allclose(pull(p, 1.5, x)[[0, 2, 3]], pull(plain, 1.5, numbers))
    assert pull(p, 1.5, x)[1] == 0.0
    t = np.array([1.0, 7.0, -2.0, 3.0])
    np.testing.assert_allclose(push(p, t, x), push(plain, t[[0, 2, 3]], numbers))
    nothing = np.full((2, 3), np.nan)
    assert np.all(pull(p, 0.0, nothing, axis=1) == 0.0)


@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 1.0])
def test_nanquantile_counts_the_numbers_of_each_slice(q):
    x = np.array([[3.0, np.nan, 1.0, 2.0], [5.0, 9.0, 8.0, 7.0]])
    pulled = pull(np.nanquantile, 1.0, x, q, 1)
    np.testing.assert_allclose(pulled[0, [0, 2, 3]], pull(np.quantile, 1.0, x[0, [0, 2, 3]], q))
    np.testing.assert_allclose(pulled[1], pull(np.quantile, 1.0, x[1], q))
    assert pulled[0, 1] == 0.0


def test_zero_dimensions_with_an_axis():
    assert pull(np.sum, 2.0, np.float64(3.0), axis=0) == 2.0
    assert pull(np.max, 2.0, np.float64(3.0), axis=-1) == 2.0


METHODS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher",
           "nearest", "midpoint", "linear", "hazen", "weibull", "median_unbiased")


@pytest.mark.parametrize("n", [1, 2, 5, 8])
@pytest.mark.parametrize("method", METHODS)
def test_quantiles_are_the_shares_times_the_elements(method, n):
    # Also where q falls on an element or between two, where the discrete methods jump.
    x = np.array([3.0, -1.0, 8.0, 2.0, 0.5, 7.0, 6.0, -4.0])[:n]
    q = np.arange(17) / 16.0
    shares = [pull(np.quantile, 1.0, x, each, method=method) for each in q]
    np.testing.assert_allclose(np.sum(shares, axis=1), 1.0)
    np.testing.assert_allclose(shares @ x, np.quantile(x, q, method=method), atol=1e-12)


def test_weighted_quantile_is_an_element():
    x, w = np.array([[3.0, 1.0, 2.0], [5.0, 6.0, 4.0]]), np.array([1.0, 5.0, 1.0])
    options = {"axis": 1, "weights": w, "method": "inverted_cdf"}
    for q in (0.5, np.array([0.05, 0.9])):
        ans = np.quantile(x, q, **options)
        shares = x == np.expand_dims(ans, -1)
        g = 1.0 + np.arange(np.size(ans)).reshape(np.shape(ans))
        expected = np.sum((np.expand_dims(g, -1) * shares).reshape(-1, 2, 3), axis=0)
        np.testing.assert_array_equal(pull(np.quantile, g, x, q, **options), expected)
        np.testing.assert_array_equal(push(np.quantile, 10.0 * x, x, q, **options), 10.0 * ans)
