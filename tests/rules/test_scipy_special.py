"""Exact points of the rules of scipy.special, and the static options of `logsumexp`."""

import math

import numpy as np
import pytest

special = pytest.importorskip("scipy.special")

from hybridad.rules import scipy_special  # noqa: E402, F401 - it fills the registry
from hybridad.rules.declare import PRIMITIVES  # noqa: E402

INF, NAN = math.inf, math.nan


def pullback(p, g, *args):
    args = [np.asarray(a, float)[()] for a in args]
    with np.errstate(all="ignore"):
        ans = p(*args)
        return [vjp(np.asarray(g, float)[()], ans, *args) for vjp in PRIMITIVES[p].vjps]


@pytest.mark.parametrize("scalar", [True, False], ids=["scalar", "array"])
@pytest.mark.parametrize("point", [
    (special.gamma, 0.0), (special.gammaln, 0.0), (special.psi, -1.0), (special.erfinv, 1.0),
    (special.erfcinv, 0.0), (special.ndtri, 0.0), (special.logit, 0.0), (special.logit, 1.0),
    (special.xlogy, 0.0, 0.0), (special.xlogy, 1.0, 0.0), (special.xlog1py, 1.0, -1.0),
    (special.entr, 0.0), (special.rel_entr, 0.0, 0.0), (special.rel_entr, 1.0, 0.0),
    (special.kl_div, 0.0, 0.0), (special.y0, 0.0), (special.k1, 0.0), (special.log_ndtr, 60.0),
    (special.erfcx, -60.0),
], ids=lambda p: f"{p[0].__name__}{p[1:]}")
def test_zero_stays_zero(point, scalar):
    p, *args = point
    g = 0.0
    if not scalar:
        args, g = [[a, a] for a in args], [0.0, 0.0]
    for zero in pullback(p, g, *args):
        assert np.all(zero == 0)


@pytest.mark.parametrize("p, args, expected", [
    (special.xlogy, (0.0, 2.0), (math.log(2.0), 0.0)),
    (special.rgamma, (0.0,), (1.0,)),
    (special.rgamma, (-3.0,), (-6.0,)),
    (special.i1, (0.0,), (0.5,)),
    (special.j1, (0.0,), (0.5,)),
    (special.log_ndtr, (-1e10,), (1e10,)),
    (special.log_ndtr, (60.0,), (0.0,)),
    (special.log_expit, (800.0,), (0.0,)),
    (special.log_expit, (-800.0,), (1.0,)),
    (special.expit, (-800.0,), (0.0,)),
    (special.gammaln, (1.0,), (-np.euler_gamma,)),
    (special.psi, (1.0,), (math.pi**2 / 6.0,)),
    (special.logit, (0.25,), (16.0 / 3.0,)),
    (special.ndtri, (0.5,), (math.sqrt(2.0 * math.pi),)),
    (special.erfcinv, (1.0,), (-math.sqrt(math.pi) / 2.0,)),
])
def test_exact(p, args, expected):
    assert pullback(p, 1.0, *args) == pytest.approx(list(expected), rel=1e-12)


def test_betainc_is_the_integral_of_its_density():
    a, b, x, h = 1.5, np.array([0.5, 1.0, 2.5]), np.array([0.2, 0.5, 0.9]), 1e-5
    got = PRIMITIVES[special.betainc].vjps[2](np.ones(3), None, a, b, x)
    slope = (special.betainc(a, b, x + h) - special.betainc(a, b, x - h)) / (2.0 * h)
    np.testing.assert_allclose(got, slope, rtol=1e-6)


def test_logsumexp_with_sign():
    a, b = np.array([[0.3, -1.0], [2.0, 0.5]]), np.array([1.0, -3.0])
    ans = special.logsumexp(a, axis=1, b=b, return_sign=True)
    g, h = np.array([1.0, 2.0]), 1e-6
    primitive = PRIMITIVES[special.logsumexp]
    for argnum, x in ((0, a), (2, b)):
        t = np.ones_like(x)
        t[..., 1] = 0.5

        def f(e, argnum=argnum, t=t):
            moved = [a, b]
            moved[argnum // 2] = moved[argnum // 2] + e * t
            return special.logsumexp(moved[0], axis=1, b=moved[1], return_sign=True)[0]

        slope = (f(h) - f(-h)) / (2.0 * h)
        got = primitive.jvps[argnum](t, ans, a, 1, b, return_sign=True)
        np.testing.assert_allclose(got, slope, rtol=1e-6)
        got = primitive.vjps[argnum](g, ans, a, 1, b, return_sign=True)
        np.testing.assert_allclose(np.sum(got * t), np.sum(g * slope), rtol=1e-6)


@pytest.mark.parametrize("a, expected", [
    ([-INF, 0.0, 0.0], [0.0, 0.5, 0.5]),
    ([INF, 0.0], [1.0, 0.0]),
    ([1000.0, 0.0], [1.0, 0.0]),
    ([-INF], [1.0]),
])
def test_logsumexp_at_infinity(a, expected):
    a = np.array(a)
    with np.errstate(all="ignore"):
        got = PRIMITIVES[special.logsumexp].vjps[0](np.float64(1.0), special.logsumexp(a), a)
    np.testing.assert_allclose(got, expected)
