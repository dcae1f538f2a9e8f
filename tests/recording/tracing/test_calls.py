"""Calls: the user's functions are entered, pure ones are operations, others are foreign."""

import dataclasses
import functools
import io
import math

import numpy as np
import pytest

from hybridad import grad, value_and_grad
from tests.recording.tracing.follow import X, follow, kinds, targets


def helper(x, k=2.0, *rest, j=1.0, **named):
    return x * k * j + sum(rest) + sum(named.values())


@functools.lru_cache
def cached(n):
    return n * 2.0


@dataclasses.dataclass
class Pair:
    a: object
    b: float = 2.0

    def __call__(self, x):
        return self.a * x * self.b


@pytest.mark.parametrize("f", [
    lambda x: np.sum(helper(x)) + np.sum(helper(x, 3.0, 4.0, j=2.0, z=1.0)),
    lambda x: np.sum(functools.partial(helper, k=3.0)(x)),
    lambda x: np.sum(helper(*[x, 2.0], **{"j": 3.0})),  # noqa: PIE804
    lambda x: np.sum(Pair(2.0)(x)) + np.sum(Pair(x, 3.0).a ** 2),
    lambda x: np.sum(x) * cached(3),
    lambda x: math.sin(x[0]) * math.exp(float(x[1])) + math.hypot(x[0], x[2]),
    lambda x: x.__getitem__(0) * np.ndarray.sum(x) * float(x[1]).__neg__(),
    lambda x: [v.sum() for v in map(helper, [x, x * 2.0])][1],
    lambda x: np.sum(x) * (Pair(1.0) == Pair(1.0)),
])
def test_calls(f):
    follow(f, X)


def test_code_of_functions_is_checked():
    events, _ = kinds(lambda x: np.sum(helper(x)), X.copy())
    assert targets(events, "check").count("code") == 1
    assert targets(events, "read").count("default") == 2


def test_foreign_calls_are_in_order():
    log = io.StringIO()

    def f(x):
        log.write("a")
        y = np.sum(x) * log.write("bcd")
        print("", end="")
        return y

    events, _ = kinds(f, X.copy())
    assert targets(events, "foreign") == [None] * 3
    follow(f, X)


def test_a_function_that_the_users_getattribute_gives():
    class Odd:
        def __getattribute__(self, name):
            return helper

    odd = Odd()
    follow(lambda x: np.sum(odd.any(x)), X)


def test_gradients_inside_stay_on_the_tape_for_now():
    g = value_and_grad(lambda x: np.sum(grad(lambda y: np.sum(y ** 3))(x)), engine="auto")
    for _ in range(3):
        assert np.allclose(g(X)[1], 6 * X)
