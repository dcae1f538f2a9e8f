"""Containers that are made of what is in others."""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

from hybridad.recording.tracing.collecting import MEANINGS
from tests.recording.tracing.follow import X, decisions, follow, kinds, targets

OUTSIDE = [2.0, 0.5]
TABLE = {"a": 2.0, "b": 3.0}


@pytest.mark.parametrize("f", [
    lambda x: list(x)[2] * tuple(OUTSIDE)[1],
    lambda x: dict(c=x[0], **TABLE)["c"],
    lambda x: dict(TABLE, c=x[1])["b"] * x[0] + dict([("k", x[2])])["k"],  # noqa: C406
    lambda x: dict(zip("ab", x))["b"] * len(dict.fromkeys("aab", x[0])),
    lambda x: sum(deque(x, 2)) * deque(OUTSIDE).popleft() + deque([x[0]], maxlen=1)[0],
    lambda x: sum(OrderedDict(TABLE).values()) * x[0] + OrderedDict(a=x[1])["a"],
    lambda x: defaultdict(float, TABLE)["a"] * x[0] + defaultdict(float)["z"] + x[1],
    lambda x: sum(Counter(TABLE).values()) * x[0] + Counter("aab")["a"] * x[1],
    lambda x: len(set(OUTSIDE)) * x[0] + len(frozenset([1, 1])) * x[1] + len(set()) * x[2],
])
def test_answers(f):
    follow(f, X)


@pytest.mark.parametrize("f", [
    lambda x: len({*OUTSIDE}) * x[0], lambda x: len(set(OUTSIDE)) * x[0],
    lambda x: len(Counter(OUTSIDE)) * x[0], lambda x: len(dict.fromkeys(OUTSIDE)) * x[0],
    lambda x: len(dict.fromkeys(OUTSIDE, 1)) * x[0],
])
def test_what_is_hashed_is_decided(f):
    events, _ = kinds(f, X.copy())
    assert [("value", 2.0), ("value", 0.5)] == decisions(events)


def test_what_is_taken_from_outside_is_read():
    events, _ = kinds(lambda x: np.sum(x) * deque(OUTSIDE)[0] * dict(TABLE)["a"], X.copy())
    assert targets(events, "read").count("item") == 4


def test_all_meanings_are_of_callables():
    assert all(map(callable, MEANINGS)) and all(map(callable, MEANINGS.values()))
