"""ADBench's and GradBench's objectives, in every natural form, against finite differences."""

import numpy as np
import pytest

import hybridad
from hybridad.comparison.measure import difference
from tests.problems import adbench

CASES = adbench.cases()
NO_DERIVATIVE = {"ode_last"}  # in so few steps nothing reaches the last of so many elements


def potential_gradient(pos, charges):
    """The gradient of `adbench.potential`, by hand."""
    return sum((q - pos) / np.sum((pos - q) ** 2) ** 1.5 for q in charges)


CASES["particle_miss"] = (adbench.particle_miss, (1.0, potential_gradient), 1)


def parts(x):
    return x if isinstance(x, tuple) else (x,)


def inner(cotangent, value):
    return sum(np.sum(c * v) for c, v in zip(parts(cotangent), parts(value), strict=True))


def random_like(x, rng):
    drawn = tuple(rng.standard_normal(np.shape(part)) for part in parts(x))
    return drawn if isinstance(x, tuple) else drawn[0]


def assert_same(got, expected):
    for one, other in zip(parts(got), parts(expected), strict=True):
        assert type(one) is type(other)
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_differences(name):
    f, args, active = CASES[name]
    rng = np.random.default_rng(0)
    plain = f(*args)
    argnums = tuple(range(active))
    value, pullback = hybridad.vjp(f, *args, argnums=argnums)
    assert_same(value, plain)
    cotangent = random_like(plain, rng)
    gradients = pullback(cotangent)
    for k in range(active):
        size = np.maximum(np.abs(args[k]), 0.1 * np.max(np.abs(args[k])))
        norm = np.linalg.norm(size * gradients[k])
        assert (norm > 0.0) != (name in NO_DERIVATIVE)
        for _ in range(3):
            move = size * random_like(args[k], rng)

            def along(distance, k=k, move=move):
                return inner(cotangent, f(*args[:k], args[k] + distance * move, *args[k + 1 :]))

            assert difference(along, np.sum(gradients[k] * move), norm) <= 1e-7
            tangents = tuple(move if j == k else None for j in range(active))
            value, tangent = hybridad.jvp(f, args, tangents, argnums=argnums)
            assert_same(value, plain)
            assert difference(along, inner(cotangent, tangent), norm) <= 1e-7


# Finite differences are no oracle for the following two: the values are GradBench's.


def test_particle_by_nested_gradients():
    force = hybridad.grad(adbench.potential)
    answer = adbench.particle(0.0, hybridad.grad, force)
    np.testing.assert_allclose(answer, 0.2071918746486116, rtol=0.0, atol=1e-6)


def test_saddle_by_nested_gradients():
    """A descent within a descent."""
    start = [1.0, 1.0]
    answer = adbench.saddle(start, hybridad.grad, hybridad.grad)
    np.testing.assert_allclose(answer, [8.246324826140356e-06] * 4, rtol=0.0, atol=1e-6)
