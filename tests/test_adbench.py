"""ADBench's objectives: those that run on wrappers are right, the others say what stops them."""

import linecache

import numpy as np
import pytest

import hybridad
from hybridad import LostDerivativeError
from tests.problems import adbench

CASES = adbench.cases()

RUN = (
    "square", "lse", "lse_loops", "llsq_vec", "det_by_index", "kmeans", "kmeans_vec",
    "kmeans_matmul", "lstm_with_state", "ba_vec", "ba_residual", "ba_weight_error",
)

# These write differentiated values into plain arrays. How the first such line of each begins:
WRITE_INTO_PLAIN_ARRAYS = {
    "llsq": "resid -= x[j] * power",
    "ode": "dy[0] = x[0]",
    "ode_last": "dy[0] = x[0]",
    "det_by_minors": "minor[:, :j] = a[1:, :j]",
    "gmm": "low[:, j, j] = np.exp(q[:, j])",
    "gmm_loops": "low[:, j, j] = np.exp(q[:, j])",
    "gmm_vec": "low[:, rows, cols] = l",
    "lstm": "state[i] = h",
    "lstm_stacked": "cell[i] = cell[i] * sig[:bits]",
    "lstm_stacked_with_state": "loss[t] = np.sum(",
    "ba": "reproj[i] = ba_residual(",
    "ba_cost": "reproj[i] = ba_residual(",
    "ht_simple": "pose[0] = theta[:3]",
    "ht_complicated": "pose[0] = theta[:3]",
    "ht_complicated_vec": "pose[0] = theta[:3]",
    "particle_miss": "charges[0, 1] = 10.0 - w",
}

STEP = 1e-5


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


def difference(f, args, k, move):
    """Central difference of 4th order along `move` of argument `k`, of a function of one number."""
    at = lambda t: f(*args[:k], args[k] + t * move, *args[k + 1 :])
    near, far = (at(t) - at(-t) for t in (STEP, 2.0 * STEP))
    return (8.0 * near - far) / (12.0 * STEP)


def test_every_objective_is_listed():
    assert sorted([*RUN, *WRITE_INTO_PLAIN_ARRAYS]) == sorted(CASES)


@pytest.mark.parametrize("name", RUN)
def test_agrees_with_differences(name):
    f, args, active = CASES[name]
    rng = np.random.default_rng(0)
    plain = f(*args)
    value, pullback = hybridad.vjp(f, *args, argnums=tuple(range(active)))
    for got, expected in zip(parts(value), parts(plain), strict=True):
        assert type(got) is type(expected)
        assert np.asarray(got).tobytes() == np.asarray(expected).tobytes()
    cotangent = random_like(plain, rng)
    gradients = pullback(cotangent)
    contracted = lambda *at: inner(cotangent, f(*at))
    for k in range(active):
        size = np.maximum(np.abs(args[k]), 0.1 * np.max(np.abs(args[k])))
        scale = np.linalg.norm(size * gradients[k])
        for _ in range(3):
            move = size * random_like(args[k], rng)
            expected = difference(contracted, args, k, move)
            assert abs(np.sum(gradients[k] * move) - expected) <= 1e-7 * scale
            tangents = tuple(move if j == k else None for j in range(active))
            _, tangent = hybridad.jvp(f, args, tangents, argnums=tuple(range(active)))
            assert abs(inner(cotangent, tangent) - expected) <= 1e-7 * scale


@pytest.mark.parametrize("name", WRITE_INTO_PLAIN_ARRAYS)
def test_says_where_the_derivative_would_be_lost(name):
    f, args, active = CASES[name]
    with pytest.raises(LostDerivativeError) as caught:
        hybridad.vjp(f, *args, argnums=tuple(range(active)))
    what, where, remedy = str(caught.value).split("\n")
    place, source = where.removeprefix("  at ").split("  ", 1)
    file, line = place.rsplit(":", 1)
    assert file == adbench.__file__
    assert source.startswith(WRITE_INTO_PLAIN_ARRAYS[name])
    assert source == linecache.getline(file, int(line)).strip()
    assert "a plain array" in what and "np.zeros_like(x)" in remedy


def test_saddle_by_nested_gradients():
    """Min of max, a descent within a descent, goes the way that gradients by hand make it go."""
    start = np.array([1.0, 1.0])
    by_hand = adbench.saddle(start, lambda f: lambda p: 2.0 * p, lambda f: lambda r: 2.0 * r)
    answer = adbench.saddle(start, hybridad.grad, hybridad.grad)
    np.testing.assert_allclose(answer, by_hand, rtol=1e-9)
    np.testing.assert_allclose(answer, 0.0, atol=1e-4)


def test_particle_by_nested_gradients():
    with pytest.raises(LostDerivativeError, match="a plain array"):
        adbench.particle(0.0, hybridad.grad, hybridad.grad(adbench.potential))
