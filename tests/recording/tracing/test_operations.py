"""Operators and comparisons."""

import operator

import numpy as np
import pytest

from hybridad.recording.tracing.operations import is_users
from tests.recording.tracing.follow import X, decisions, follow, kinds, targets


@pytest.mark.parametrize("f", [
    lambda x: np.sum((x + 1.0) - 2.0 * x / 3.0),
    lambda x: np.sum(x ** 2 % 1.5 + x // 0.7),
    lambda x: np.sum(-x + (+x) * 3.0),
    lambda x: x @ x,
    lambda x: np.sum((x > 0) * x + (~(x > 0)) * x ** 2),
    lambda x: np.sum(((x > 0) & (x < 1) | (x < -1)) * x),
])
def test_operators(f):
    follow(f, X)


def test_operators_in_place():
    def f(x):
        y = x * 1.0
        y += x
        y *= 2.0
        y -= 1.0
        y /= 3.0
        y **= 2
        n = 3
        n += 1
        return np.sum(y) * n

    events, _ = kinds(f, X.copy())
    assert targets(events, "write") == ["iadd", "imul", "isub", "itruediv", "ipow"]
    follow(f, X)


def test_what_no_data_is_in_is_not_written_down():
    events, _ = kinds(lambda x: np.sum(x) * (2.0 + 3.0 * 4.0), X.copy())
    assert targets(events, "apply") == ["sum", "mul"]


def test_comparisons_decide():
    def f(x):
        return x[0] if 0.0 < x[0] <= 1.0 else x[1]

    events, _ = kinds(f, X.copy())
    assert [outcome for _, outcome in decisions(events)] == [True, True]
    assert [e.target for e in events if getattr(e, "target", None) in (operator.lt, operator.le)]
    follow(f, X)


def test_operators_of_the_users_classes_are_entered():
    class Two:
        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            return Two(self.v + other)

        def __mul__(self, other):
            return self.v * other

        __rmul__ = __mul__

        def __lt__(self, other):
            return np.sum(self.v) < other

    two = Two(np.ones(3))
    assert is_users(two) and not is_users(2.0) and not is_users(X)

    def f(x):
        return np.sum((two + x) * 2.0 + 3.0 * two) * x[0] if two < 5.0 else np.sum(x)

    follow(f, X)
