"""Indexing, iteration, displays, membership."""

from collections import deque

import numpy as np
import pytest

from hybridad.recording.tracing.containers import shape_depends
from hybridad.recording.tracing.recorder import Recorder
from tests.recording.tracing.follow import X, decisions, follow, kinds, targets

WEIGHTS = [1.0, 2.0, 3.0]
TABLE = {"a": 2.0, "b": (3.0, 4.0)}
LAST = deque([1.0, 5.0])
NAMES = {"a", "c"}


@pytest.mark.parametrize("f", [
    lambda x: x[0] * x[-1] + np.sum(x[1:]) * np.sum(x[[0, 0, 2]]),
    lambda x: np.sum(x) * WEIGHTS[1] * WEIGHTS[-1] + sum(WEIGHTS[1:]) * x[0],
    lambda x: np.sum(x) * TABLE["b"][1] + TABLE.get("z", 0.5) * x[0],
    lambda x: np.sum(x) * LAST[-1],
    lambda x: np.sum(x) * (2.0 if "a" in NAMES and "b" not in NAMES else 3.0),
    lambda x: np.sum(x) * (2.0 if 2.0 in WEIGHTS else 3.0),
    lambda x: sum(w * x[k] for k, w in enumerate(WEIGHTS)),
    lambda x: sum(v for v in [x[0], x[1] ** 2, *WEIGHTS]),
    lambda x: np.sum(x) * {**TABLE, "a": 5.0}["a"],
    lambda x: (lambda a, b, c: a * b + c)(*x),
    lambda x: [x[k] ** 2 for k in range(3)][1] + {k: x[k] for k in range(3)}[2],
    lambda x: np.sum(x * np.r_[1.0, 2.0, 3.0]),
])
def test_reading(f):
    follow(f, X)


def test_writing():
    def f(x):
        y = np.zeros(3)
        y[0], (y[1], *rest) = x[0], [x[1] * 2.0, x[2], 4.0]
        parts = [y, None]
        parts[1] = rest[0]
        del parts[0]
        table = {}
        table["k"] = parts[0] * rest[1]
        return np.sum(y ** 2) + table["k"]

    follow(f, X)


def test_looks_into_outside_containers_are_reads_and_checks():
    events, _ = kinds(lambda x: sum(w * x[0] for w in WEIGHTS), X.copy())
    assert targets(events, "read").count("item") == 3
    assert "length" in targets(events, "check")


def test_keys_are_settled():
    def f(x):
        table = {1.0: 2.0, 2.0: 3.0}
        return np.sum(x) * table[round(float(x[0]) * 2.0, 3)]

    events, _ = kinds(f, X.copy())
    assert ("value", 1.0) in decisions(events)


def test_identity():
    a, b = [1.0], [1.0]
    events, _ = kinds(lambda x: np.sum(x) if a is b else np.sum(x ** 2), X.copy())
    assert ("bool", False) in decisions(events)


def test_which_indices_decide_a_shape():
    recorder = Recorder()
    assert shape_depends(recorder, np.array([True])) and shape_depends(
        recorder, (0, np.array([True])))
    assert not shape_depends(recorder, np.array([1])) and not shape_depends(recorder, slice(3))
    n = 2 ** 70
    recorder.know(n, 1)
    assert shape_depends(recorder, slice(n))
