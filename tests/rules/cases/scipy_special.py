"""Cases of `hybridad.rules.scipy_special`."""

import numpy as np
import scipy.special as special

from tests.rules.cases import arg, case

# ---- gamma and related functions ---------------------------------------------------------------
# SciPy has no polygamma of complex arguments, which the second derivatives would need.

for p in (special.gamma, special.gammaln, special.psi, special.rgamma):
    case(p, arg(3, 4, domain="positive"), dtypes="fd")
    case(p, arg(domain="positive"), dtypes="fd")
    case(p, arg(4, domain="unit"), dtypes="fd", note="negative")
case(special.loggamma, arg(3, 4, domain="positive"), dtypes="fd")
for p in (special.gamma, special.loggamma, special.rgamma):
    case(p, arg(3, domain="positive"), dtypes="D", orders=1)
for n in (0, 1, 3):
    case(special.polygamma, arg(3, domain="positive"),
         call=lambda x, n=n: special.polygamma(n, x), dtypes="fd", note=str(n))
case(special.polygamma, arg(3, domain="positive"),
     call=lambda x: special.polygamma(np.array([1, 2, 3]), x), dtypes="fd", note="array")
case(special._ufuncs._zeta, arg(3, domain="positive"),
     call=lambda x: special._ufuncs._zeta(2.5, x), dtypes="fd")
for p in (special.beta, special.betaln):
    case(p, arg(3, 4, domain="positive"), arg(4, domain="positive"), dtypes="fd")
    case(p, arg(domain="positive"), arg(2, domain="positive"), dtypes="fd")
case(special.multigammaln, arg(3, domain="above_one"),
     call=lambda a: special.multigammaln(a, 3), dtypes="fd")
for p in (special.gammainc, special.gammaincc):
    case(p, arg(3, domain="positive"), dtypes="fd",
         call=lambda x, p=p: getattr(special, p.__name__)(np.array([0.5, 1.0, 2.5]), x))
case(special.betainc, arg(3, domain="unit"), dtypes="fd",
     call=lambda x: special.betainc(1.5, np.array([0.5, 1.0, 2.5]), 0.5 + 0.5 * x))

# ---- error functions and the normal distribution -----------------------------------------------

for p in (special.erf, special.erfc, special.erfi, special.erfcx, special.dawsn, special.ndtr,
          special.log_ndtr):
    case(p, arg(3, 4))
    case(p, arg())
case(special.erfinv, arg(3, 4, domain="unit"), dtypes="fd")
case(special.erfinv, arg(domain="unit"), dtypes="fd")
case(special.erfcinv, arg(domain="unit"), dtypes="fd", call=lambda x: special.erfcinv(1.0 + x))
case(special.ndtri, arg(3, domain="unit"), dtypes="fd", call=lambda x: special.ndtri(0.5 + 0.5 * x))

# ---- logistic and entropy functions ------------------------------------------------------------

for p in (special.expit, special.log_expit):
    case(p, arg(3, 4), dtypes="fd")
    case(p, arg(), dtypes="fd")
case(special.logit, arg(3, domain="unit"), dtypes="fd", call=lambda x: special.logit(0.5 + 0.5 * x))
for p in (special.xlogy, special.xlog1py):
    case(p, arg(3, 4), arg(4, domain="positive"))
    case(p, arg(), arg(2, domain="positive"))
    case(p, arg(2, domain="positive"), call=lambda y, p=p: getattr(special, p.__name__)(0.0, y))
for p in (special.rel_entr, special.kl_div):
    case(p, arg(3, 4, domain="positive"), arg(4, domain="positive"), dtypes="fd")
    case(p, arg(domain="positive"), arg(2, domain="positive"), dtypes="fd")
case(special.entr, arg(3, 4, domain="positive"), dtypes="fd")
case(special.entr, arg(domain="positive"), dtypes="fd")

# ---- Bessel functions --------------------------------------------------------------------------

for p in (special.j0, special.j1, special.i0, special.i1):
    case(p, arg(3, 4), dtypes="fd")
for p in (special.y0, special.y1, special.k0, special.k1):
    case(p, arg(3, 4, domain="positive"), dtypes="fd")
for p in (special.jv, special.yv, special.iv, special.kv):
    case(p, arg(3, domain="positive"),
         call=lambda z, p=p: getattr(special, p.__name__)(np.array([0.0, 1.0, 2.5]), z))

# ---- logsumexp and softmax ---------------------------------------------------------------------

_B = np.array([0.5, 1.0, 2.0, 0.25])
case(special.logsumexp, arg(3, 4))
case(special.logsumexp, arg())
case(special.logsumexp, arg(3, 4), call=lambda x: special.logsumexp(x, 0))
for axis in (0, -1, (0, 2), (1,), None):
    for keepdims in (False, True):
        case(special.logsumexp, arg(2, 3, 4), note=f"axis {axis}",
             call=lambda x, axis=axis, keepdims=keepdims: special.logsumexp(
                 x, axis=axis, keepdims=keepdims))
case(special.logsumexp, arg(3, 4), call=lambda x: special.logsumexp(x, axis=1, b=_B), note="b")
case(special.logsumexp, arg(1, 4),
     call=lambda x: special.logsumexp(x, axis=1, b=np.ones((3, 4))), note="wide b")
case(special.logsumexp, arg(3, 4), arg(4, domain="positive"), dtypes="fd", note="active b",
     call=lambda x, b: special.logsumexp(x, 0, b))
case(special.logsumexp, arg(4), arg(3, 4, domain="positive"), dtypes="fd", note="active b",
     call=lambda x, b: special.logsumexp(x, 1, b, True))
for p in (special.softmax, special.log_softmax):
    case(p, arg(3, 4))
    case(p, arg(5))
    case(p, arg(3, 4), call=lambda x, p=p: getattr(special, p.__name__)(x, 0))
    case(p, arg(3, 4), call=lambda x, p=p: getattr(special, p.__name__)(x, axis=-1))
    case(p, arg(2, 3, 4), call=lambda x, p=p: getattr(special, p.__name__)(x, axis=(0, 2)))
