"""Specialized code at kinks and singular points: what the tape gives, in any order of calls."""

import math
import warnings

import numpy as np
import pytest

from hybridad import grad, value_and_grad

INF, NAN = np.inf, np.nan


def A(*values):
    return np.array(values, float)


PROGRAMS = {
    "where of sqrt": (lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)), A(1, 4), A(0, 4), A(0, 0),
                      A(-1, 2)),
    "where of log": (lambda x: np.sum(np.where(x > 0, np.log(x), x)), A(1, 4), A(0, 4), A(-1, 2)),
    "where of a quotient": (lambda x: np.sum(np.where(x != 0, np.sin(x) / x, 1.0)), A(1, 4),
                            A(0, 4), A(0, 0)),
    "where of exp": (lambda x: np.sum(np.where(x < 100, np.exp(x) * x, x)), A(1, 4), A(1000, 4)),
    "where of a power": (lambda x: np.sum(np.where(x > 0, x ** 0.5, 0.0)), A(1, 4), A(0, 4)),
    "where of arcsin": (lambda x: np.sum(np.where(np.abs(x) < 1, np.arcsin(x), 0.0)), A(.1, .4),
                        A(1, .4), A(2, .4)),
    "max": (lambda x: np.max(x) + np.maximum(x[0], x[1]), A(1, 4), A(2, 2), A(0, 0)),
    "maximum": (lambda x: np.sum(np.maximum(x, 0.0) * 2 + np.minimum(x, 1.0)), A(1, 4), A(0, 2)),
    "sqrt of maximum": (lambda x: np.sum(np.sqrt(np.maximum(x, 0.0))), A(1, 4), A(0, 2), A(-1, 0)),
    "abs": (lambda x: np.sum(np.abs(x)), A(1, -4), A(0, 2)),
    "abs of a number": (lambda x: abs(x) * 2.0, 1.0, 0.0, -2.0),
    "abs of complex": (lambda x: np.sum(np.abs(x * (1 + 1j))), A(1, -4), A(0, 2)),
    "sqrt of squares": (lambda x: np.sqrt(np.sum(x * x)), A(1, -4), A(0, 0)),
    "norm": (lambda x: np.linalg.norm(x) + np.linalg.norm(x, 1), A(1, -4), A(0, 0)),
    "norm of rows": (lambda x: np.sum(np.linalg.norm(np.outer(x, x), axis=1)), A(1, -4), A(0, 2)),
    "std": (lambda x: np.std(x), A(1, -4), A(2, 2)),
    "sqrt of var": (lambda x: np.sqrt(np.var(x)), A(1, -4), A(2, 2)),
    "prod": (lambda x: np.prod(x) + np.cumprod(x)[1], A(1, -4, 2), A(0, 2, 3), A(0, 0, 2)),
    "powers": (lambda x: np.sum(x ** 0 + x ** 0.0 + x ** 1 + x ** 2 + x ** 1.5), A(1, 4), A(0, 2)),
    "negative power": (lambda x: np.sum(x ** -1.0), A(1, 4), A(0, 2)),
    "power of a power": (lambda x: x[0] ** x[1], A(1, 4), A(0, 2), A(0, 0)),
    "sqrt of a number": (lambda x: math.sqrt(x) * 0.0 + x, 1.0, 0.0, 2.0),
    "power of a number": (lambda x: x ** 0.5 * 0.0 + x, 1.0, 0.0, 2.0),
    "hypot": (lambda x: np.hypot(x[0], x[1]) + math.hypot(x[0], x[1]), A(1, 4), A(0, 0)),
    "dist": (lambda x: math.dist([x[0], x[1]], [0., 0.]), A(1, 4), A(0, 0)),
    "logaddexp": (lambda x: np.logaddexp(x[0], x[1]), A(1, 4), A(-INF, 0), A(-INF, -INF)),
    "entropy": (lambda x: np.sum(np.where(x == 0, 0.0, x * np.log(x))), A(1, 4), A(0, 2)),
    "entropy of a number": (lambda x: 0.0 if x == 0 else x * math.log(x), 1.0, 0.0, 2.0),
    "clip": (lambda x: np.sum(np.clip(x, 0.0, 1.0)), A(.1, 4), A(0, 1)),
    "sort": (lambda x: np.sum(np.sort(x) * A(1, 2)), A(.1, 4), A(1, 1)),
    "median": (lambda x: np.median(x), A(.1, 4, 2), A(1, 1, 1)),
    "nan": (lambda x: np.sum(x * x), A(.1, 4, 2), A(NAN, 1, 1), A(INF, 1, 1)),
    "an element of a quotient": (lambda x: (1.0 / x)[1] * 2.0, A(.1, 4), A(0, 1)),
    "an element of sqrt": (lambda x: np.sqrt(x)[1] * 2.0, A(.1, 4), A(0, 1)),
    "masked sqrt": (lambda x: np.sum(np.sqrt(x)[x > 0]), A(.1, 4), A(0, 1)),
    "sum over a loop": (lambda x: sum(np.sqrt(v) if v > 0 else 0.0 * v for v in x), A(.1, 4),
                        A(0, 1)),
}


@pytest.fixture(autouse=True)
def strict(monkeypatch):
    monkeypatch.setenv("HYBRIDAD_STRICT", "1")


def copied(x):
    return x.copy() if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_the_tape(name, backwards):
    f, *points = PROGRAMS[name]
    points = points[::-1] if backwards else points
    fast, slow = value_and_grad(f), value_and_grad(f, engine="tape")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for point in [x for x in points for _ in range(2)] + points:
            value, gradient = fast(copied(point))
            expected, right = slow(copied(point))
            np.testing.assert_array_equal(value, expected)
            assert type(gradient) is type(right)
            np.testing.assert_allclose(gradient, right, rtol=1e-12, atol=0)
    assert fast.__hybridad__.engine.hits


def test_a_point_where_the_code_raises_is_learnt_once():
    def f(x):
        return math.sqrt(x) * 2.0       # 1 / sqrt(0): Python's numbers raise

    fast = grad(f)
    assert fast(4.0) == 0.5
    assert [fast(0.0) for _ in range(5)] == [INF] * 5
    assert fast(4.0) == 0.5
    info = fast.__hybridad__.engine.cache.info()
    assert (info.recordings, info.hits) == (2, 1)


def test_ties_do_not_change_the_code():
    fast = grad(lambda x: np.sum(np.sort(x) * A(1, 2, 4)))
    for x, expected in [(A(3, 1, 2), A(4, 1, 2)), (A(1, 1, 2), A(1.5, 1.5, 4)),
                        (A(1, 1, 1), A(7, 7, 7) / 3), (A(2, 1, 2), A(3, 1, 3))]:
        np.testing.assert_allclose(fast(x), expected)
    assert fast.__hybridad__.engine.cache.info().recordings == 1
