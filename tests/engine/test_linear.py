"""The engine for `vjp`, `jvp` and `hvp`: hits, exits, effects, what stays on the tape."""

import warnings

import numpy as np
import pytest

from hybridad import grad, hvp, jvp, vjp
from hybridad.engine import engine_for
from hybridad.engine.linear import LinearCall, LinearEngine

X = np.array([1.0, 2.0])
WAYS = {
    "vjp": lambda f, x, *args: vjp(f, x, *args, argnums=0)[1](1.0),
    "jvp": lambda f, x, *args: jvp(f, (x, *args), np.ones_like(x), argnums=0)[1],
    "hvp": lambda f, x, *args: hvp(f)(x, *args, np.ones_like(x)),
}


def expected(way, g, h):
    """From gradient and Hessian times ones."""
    return {"vjp": g, "jvp": np.sum(g), "hvp": h}[way]


@pytest.mark.parametrize("way", WAYS)
def test_exits_add_paths(way):
    def f(x):
        if x[0] > 0.0:
            return np.sum(x**3)
        return np.sum(x**2)

    for x in (X, -X, X, -X):
        g, h = (3.0 * x**2, 6.0 * x) if x[0] > 0.0 else (2.0 * x, np.full(2, 2.0))
        np.testing.assert_allclose(WAYS[way](f, x), expected(way, g, h))
    assert engine_for(f, way).cache.info()[:4] == (2, 1, 2, 0)


@pytest.mark.parametrize("way", WAYS)
def test_effects_happen_once_also_on_exits(way):
    log, buffer, rng, same = [], np.zeros(1), np.random.default_rng(1), np.random.default_rng(1)

    def f(x, buffer):
        log.append(float(x[0]))
        buffer += 1.0
        draw = rng.normal()
        if x[0] > 0.0:
            return np.sum(x**2) * draw
        return np.sum(x**3) * draw

    for k, x in enumerate((X, X, -X, X, -X), 1):
        draw = same.normal()
        g, h = (2.0 * x, np.full(2, 2.0)) if x[0] > 0.0 else (3.0 * x**2, 6.0 * x)
        np.testing.assert_allclose(WAYS[way](f, x, buffer), expected(way, g * draw, h * draw))
        assert len(log) == k and buffer[0] == k and log[-1] == x[0]
    assert engine_for(f, way).cache.hits == 3


@pytest.mark.parametrize("way", WAYS)
def test_warnings_come_from_the_users_line(way):
    def f(x):
        return np.sum(np.log(x))

    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            WAYS[way](f, np.array([0.0, 1.0]))
        assert {w.filename for w in caught} == {__file__}


@pytest.mark.parametrize("way", WAYS)
def test_inside_a_run_the_tape_answers(way):
    def inner(x):
        return np.sum(x**3)

    def f(x):
        return np.sum(WAYS[way](inner, x))

    for _ in range(3):
        g = {"vjp": 6.0 * X, "jvp": 6.0 * X, "hvp": np.full(2, 6.0)}[way]
        np.testing.assert_allclose(grad(f)(X), g)
    info = engine_for(inner, way).cache.info()
    assert info.hits == 0 and info.fallbacks >= 3


def test_what_cannot_be_specialized_stays_on_the_tape():
    def f(x):
        return np.sum(np.apply_over_axes(lambda v, a: v * v, x, 0))

    for _ in range(3):
        np.testing.assert_allclose(vjp(f, X)[1](1.0)[0], 2.0 * X)
    engine = engine_for(f, "vjp")
    (entry,) = engine.cache.entries.values()
    assert "apply_over_axes" in entry.reason and engine.cache.info()[:4] == (0, 0, 0, 2)
    assert "such calls stay on the tape" in engine.cause


def test_objects_as_results_stay_on_the_tape():
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    def f(x):
        made = Pair(x * 2.0, x)
        return made.a, np.sum(made.b)

    for _ in range(3):
        np.testing.assert_allclose(vjp(f, X)[1]((X, 1.0))[0], 2.0 * X + 1.0)


def test_code_with_effects_is_not_run_again_for_each_tangent():
    log = []

    def f(x):
        log.append(1)
        return x * x

    engine = LinearEngine(f, "jvp", False)
    for k in range(3):
        found = engine.ask(LinearCall((X,), {}, [0], lambda recording: None))
        for t in (X, 2.0 * X):
            np.testing.assert_allclose(found.push([[t]])[0], 2.0 * X * t)
        assert len(log) == k + 1


@pytest.mark.parametrize("way", WAYS)
def test_paths_are_added_to_large_arrays(way):
    """Whose values are not kept in between."""
    x = np.linspace(0.1, 1.0, 2000)

    def f(x):
        if x[0] > 0.0:
            return np.sum(x**3 / np.exp(x))
        return np.sum(np.sqrt(-x) * x)

    first = {"vjp": 3.0 * x**2 - x**3, "jvp": 3.0 * x**2 - x**3, "hvp": 6.0 * x - 6.0 * x**2 + x**3}
    second = {"vjp": 1.5 * np.sqrt(x), "jvp": 1.5 * np.sqrt(x), "hvp": -0.75 / np.sqrt(x)}
    for sign in (1.0, -1.0, 1.0, -1.0):
        wanted = first[way] / np.exp(x) if sign > 0.0 else second[way]
        wanted = np.sum(wanted) if way == "jvp" else wanted
        np.testing.assert_allclose(WAYS[way](f, sign * x), wanted)
    assert engine_for(f, way).cache.info()[:4] == (2, 1, 2, 0)
    for other in WAYS:
        WAYS[other](f, x)
        assert engine_for(f, other).cache.hits >= 1
