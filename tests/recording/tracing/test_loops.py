"""Loops: what their hooks tell."""

import numpy as np
import pytest

from hybridad import source
from hybridad.trace.path import Enter, Exit, Head, Jump
from tests.recording.tracing.follow import X, follow, kinds


def shape(events):
    """Of each loop event its letter, of jumps also where to."""
    letters = {Enter: "(", Head: "h", Exit: ")"}
    return "".join(str(e.label) if type(e) is Jump else letters.get(type(e), "") for e in events)


def test_a_loop_is_entered_gone_through_and_left():
    def f(x):
        s = 0.0
        for k in range(3):
            s = s + x[k]
        return s

    events, _ = kinds(f, X.copy())
    assert shape(events).startswith("(h") and shape(events).endswith(")")
    (enter,) = [e for e in events if type(e) is Enter]
    assert enter.kind == "range" and enter.spec == (0, 3, 1)
    heads = [e for e in events if type(e) is Head]
    assert len(heads) == 3 and all("s" in [name.name for name in head.names] for head in heads)


def until(x):
    s, k = x[0], 0
    while s < 10.0:
        s = s * 1.5
        k += 1
        if k > 50:
            break
    else:
        s = s + 1.0
    return s * k


def skipping(x):
    s = 0.0
    for v in x:
        if v < 0:
            continue
        s = s + v ** 2
    return s


def returning(x):
    for k in range(len(x)):
        if x[k] > 1.0:
            return x[k] ** 2
    return np.sum(x)


def nested(x):
    s = np.float64(0.0)
    for i in range(3):
        for j in range(i, 3):
            s = s + x[i] * x[j]
    return s


def buffers(x):
    y = np.zeros(4)
    for k in range(3):
        y[k + 1] = np.sin(y[k]) + x[k]
    return np.sum(y)


@pytest.mark.parametrize("f", [until, skipping, returning, nested, buffers])
def test_loops(f):
    follow(f, X)


def test_jumps_have_labels():
    events, _ = kinds(returning, X.copy())
    assert [e.label for e in events if type(e) is Jump][-1] == 2


def test_the_source_does_not_grow_with_the_trips():
    def f(x):
        s = np.float64(0.0)
        for k in range(len(x)):
            s = np.sin(s) * x[k]
        return s

    texts = [source(follow(f, np.linspace(0.1, 1.0, n)), np.zeros(n)) for n in (10, 40)]
    assert texts[0].count("\n") == texts[1].count("\n") and "for " in texts[0]
