"""Hessians and their products against autograd, differences and closed forms."""

import autograd
import autograd.numpy as anp
import numpy as np
import pytest

from hybridad import ArgumentError, ResultError, grad, hessian, hvp
from hybridad.engine import engine_for
from tests.api.comparing import X

W = np.random.default_rng(3).normal(size=(4, 3))
ENGINES = ["tape", "auto", "sct"]


def smooth(x):
    return np.sum(np.tanh(W @ x) ** 2) * x[0]


def stepwise(x):
    out = np.zeros(len(x))
    out[0] = x[0]
    for i in range(1, len(x)):
        if x[i] > 0.0:
            out[i] = np.sin(out[i - 1]) * x[i]
        else:
            out[i] = out[i - 1] + x[i] ** 2
    return np.sum(out**3)


def differences(f, x, h=1e-5):
    slope = grad(f, engine="tape")
    return np.stack([(slope(x + h * e) - slope(x - h * e)) / (2.0 * h) for e in np.eye(x.size)], -1)


@pytest.mark.parametrize("engine", ENGINES)
def test_arrays(engine):
    def f(x):
        return smooth(x)

    expected = autograd.hessian(lambda x: anp.sum(anp.tanh(anp.dot(W, x)) ** 2) * x[0])(X)
    v = np.array([1.0, -2.0, 0.5])
    for _ in range(3):
        np.testing.assert_allclose(hessian(f, engine=engine)(X), expected, rtol=1e-10)
        np.testing.assert_allclose(hvp(f, engine=engine)(X, v), expected @ v, rtol=1e-10)
    if engine != "tape":
        assert engine_for(f, "hvp", must=engine == "sct").cache.info()[:3] == (5, 0, 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_loops_and_branches(engine):
    made, product = hessian(stepwise, engine=engine), hvp(stepwise, engine=engine)
    for x in (X, -X, X, -X):
        expected = differences(stepwise, x)
        np.testing.assert_allclose(made(x), expected, atol=1e-7)
        np.testing.assert_allclose(product(x, x), expected @ x, atol=1e-7)


@pytest.mark.parametrize("engine", ["tape", "auto"])
def test_structures(engine):
    def f(p, q):
        return p["a"] ** 2 * np.sum(p["b"]) * q

    b, made = np.array([1.0, 2.0]), hessian(f, argnums=(0, 1), engine=engine)
    for _ in range(3):
        (of_p, of_q) = made({"a": 2.0, "b": b}, 3.0)
        by_p, by_q = of_p["a"]
        assert by_p["a"] == 18.0 and type(by_p["a"]) is np.float64 and by_q == 12.0
        np.testing.assert_allclose(by_p["b"], [12.0, 12.0])
        by_p, by_q = of_p["b"]
        np.testing.assert_allclose(by_p["b"], np.zeros((2, 2)))
        np.testing.assert_allclose(by_q, [4.0, 4.0])
        assert of_q[0]["a"] == 12.0 and of_q[1] == 0.0
        (found, number) = hvp(f, (0, 1), engine=engine)(
            {"a": 2.0, "b": b}, 3.0, ({"a": 1.0, "b": None}, 1.0))
        assert list(found) == ["a", "b"] and type(found["a"]) is float and found["a"] == 30.0
        np.testing.assert_allclose(found["b"], [16.0, 16.0])
        assert type(number) is float and number == 12.0


@pytest.mark.parametrize("engine", ["tape", "auto"])
def test_products_with_complex_arguments(engine):
    """How the gradient changes: df/dx - i df/dy, along dx + i dy."""
    f = lambda z: np.abs(z) ** 4
    product, slope = hvp(f, engine=engine), grad(f)
    z, v = 0.5 + 1.0j, 1.0 - 2.0j
    for _ in range(3):
        expected = (slope(z + 1e-6 * v) - slope(z - 1e-6 * v)) / 2e-6
        assert abs(product(z, v) - expected) < 1e-7


@pytest.mark.parametrize("engine", ["tape", "auto"])
def test_auxiliary_results_and_effects(engine):
    log = []

    def f(x):
        log.append(float(x[0]))
        return np.sum(x**3), x * 2.0

    made, product = hessian(f, has_aux=True, engine=engine), hvp(f, has_aux=True, engine=engine)
    for k in range(1, 4):
        block, aux = made(X)
        np.testing.assert_allclose(block, np.diag(6.0 * X))
        np.testing.assert_array_equal(aux, 2.0 * X)
        found, aux = product(X, X)
        np.testing.assert_allclose(found, 6.0 * X * X)
        np.testing.assert_array_equal(aux, 2.0 * X)
        assert log == [0.5] * (2 * k)


def test_inside_another_derivative():
    def f(x):
        return np.sum(hessian(stepwise)(x) ** 2) + np.sum(hvp(stepwise)(x, x))

    for _ in range(2):
        expected = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
        np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-5)


def test_numbers():
    for engine in ENGINES:
        for _ in range(3):
            assert hessian(lambda x: x**3, engine=engine)(2.0) == 12.0
            assert hvp(lambda x: x**3, engine=engine)(2.0, 3) == 36.0


def test_what_is_refused():
    with pytest.raises(ArgumentError, match=r"^An argument of <lambda> is complex, so it has no "
                       r"matrix of second derivatives\.\n.*\nPass its real and imaginary part"):
        hessian(lambda z: np.abs(z))(1j)
    with pytest.raises(ArgumentError, match=r"^hvp of smooth was called without a vector\.\n.*\n"
                       r"Pass it behind the arguments: hvp\(f\)\(x, v\)\."):
        hvp(smooth)()
    for vector in (1.0, (1.0,), None):
        with pytest.raises(ArgumentError, match=r"^The vector is not a tuple of 2, one for each "
                           r"differentiated argument\.\n.*\nGive None for a zero vector\."):
            hvp(lambda x, y: x * y, (0, 1))(1.0, 2.0, vector)
    with pytest.raises(ArgumentError, match=r"tangent of argument 0 of smooth has shape \(2,\)"):
        hvp(smooth)(X, np.ones(2))
    for made in (hessian(lambda x: x), lambda x: hvp(lambda x: x)(x, x)):
        with pytest.raises(ResultError, match="returned an array of shape"):
            made(X)
    for make in (hessian, hvp):
        with pytest.raises(ArgumentError, match="There is no engine 'x'"):
            make(smooth, engine="x")
        with pytest.raises(ArgumentError, match="is not a function"):
            make(None)
