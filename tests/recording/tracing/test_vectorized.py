"""NumPy's loops over functions of the user, in a trace run."""

import numpy as np
import pytest

from hybridad import value_and_grad
from hybridad.recording.tracing.memory import NotTraced
from tests.recording.tracing.follow import X, follow, kinds

LEVEL = [1.0]


@np.vectorize
def clipped(v):
    return v * LEVEL[0] if v > 0 else -0.1 * v


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.fromiter((v * v for v in x), float)) * np.fromiter(x, float, 2)[1],
    lambda x: np.sum(np.vectorize(lambda v: v * v if v > 0 else v)(x) * x),
    lambda x: np.sum(np.vectorize(lambda a, b: a * b, otypes=[float])(x[:, None], x)),
    lambda x: np.sum(np.vectorize(lambda v: 2.0 * v, cache=True)(np.outer(x, x)) ** 2),
    lambda x: np.vectorize(lambda v: v**2)(x[0]) * x[1],
    lambda x: np.sum(clipped(x)),
    lambda x: np.sum(np.apply_along_axis(lambda r: r * r[0], 1, np.outer(x, x))),
    lambda x: np.sum(np.apply_along_axis(np.sum, 0, np.outer(x, x)) * x),
    lambda x: np.sum(np.apply_along_axis(lambda r: np.outer(r, r), 0, np.outer(x, x[:2]))[0, 1]),
    lambda x: np.sum(np.fromfunction(lambda i, j: i + 2.0 * j, (2, 3)) @ x),
])
def test_answers(f):
    follow(f, X)


def test_the_function_is_called_as_often_as_by_numpy():
    for cache, count in ((False, 4), (True, 3)):
        calls = []

        def f(x, calls=calls, cache=cache):
            def square(v):
                calls.append(1)
                return v * v
            return np.sum(np.vectorize(square, cache=cache)(x))

        g = value_and_grad(f)
        for k in range(1, 4):
            g(X)
            assert len(calls) == count * k


@pytest.mark.parametrize(("f", "reason"), [
    (lambda x: np.sum(np.vectorize(np.sum, signature="(n)->()")(np.outer(x, x))), "signature"),
    (lambda x: sum(np.sum(a) for a in np.vectorize(lambda v: (v, v))(x)), "several results"),
    (lambda x: np.fromiter([(x[0], 1)], np.dtype("f8,i4"))["f0"][0] * x[0], "of objects"),
    (lambda x: np.apply_along_axis(lambda r: 1 if r[0] > 0 else 1.5, 0, np.outer(x, x))[0] * x[0],
     "several types"),
])
def test_what_stays_on_the_tape(f, reason):
    with pytest.raises(NotTraced, match=reason):
        kinds(f, X.copy())


def test_too_few_values():
    with pytest.raises(ValueError, match="iterator too short"):
        value_and_grad(lambda x: np.sum(np.fromiter([x[0]], float, 2)))(X)
