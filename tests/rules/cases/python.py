"""Cases of `hybridad.rules.python`: the functions are called through their meanings."""

import cmath
import math

import numpy as np

from hybridad.rules.python import sum_rows
from tests.recording.runtime.stand_in import Site
from tests.rules.cases import arg, case

call = Site().call


def scalar(function, *domains, dtypes="fd", note=""):
    """A case of scalars, one for each domain."""
    case(function, *(arg(domain=domain) for domain in domains), dtypes=dtypes, note=note,
         call=lambda *xs: call(function, *xs))


# ---- conversions and sums ----------------------------------------------------------------------

scalar(float, "real")
case(float, arg(), dtypes="fd", call=lambda x: call(float, np.reshape(x * x, ())), note="0-d")
scalar(complex, "real")
scalar(complex, "real", "real")
scalar(complex, "real", "real", dtypes="D", note="complex parts")
case(complex, arg(), dtypes="fd", call=lambda y: call(complex, 0.5, y), note="imaginary")
case(complex, arg(), dtypes="fd", call=lambda y: call(complex, imag=y), note="by name")

case(sum, arg(), arg(), dtypes="dD",
     call=lambda x, y: call(sum, [call(_python(x), x), 2, call(_python(y), y), 0.3]))
case(sum, arg(), arg(), dtypes="dD",
     call=lambda x, y: call(sum, [call(_python(x), x)], call(_python(y), y)), note="start")
case(sum, arg(), dtypes="dD", call=lambda x: call(sum, [call(_python(x), x)] * 3, 0.5), note="5")
for shape in [(4,), (3, 2), (0, 3)]:
    case(sum_rows, arg(*shape), call=lambda x: call(sum, x) * 1.0)


def _python(x):
    return complex if np.iscomplexobj(x) else float


# ---- math --------------------------------------------------------------------------------------

for p, domain in [
    (math.exp, "real"), (math.exp2, "real"), (math.expm1, "real"),
    (math.log, "positive"), (math.log2, "positive"), (math.log10, "positive"),
    (math.log1p, "positive"), (math.sqrt, "positive"), (math.cbrt, "real"),
    (math.sin, "real"), (math.cos, "real"), (math.tan, "unit"),
    (math.asin, "unit"), (math.acos, "unit"), (math.atan, "real"),
    (math.sinh, "real"), (math.cosh, "real"), (math.tanh, "real"),
    (math.asinh, "real"), (math.acosh, "above_one"), (math.atanh, "unit"),
    (math.fabs, "real"), (math.degrees, "real"), (math.radians, "real"),
    (math.erf, "real"), (math.erfc, "real"), (math.gamma, "positive"), (math.lgamma, "positive"),
]:
    scalar(p, domain)

scalar(math.pow, "positive", "real")
scalar(math.atan2, "real", "real")
scalar(math.log, "positive", "above_one", note="base")
case(math.log, arg(domain="positive"), dtypes="fd", call=lambda x: call(math.log, x, 10**400),
     note="large base")
case(math.log, arg(domain="above_one"), dtypes="fd", call=lambda b: call(math.log, 10**400, b),
     note="large int")
case(math.pow, arg(), dtypes="fd", call=lambda x: call(math.pow, x, 3), note="int")
case(math.pow, arg(), dtypes="fd", call=lambda y: call(math.pow, 2, y), note="int base")

for p in (math.fmod, math.remainder):
    scalar(p, "real", "real", note="seed 1")
    case(p, arg(), dtypes="fd", call=lambda x, p=p: call(p, x, 0.4), note="literal, seed 4")
    case(p, arg(domain="unit"), dtypes="fd", call=lambda y, p=p: call(p, 3.1, y),
         note="literal, seed 5")

scalar(math.copysign, "real", "real")
case(math.nextafter, arg(), dtypes="d", call=lambda x: call(math.nextafter, x, 9.0))
case(math.ldexp, arg(), dtypes="fd", call=lambda x: call(math.ldexp, x, 3))
case(math.modf, arg(), dtypes="fd", call=lambda x: call(math.modf, x)[0])
case(math.frexp, arg(domain="unit"), dtypes="fd", call=lambda x: call(math.frexp, x)[0])

for domains in [("real",), ("real", "real"), ("real", "real", "real")]:
    scalar(math.hypot, *domains)
case(math.hypot, arg(), dtypes="fd", call=lambda x: call(math.hypot, 1, x, 0.5), note="literals")

if hasattr(math, "fma"):
    scalar(math.fma, "real", "real", "real")

# ---- math: vectors -----------------------------------------------------------------------------

for p in (math.fsum, math.prod):
    case(p, arg(), arg(), dtypes="fd", call=lambda x, y, p=p: call(p, [x, 2, y, 0.5]) * 1.0)
case(math.fsum, arg(4), dtypes="fd", call=lambda x: call(math.fsum, x))
case(math.prod, arg(), arg(), dtypes="dD", note="start",
     call=lambda x, y: call(math.prod, [call(_python(x), x)], start=call(_python(y), y)))
case(math.prod, arg(), dtypes="d", note="zeros",
     call=lambda x: call(math.prod, [call(float, x), 0.0, call(float, x)]))
case(math.prod, arg(), dtypes="d", note="python",
     call=lambda x: call(math.prod, [call(float, x), 2, call(float, x)], start=3))
case(math.dist, arg(3), arg(3), dtypes="fd", call=lambda p, q: call(math.dist, p, q))
case(math.dist, arg(), arg(), dtypes="fd", call=lambda x, y: call(math.dist, (x, 1), [0.5, y]))
if hasattr(math, "sumprod"):
    case(math.sumprod, arg(3), arg(3), dtypes="fd", call=lambda p, q: call(math.sumprod, p, q))
    case(math.sumprod, arg(), arg(), dtypes="fdD",
         call=lambda x, y: call(math.sumprod, (x, 1), [y, y]))

# ---- cmath -------------------------------------------------------------------------------------

for p in (cmath.exp, cmath.log, cmath.log10, cmath.sqrt, cmath.sin, cmath.cos, cmath.tan,
          cmath.asin, cmath.acos, cmath.atan, cmath.sinh, cmath.cosh, cmath.tanh, cmath.asinh,
          cmath.acosh, cmath.atanh, cmath.phase):
    scalar(p, "real", dtypes="D")
for p in (cmath.exp, cmath.sqrt, cmath.asin, cmath.acos, cmath.acosh, cmath.atanh):
    scalar(p, "above_one", dtypes="fd", note="real")
scalar(cmath.log, "real", "above_one", dtypes="D", note="base")
case(cmath.log, arg(), dtypes="D", call=lambda z: call(cmath.log, z, 10), note="literal")
for k in (0, 1):
    case(cmath.polar, arg(), dtypes="D", call=lambda z, k=k: call(cmath.polar, z)[k])
scalar(cmath.rect, "positive", "real")
