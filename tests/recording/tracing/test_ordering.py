"""Sorting, extremes, heaps and bisection: what data decides is written down."""

import bisect
import heapq

import numpy as np
import pytest

from hybridad import cache_info, value_and_grad
from hybridad.recording.tracing.memory import NotTraced
from tests.recording.tracing.follow import X, decisions, follow, kinds, targets

EDGES = [-2.0, 0.0, 1.0]


class Size:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v


def heap(x):
    made = [v * v for v in x]
    heapq.heapify(made)
    heapq.heappush(made, x[0] * 3.0)
    first, second = heapq.heappop(made), heapq.heapreplace(made, x[1])
    return first * 2.0 - second + heapq.heappushpop(made, x[2]) * made[0]


def inserted(x):
    made = sorted(x)
    bisect.insort(made, x[0] * 0.5)
    bisect.insort_left(made, x[2] * 0.9, key=lambda v: v)
    return sum(k * v for k, v in enumerate(made))


@pytest.mark.parametrize("f", [
    heap, inserted,
    lambda x: max(x) * min(x[0], x[1]) + max([], default=x[2]),
    lambda x: max(x, key=abs) * 2.0 + sorted(x, key=lambda v: -v)[0] * sorted(x, reverse=True)[1],
    lambda x: heapq.nlargest(2, x)[1] * heapq.nsmallest(1, x, key=abs)[0],
    lambda x: sum(bisect.bisect(EDGES, v) * v for v in x) + bisect.bisect_left(EDGES, 0.0) * x[0],
    lambda x: bisect.bisect_right([1, 2, 3], 2, key=lambda v: v + 1) * x[0],
    lambda x: sorted([Size(x[0]), Size(x[1])])[0].v * max(Size(x[0]), Size(x[2])).v,
])
def test_answers(f):
    follow(f, X)


def test_each_comparison_is_a_decision():
    events, _ = kinds(lambda x: bisect.bisect_left(EDGES, x[2]) * x[0], X.copy())
    assert len(decisions(events)) == 2
    g = value_and_grad(lambda x: bisect.bisect_left(EDGES, x[2]) * x[0])
    for last in (2.0, 2.0, 0.5, -3.0, 0.5):
        x = np.array([1.0, 0.0, last])
        assert g(x)[0] == bisect.bisect_left(EDGES, last)
    assert cache_info(g).hits == 2


def test_a_heap_from_outside_is_changed_by_a_function():
    outside = [2.5, 3.5]

    def f(x):
        heapq.heappush(outside, x[0])
        return heapq.heappop(outside) * x[2]

    events, _ = kinds(f, X.copy())
    assert targets(events, "effect") == ["call", "call"]


def test_bisection_begins_inside():
    with pytest.raises(ValueError, match="lo must be non-negative"):
        value_and_grad(lambda x: bisect.bisect(EDGES, x[0], -1) * x[0])(X)


def test_the_first_of_what_the_users_code_compares():
    with pytest.raises(NotTraced, match="compares"):
        kinds(lambda x: heapq.nlargest(1, [Size(v) for v in x])[0].v, X.copy())
