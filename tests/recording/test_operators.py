"""Operators and what else Python's syntax does with numbers and arrays, on wrappers.

Reflected, in-place, comparisons, truth, iteration, formatting; wrappers on either side of arrays,
NumPy scalars, Python numbers and lists. Types and dtypes are those of plain code: a Python number
stays weak, float32 stays float32.
"""

import copy
import fractions
import functools
import itertools
import math
import operator
import random
from collections.abc import Callable, Hashable, Iterable, Sequence, Sized
from numbers import Integral, Number, Real

import numpy as np
import pytest

import hybridad
from hybridad.errors import HybridadError
from tests.recording.agreement import POINT, agrees, agrees_at, agrees_in_value, compiled
from tests.recording.unfound import unfound

NUMBERS = ["x", "s", "a", "o", "h", "e", "z", "w"]
OTHERS = ["2", "1.5", "True", "0.5j", "np.float64(1.5)", "np.float32(1.5)", "np.int64(2)",
          "np.bool_(True)", "np.complex64(0.5j)", "np.array([1.5, 2.0, 0.7])", "np.array(1.5)",
          "np.array([1, 2, 3])", "np.array([1, 2, 3], dtype=np.int8)",
          "np.array([1.5, 2.0, 0.7], dtype=np.float32)", "[1.5, 2.0, 0.7]", "(1, 2, 3)"]


def _refused_by_python(expression):
    """Whether plain code refuses it as well (a list times a float, the floor of a complex)."""
    f, args = compiled(expression)
    try:
        f(*map(copy.copy, args))
    except TypeError:
        return True
    return False


def _pairs():
    for left, right in itertools.product(NUMBERS, NUMBERS):
        for op in "*" if left == right else "-/":
            yield f"{left} {op} {right}"
    for number, other in itertools.product(NUMBERS, OTHERS):
        for op in "+/":
            yield f"{number} {op} {other}"
        for op in "-*":
            yield f"{other} {op} {number}"


@pytest.mark.parametrize("expression", list(_pairs()))
def test_arithmetic(expression):
    if _refused_by_python(expression):
        f, args = compiled(expression)
        with pytest.raises(TypeError) as found:
            hybridad.vjp(f, *args)
        assert not isinstance(found.value, HybridadError)
    else:
        agrees(expression)


POWERS = """
x ** y
x ** 2
x ** -1
x ** 0.5
x ** -2.5
x ** 0
x ** 1
x ** k
y ** 2
y ** 3
y ** -1
2 ** x
2.5 ** x
s ** 2
s ** -1
s ** 0
s ** 0.5
s ** a
a ** s
a ** 2
2 ** s
s ** x
x ** s
x ** np.array([1, 2, 3])
x ** [1.0, 2.0, 3.0]
[1.0, 2.0, 3.0] ** x
np.float64(2.0) ** x
np.float64(2.0) ** s
np.array([1.0, 2.0, 3.0]) ** s
h ** 2
h ** -1.0
h ** s
e ** 2
e ** s
e ** a
z ** 2
z ** 0.5
w ** 2
w ** w
w ** -1
2 ** w
o ** 2
pow(x, 2)
pow(s, 2)
pow(2, s)
""".split("\n")[1:-1]

DIVISIONS = """
x % 0.31
1.0 % x
x % y
x // 0.31
3.1 // x
s % 0.25
1.0 % s
s // 0.25
1 // s
a % s
s % a
s // a
a // s
e % 0.4
h // 0.4
divmod(x, y)
divmod(y, 0.7)
divmod(2.2, x)
divmod([2.2, 1.0, 1.0], x)
divmod(s, 0.25)
divmod(2.0, s)
divmod(s, a)
divmod(a, s)
divmod(2, a)
divmod(e, 0.4)
""".split("\n")[1:-1]

PRODUCTS = """
x @ y
m @ x
x @ m
r @ m
m @ r.T
m @ m
np.ones((3, 3)) @ x
np.ones(3) @ m
x @ np.ones(3)
x @ np.ones((3, 2))
x @ [1.0, 2.0, 3.0]
[1.0, 2.0, 3.0] @ x
[[1.0, 2.0, 3.0]] @ x
m @ [[1.0], [2.0], [s]]
c @ np.ones((4, 2))
c @ np.ones((2, 4, 3))
c @ c.swapaxes(1, 2)
z @ z
z @ x
m @ z
h @ h
h @ x
np.ones((2, 3)) @ h
np.arange(3) @ x
m.T @ x[::-1]
""".split("\n")[1:-1]

UNARY = """
-x
+x
abs(y)
-s
+s
abs(s)
abs(-s)
-a
abs(a)
-o
abs(o)
-e
-h
abs(z)
abs(w)
-z
-w
+w
""".split("\n")[1:-1]

LISTS = """
[s, 1.0, 2.0] * x
x * [s, a, 1.0]
[x, y] * m[:2]
(s, s, s) - x
x + [[1.0], [2.0]]
x + [[s], [2.0]]
x + range(3)
[1.0, 2.0] - a
""".split("\n")[1:-1]

DECISIONS = """
x < y
x <= y
x > 0.5
x >= 0.45
x == y
x != y
x == [0.7, 0.23, 1.0]
x == [[0.7, 0.23, s]]
0.5 < x
0.5 >= s
s < a
s == 0.6
s != a
s == None
x == None
x != "text"
s == "text"
s == [0.6]
s == [s]
s != (s,)
a == [a]
x == [x, x]
x == {}
s in [0.6, 1.0]
s in [a, s]
0.23 in x
s in x
x < [s, s, s]
x > np.array([0.5, 0.5, 0.5])
np.array([0.5, 0.5, 0.5]) > x
np.float64(0.5) < s
np.float64(0.5) < x
z == z
w == w
w != 1j
(x > 0.3) & (y > 0)
~(x > 0.3)
(x > 0.3) | b
b ^ (x > 0.3)
bool(s)
bool(a)
bool(o)
bool(x[:1])
not s
s and a
s or a
x if s > 0.5 else y
(x > 0.3) * y
y[x > 0.3]
y[(x > 0.3) & b]
all(x > 0)
any(t > 0.6 for t in x)
max(s, a)
min(s, a, 0.1)
max(x)
min(x.tolist())
sorted([s, a, 0.1])
sorted(x)
sorted(m.tolist())
[s, a].index(a)
[s, a].count(s)
""".split("\n")[1:-1]

SYNTAX = """
len(x)
len(m)
sum([s, a, 1.0])
sum(x)
sum(x, s)
sum(m)
sum(t * t for t in x)
list(x)
tuple(x)
[*x, s]
[row * 2 for row in m]
[t for t in c[0, 0]]
list(reversed(x))
list(zip(x, m))
list(enumerate(x))
dict(p=s, q=x)
next(iter(m))
str(x)
str(s)
repr(s)
repr(x)
repr(a)
repr(o)
repr(z)
f"{s:.3f}"
f"{a}"
f"{x}"
f"{e!r:>20}"
"{:.2e} {}".format(s, x)
"%s %r" % (s, x)
round(s)
round(s, 1)
round(a)
round(a, 1)
isinstance(x, np.ndarray)
isinstance(o, np.ndarray)
isinstance(s, float)
isinstance(a, np.float64)
isinstance(a, float)
isinstance(a, np.floating)
isinstance(s, np.floating)
isinstance(x[0], np.float64)
isinstance(x[0], float)
isinstance(h[0], np.float32)
isinstance(h[0], float)
isinstance(w, complex)
isinstance(w, float)
isinstance(z[0], np.complex128)
isinstance(s, (int, str))
isinstance(x, (list, np.ndarray))
issubclass(x.__class__, np.ndarray)
callable(x)
hasattr(x, "shape")
hasattr(s, "shape")
hasattr(a, "shape")
hasattr(s, "is_integer")
hasattr(x, "__float__")
hasattr(s, "__len__")
hasattr(a, "__iter__")
isinstance(s, Iterable)
isinstance(a, Iterable)
isinstance(x, Iterable)
isinstance(s, Sized)
isinstance(x, Sized)
isinstance(x, Sequence)
isinstance(x, Hashable)
isinstance(s, Hashable)
isinstance(s, Number)
isinstance(s, Real)
isinstance(a, Real)
isinstance(w, Real)
isinstance(s, Integral)
isinstance(x, Number)
isinstance(s, Callable)
x[0]
x[-1]
x[1:]
x[::-1]
x[[2, 0]]
x[[1]]
x[k]
x[b]
x[...]
x[None]
x[np.int64(1)]
m[0]
m[0, 1]
m[:, 1]
m[[0, 2]]
m[[0, 2], 1]
m[[0, 1], [1, 1]]
m[k, k]
m[m > 1.0]
m[b]
m[:, b]
m[np.ix_(k, k)]
c[..., 0]
c[1, [0, 2]]
c[:, [0, 2], 1]
c[0, :, None, 1:3]
a[()]
a[...]
o[()]
z[1]
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", POWERS + DIVISIONS + PRODUCTS + UNARY + LISTS)
def test_operator(expression):
    agrees(expression)


@pytest.mark.parametrize("expression", DECISIONS + SYNTAX)
def test_decision_or_syntax(expression):
    agrees(expression, **ABSTRACT)


ABSTRACT = {kind.__name__: kind for kind in (Callable, Hashable, Integral, Iterable, Number, Real,
                                             Sequence, Sized)}
IN_PLACE = {"+=": operator.iadd, "-=": operator.isub, "*=": operator.imul,
            "/=": operator.itruediv, "//=": operator.ifloordiv, "%=": operator.imod,
            "**=": operator.ipow}


@pytest.mark.parametrize("right", ["s", "a", "x[::-1]", "2", "1.7", "np.float64(0.8)",
                                   "[0.9, 0.8, 0.7]", "np.array([0.9, 0.8, 0.7])", "e"])
@pytest.mark.parametrize("left", ["x", "s", "a", "h"])
@pytest.mark.parametrize("op", IN_PLACE)
def test_in_place(op, left, right):
    try:
        agrees(f"op({left}, {right})", op=IN_PLACE[op])
    except TypeError as error:
        # A Python number and a list, a cast that NumPy refuses: plain code refuses it as well.
        f, args = compiled(f"op({left}, {right})", op=IN_PLACE[op])
        with pytest.raises(type(error)):
            f(*map(copy.copy, args))


def test_in_place_matmul_and_views():
    def f(m, x):
        m @= m + 1.0
        row = m[1]
        row += x
        row *= row[::-1]
        m[:, 0] -= m[0]
        m[m > 3.0] /= 2.0
        x **= 2
        x[1:] += x[:-1]
        return m, x

    agrees_at(f, (POINT["m"], POINT["x"]))


def test_in_place_gives_back_the_very_array():
    def f(x, y):
        same = x
        x += y
        assert x is same
        x *= 2.0
        assert x is same
        other = x
        x = x + 1.0
        return x * other

    agrees_at(f, (POINT["x"], POINT["y"]))


def test_a_plain_array_on_the_left_of_an_active_value():
    def f(x):
        return np.ones(3) * x + np.ones(3) @ x - [1.0, 2.0, 3.0] / x

    agrees_at(f, (POINT["x"],), order=2)


def test_adding_to_a_plain_array_needs_the_source():
    def f(x):
        total = np.ones(3)
        assert operator.iadd(total, x * 2.0) is total
        total += x
        return total * x

    agrees_at(f, (POINT["x"],), order=2)
    with pytest.raises(HybridadError, match="a plain array"):
        hybridad.vjp(unfound(f), POINT["x"])


@pytest.mark.parametrize("expression", [
    "s @ s", "s + 'text'", "s + None", "x + None", "x + {}", "s < None", "s < 'text'", "s < 1j",
    "s + [1.0]", "[1.0] + s", "s * [1.0]", "s * (1.0,)", "[s] + s", "s * [s]", "pow(s, 2, 3)",
    "pow(x, 2, 3)", "x & x", "~x", "s | 1", "s << 1", "x >> 1", "len(s)", "len(a)", "len(o)",
    "s[0]", "a[0]", "iter(s)", "list(o)", "s()", "x @ s", "x + y[:2]", "bool(x)", "x and y",
    "x[3]", "x[0, 0]", "x['text']", "m[b, b, b]", "x[1.5]", "divmod(w, 2)", "w % 2", "w // 2",
    "w < w", "z % 2", "op(x, 0)", "x[[True, False]]", "1 in s",
])
def test_errors_are_those_of_plain_code(expression):
    f, args = compiled(expression, op=operator.delitem)
    with pytest.raises(Exception) as expected:
        f(*map(copy.copy, args))
    with pytest.raises(type(expected.value)) as found:
        hybridad.vjp(f, *args)
    assert not isinstance(found.value, HybridadError)


def test_python_tools():
    def f(x, s, a):
        total = functools.reduce(operator.mul, x) + math.prod([s, a]) + math.prod(x)
        steps = list(itertools.accumulate(x, operator.mul))
        half = fractions.Fraction(1, 2) * s
        return total, steps, half, sum(map(operator.neg, x)), operator.itemgetter(1)(x)

    agrees_at(f, (POINT["x"], POINT["s"], POINT["a"]))


def test_shuffling_in_place():
    def f(x):
        random.Random(3).shuffle(x)
        np.random.default_rng(3).shuffle(x)
        return x * np.arange(6.0)

    agrees_at(f, (POINT["v"],))


def test_control_flow_by_values():
    def newton(a):
        y, n = a, 0
        while abs(y * y - a) > 1e-10 and n < 50:
            y = (y + a / y) / 2
            n += 1
        return y

    value, g = hybridad.value_and_grad(newton)(2.0)
    assert type(value) is float
    assert type(g) is float
    assert abs(g - 0.5 / math.sqrt(2.0)) < 1e-9


def test_weak_scalars_stay_weak_in_a_model():
    def f(w, rate):
        hidden = np.tanh(w * rate + 1)
        assert hidden.dtype == np.float32
        return (hidden * 2.0).sum() / 3

    w = np.array([0.5, 0.25], dtype=np.float32)
    agrees_in_value(f, (w, 0.3))
    value, (g_w, g_rate) = hybridad.value_and_grad(f, argnums=(0, 1))(w, 0.3)
    assert type(value) is np.float32
    assert g_w.dtype == np.float32
    assert type(g_rate) is float


def test_arithmetic_of_inactive_wrappers():
    def f(x):
        zeros, ones = np.zeros_like(x), np.ones_like(x)
        assert (zeros + ones).tolist() == [1.0, 1.0, 1.0]
        assert zeros @ ones == 0.0
        assert (ones * 2 == 2).all()
        zeros += 2.0
        zeros[0] = 5.0
        assert zeros.tolist() == [5.0, 2.0, 2.0]
        total = ones + ones
        total *= x  # becomes active
        return total + zeros

    agrees_at(f, (POINT["x"],))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, np.complex64,
                                   np.clongdouble])
def test_other_precisions(dtype):
    def f(x, s):
        y = np.tanh(x) * 2 + s / 3.0
        y[1:] += y[:-1]
        total = (y @ y).sum() + np.max(np.abs(y)) * np.mean(x) - x[0] ** 2
        return y, total, y.reshape(3, 1) * np.ones(3, dtype=dtype), np.concatenate([x, y])

    x = np.array([0.5, 0.25, 0.125]).astype(dtype)
    for s in (0.75, dtype(0.75)):
        agrees_in_value(f, (x, s))
    _, g = hybridad.value_and_grad(lambda x: np.abs((x * x * 2).sum()))(x)
    assert g.dtype == dtype
    np.testing.assert_allclose(g, x * 4, rtol=1e-2 if dtype is np.float16 else 1e-6)
