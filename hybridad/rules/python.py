"""Rules of Python's own functions: conversions, `sum`, and those of `math` and `cmath`.

They are primitives of their own, not NumPy's, because their values are: `math.exp` and `np.exp`
differ in the last bit. Where NumPy has the same function, its rule is used. Who calls them on
recorded values is `hybridad.recording.runtime`: they are called on Python's numbers there, except
for those of vectors (`fsum`, `prod`, `dist`, `sumprod`), which take arrays of one axis.
"""

import cmath
import math

import numpy as np

from hybridad.rules import elementwise as _elementwise
from hybridad.rules import reductions as _reductions
from hybridad.rules.declare import PRIMITIVES, elementwise, linear, linear_sequence, rule
from hybridad.rules.refusals import needs_scipy
from hybridad.rules.spaces import expand, where_finite, where_nonzero

__all__ = ["sum_rows"]

_DECLARED_BEFORE = (_elementwise, _reductions)  # whose rules are used below
_DEGREE = math.pi / 180.0
_SQRT_PI = math.sqrt(math.pi)


def _as(function, numpys):
    """Give `function` the rule of NumPy's function of the same meaning."""
    elementwise(function, *PRIMITIVES[numpys].vjps)


# ---- conversions and sums ----------------------------------------------------------------------

elementwise(float,   lambda g, ans, x: g)
elementwise(complex, lambda g, ans, real, imag=0.0: g,
                     lambda g, ans, real, imag=0.0: g * 1j)

linear_sequence(sum, lambda g, ans, items, start=0: [g] * len(items))


def sum_rows(x):
    """The sum of an array as Python's `sum` gives it: one row after the other.

    Parameters
    ----------
    x : array

    Returns
    -------
    array or scalar
    """
    return sum(x)


linear(sum_rows, lambda g, ans, x: expand(g, x, 0))


# ---- math: functions that NumPy has, too -------------------------------------------------------

for _function, _numpys in [
    (math.exp, np.exp), (math.exp2, np.exp2), (math.expm1, np.expm1),
    (math.log2, np.log2), (math.log10, np.log10), (math.log1p, np.log1p),
    (math.sqrt, np.sqrt), (math.cbrt, np.cbrt), (math.pow, np.power),
    (math.sin, np.sin), (math.cos, np.cos), (math.tan, np.tan),
    (math.asin, np.arcsin), (math.acos, np.arccos), (math.atan, np.arctan),
    (math.atan2, np.arctan2),
    (math.sinh, np.sinh), (math.cosh, np.cosh), (math.tanh, np.tanh),
    (math.asinh, np.arcsinh), (math.acosh, np.arccosh), (math.atanh, np.arctanh),
    (math.fabs, np.fabs), (math.copysign, np.copysign), (math.fmod, np.fmod),
    (math.nextafter, np.nextafter),
]:
    _as(_function, _numpys)

elementwise(math.degrees, lambda g, ans, x: g / _DEGREE)
elementwise(math.radians, lambda g, ans, x: g * _DEGREE)
elementwise(math.ldexp,   lambda g, ans, x, i: np.ldexp(g, i), None)

rule(math.modf,  lambda g, ans, x: g, jvps=[lambda t, ans, x: t], out=0)
rule(math.frexp, lambda g, ans, x: np.ldexp(g, -ans[1]),
     jvps=[lambda t, ans, x: np.ldexp(t, -ans[1])], out=0)


# ---- math: functions of its own ----------------------------------------------------------------

def _log_of(base):
    """The logarithm of the base; of Python's numbers by `math`, for ints may be large."""
    if type(base) in (int, float):
        return math.log(base)
    return np.log(base)


def _log(g, ans, x, base=None):
    # An int may be too large for NumPy, but it is never what is differentiated by.
    d = g / where_nonzero(g, x)
    return d if base is None else d / _log_of(base)


def _log_base(g, ans, x, base=None):
    return -g * (ans / (base * _log_of(base)))


elementwise(math.log, _log, _log_base)

# With x = k y + r the quotient k is constant between its jumps.
elementwise(math.remainder, lambda g, ans, x, y: g,
            lambda g, ans, x, y: -g * where_finite(g, np.rint((x - ans) / y)))

elementwise(math.erf,  lambda g, ans, x: g * (2.0 / _SQRT_PI * np.exp(-x * x)))
elementwise(math.erfc, lambda g, ans, x: g * (-2.0 / _SQRT_PI * np.exp(-x * x)))

if hasattr(math, "fma"):
    elementwise(math.fma, lambda g, ans, x, y, z: g * y,
                          lambda g, ans, x, y, z: g * x,
                          lambda g, ans, x, y, z: g)


def _psi(x):
    """The digamma function, by SciPy, whose rules are then there, too."""
    from hybridad.rules.scipy_special import special

    return special.psi(x)


elementwise(math.gamma,  lambda g, ans, x: g * where_finite(g, ans * _psi(x)), check=needs_scipy)
elementwise(math.lgamma, lambda g, ans, x: g * where_finite(g, _psi(x)), check=needs_scipy)


# ---- math: functions of vectors ----------------------------------------------------------------

def _hypot(g, ans, k, *coordinates):
    return g * (coordinates[k] / np.where(ans == 0, 1.0, ans))


rule(math.hypot, vjp=_hypot, jvp=_hypot)

rule(math.fsum, lambda g, ans, seq: expand(g, seq), jvps=[lambda t, ans, seq: np.sum(t)],
     shapes_only=True)

rule(math.prod, lambda g, ans, x: PRIMITIVES[np.prod].vjps[0](g, ans, x),
     jvps=[lambda t, ans, x: PRIMITIVES[np.prod].jvps[0](t, ans, x)])


def _towards(ans, p, q):
    """The unit vector from `q` to `p`, and 0 if they are the same."""
    return (p - q) / np.where(ans == 0, 1.0, ans)


rule(math.dist, lambda g, ans, p, q: g * _towards(ans, p, q),
                lambda g, ans, p, q: g * _towards(ans, q, p),
     jvps=[lambda t, ans, p, q: np.sum(t * _towards(ans, p, q)),
           lambda t, ans, p, q: np.sum(t * _towards(ans, q, p))])

if hasattr(math, "sumprod"):
    rule(math.sumprod, lambda g, ans, p, q: g * q,
                       lambda g, ans, p, q: g * p,
         jvps=[lambda t, ans, p, q: np.sum(t * q),
               lambda t, ans, p, q: np.sum(p * t)])


# ---- cmath -------------------------------------------------------------------------------------

for _function, _numpys in [
    (cmath.exp, np.exp), (cmath.log10, np.log10), (cmath.sqrt, np.sqrt),
    (cmath.sin, np.sin), (cmath.cos, np.cos), (cmath.tan, np.tan),
    (cmath.atan, np.arctan),
    (cmath.sinh, np.sinh), (cmath.cosh, np.cosh), (cmath.tanh, np.tanh),
    (cmath.asinh, np.arcsinh), (cmath.acosh, np.arccosh), (cmath.atanh, np.arctanh),
]:
    _as(_function, _numpys)


# By the result, which tells on which side of the branch cut it was taken.
elementwise(cmath.asin, lambda g, ans, z: g / where_nonzero(g, np.cos(ans)))
elementwise(cmath.acos, lambda g, ans, z: -g / where_nonzero(g, np.sin(ans)))


def _clog_base(g, ans, z, base=None):
    return -g * (ans / (base * np.log(base)))


elementwise(cmath.log,
            lambda g, ans, z, base=None: g / where_nonzero(g, z) if base is None
            else g / where_nonzero(g, z) / np.log(base),
            _clog_base)
elementwise(cmath.rect, lambda g, ans, r, phi: g * np.exp(1j * phi),
                        lambda g, ans, r, phi: g * (1j * ans))

_absolute, _angle = PRIMITIVES[np.absolute], PRIMITIVES[np.angle]

rule(cmath.phase, lambda g, ans, z: _angle.vjps[0](g, ans, z),
     jvps=[lambda t, ans, z: _angle.jvps[0](t, ans, z)])
rule(cmath.polar, lambda g, ans, z: _absolute.vjps[0](g, ans[0], z),
     jvps=[lambda t, ans, z: _absolute.jvps[0](t, ans[0], z)], out=0)
rule(cmath.polar, lambda g, ans, z: _angle.vjps[0](g, ans[1], z),
     jvps=[lambda t, ans, z: _angle.jvps[0](t, ans[1], z)], out=1)
