"""Finite differences and the complex step, where the derivative is known."""

import math

import numpy as np
import pytest

from hybridad.testing.differences import differentiate, epsilon, widen


def estimate(f, x, t, **options):
    (found,) = differentiate(lambda leaves: [f(*leaves)], [x], [t], **options)
    return found


def test_complex_step_is_taken_where_it_is_right():
    found = estimate(np.exp, np.array([0.5, 40.0]), np.ones(2), analytic=True)
    assert found.method == "complex step"
    np.testing.assert_allclose(found.derivative, np.exp([0.5, 40.0]), rtol=1e-15)


@pytest.mark.parametrize("f, derivative", [
    (np.abs, [-1.0, 1.0]),  # its derivative along the imaginary axis is 0
    (lambda x: x * np.conj(x), [-1.0, 4.0]),
    (lambda x: np.array([math.sin(v) for v in x]), np.cos([-0.5, 2.0])),  # raises
    (lambda x: np.asarray(x, dtype=float) ** 2, [-1.0, 4.0]),  # warns
    (lambda x: np.where(x > 0, x * x, -x), [-1.0, 4.0]),
])
def test_differences_otherwise(f, derivative):
    found = estimate(f, np.array([-0.5, 2.0]), np.ones(2), analytic=True)
    np.testing.assert_allclose(found.derivative, derivative, rtol=1e-9)
    assert np.max(np.abs(found.derivative - derivative)) <= found.error or (
        found.method == "complex step")


def test_differences_are_of_fourth_order():
    found = estimate(lambda x: x**4, 1.0, 1.0)
    np.testing.assert_allclose(found.derivative, 4.0, rtol=1e-12)
    assert found.method == "central differences" and found.error < 1e-10


def test_step_follows_the_scale_of_the_function():
    found = estimate(np.log, np.array([1e-6]), np.ones(1))
    np.testing.assert_allclose(found.derivative, 1e6, rtol=1e-6)
    found = estimate(lambda x: np.sqrt(x - 1.0), np.array([1.0 + 1e-5]), np.ones(1))
    np.testing.assert_allclose(found.derivative, 0.5 / np.sqrt(1e-5), rtol=1e-6)


def test_a_step_that_leaves_the_domain_is_made_smaller():
    def f(x):
        if x < 0.9999:
            raise ValueError("outside")
        return x * x

    np.testing.assert_allclose(estimate(f, 1.0, 1.0).derivative, 2.0, rtol=1e-8)
    with pytest.raises(ValueError, match="outside"):
        estimate(f, 0.5, 1.0)


def test_a_jump_has_a_large_error():
    found = estimate(lambda x: np.floor(x), np.array([1.0]), np.ones(1))
    assert found.error > 0.1 * found.derivative > 1.0


def test_single_precision():
    x = np.linspace(0.1, 1.0, 5, dtype="f")
    found = estimate(np.sin, x, np.ones(5, "f"), eps=epsilon(x))
    np.testing.assert_allclose(found.derivative, np.cos(x), atol=1e-3)
    assert np.max(np.abs(found.derivative - np.cos(x))) <= found.error < 1e-2


def test_types_are_kept():
    seen = []

    def f(leaves):
        seen.extend(map(type, leaves))
        return [leaves[0] * leaves[1]]

    differentiate(f, [1.0, np.float64(2.0)], [np.float64(1.0), 1.0])
    assert set(seen) == {float, np.float64}
    differentiate(lambda leaves: seen.append(leaves[0]) or [leaves[0] * 1.0],
                  [np.array(1.0)], [np.array(1.0)])
    assert type(seen[-1]) is np.ndarray


def test_unmoved_leaves_are_passed_as_they_are():
    x = np.ones(2)
    seen = []
    differentiate(lambda leaves: seen.append(leaves[1]) or [leaves[0]], [x, x], [x, None])
    assert all(s is x for s in seen)


def test_widen():
    assert widen(np.ones(2, "f")).dtype == "d" and widen(np.ones(2, "F")).dtype == "D"
    assert widen(np.float16(1)).dtype == "d" and widen(1.0) == 1.0
    for leaf in (np.ones(2), np.ones(2, "D"), 1.0, 1j, np.ones(1, "g"), np.ones(1, "G")):
        assert widen(leaf) is leaf
