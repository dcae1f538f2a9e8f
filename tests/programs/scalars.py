"""Numbers: float(), math, cmath, builtin functions on them, types, complex arithmetic.

PYTEST_DONT_REWRITE: an assertion fails here as it does at a user's.
"""

# ruff: noqa: E701, E702, RUF007

import cmath
import fractions
import math
import operator
import statistics

import numpy as np

from tests.programs import A, Scene, program


@program()
def float_and_item():
    def f(x):
        a = float(x[0]); b = x[1].item(); c = x.tolist()
        assert type(a) is float and type(b) is float and type(c[2]) is float
        return a * b + c[2] * a + float(np.sum(x)) * float(2) + x.item(0)
    return f


@program()
def math_elementary():
    def f(x):
        a, b, c = x
        s = math.exp(a * 0.5) + math.sin(b) * math.cos(c) + math.tan(a * 0.3) + math.sqrt(b * b)
        s += math.log(abs(a)) + math.log(b * b, 3) + math.log2(b * b) + math.log10(c * c)
        s += math.log1p(a * a) + math.expm1(c) + math.pow(b * b, c) + math.exp2(a)
        return s + math.cbrt(b) + math.fabs(c)
    return f


@program()
def math_trigonometric_and_hyperbolic():
    def f(x):
        a, b, c = (v * 0.3 for v in x)
        s = math.asin(a) + math.acos(b) * math.atan(c) + math.atan2(a, b)
        s += math.sinh(a) * math.cosh(b) + math.tanh(c) + math.asinh(a) + math.atanh(c)
        return s + math.acosh(1.5 + b * b) + math.degrees(a) * 0.01 + math.radians(b)
    return f


@program()
def math_special_and_sums():
    def f(x):
        a, b, c = x
        s = math.gamma(abs(a) + 1.0) + math.lgamma(abs(b) + 0.5) + math.erf(c) + math.erfc(a)
        s += math.hypot(a, b, c) + math.dist([a, b], [c, 1.0]) + math.fsum([a, b * c, 0.5])
        return s + math.prod([a, b], start=c) + math.copysign(b, a) + math.fmod(b, 0.9)
    return f


@program()
def math_that_decides():
    def f(x):
        k = math.floor(x[0]) + math.ceil(x[1]) + math.trunc(x[2])
        close = math.isclose(x[0], 1.25, rel_tol=0.1) or math.isnan(x[1]) or not math.isfinite(x[2])
        m, e = math.frexp(x[1])
        whole, part = divmod(abs(x[0]), 1.0)
        return x[0] * k + (x[1] * x[2] if close else x[1]) + m * 2**e + whole * part
    return f


@program()
def builtin_reductions():
    def f(x):
        a = sum(x) + sum([x[0], x[1]], x[2]) + sum(v * w for v, w in zip(x, x[1:]))
        b = max(x) * min(x) + max(x[0], 0.0) + min(x[1], 1, key=lambda v: -v)
        return a * b + max(enumerate(x), key=lambda p: p[1])[0] * x[0] + max([], default=x[2])
    return f


@program()
def abs_pow_round_divmod():
    def f(x):
        a, b, c = x
        q, r = divmod(b, 0.75)
        s = abs(a) ** 1.5 + pow(b, 2) + pow(2.0, c) + q * a + r * c + b // 0.6 * c + b % 0.7
        return s + round(float(a)) * b + round(b, 1) * c + (-a) ** 2 + (+b) ** 3
    return f


@program((1.3, 2), (0.6, 3), (-1.1, 2))
def python_floats():
    def f(a, n):
        b = a * a + 1
        assert type(b) is float
        c = b ** 0.5 - 3 / b
        d = -c if c < 0 else c
        return d * n + a**n + (a + n) / (b // 1 + 1)
    return f


@program(0.7, np.float64(1.1), np.array(0.4))
def kinds_of_numbers():
    def f(x):
        y = x**2
        t = 1.0 if type(y) is float else 2.0 if isinstance(y, np.floating) else 3.0
        z = y + 0.5
        z += y
        return z * t
    return f


@program()
def isinstance_and_type():
    def f(x):
        s = np.sum(x)
        k = (isinstance(s, float) + 2 * isinstance(x, np.ndarray) + 4 * (type(x[0]) is np.float64)
             + 8 * isinstance(s, (int, list)) + 16 * issubclass(type(s), np.floating)
             + 32 * callable(s) + 64 * hasattr(s, "dtype") + 128 * np.isscalar(s))
        return s * k * x[0] + np.ndim(s) + x.ndim * x[1] + len(x.shape) + x.dtype.itemsize
    return f


@program(1.3, 0.4, -0.8, second=True)
def nested_scalar_powers():
    def f(x):
        return x**3 - 2.0 * x**2 + 3**x + math.exp(math.sin(x)) * x
    return f


@program(0.3, 1.2, -0.7)
def complex_inside():
    def f(t):
        z = complex(t, 2.0) * 1j + cmath.exp(1j * t)
        w = cmath.sqrt(z) * z.conjugate() / (z + 3)
        r, phi = cmath.polar(w)
        return abs(w) * r + w.real * w.imag + phi + cmath.phase(z) + cmath.log(z).real
    return f


@program(1.0 + 2.0j, 0.5 - 1.0j, -1.2 + 0.3j)
def complex_argument():
    def f(z):
        w = z * z + 2.0 / z
        return abs(w) + (w * z.conjugate()).real * z.imag
    return f


@program(A(1, 2, 3) + 1j, A(1, -1, 2) - 2j, A(0.5, 1, 1) * 1j + 1)
def complex_array_argument():
    def f(z):
        w = np.fft.fft(z) * np.conj(z)
        return np.sum(np.abs(w)) + np.sum(w.real * np.angle(z)) + np.vdot(z, w).imag
    return f


@program()
def operator_module():
    def f(x):
        first, last = operator.itemgetter(0, 2)(x)
        total = operator.add(first, operator.mul(last, x[1])) + operator.neg(operator.pow(last, 2))
        l = [first, last]
        operator.setitem(l, 0, operator.truediv(x[1], 2.0)); operator.iadd(l, [x[0]])
        k = 2.0 if operator.gt(first, last) else operator.getitem(l, 2)
        return total * k + operator.matmul(x, x) + operator.attrgetter("real")(first) + sum(l)
    return f


@program()
def conversion_with_rounding():
    def f(x):
        k = int(x[1] * 2) + round(float(x[0])) + bool(x[2] > 1)
        frac = fractions.Fraction(k, 3)
        return x[0] * k + float(frac) * x[1] ** 2 + x[2] * int("2") + k
    return f


@program()
def statistics_by_hand_and_module():
    base = [1.0, 2.0, 4.0]
    def f(x):
        m = sum(x) / len(x)
        v = sum((a - m) ** 2 for a in x) / (len(x) - 1)
        return v ** 0.5 * statistics.mean(base) + statistics.median(base) * m
    def before(k):
        base.append(k + 0.5)
    return Scene(f, before=before)


@program(np.float32([1, 2, 3]), np.float32([1.5, -2, 0.5]), np.float32([0.25, 2, 1]))
def float32_and_python_numbers():
    k = [2.0]
    def f(x):
        y = x * k[0] + 1
        assert y.dtype == np.float32
        return np.sum(y * y) * 0.5
    def before(j):
        k[0] = (2.0, 3, 0.5, 1)[j]
    return Scene(f, before=before)


@program((A(1, 2), 3.0, 2), (A(-1, 1.5), 0.5, 3), (A(2, 2.5), 1.5, 1), argnums=(0, 1))
def integers_beside_numbers():
    def f(x, s, n):
        y = x * n + s / n
        for _ in range(n): y = y * s + n
        return np.sum(y) + n % 2 * s
    return f
