"""Cases of `hybridad.rules.elementwise`.

A seed in a note is one for which the random arguments are clear of the function's kinks or jumps.
"""

import numpy as np

from tests.rules.cases import arg, case

# ---- arithmetic --------------------------------------------------------------------------------

for p in (np.add, np.subtract, np.multiply, np.divide, np.float_power):
    domain = "positive" if p is np.float_power else "real"
    for shapes in [((3, 4), (3, 4)), ((3, 4), (4,)), ((4,), (3, 1)), ((), ()), ((2,), ()),
                   ((), (2, 2)), ((0, 3), (3,)), ((1,), (1, 1))]:
        case(p, *(arg(*s, domain=domain) for s in shapes))

case(np.divide, arg(3), call=lambda x: np.divide(x, 3.0), note="literal")
case(np.divide, arg(3), call=lambda x: np.divide(3.0, x), note="literal")
case(np.multiply, arg(3), call=lambda x: np.multiply(x, x), note="square")

case(np.power, arg(3, 4, domain="positive"), arg(4))
case(np.power, arg(domain="positive"), arg())
case(np.power, arg(2, domain="positive"), arg())
case(np.power, arg(4, domain="positive"), arg(3, 1))
for y in (0, 1, 2, 3, -1, -2, 2.0, 3.0):
    case(np.power, arg(3), call=lambda x, y=y: np.power(x, y), note=f"literal {y}")
for y in (0.5, 1.5, -0.5, 0.0):
    case(np.power, arg(3, domain="positive"), call=lambda x, y=y: np.power(x, y),
         note=f"literal {y}")
case(np.power, arg(3), call=lambda x: np.power(x, np.array([2.0, -1.0, 3.0])), note="array")
case(np.power, arg(3), call=lambda x: np.power(x, np.array([0, 1, 4])), note="int array")
case(np.power, arg(3), call=lambda x: np.power(x, np.array([0, 1, 4], np.uint8)), note="uint8")
case(np.power, arg(3), call=lambda y: np.power(2.0, y), note="literal base")
case(np.power, arg(3), call=lambda y: np.power(3, y), note="literal base")
case(np.power, arg(3), call=lambda y: np.power(-2.0, y), dtypes="D", note="negative base")
case(np.power, arg(3, domain="positive"), call=lambda y: np.power(np.array([2, 3, 4]), y),
     note="int base")
case(np.power, arg(3), call=lambda y: np.power(np.array([-2.0, 0.5, 3.0]), y), dtypes="D",
     note="real base")
case(np.float_power, arg(3), call=lambda x: np.float_power(x, 3), note="literal")

for p in (np.negative, np.positive, np.square, np.reciprocal):
    for shape in [(3, 4), (), (0,)]:
        case(p, arg(*shape))
for shape in [(3, 4), (), (0,)]:
    case(np.sqrt, arg(*shape, domain="positive"))
    case(np.cbrt, arg(*shape), dtypes="fd")

for p in (np.remainder, np.fmod, np.divmod):
    call = (lambda x, y: np.divmod(x, y)[1]) if p is np.divmod else None
    case(p, arg(2, 3), arg(3), call=call, dtypes="fd", note="seed 14")
    case(p, arg(3), arg(2, 1), call=call, dtypes="fd", note="seed 68")
    case(p, arg(), arg(), call=call, dtypes="fd", note="seed 2")
for p in (np.remainder, np.fmod):
    case(p, arg(4), call=lambda x, p=p: getattr(np, p.__name__)(x, 0.4), dtypes="fd",
         note="literal, seed 18")

# ---- exponentials, logarithms, trigonometric functions -----------------------------------------

for p, domain in [
    (np.exp, "real"), (np.exp2, "real"), (np.expm1, "real"),
    (np.log, "positive"), (np.log2, "positive"), (np.log10, "positive"), (np.log1p, "positive"),
    (np.sin, "real"), (np.cos, "real"), (np.tan, "unit"),
    (np.arcsin, "unit"), (np.arccos, "unit"), (np.arctan, "real"),
    (np.sinh, "real"), (np.cosh, "real"), (np.tanh, "real"),
    (np.arcsinh, "real"), (np.arccosh, "above_one"), (np.arctanh, "unit"),
]:
    case(p, arg(3, 4, domain=domain))
    case(p, arg(domain=domain))
    case(p, arg(0, 2, domain=domain))

case(np.log, arg(3), dtypes="D", note="left half plane")
case(np.sqrt, arg(3), dtypes="D", note="left half plane")
case(np.arccosh, arg(3), dtypes="D", note="left half plane")
case(np.arcsinh, arg(3, domain="apart"), note="large")

for p in (np.logaddexp, np.logaddexp2, np.arctan2, np.hypot):
    case(p, arg(3, 4), arg(4), dtypes="fd")
    case(p, arg(3), arg(2, 1), dtypes="fd")
    case(p, arg(), arg(), dtypes="fd")
    case(p, arg(3), call=lambda x, p=p: getattr(np, p.__name__)(x, 0.5), dtypes="fd",
         note="literal")

for p in (np.degrees, np.rad2deg, np.radians, np.deg2rad):
    case(p, arg(3, 4), dtypes="fd")
    case(p, arg(), dtypes="fd")

case(np.sinc, arg(3, 4))
case(np.sinc, arg())
case(np.sinc, arg(4), call=lambda x: np.sinc(x * 1e-3), note="near 0")

# ---- selections --------------------------------------------------------------------------------

for p in (np.maximum, np.minimum, np.fmax, np.fmin):
    case(p, arg(2, 3), arg(3), note="seed 8")
    case(p, arg(3), arg(2, 1), note="seed 2")
    case(p, arg(), arg(), note="seed 1")
    case(p, arg(5), call=lambda x, p=p: getattr(np, p.__name__)(x, 0.1), note="literal")

_MASK = np.array([[True, False, True], [False, False, True]])
case(np.where, arg(2, 3), arg(2, 3), call=lambda x, y: np.where(_MASK, x, y))
case(np.where, arg(3), arg(2, 1), call=lambda x, y: np.where(_MASK, x, y))
case(np.where, arg(), arg(2, 3), call=lambda x, y: np.where(_MASK, x, y))
case(np.where, arg(2, 3), call=lambda x: np.where(_MASK, x, 0.0))
case(np.where, arg(2, 3), call=lambda y: np.where(_MASK, 1.0, y))
case(np.where, arg(), arg(), call=lambda x, y: np.where(True, x, y))
case(np.where, arg(3), arg(3), call=lambda x, y: np.where(np.array([0, 1, 2]), x, y), note="int")

_ROW = arg(5, domain="apart")
case(np.clip, arg(3, 4, domain="apart"), call=lambda x: np.clip(x, -1.0, 1.1), dtypes="fd",
     note="seed 2")
case(np.clip, _ROW, call=lambda x: np.clip(x, None, 0.1), dtypes="fd", note="seed 2")
case(np.clip, _ROW, call=lambda x: np.clip(x, 0.1, None), dtypes="fd", note="seed 1")
case(np.clip, _ROW, call=lambda x: np.clip(x, a_min=-0.5, a_max=0.6), dtypes="fd", note="seed 1")
case(np.clip, _ROW, call=lambda x: np.clip(x, min=0.1), dtypes="fd", note="seed 3")
case(np.clip, _ROW, call=lambda x: np.clip(x, max=0.1), dtypes="fd", note="seed 2")
case(np.clip, arg(), call=lambda x: np.clip(x, -0.1, 0.1), dtypes="fd")
case(np.clip, arg(4, 3), arg(3, domain="unit"), arg(4, 1, domain="positive"), dtypes="fd",
     note="bounds, seed 4")
case(np.clip, _ROW, arg(domain="unit"), call=lambda x, lower: np.clip(x, lower, 2.0), dtypes="fd",
     note="bounds, seed 1")
case(np.clip, arg(4), arg(4), arg(4), dtypes="fd", note="crossed bounds, seed 1")

case(np.heaviside, arg(3), arg(3), dtypes="fd")
case(np.heaviside, arg(), call=lambda h: np.heaviside(np.array([-1.0, 0.0, 2.0]), h), dtypes="fd")

# NumPy tells of the call only where the array it is like is one that is followed.
case(np.full_like, arg(), call=lambda v: np.full_like(np.broadcast_to(v, (2, 3)), v))
case(np.full_like, arg(3), call=lambda v: np.full_like(np.broadcast_to(v, (2, 3)), v))
case(np.full_like, arg(),
     call=lambda v: np.full_like(np.broadcast_to(v, 2), v, dtype=complex, shape=(4, 1)))

_BINS = np.array([0, 2, 2, 5])
case(np.bincount, arg(4), call=lambda w: np.bincount(_BINS, w), dtypes="fd")
case(np.bincount, arg(4), call=lambda w: np.bincount(_BINS, weights=w, minlength=8), dtypes="fd")

# ---- pieces of numbers -------------------------------------------------------------------------

case(np.fabs, arg(3, 4), dtypes="fd")
case(np.fabs, arg(), dtypes="fd")
case(np.copysign, arg(3, 4), arg(4), dtypes="fd")
case(np.copysign, arg(), arg(), dtypes="fd")
case(np.nextafter, arg(3, 4), arg(4), dtypes="d")
case(np.ldexp, arg(3, 4), call=lambda x: np.ldexp(x, np.array([0, 1, -2, 5])), dtypes="fd")
case(np.ldexp, arg(), call=lambda x: np.ldexp(x, 3), dtypes="fd")
case(np.modf, arg(3, 4), call=lambda x: np.modf(x)[0], dtypes="fd")
case(np.modf, arg(), call=lambda x: np.modf(x)[0], dtypes="fd")
case(np.frexp, arg(3, 4), call=lambda x: np.frexp(x)[0], dtypes="fd")
case(np.frexp, arg(), call=lambda x: np.frexp(x)[0], dtypes="fd")
case(np.nan_to_num, arg(3, 4))
case(np.nan_to_num, arg())
case(np.nan_to_num, arg(3), call=lambda x: np.nan_to_num(x, nan=1.0, posinf=2.0, neginf=3.0))
for _bad in (np.nan, np.inf, complex(np.nan, 1.0), complex(1.0, -np.inf), complex(np.inf, np.nan)):
    case(np.nan_to_num, arg(2), arg(), arg(), arg(), dtypes="fd", note="replaced",
         call=lambda x, a, b, c, z=_bad: np.nan_to_num(x + [z, 1.0], nan=a, posinf=b, neginf=c))

# ---- complex numbers ---------------------------------------------------------------------------

for p in (np.real, np.imag, np.conjugate, np.absolute, np.sign, np.angle):
    case(p, arg(3, 4))
    case(p, arg())
    case(p, arg(0, 2))
case(np.angle, arg(3), call=lambda z: np.angle(z, deg=True))
case(np.angle, arg(3), call=lambda z: np.angle(z, True))
