"""Rules of NumPy's ufuncs and of its functions that act elementwise.

Here one finds arithmetic, exponentials and logarithms, trigonometric and hyperbolic functions,
comparison-like selections (`maximum`, `clip`, `where`), the pieces of complex numbers, and the
ufuncs that take floats apart (`modf`, `frexp`, `divmod`). What has derivative zero is in
`hybridad.rules.constants`; the ufuncs that contract axes (`matmul`) are in
`hybridad.rules.products`.

Conventions at the points without a derivative: ties of `maximum` and its kin share equally; `abs`,
`hypot`, `arctan2` and `angle` have derivative 0 at the origin; `clip` takes the argument's side on
its bounds. A zero cotangent stays zero where a derivative is infinite.
"""

import math

import numpy as np

from hybridad.rules.declare import elementwise, linear, rule
from hybridad.rules.spaces import where_finite, where_nonzero

__all__ = []

_LN2 = math.log(2.0)
_LN10 = math.log(10.0)
_DEGREE = math.pi / 180.0


def _is_complex(x):
    return x.dtype.kind == "c" if hasattr(x, "dtype") else type(x) is complex


def _is_literal(x):
    """Whether `x` is a plain number, which no wrapper of a differentiated value ever is."""
    return type(x) in (int, float)


# ---- arithmetic --------------------------------------------------------------------------------

elementwise(np.add,      lambda g, ans, x, y: g,
                         lambda g, ans, x, y: g)
elementwise(np.subtract, lambda g, ans, x, y: g,
                         lambda g, ans, x, y: -g)
elementwise(np.multiply, lambda g, ans, x, y: g * y,
                         lambda g, ans, x, y: g * x)


def _divide_numerator(g, ans, x, y):
    return g / (y if _is_literal(y) else where_nonzero(g, y))


def _divide_denominator(g, ans, x, y):
    y = where_nonzero(g, y)
    return -(g / y) * (x / y)


elementwise(np.divide, _divide_numerator, _divide_denominator)


def _power_base(g, ans, x, y):
    if _is_literal(y):
        if y == 2:
            return g * (2.0 * x)
        if y == 1:
            return g
        if y == 0:
            return None
        d = y * x ** (y - 1)
        return g * (d if y > 0 and y == math.floor(y) else where_finite(g, d))
    # Where x and y are 0 the factor x ** (y - 1) is infinite, the derivative is not.
    d = y * x ** np.where(np.logical_or(x, y), y - 1.0, 0.0)
    return g * where_finite(g, d)


def _power_exponent(g, ans, x, y):
    if _is_literal(x) and x > 0:
        return g * (ans * math.log(x))
    # A negative real base has a logarithm if the exponent is complex.
    one = 1.0 + 0.0j if _is_complex(ans) else 1.0
    return g * where_finite(g, ans * np.log(np.where(x == 0, one, x)))


elementwise(np.power, _power_base, _power_exponent)
elementwise(np.float_power, _power_base, _power_exponent)

linear(np.negative,        lambda g, ans, x: -g)
linear(np.positive,        lambda g, ans, x: g)
elementwise(np.square,     lambda g, ans, x: g * (2.0 * x))
elementwise(np.sqrt,       lambda g, ans, x: 0.5 * g / where_nonzero(g, ans))
elementwise(np.cbrt,       lambda g, ans, x: g / (3.0 * where_nonzero(g, ans * ans)))


def _reciprocal(g, ans, x):
    x = where_nonzero(g, x)
    return -g / x / x


elementwise(np.reciprocal, _reciprocal)


# With x = k y + r the quotient k is constant between its jumps.
elementwise(np.remainder,  lambda g, ans, x, y: g,
                           lambda g, ans, x, y: -g * where_finite(g, np.floor_divide(x, y)))
elementwise(np.fmod,       lambda g, ans, x, y: g,
                           lambda g, ans, x, y: -g * where_finite(g, np.rint((x - ans) / y)))


# ---- exponentials and logarithms ---------------------------------------------------------------

elementwise(np.exp,   lambda g, ans, x: g * ans)
elementwise(np.exp2,  lambda g, ans, x: g * (_LN2 * ans))
elementwise(np.expm1, lambda g, ans, x: g * np.exp(x))
elementwise(np.log,   lambda g, ans, x: g / where_nonzero(g, x))
elementwise(np.log2,  lambda g, ans, x: g / (_LN2 * where_nonzero(g, x)))
elementwise(np.log10, lambda g, ans, x: g / (_LN10 * where_nonzero(g, x)))
elementwise(np.log1p, lambda g, ans, x: g / where_nonzero(g, 1.0 + x))


def _log_share(ans, x, y, half):
    """The logarithm of the share that `x` has in a sum; at infinities equal terms share equally."""
    return np.where(x == ans, np.where(x == y, half, 0.0), x - ans)


elementwise(np.logaddexp,
            lambda g, ans, x, y: g * np.exp(_log_share(ans, x, y, -_LN2)),
            lambda g, ans, x, y: g * np.exp(_log_share(ans, y, x, -_LN2)))
elementwise(np.logaddexp2,
            lambda g, ans, x, y: g * np.exp2(_log_share(ans, x, y, -1.0)),
            lambda g, ans, x, y: g * np.exp2(_log_share(ans, y, x, -1.0)))


# ---- trigonometric and hyperbolic functions ----------------------------------------------------

elementwise(np.sin,     lambda g, ans, x: g * np.cos(x))
elementwise(np.cos,     lambda g, ans, x: -g * np.sin(x))
elementwise(np.tan,     lambda g, ans, x: g * (1.0 + ans * ans))
elementwise(np.arcsin,  lambda g, ans, x: g / where_nonzero(g, np.sqrt((1.0 - x) * (1.0 + x))))
elementwise(np.arccos,  lambda g, ans, x: -g / where_nonzero(g, np.sqrt((1.0 - x) * (1.0 + x))))
elementwise(np.arctan,  lambda g, ans, x: g / where_nonzero(g, 1.0 + x * x))
elementwise(np.sinh,    lambda g, ans, x: g * np.cosh(x))
elementwise(np.cosh,    lambda g, ans, x: g * np.sinh(x))
elementwise(np.tanh,    lambda g, ans, x: g - g * (ans * ans))
elementwise(np.arcsinh, lambda g, ans, x: g / where_nonzero(g, np.cosh(ans)))
elementwise(np.arccosh, lambda g, ans, x: g / where_nonzero(g, np.sinh(ans)))
elementwise(np.arctanh, lambda g, ans, x: g / where_nonzero(g, (1.0 - x) * (1.0 + x)))

linear(np.degrees, lambda g, ans, x: g / _DEGREE)
linear(np.rad2deg, lambda g, ans, x: g / _DEGREE)
linear(np.radians, lambda g, ans, x: g * _DEGREE)
linear(np.deg2rad, lambda g, ans, x: g * _DEGREE)


def _over_square(g, x, y):
    """``g * x / (x * x + y * y)``, and 0 at the origin."""
    r = np.hypot(x, y)
    r = np.where(r == 0, 1.0, r)
    return (g / r) * (x / r)


elementwise(np.arctan2, lambda g, ans, y, x: _over_square(g, x, y),
                        lambda g, ans, y, x: -_over_square(g, y, x))
elementwise(np.hypot,   lambda g, ans, x, y: g * (x / np.where(ans == 0, 1.0, ans)),
                        lambda g, ans, x, y: g * (y / np.where(ans == 0, 1.0, ans)))


def _sinc(g, ans, x):
    u = math.pi * x
    near = np.abs(u) < 0.1
    s = u * u
    series = u * (-1 / 3 + s * (1 / 30 + s * (-1 / 840 + s * (1 / 45360))))
    return math.pi * g * np.where(near, series, (np.cos(u) - ans) / np.where(near, 1.0, u))


elementwise(np.sinc, _sinc)


# ---- selections --------------------------------------------------------------------------------

def _winner(g, ans, x, y):
    """The share of `x` in the larger (or smaller) of `x` and `y`: all, half, or nothing."""
    return np.where(x == y, 0.5 * g, np.where(ans == x, g, 0.0))


for _ufunc in (np.maximum, np.minimum, np.fmax, np.fmin):
    elementwise(_ufunc, _winner, lambda g, ans, x, y: _winner(g, ans, y, x))

elementwise(np.where, None, lambda g, ans, condition, x, y: np.where(condition, g, 0.0),
                            lambda g, ans, condition, x, y: np.where(condition, 0.0, g))


def _bounds(*bounds):
    """The lower and upper bound of `clip` from its two pairs of names; infinite if not given."""
    lower, upper, *others = (None if b is np._NoValue else b for b in bounds)
    lower, upper = (other if bound is None else bound
                    for bound, other in zip((lower, upper), others))
    return -math.inf if lower is None else lower, math.inf if upper is None else upper


def _clip(g, ans, a, a_min=None, a_max=None, out=None, min=None, max=None):
    lower, upper = _bounds(a_min, a_max, min, max)
    return np.where(np.logical_and(lower <= a, a <= upper), g, 0.0)


def _clip_lower(g, ans, a, a_min=None, a_max=None, out=None, min=None, max=None):
    lower, upper = _bounds(a_min, a_max, min, max)
    return np.where(np.logical_and(a < lower, lower <= upper), g, 0.0)


def _clip_upper(g, ans, a, a_min=None, a_max=None, out=None, min=None, max=None):
    lower, upper = _bounds(a_min, a_max, min, max)
    return np.where(np.maximum(a, lower) > upper, g, 0.0)


elementwise(np.clip, _clip, _clip_lower, _clip_upper, None, _clip_lower, _clip_upper)

elementwise(np.heaviside, None, lambda g, ans, x, h: np.where(x == 0, g, 0.0))

elementwise(np.full_like, None,
            lambda g, ans, a, fill_value, dtype=None, order="K", subok=True, shape=None, **_: g)

# Counting is constant, weighing is linear in the weights.
linear(np.bincount, None, lambda g, ans, x, weights=None, minlength=0: g[x])


# ---- pieces of numbers -------------------------------------------------------------------------

elementwise(np.fabs,      lambda g, ans, x: g * np.sign(x))
elementwise(np.copysign,  lambda g, ans, x, y: g * (np.sign(x) * np.sign(ans)), None)
elementwise(np.nextafter, lambda g, ans, x, y: g, None)
linear(np.ldexp,          lambda g, ans, x, i: np.ldexp(g, i), None)

rule(np.modf,   lambda g, ans, x: g, jvps=[lambda t, ans, x: t], out=0)
rule(np.frexp,  lambda g, ans, x: np.ldexp(g, -ans[1]),
     jvps=[lambda t, ans, x: np.ldexp(t, -ans[1])], out=0)


def _divmod_y(g, ans, x, y):
    return -g * where_finite(g, np.floor_divide(x, y))


rule(np.divmod, lambda g, ans, x, y: g, _divmod_y,
     jvps=[lambda t, ans, x, y: t, _divmod_y], out=1)


def _nan_to_num(g, ans, x, copy=True, nan=0.0, posinf=None, neginf=None):
    if _is_complex(x):
        # Real and imaginary part are replaced separately; each keeps its own part of g.
        return (np.where(np.isfinite(np.real(x)), np.real(g), 0.0)
                + 1j * np.where(np.isfinite(np.imag(x)), np.imag(g), 0.0))
    return np.where(np.isfinite(x), g, 0.0)


def _replaced(bad):
    """The vjp by what stands in for numbers that are `bad`: in each part of a complex number."""

    def vjp(g, ans, x, copy=True, nan=0.0, posinf=None, neginf=None):
        if _is_complex(x):
            return (np.where(bad(np.real(x)), np.real(g), 0.0)
                    - np.where(bad(np.imag(x)), np.imag(g), 0.0))
        return np.where(bad(x), g, 0.0)

    return vjp


def _replaced_jvp(bad):

    def jvp(t, ans, x, copy=True, nan=0.0, posinf=None, neginf=None):
        if _is_complex(x):
            return (np.where(bad(np.real(x)), t, 0.0)
                    + 1j * np.where(bad(np.imag(x)), t, 0.0))
        return np.where(bad(x), t, 0.0)

    return jvp


_REPLACED = (np.isnan, lambda x: x == math.inf, lambda x: x == -math.inf)

rule(np.nan_to_num, _nan_to_num, None, *map(_replaced, _REPLACED),
     jvps=[_nan_to_num, None, *map(_replaced_jvp, _REPLACED)])


# ---- complex numbers ---------------------------------------------------------------------------
# The pairing is Re(sum(g * t)): these functions are linear over the reals, not holomorphic.

linear(np.real,      lambda g, ans, val: g)
linear(np.imag,      lambda g, ans, val: g * -1j)
linear(np.conjugate, lambda g, ans, x: np.conjugate(g))


def _direction(ans, x):
    """``conj(x) / |x|``, and 0 at 0."""
    return np.conjugate(x) / np.where(ans == 0, 1.0, ans) if _is_complex(x) else np.sign(x)


rule(np.absolute,
     lambda g, ans, x: g * _direction(ans, x),
     jvps=[lambda t, ans, x: np.real(t * _direction(ans, x))])


def _sign_vjp(g, ans, x):
    if _is_complex(x):
        r = np.abs(x)
        return np.imag(g * ans) / np.where(r == 0, 1.0, r) * (1j * np.conjugate(ans))


def _sign_jvp(t, ans, x):
    if _is_complex(x):
        r = np.abs(x)
        return np.imag(t * np.conjugate(ans)) / np.where(r == 0, 1.0, r) * (1j * ans)


rule(np.sign, _sign_vjp, jvps=[_sign_jvp])


def _turn(z, deg):
    """The derivative of the angle along the imaginary axis: ``conj(z) / |z|**2``, 0 at 0."""
    r = np.abs(z)
    r = np.where(r == 0, 1.0, r)
    return np.conjugate(z) / r / (r * _DEGREE if deg else r)


rule(np.angle,
     lambda g, ans, z, deg=False: g * -1j * _turn(z, deg),
     jvps=[lambda t, ans, z, deg=False: np.imag(t * _turn(z, deg))])
