"""`math` and `cmath` on values being recorded: their own values and errors, and derivatives."""

import cmath
import math
import sys

import numpy as np
import pytest

import hybridad
from hybridad.errors import MissingRuleError
from hybridad.recording.runtime.mathematics import MEANINGS
from tests.recording.runtime.stand_in import Site, agrees, guards_of, in_a_run, raises_alike

NAMES = {"math": math, "cmath": cmath, "np": np}


@pytest.mark.parametrize("module", [math, cmath])
def test_every_function_has_a_meaning(module):
    functions = [f for name, f in vars(module).items() if callable(f) and name[0] != "_"]
    assert functions
    assert not [f for f in functions if f not in MEANINGS]


UNARY = ["acos", "asin", "atan", "atanh", "cbrt", "cos", "cosh", "degrees", "erf", "erfc", "exp",
         "exp2", "expm1", "fabs", "gamma", "lgamma", "log", "log10", "log1p", "log2", "radians",
         "sin", "sinh", "sqrt", "tan", "tanh", "asinh"]


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("argument", ["s", "a - 0.7", "o * 0.7", "x[1]", "h[0]"])
def test_value_is_that_of_math(name, argument):
    agrees(f"math.{name}({argument})", order=2 if argument == "s" else 1, **NAMES)


@pytest.mark.parametrize("expression", [
    "math.acosh(a)",
    "math.atan2(s, a)",
    "math.pow(s, a)",
    "math.pow(s, 3)",
    "math.pow(2, s)",
    "math.log(s, a)",
    "math.log(s, 10)",
    "math.log(7, s)",
    "math.fmod(a, s)",
    "math.remainder(a, s)",
    "math.copysign(s, -a)",
    "math.hypot(s, a)",
    "math.hypot(s)",
    "math.hypot(s, a, 2, e)",
    "math.hypot() + s",
    "math.ldexp(s, -3)",
    "math.ldexp(e, 3)",
    "math.nextafter(s, 2.0)",
    "math.modf(a)",
    "math.frexp(a)",
    "math.ulp(s)",
    "math.dist((s, 1), [a, 0.5])",
    "math.dist(x, y)",
    "math.dist(x, [1, 2, 3])",
    "math.dist(h, y)",
    "math.fsum([s, 1, a, e])",
    "math.fsum(x)",
    "math.fsum(h)",
    "math.fsum(v * v for v in x)",
    "math.fsum([]) + s",
    "math.prod([s, 2, a, 0.5])",
    "math.prod([s, a * 1.0], start=2)",
    "math.prod([2, 3], start=s)",
    "math.prod(x)",
    "math.prod(r)",
    "math.prod([x, y])",
    "math.prod([s, x, 3], start=0.5)",
    "math.prod([2, e, h])",
    "math.prod([s, s], start=a)",
    "math.prod([z[0], w])",
    "cmath.exp(z[0])",
    "cmath.sqrt(w)",
    "cmath.log(w)",
    "cmath.log(w, 2)",
    "cmath.log(2, w)",
    "cmath.polar(w)",
    "cmath.phase(w)",
    "cmath.rect(s, a)",
    "cmath.sqrt(-s)",
    "cmath.acos(a)",
    "cmath.exp(h[0])",
])
def test_agrees(expression):
    agrees(expression, order=2, **NAMES)


@pytest.mark.skipif(not hasattr(math, "sumprod"), reason="math.sumprod is new in Python 3.12")
@pytest.mark.parametrize("expression", [
    "math.sumprod([s, 2, a], [1, s, 0.1])",
    "math.sumprod(x, y)",
    "math.sumprod(x, [1, 2.5, s])",
    "math.sumprod([w, s], [z[0], w])",
    "math.sumprod([x, s], [y, x])",
    "math.sumprod(r, r)",
    "math.sumprod([0.1] * 10, [s] * 10)",
])
def test_sumprod(expression):
    agrees(expression, order=2, **NAMES)


@pytest.mark.skipif(not hasattr(math, "fma"), reason="math.fma is new in Python 3.13")
def test_fma():
    agrees("math.fma(s, a, x[0])", order=2, **NAMES)


def test_value_is_not_that_of_numpy():
    """`math` and NumPy differ in the last bit for some arguments; the value is math's there."""
    points = np.linspace(0.1, 3.0, 500)
    differ = [p for p in points.tolist() if math.exp(p) != float(np.exp(p))]
    site = Site()
    for p in differ:
        value, _ = hybridad.value_and_grad(lambda x: site.call(math.exp, x))(p)
        assert value == math.exp(p)
    if not differ:
        pytest.skip("here they agree everywhere")


@pytest.mark.parametrize("expression, kind, outcome", [
    ("math.floor(a)", "int", 1),
    ("math.ceil(a)", "int", 2),
    ("math.trunc(-a)", "int", -1),
    ("math.floor(o)", "int", 0),
    ("math.frexp(a)[1]", "int", 1),
    ("math.isfinite(s)", "bool", True),
    ("math.isnan(s)", "bool", False),
    ("math.isinf(s)", "bool", False),
    ("math.isclose(s, 0.6)", "bool", True),
    ("math.isclose(0.6, 0.7, abs_tol=s)", "bool", True),
    ("cmath.isnan(w)", "bool", False),
    ("cmath.isclose(w, 0.8)", "bool", False),
])
def test_decisions_are_noted(expression, kind, outcome):
    value, site = in_a_run(f"({expression}, s)[0]", **NAMES)
    assert value == outcome and type(value) is type(outcome)
    assert site.guards == [(kind, outcome)]


@pytest.mark.parametrize("expression", [
    "math.floor(2.5) + s", "math.isnan(1.0) + s", "math.frexp(2.0)[0] + s", "math.exp(s)",
    "math.gcd(4, 6) + s"])
def test_nothing_else_is_noted(expression):
    assert guards_of(expression, **NAMES) == []


@pytest.mark.parametrize("expression", [
    "math.log(s - s)", "math.log(-s)", "math.sqrt(-s)", "math.acos(a)", "math.exp(s * 5000)",
    "math.exp(w)", "math.exp(x)", "math.exp('1')", "math.exp(s, s)", "math.gamma(-a + a)",
    "math.pow(0.0, -s)", "math.factorial(s)", "math.gcd(s, 2)", "math.comb(s, 1)",
    "math.isqrt(s)", "math.ldexp(s, 2000)", "math.ldexp(s, a)", "math.fsum(s)",
    "math.fsum([s, 'a'])", "math.dist([s], [1, 2])", "math.dist(s, s)", "math.prod(s)",
    "math.floor(s * math.inf)", "math.floor(math.nan * s)",
    "math.floor(w)", "math.isclose(s, 1.0, rel_tol=-1.0)", "math.fmod(s, 0.0)",
    "cmath.log(w * 0)", "cmath.exp('a' if s else 0)", "math.exp(Broken()) + s",
])
def test_errors_are_those_of_math(expression):

    class Broken:
        def __float__(self):
            return "1.0"

    raises_alike(expression, **NAMES, Broken=Broken)


def test_complex_part_is_discarded_with_the_warning_of_numpy():
    site = Site()

    def f(z):
        return MEANINGS[math.exp](site, z)

    with pytest.warns(np.exceptions.ComplexWarning) as warned:
        value, grad = hybridad.value_and_grad(f)(np.complex128(0.5 + 2.0j))
    assert value == math.exp(0.5)
    assert grad == math.exp(0.5)
    assert [w.filename for w in warned] == [__file__]
    assert [w.lineno for w in warned] == [f.__code__.co_firstlineno + 1]


@pytest.mark.parametrize("function, point, expected", [
    (lambda call, x: call(math.hypot, x, 0.0 * x), 0.0, 0.0),
    (lambda call, x: call(math.dist, [x], [0.0]), 0.0, 0.0),
    (lambda call, x: call(math.prod, [x, x, x]), 0.0, 0.0),
    (lambda call, x: call(math.prod, [x, 2.0, 0.0]), 3.0, 0.0),
    (lambda call, x: call(math.sqrt, x) * 0.0, 0.0, 0.0),
    (lambda call, x: call(math.log, call(math.fabs, x) + 1.0), 0.0, 0.0),
    (lambda call, x: call(math.lgamma, x) * 0.0, 1.5, 0.0),
], ids=["hypot", "dist", "prod", "prod_zero", "sqrt", "fabs", "lgamma"])
def test_zero_stays_zero(function, point, expected):
    assert hybridad.grad(lambda x: function(Site().call, x))(point) == expected


def test_objects_with_float_are_asked_through_the_site():

    class Metres:
        def __init__(self, x):
            self.x = x

        def __float__(self):
            return self.x

    site = Site()

    def f(x):
        return site.call(math.exp, Metres(x)) + site.call(math.fsum, [Metres(x), 1.0])

    value, grad = hybridad.value_and_grad(f)(0.3)
    assert value == math.exp(0.3) + 1.3
    assert grad == pytest.approx(math.exp(0.3) + 1.0, rel=1e-15)
    assert site.called.count(Metres.__float__.__qualname__) == 2


def test_gamma_needs_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(MissingRuleError, match=r"needs SciPy[^\n]*\n  at .*test_mathematics"):
        hybridad.grad(lambda x: MEANINGS[math.lgamma](Site(), x))(2.5)
    assert Site().call(math.lgamma, 2.5) == math.lgamma(2.5)
