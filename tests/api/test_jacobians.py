"""Jacobians against autograd, differences and closed forms, by tape and by specialized code."""

import autograd
import autograd.numpy as anp
import numpy as np
import pytest

from hybridad import ArgumentError, ResultError, grad, jacobian
from hybridad.engine import engine_for
from tests.api.comparing import X

W = np.random.default_rng(3).normal(size=(4, 3))
ENGINES = ["tape", "auto", "sct"]
MODES = [None, "forward", "reverse"]


def wide(x):
    return np.tanh(W @ x) * x[0]


def narrow(x):
    return np.array([np.sum(x * x), np.prod(x)])


def stepwise(x):
    """A loop with a branch, which writes in place."""
    out = np.zeros(len(x))
    out[0] = x[0]
    for i in range(1, len(x)):
        if x[i] > 0.0:
            out[i] = np.sin(out[i - 1]) * x[i]
        else:
            out[i] = out[i - 1] + x[i] ** 2
    return out


def differences(f, x, h=1e-6):
    return np.stack([(f(x + h * e) - f(x - h * e)) / (2.0 * h) for e in np.eye(x.size)], -1)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("mode", MODES)
def test_arrays(engine, mode):
    def f(x):
        return wide(x)

    made = jacobian(f, mode=mode, engine=engine)
    for x in (X, 2.0 * X, X[::-1]):
        expected = autograd.jacobian(lambda x: anp.tanh(anp.dot(W, x)) * x[0])(np.array(x))
        np.testing.assert_allclose(made(x), expected, rtol=1e-12, atol=1e-14)
        assert made(x).shape == (4, 3)
    if engine != "tape":
        ways = {None: ("vjp", "jvp"), "forward": ("jvp",), "reverse": ("vjp",)}[mode]
        assert all(engine_for(f, way, must=engine == "sct").cache.hits >= 2 for way in ways)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("mode", MODES)
def test_loops_and_branches(engine, mode):
    made = jacobian(stepwise, mode=mode, engine=engine)
    for x in (X, -X, X, -X):
        np.testing.assert_allclose(made(x), differences(stepwise, x), atol=1e-8)


def test_the_mode_is_chosen_by_size():
    def grows(x):
        return np.concatenate([x, x * x])

    def shrinks(x):
        return np.sum(x * x)

    for _ in range(3):
        jacobian(grows)(X)
        jacobian(shrinks)(X)
    assert engine_for(grows, "jvp").cache.hits and not engine_for(shrinks, "jvp").cache.hits
    assert engine_for(shrinks, "vjp").cache.hits == 2


@pytest.mark.parametrize("engine", ["tape", "auto"])
@pytest.mark.parametrize("mode", MODES)
def test_structures(engine, mode):
    def f(p, scale=1.0):
        return {"product": p["a"] * p["b"], "parts": [p["b"] ** 2 * scale, np.sum(p["a"])]}

    a, made = np.array([1.0, 2.0]), jacobian(f, mode=mode, engine=engine)
    for _ in range(3):
        found = made({"a": a, "b": 3.0})
        assert list(found) == ["product", "parts"] and list(found["product"]) == ["a", "b"]
        np.testing.assert_allclose(found["product"]["a"], 3.0 * np.eye(2))
        np.testing.assert_allclose(found["product"]["b"], a)
        square, total = found["parts"]
        assert square["b"] == 6.0 and type(square["b"]) is np.float64
        np.testing.assert_array_equal(square["a"], np.zeros(2))
        np.testing.assert_array_equal(total["a"], np.ones(2))
        assert total["b"] == 0.0


def test_argnums():
    f = lambda x, y: x * y
    assert jacobian(f)(2.0, 3.0) == 3.0 and jacobian(f, "y")(2.0, y=3.0) == 2.0
    assert jacobian(f, (1, 0))(2.0, 3.0) == (2.0, 3.0) and jacobian(f, [0])(2.0, 3.0) == (3.0,)


@pytest.mark.parametrize("mode", MODES)
def test_shapes_and_types(mode):
    f = lambda x: np.multiply.outer(x, np.ones((2, 2)))
    block = jacobian(f, mode=mode)(np.ones((3, 1), np.float32))
    assert block.shape == (3, 1, 2, 2, 3, 1) and block.dtype == np.float32
    block = jacobian(lambda x: x[:0], mode=mode)(X)
    assert block.shape == (0, 3) and block.dtype == np.float64
    assert jacobian(lambda x: x * 2.0, mode=mode)(np.array(1.0)).shape == ()


@pytest.mark.parametrize("engine", ["tape", "auto"])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_complex_numbers(engine, mode):
    def holomorphic(z):
        return z**2 * np.array([1.0, 2.0j])

    def of_real(x):
        return np.exp(1j * x)

    def modulus(z):
        return np.abs(z) ** 2

    z, x = 1.0 + 2.0j, np.array([0.3, 0.7])
    for _ in range(3):
        found = jacobian(holomorphic, mode=mode, engine=engine)(z)
        np.testing.assert_allclose(found, 2.0 * z * np.array([1.0, 2.0j]))
        found = jacobian(of_real, mode=mode, engine=engine)(x)
        np.testing.assert_allclose(found, np.diag(1j * np.exp(1j * x)), atol=1e-15)
        found = jacobian(modulus, mode=mode, engine=engine)(z)
        np.testing.assert_allclose(found, [grad(modulus)(z)])       # df/dx - i df/dy
        np.testing.assert_allclose(found, 2.0 - 4.0j)


def test_auxiliary_results():
    f = lambda x: (x * x, {"twice": x * 2.0})
    for mode in MODES:
        for _ in range(3):
            block, aux = jacobian(f, has_aux=True, mode=mode)(X)
            np.testing.assert_allclose(block, np.diag(2.0 * X))
            np.testing.assert_array_equal(aux["twice"], 2.0 * X)


@pytest.mark.parametrize("engine", ["tape", "auto"])
@pytest.mark.parametrize("mode", MODES)
def test_effects_happen_once(engine, mode):
    log, rng = [], np.random.default_rng(0)

    def f(x):
        log.append(1)
        return np.concatenate([x, x]) * rng.normal()

    made, same = jacobian(f, mode=mode, engine=engine), np.random.default_rng(0)
    for k in range(1, 5):
        np.testing.assert_allclose(made(X), np.concatenate([np.eye(3), np.eye(3)]) * same.normal())
        assert len(log) == k


@pytest.mark.parametrize("mode", MODES)
def test_inside_another_derivative(mode):
    made = jacobian(wide, mode=mode)

    def f(x):
        return np.sum(made(x) ** 2)

    for _ in range(2):
        np.testing.assert_allclose(grad(f)(X), differences(f, X), rtol=1e-6)


def test_what_is_refused():
    with pytest.raises(ArgumentError, match=r"^There is no mode 'sideways'\.\n.*\nWrite .forward"):
        jacobian(wide, mode="sideways")
    with pytest.raises(ArgumentError, match="There is no engine 'x'"):
        jacobian(wide, engine="x")
    with pytest.raises(ArgumentError, match="is not a function"):
        jacobian(3)
    with pytest.raises(ResultError, match="returned int 3, which has no derivative"):
        jacobian(lambda x: 3)(X)
    with pytest.raises(ArgumentError, match="is an int"):
        jacobian(wide)(3)
