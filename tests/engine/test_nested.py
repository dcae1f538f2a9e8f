"""Derivatives inside of what is differentiated: specialized, right to any order, never confused."""

import functools
import types

import numpy as np
import pytest

from hybridad import (
    cache_info,
    explain,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    source,
    value_and_grad,
    vjp,
)

X = np.array([0.3, 0.5, 0.7])
EYE = np.array([[0.2, -0.3, 0.1], [0.5, 0.4, -0.6], [0.3, 0.7, 0.2]])


def f(x):
    return np.sum(np.sin(x) * x**2)


def vector(x):
    return np.tanh(EYE @ x) * x[0]


def energy(x, k):
    e = 0.0
    for i in range(1, len(x)):
        e = e + 0.5 * k * np.sin(x[i] - x[i - 1]) ** 2
    return e


outside = grad(f)


def penalty(x):
    return np.sum(grad(f)(x) ** 2)


def penalty_of_one_from_outside(x):
    return np.sum(outside(x) ** 2)


def with_the_value(x):
    value, g = value_and_grad(f)(x)
    return value * np.sum(g * x)


def by_two_arguments(x):
    (value, aux), (g_a, g_b) = value_and_grad(
        lambda a, b: (np.sum(a * np.cos(b * a)), a), (0, 1), has_aux=True)(x, x[1])
    return value + g_b * np.sum(g_a) + aux[0]


def of_a_dict(x):
    g = grad(lambda p: np.sum(p["w"] ** 3) * p["b"])({"w": x * 2.0, "b": x[0]})
    return np.sum(g["w"]) * g["b"]


def of_an_engine_of_its_own(x):
    return np.sum(grad(f, engine="tape")(x) * grad(f, engine="auto")(x))


def along_a_tangent(x):
    value, t = jvp(vector, (x,), (np.cos(x),))
    return np.sum(value * t)


def along_one_argument(x):
    _, t = jvp(lambda a, b: a * np.sin(b * a), (x, x[0]), x[2], argnums=1)
    return np.sum(t)


def pulled_back(x):
    value, pullback = vjp(vector, x)
    (a,), (b,) = pullback(value), pullback(x**2)
    return np.sum(a * b)


def pulled_back_from_a_dict(x):
    value, pullback = vjp(lambda a: {"u": np.sin(a), "v": np.sum(a)}, x, argnums=0)
    return np.sum(pullback({"u": x, "v": None}) * value["v"] + pullback({"u": None, "v": x[0]}))


def product_with_the_hessian(x):
    return np.sum(hvp(f)(x, np.sin(x)) ** 2)


def trace_of_the_hessian(x):
    return np.trace(hessian(f)(x))


def determinant_of_the_jacobian(x):
    return np.linalg.det(jacobian(vector)(x))


def gradient_of_a_loop(x):
    return np.sum(grad(energy)(x, 2.0) ** 2)


def descent(x):
    for _ in range(5):
        x = x - 0.1 * grad(energy)(x, 1.5)
    return energy(x, 1.5)


def branch_inside(x):
    def g(y):
        return np.sum(y**3) if y[0] > 0.1 else np.sum(y**2)
    return np.sum(grad(g)(x) * x) if np.sum(grad(g)(x)) > 0.2 else np.sum(x)


def closure(x):
    return np.sum(grad(lambda y: np.sum(y * x) * x[0])(x * 2))


def third(x):
    return grad(grad(grad(lambda y: np.sin(y) * y**4)))(x[0]) * x[1]


def inside_inside(x):
    return grad(lambda a: np.sum(grad(lambda b: np.sum(np.sin(b * a)))(x)))(x[0]) * x[1]


def written_inside(x):
    def g(y):
        out = np.zeros(3)
        for i in range(3):
            out[i] = np.sin(y[i]) * out[i - 1] + y[0]
        return np.sum(out**2)
    return np.sum(grad(g)(x) ** 2)


def implicit(x):
    """Newton's method for y**3 + y = x, with the derivative by `grad`."""
    y = x[0]
    for _ in range(20):
        y = y - (y**3 + y - x[0]) / grad(lambda z: z**3 + z - x[0])(y)
    return y * x[1]


def by_a_constant(x):
    return np.sum(x) * grad(lambda y: y**3)(2.0)


def constant_inside(x):
    return np.sum(grad(lambda y: 3.0 * np.sum(x) + 0.0 * y[0])(x)) + np.sum(x)


PROGRAMS = (
    penalty, penalty_of_one_from_outside, with_the_value, by_two_arguments, of_a_dict,
    of_an_engine_of_its_own, along_a_tangent, along_one_argument, pulled_back,
    pulled_back_from_a_dict, product_with_the_hessian, trace_of_the_hessian,
    determinant_of_the_jacobian, gradient_of_a_loop, descent, branch_inside, closure, third,
    inside_inside, written_inside, implicit, by_a_constant,
    constant_inside)


def slopes(g, x, step=1e-6):
    return [(g(x + step * e) - g(x - step * e)) / (2 * step) for e in np.eye(len(x))]


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_is_specialized_and_as_by_differences(program):
    vg = value_and_grad(program, engine="sct")
    for _ in range(3):
        value, g = vg(X)
        np.testing.assert_allclose(value, program(X), rtol=1e-12)
        np.testing.assert_allclose(g, slopes(program, X), rtol=1e-6, atol=1e-7)
    assert cache_info(vg)[:4] == (2, 0, 1, 0)


@pytest.mark.parametrize("program", PROGRAMS)
def test_all_other_derivatives_of_them(program):
    step, t = 1e-5, np.array([0.3, -1.0, 0.5])
    wanted = np.dot(slopes(program, X), t)
    for _ in range(2):
        _, tangent = jvp(program, (X,), (t,))
        np.testing.assert_allclose(tangent, wanted, rtol=1e-5, atol=1e-6)
        _, pullback = vjp(program, X)
        np.testing.assert_allclose(np.dot(pullback(1.0)[0], t), wanted, rtol=1e-5, atol=1e-6)
    g = grad(program)
    along = (g(X + step * t) - g(X - step * t)) / (2 * step)
    np.testing.assert_allclose(hvp(program)(X, t), along, rtol=1e-5, atol=1e-5)


def test_of_a_number_to_order_four():
    for order, wanted in ((1, 4 * 1.1**3), (2, 12 * 1.1**2), (3, 24 * 1.1), (4, 24.0), (5, 0.0)):
        g = functools.reduce(lambda h, _: grad(h), range(order), lambda y: y**4)
        assert [type(g(1.1)), type(g(1.1))] == [float, float]
        assert g(1.1) == pytest.approx(wanted)
        assert cache_info(g).hits == 2


@pytest.mark.parametrize(("program", "wanted"), [
    (lambda x: x * grad(lambda y: x * y)(1.0), lambda x: 2 * x),
    (lambda x: x * grad(lambda y: x + y)(1.0), lambda x: 1.0),
    (lambda x: x * grad(lambda y: x * y)(x), lambda x: 2 * x),
    (lambda x: grad(lambda y: x * y)(x) * jvp(lambda y: y * x, (x,), (x,))[1],
     lambda x: 3 * x**2),
    (lambda x: grad(lambda y: grad(lambda z: x * y * z)(y))(x), lambda x: 1.0),
    (lambda x: jvp(lambda y: jvp(lambda z: x * y * z, (y,), (1.0,))[1], (x,), (1.0,))[1] * x,
     lambda x: 2 * x),
], ids=str)
def test_perturbations_are_not_confused(program, wanted):
    """J. M. Siskind and B. A. Pearlmutter, "Nesting forward-mode AD in a functional framework"."""
    for x in (3.0, 3.0, 1.5):
        assert grad(program, engine="sct")(x) == pytest.approx(wanted(x))


def test_a_loop_of_gradients_is_a_loop():
    def train(x, n):
        for _ in range(n):
            x = x - 0.1 * grad(energy)(x, 1.5)
        return energy(x, 1.5)

    vg = value_and_grad(train)
    for n in (3, 3, 10, 40, 1, 0):
        value, g = vg(X, n)
        np.testing.assert_allclose(value, train(X, n), rtol=1e-9)
        np.testing.assert_allclose(g, slopes(lambda x, n=n: train(x, n), X), rtol=1e-6, atol=1e-9)
    assert cache_info(vg).recordings <= 2
    text = str(source(vg, X, 3))
    assert "for _ in range(n):" in text and "pull" not in text


def test_what_it_reads_may_change():
    settings = types.SimpleNamespace(power=2.0)

    def program(x):
        return np.sum(grad(lambda y: np.sum(y**settings.power))(x) * x)

    vg = value_and_grad(program)
    for settings.power in (2.0, 2.0, 3.0, 3.0, 4.0):
        value, g = vg(X)
        np.testing.assert_allclose(value, settings.power * np.sum(X**settings.power))
        np.testing.assert_allclose(g, settings.power**2 * X**(settings.power - 1))


def test_another_function_in_its_place():
    def a(y):
        return np.sum(y**2)

    def b(y):
        return np.sum(y**3)

    holder = types.SimpleNamespace(g=grad(a))
    vg = value_and_grad(lambda x: np.sum(holder.g(x)))
    assert [vg(X)[0], vg(X)[0]] == pytest.approx([np.sum(2 * X)] * 2)
    holder.g = grad(b)
    assert [vg(X)[0], vg(X)[0]] == pytest.approx([np.sum(3 * X**2)] * 2)


def test_effects_inside_happen_once():
    calls = []

    def g(y):
        calls.append("g")
        return np.sum(y**3)

    vg = value_and_grad(lambda x: np.sum(grad(g)(x)), verify=True)
    for count in range(1, 5):
        vg(X)
        assert calls == ["g"] * count
    assert cache_info(vg).hits == 3


def test_random_draws_inside():
    rng = np.random.default_rng(3)

    def g(y):
        return np.sum(y**2 * rng.normal(size=3))

    vg = value_and_grad(lambda x: np.sum(grad(g)(x)))
    other = np.random.default_rng(3)
    for _ in range(4):
        np.testing.assert_allclose(vg(X)[1], 2 * other.normal(size=3))


def test_singular_points():
    """Zero cotangents stay zero where a derivative is infinite, inside and outside."""
    def program(x):
        g = grad(lambda y: np.sum(np.sqrt(y) * np.array([0.0, 1.0, 1.0])))(x)
        return np.sum(g * np.array([0.0, 1.0, 1.0]))

    x = np.array([0.0, 1.0, 4.0])
    for _ in range(3):
        np.testing.assert_allclose(grad(program)(x), [0.0, -0.25, -0.25 / 8])


@pytest.mark.parametrize(("program", "reason"), [
    (lambda x: np.sum(jacobian(lambda y: np.outer(y, y).ravel() @ np.ones((9, 99)))(x)),
     "a matrix of more than 64 rows inside"),
    (lambda x: np.sum(grad(writes)(x)), "an array is differentiated inside, and written to"),
], ids=str)
def test_what_stays_on_the_tape(program, reason):
    vg = value_and_grad(program)
    for _ in range(2):
        np.testing.assert_allclose(vg(X)[1], slopes(program, X), rtol=1e-6, atol=1e-6)
    assert reason in explain(vg).reason


def writes(y):
    y[0] = y[1] ** 2
    return np.sum(y**3)


def test_what_is_pulled_twice_is_two_arrays():
    def program(x):
        _, pullback = vjp(lambda y: y * y, x)
        (a,), (b,) = pullback(x), pullback(x)
        a[0] = 9.0
        return b[0]

    vg = value_and_grad(program)
    for _ in range(3):
        value, g = vg(X)
        np.testing.assert_allclose([value, *g], [2 * X[0] ** 2, 4 * X[0], 0.0, 0.0])


def test_gradients_inside_can_be_written_to():
    def program(x):
        g = grad(lambda y: np.sum(y) * x[0])(x)     # one number, three times
        g[0] = 5.0
        (h,) = vjp(np.sum, x)[1](x[1])
        h[:2] *= 2.0
        return np.sum(g) + np.sum(h)

    for engine in ("tape", "sct"):
        vg = value_and_grad(program, engine=engine)
        for _ in range(3):
            value, g = vg(X)
            np.testing.assert_allclose([value, *g], [5 + 2 * X[0] + 5 * X[1], 2.0, 5.0, 0.0])


class Adam:
    """D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015."""

    def __init__(self, rate):
        self.rate, self.t, self.m, self.v = rate, 0, 0.0, 0.0

    def step(self, p, g):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.999 * self.v + 0.001 * g * g
        m, v = self.m / (1 - 0.9**self.t), self.v / (1 - 0.999**self.t)
        return p - self.rate * m / (np.sqrt(v) + 1e-8)


def test_training_is_differentiated_by_its_rate():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(20, 4)), rng.normal(size=4)

    def loss(w):
        return np.mean((np.tanh(x @ w) - 0.5) ** 2)

    def trained(rate, n):
        w_n, adam = w, Adam(rate)
        for _ in range(n):
            w_n = adam.step(w_n, grad(loss)(w_n))
        return loss(w_n)

    vg = value_and_grad(trained)
    for n in (5, 5, 30, 100, 3, 1, 60):
        value, g = vg(0.05, n)
        wanted = (trained(0.05 + 1e-6, n) - trained(0.05 - 1e-6, n)) / 2e-6
        np.testing.assert_allclose(value, trained(0.05, n), rtol=1e-9)
        np.testing.assert_allclose(g, wanted, rtol=1e-5, atol=1e-8)
    assert cache_info(vg).recordings <= 3 and cache_info(vg).hits >= 4
