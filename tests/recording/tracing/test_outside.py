"""Builtin containers as operands and objects of method calls."""

from collections import deque

import numpy as np
import pytest

from tests.recording.tracing.follow import X, follow, kinds, targets

A, B = [1.0, 2.0], (3.0, 4.0)
TABLE = {"a": 2.0, "b": 3.0}


@pytest.mark.parametrize("f", [
    lambda x: np.sum(x) * (A + [3.0])[2] * (B * 2)[3],
    lambda x: np.sum(x) * (A == [1.0, 2.0]) + x[0] * (A < [1.0, 5.0]) + (B != (3.0, 4.0)),
    lambda x: np.sum(x) * A.index(2.0) + A.count(1.0) * x[0],
    lambda x: np.sum(x) * sum(TABLE.values()) + len(TABLE.items()) * x[1],
    lambda x: np.sum(x) * A.copy()[0] + x[2] * list(TABLE.keys()).index("b"),
    lambda x: np.sum(x * (A + [0.5])),
    lambda x: np.sum(x) if [*A] == list(A) else x[0],
])
def test_reading(f):
    follow(f, X)


def test_methods_that_change_are_effects():
    def make():
        log, table, last = [], {}, deque(maxlen=2)

        def f(x):
            log.append(float(x[0]))
            log.extend([1.0, 2.0])
            table.update(k=x[1])
            last.append(x[0] * 2.0)
            table.setdefault("z", 3.0)
            return np.sum(x) * log.pop() + table["k"] * last[-1]
        return f, lambda: (log, dict(table), list(last))

    f, shows = make()
    events, _ = kinds(f, X.copy())
    assert targets(events, "effect") == ["method"] * 6
    assert repr(shows()) == repr(([0.5, 1.0], {"k": X[1], "z": 3.0}, [X[0] * 2.0]))
    assert all(type(v) is float for v in shows()[0])


def test_an_outside_list_in_place():
    def make():
        log = []

        def f(x):
            nonlocal log
            log += [x[0], 2.0]
            return np.sum(x) * log[-1]
        return f, lambda: log

    (f, shows), (g, plain) = make(), make()
    follow(f, X.copy())
    for _ in range(6):
        g(X)
    assert shows()[:4] == plain()[:4]
