"""What `for` goes through by an index."""

import numpy as np
import pytest

from hybridad.trace.path import Enter
from tests.recording.tracing.follow import X, follow, kinds


def by_rows(x):
    s = np.float64(0.0)
    for v in x:
        s = s * 0.5 + v
    return s


def enumerated(x):
    s = np.float64(0.0)
    for k, v in enumerate(x, 2):
        s = s * 0.5 + v * k
    return s


def zipped(x):
    s = np.float64(0.0)
    for a, b in zip(x, x[::-1]):
        s = s * 0.5 + a * b
    return s


def backwards(x):
    s = np.float64(0.0)
    for k in reversed(range(len(x))):
        s = s * 0.5 + x[k]
    return s


@pytest.mark.parametrize("f", [by_rows, enumerated, zipped, backwards])
def test_loops_over_an_index(f):
    events, _ = kinds(f, X.copy())
    assert [e.kind for e in events if type(e) is Enter] == ["range"]
    follow(f, X)


def test_others_are_gone_through_as_they_are():
    def f(x):
        s = 0.0
        for v in {"a": x[0], "b": x[1]}.values():
            s = s + v ** 2
        return s

    events, _ = kinds(f, X.copy())
    assert [e.kind for e in events if type(e) is Enter] == ["other"]
    follow(f, X)
