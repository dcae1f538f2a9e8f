"""Patterns of ``match`` in a trace run: what they ask of data and the outside is written down."""

import numpy as np
import pytest

from hybridad import cache_info, value_and_grad
from tests.recording.tracing.follow import X, decisions, follow, kinds, targets

STATE = {"op": "add", "by": [2.0, 3.0]}


class Shape:
    __match_args__ = ("kind", "size")

    def __init__(self, kind, size):
        self.kind, self.size = kind, size


def area(shape):
    match shape:
        case Shape("disk", r):
            return 3.0 * r * r
        case Shape(kind="box", size=[a, b, *_]) if a > 0:
            return a * b
        case {"by": [first, *rest], **others}:
            return first * len(rest) + len(others)
        case float(r) | [r]:
            return r
        case _:
            return 0.0


def signs(x):
    match np.sign(x[0]), x[1] > 0:
        case (1.0, True):
            return x[2]
        case (s, False):
            return s * x[1]
    return x[0] * x[1]


@pytest.mark.parametrize("f", [
    lambda x: area(Shape("disk", x[0])) + area(Shape("box", x[1:] ** 2)) * x[0],
    lambda x: area(Shape("box", [x[0], x[1], x[2]])) + x[2],
    lambda x: area(STATE) * x[0] + area(2.5) * x[1] + area([x[2]]) + area(None),
    signs,
])
def test_answers(f):
    follow(f, X)


def test_what_data_decides_takes_its_side():
    g = value_and_grad(signs)
    for a, b in ((1, 1), (1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1), (-1, -1)):
        x = np.array([a * 0.5, b * 1.5, 2.0])
        assert g(x)[0] == signs(x)
    assert cache_info(g).hits == 3


def test_the_outside_is_read():
    events, _ = kinds(lambda x: np.sum(x) * area(STATE), X.copy())
    assert targets(events, "read").count("item") == 4
    assert ("bool", True) in decisions(events)


def test_a_changed_subject_is_seen():
    state = {"op": "add", "by": 2.0}

    def f(x):
        match state:
            case {"op": "add", "by": by}:
                return np.sum(x) * by
            case {"op": op}:
                return x[0] * len(op)
        return x[1]

    g = value_and_grad(f)
    for change in ({}, {}, {"by": 3.0}, {"op": "other"}, {"op": "add", "by": 5.0}):
        state.update(change)
        assert g(X)[0] == f(X)
