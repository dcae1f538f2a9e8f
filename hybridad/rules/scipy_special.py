"""Rules of scipy.special: gamma and error functions, logistic and entropy functions, Bessel
functions, `logsumexp` and the softmaxes.

This module is imported when SciPy is. Its formulas are those of the DLMF (dlmf.nist.gov: 5 gamma,
7 error functions, 8 incomplete gamma and beta, 10 Bessel, 25.11 Hurwitz zeta). They consist of
ufuncs that have rules themselves, so that they may be differentiated again: the polygamma
functions are written with the Hurwitz zeta function, for `polygamma` is no ufunc.

SciPy has no derivatives by the order of a Bessel function or the shape of an incomplete gamma or
beta function; these are refused.
"""

import math

import numpy as np
from scipy import special

from hybridad.rules.declare import elementwise, rule
from hybridad.rules.refusals import fixed, refuse
from hybridad.rules.spaces import expand, where_finite, where_nonzero

__all__ = []

_zeta = special._ufuncs._zeta
"""The Hurwitz zeta function zeta(s, x), the ufunc behind `scipy.special.zeta`."""

_SQRT_PI = math.sqrt(math.pi)
_SQRT_2PI = math.sqrt(2.0 * math.pi)


def _fixed(name, **places):
    return fixed(f"scipy.special.{name}", **places)


# ---- gamma and related functions ---------------------------------------------------------------

def _refuse_complex(x):
    if np.iscomplexobj(x):
        refuse("The derivative of digamma at complex arguments is not available in SciPy.",
               "Differentiate digamma at real arguments only; np.real(z) where the imaginary part "
               "is zero.")


elementwise(special.gamma,    lambda g, ans, x: g * where_finite(g, ans * special.psi(x)))
elementwise(special.gammaln,  lambda g, ans, x: g * where_finite(g, special.psi(x)))
elementwise(special.loggamma, lambda g, ans, x: g * where_finite(g, special.psi(x)))
elementwise(special.psi,      lambda g, ans, x: g * where_finite(g, _zeta(2.0, x)),
            check=_refuse_complex)
elementwise(special.polygamma, None,
            lambda g, ans, n, x: g * where_finite(
                g, (-1.0) ** n * special.gamma(n + 2.0) * _zeta(n + 2.0, x)),
            check=_fixed("polygamma", n=0))
elementwise(_zeta, None, lambda g, ans, s, x: g * where_finite(g, -s * _zeta(s + 1.0, x)),
            check=_fixed("zeta", x=0))


def _rgamma(g, ans, x):
    # Left of 1/2 by the reflection formula (DLMF 5.5.3), which is smooth at the poles of gamma.
    if ans.dtype.kind == "c":
        return -g * ans * special.psi(x)
    left = x < 0.5
    a, b = np.where(left, x, 0.25), np.where(left, 1.0, x)
    reflected = np.cos(math.pi * a) - np.sin(math.pi * a) / math.pi * special.psi(1.0 - a)
    return g * np.where(left, special.gamma(1.0 - a) * reflected,
                        -special.rgamma(b) * special.psi(b))


elementwise(special.rgamma, _rgamma)
elementwise(special.beta,   lambda g, ans, a, b: g * (ans * (special.psi(a) - special.psi(a + b))),
                            lambda g, ans, a, b: g * (ans * (special.psi(b) - special.psi(a + b))))
elementwise(special.betaln, lambda g, ans, a, b: g * (special.psi(a) - special.psi(a + b)),
                            lambda g, ans, a, b: g * (special.psi(b) - special.psi(a + b)))
elementwise(special.multigammaln,
            lambda g, ans, a, d: g * sum(special.psi(a - 0.5 * j) for j in range(int(d))), None)

elementwise(special.gammainc, None,
            lambda g, ans, a, x: g * where_finite(g, _gamma_density(a, x)),
            check=_fixed("gammainc", a=0))
elementwise(special.gammaincc, None,
            lambda g, ans, a, x: -g * where_finite(g, _gamma_density(a, x)),
            check=_fixed("gammaincc", a=0))
elementwise(special.betainc, None, None,
            lambda g, ans, a, b, x: g * where_finite(g, _beta_density(a, b, x)),
            check=_fixed("betainc", a=0, b=1))


def _gamma_density(a, x):
    return np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))


def _beta_density(a, b, x):
    return np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))


# ---- error functions and the normal distribution -----------------------------------------------

elementwise(special.erf,      lambda g, ans, x: g * (2.0 / _SQRT_PI * np.exp(-x * x)))
elementwise(special.erfc,     lambda g, ans, x: g * (-2.0 / _SQRT_PI * np.exp(-x * x)))
elementwise(special.erfi,
            lambda g, ans, x: g * where_finite(g, 2.0 / _SQRT_PI * np.exp(x * x)))
elementwise(special.erfcx,
            lambda g, ans, x: g * where_finite(g, 2.0 * (x * ans - 1.0 / _SQRT_PI)))
elementwise(special.dawsn,    lambda g, ans, x: g * (1.0 - 2.0 * x * ans))
elementwise(special.erfinv,
            lambda g, ans, x: g * where_finite(g, _SQRT_PI / 2.0 * np.exp(ans * ans)))
elementwise(special.erfcinv,
            lambda g, ans, x: -g * where_finite(g, _SQRT_PI / 2.0 * np.exp(ans * ans)))
elementwise(special.ndtr,     lambda g, ans, x: g * (np.exp(-0.5 * x * x) / _SQRT_2PI))
elementwise(special.ndtri,
            lambda g, ans, x: g * where_finite(g, _SQRT_2PI * np.exp(0.5 * ans * ans)))
elementwise(special.log_ndtr,
            lambda g, ans, x: g * (math.sqrt(2 / math.pi) / special.erfcx(x * -math.sqrt(0.5))))


# ---- logistic and entropy functions ------------------------------------------------------------
# xlogy(g, y) is g * log(y), and 0 where g is.

elementwise(special.expit,     lambda g, ans, x: g * (ans * (1.0 - ans)))
elementwise(special.logit,     lambda g, ans, x: g / where_nonzero(g, x * (1.0 - x)))
elementwise(special.log_expit, lambda g, ans, x: g * special.expit(-x))


def _ratio(g, x, y):
    """``g * x / y``, and 0 where `g` or `x` is."""
    gx = g * x
    return gx / where_nonzero(gx, y)


elementwise(special.xlogy,    lambda g, ans, x, y: special.xlogy(g, y),
                              lambda g, ans, x, y: _ratio(g, x, y))
elementwise(special.xlog1py,  lambda g, ans, x, y: special.xlog1py(g, y),
                              lambda g, ans, x, y: _ratio(g, x, 1.0 + y))
elementwise(special.entr,     lambda g, ans, x: -special.xlogy(g, x) - g)
elementwise(special.rel_entr, lambda g, ans, x, y: special.xlogy(g, x / where_nonzero(g, y)) + g,
                              lambda g, ans, x, y: -_ratio(g, x, y))
elementwise(special.kl_div,   lambda g, ans, x, y: special.xlogy(g, x / where_nonzero(g, y)),
                              lambda g, ans, x, y: g - _ratio(g, x, y))


# ---- Bessel functions (DLMF 10.6, 10.29) -------------------------------------------------------

elementwise(special.j0, lambda g, ans, x: -g * special.j1(x))
elementwise(special.j1, lambda g, ans, x: g * (0.5 * (special.j0(x) - special.jv(2.0, x))))
elementwise(special.y0, lambda g, ans, x: g * where_finite(g, -special.y1(x)))
elementwise(special.y1, lambda g, ans, x: g * where_finite(
    g, 0.5 * (special.y0(x) - special.yv(2.0, x))))
elementwise(special.i0, lambda g, ans, x: g * special.i1(x))
elementwise(special.i1, lambda g, ans, x: g * (0.5 * (special.i0(x) + special.iv(2.0, x))))
elementwise(special.k0, lambda g, ans, x: g * where_finite(g, -special.k1(x)))
elementwise(special.k1, lambda g, ans, x: g * where_finite(
    g, -0.5 * (special.k0(x) + special.kv(2.0, x))))
elementwise(special.jv, None, lambda g, ans, v, z: g * where_finite(
    g, 0.5 * (special.jv(v - 1.0, z) - special.jv(v + 1.0, z))), check=_fixed("jv", v=0))
elementwise(special.yv, None, lambda g, ans, v, z: g * where_finite(
    g, 0.5 * (special.yv(v - 1.0, z) - special.yv(v + 1.0, z))), check=_fixed("yv", v=0))
elementwise(special.iv, None, lambda g, ans, v, z: g * where_finite(
    g, 0.5 * (special.iv(v - 1.0, z) + special.iv(v + 1.0, z))), check=_fixed("iv", v=0))
elementwise(special.kv, None, lambda g, ans, v, z: g * where_finite(
    g, -0.5 * (special.kv(v - 1.0, z) + special.kv(v + 1.0, z))), check=_fixed("kv", v=0))


# ---- logsumexp and softmax: along axes, no ufuncs -----------------------------------------------

def _shares(ans, a, axis, b, keepdims, return_sign):
    """``exp(a) / sum(b * exp(a))`` in the shape that `a` and `b` broadcast to."""
    sign = 1.0
    if return_sign:
        ans, sign = ans
    if b is not None:
        a = np.broadcast_to(a, np.broadcast_shapes(np.shape(a), np.shape(b)))
    ans = expand(ans, a, axis, keepdims)
    shares = np.exp(np.where(a == ans, 0.0, a - ans))
    return shares * expand(sign, a, axis, keepdims) if return_sign else shares


def _logsumexp_a(g, ans, a, axis=None, b=None, keepdims=False, return_sign=False):
    shares = _shares(ans, a, axis, b, keepdims, return_sign)
    return expand(g, shares, axis, keepdims) * (shares if b is None else shares * b)


def _logsumexp_b(g, ans, a, axis=None, b=None, keepdims=False, return_sign=False):
    shares = _shares(ans, a, axis, b, keepdims, return_sign)
    return expand(g, shares, axis, keepdims) * shares


def _logsumexp_a_jvp(t, ans, a, axis=None, b=None, keepdims=False, return_sign=False):
    shares = _shares(ans, a, axis, b, keepdims, return_sign)
    return np.sum((shares if b is None else shares * b) * t, axis=axis, keepdims=keepdims)


def _logsumexp_b_jvp(t, ans, a, axis=None, b=None, keepdims=False, return_sign=False):
    shares = _shares(ans, a, axis, b, keepdims, return_sign)
    return np.sum(shares * t, axis=axis, keepdims=keepdims)


rule(special.logsumexp, _logsumexp_a, None, _logsumexp_b,
     jvps=[_logsumexp_a_jvp, None, _logsumexp_b_jvp])


def _softmax(g, ans, x, axis=None):
    g = g * ans
    return g - ans * np.sum(g, axis=axis, keepdims=True)


rule(special.softmax, _softmax, jvps=[_softmax])
rule(special.log_softmax,
     lambda g, ans, x, axis=None: g - np.exp(ans) * np.sum(g, axis=axis, keepdims=True),
     jvps=[lambda t, ans, x, axis=None: t - np.sum(np.exp(ans) * t, axis=axis, keepdims=True)])
