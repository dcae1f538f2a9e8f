"""Sorting, heaps and bisection of wrappers and of objects of a user's classes."""

import bisect
import functools
import heapq
import random

import numpy as np
import pytest
from hybridad._record import is_wrapper, raw_of

from hybridad.recording.effects.order import MEANINGS, is_less, sort
from tests.recording.effects.runs import PlainSite, recording

NUMBERS = [3.0, -1.0, 2.0, 2.5, -1.0, 0.0]


@functools.total_ordering
class Item:
    """Compared by its value."""

    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v

    def __lt__(self, other):
        return self.v < other.v

    __hash__ = None


KINDS = {
    "plain": lambda run, x: [float(v) for v in raw_of(x)],
    "wrappers": lambda run, x: list(x),
    "items": lambda run, x: [Item(v) for v in x],
    "pairs": lambda run, x: [(v, k) for k, v in enumerate(x)],
    "pairs of items": lambda run, x: [(Item(v), k) for k, v in enumerate(x)],
}


@pytest.fixture(params=KINDS)
def items(request):
    with recording(np.array(NUMBERS)) as (run, x):
        run.tape.site = "here"
        made = KINDS[request.param](run, x)
        yield request.param, run, made


def values(x):
    """What things are, as plain as can be."""
    if isinstance(x, list | tuple):
        return [values(item) for item in x]
    return float(raw_of(x.v if type(x) is Item else x))


def check_noted(kind, run, site):
    """Wrappers noted their comparisons; those of a user's class went through the site."""
    assert bool(run.tape.guards()) == (kind != "plain")
    assert bool(site.called) == ("items" in kind)


@pytest.mark.parametrize("options", [{}, {"reverse": True}])
def test_sort(items, options):
    kind, run, made = items
    own, site = list(made), PlainSite(run)
    wanted = sorted(values(own), **options)
    sort(site, made, (), options)
    assert values(made) == wanted
    assert all(any(a is b for b in own) for a in made)
    check_noted(kind, run, site)


def test_sort_by_key(items):
    _, run, made = items
    site = PlainSite(run)

    def key(x):
        return (x[0], 0) if type(x) is tuple else (x, 0)

    wanted = sorted(values(made), key=lambda v: v[0] if isinstance(v, list) else v)
    sort(site, made, (), {"key": key})
    assert values(made) == wanted
    assert site.called.count(key) == len(made)


def test_sort_of_mixed_keys_and_errors():
    with recording(np.array(NUMBERS)) as (run, x):
        site = PlainSite(run)
        made = [Item(x[0]), x[1]]
        with pytest.raises(AttributeError, match="v"):
            sort(site, made, (), {})
        with pytest.raises(TypeError, match="positional"):
            sort(site, made, (1,), {})
        with pytest.raises(TypeError, match="less"):
            sort(site, made, (), {"less": 1})
        changed = [2, 1]
        with pytest.raises(ValueError, match="modified"):
            sort(site, changed, (), {"key": lambda v: changed.append(v) or v})


def test_lexicographic_order_is_pythons():
    site, nan = PlainSite(), float("nan")
    for a in ([], [1], (1, 2), [1, 3], [nan, 1], [nan, 2], [[1], 2], [[1], 3]):
        for b in ([], [1], (1, 2), [1, 3], [nan, 1], [[1], 2], [[2]]):
            try:
                wanted = a < b
            except TypeError:
                with pytest.raises(TypeError):
                    is_less(site, a, b)
            else:
                assert is_less(site, a, b) == wanted


def test_heap(items):
    kind, run, made = items
    site = PlainSite(run)
    call = {f: functools.partial(handler, site) for f, handler in MEANINGS.items()}
    plain, heap, own = [], [], list(made)
    for item in made[:4]:
        call[heapq.heappush](heap, item)
        heapq.heappush(plain, values(item))
        assert values(heap) == plain
    for f in (heapq.heappushpop, heapq.heapreplace):
        for item in made[4:]:
            assert values(call[f](heap, item)) == f(plain, values(item))
            assert values(heap) == plain
    while plain:
        assert values(call[heapq.heappop](heap)) == heapq.heappop(plain)
        assert values(heap) == plain
    with pytest.raises(IndexError):
        call[heapq.heappop](heap)
    assert values(call[heapq.heappushpop](heap, made[0])) == values(made[0])
    plain = values(made)
    call[heapq.heapify](made)
    heapq.heapify(plain)
    assert values(made) == plain
    assert all(any(a is b for b in own) for a in made)
    check_noted(kind, run, site)


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_heap_of_objects_is_the_one_that_c_makes(size):
    rng, site = random.Random(size), PlainSite()
    numbers = [rng.choice([1.0, 2.0, 3.0, 4.0, float("nan")]) for _ in range(size)]
    plain, made = list(enumerate(numbers)), [Item(v) for v in numbers]
    made[0].v = numbers[0]
    heapq.heapify(numbers)
    MEANINGS[heapq.heapify](site, made)
    assert repr([item.v for item in made]) == repr(numbers)
    assert len(plain) == size


def test_heap_refuses_what_is_no_list():
    with pytest.raises(TypeError):
        MEANINGS[heapq.heappush](PlainSite(), (), 1)
    with pytest.raises(TypeError):
        MEANINGS[heapq.heappush](PlainSite())


@pytest.mark.parametrize("f", [heapq.nlargest, heapq.nsmallest])
@pytest.mark.parametrize("n", [0, 1, 3, 9])
@pytest.mark.parametrize("key", [None, lambda v: v])
def test_extremes(items, f, n, key):
    _, run, made = items
    site = PlainSite(run)
    found = MEANINGS[f](site, n, made, key=key)
    assert values(found) == f(n, values(made))
    assert key is None or n == 0 or key in site.called


@pytest.mark.parametrize("reverse", [False, True])
def test_merge(items, reverse):
    _, run, made = items
    site = PlainSite(run)
    parts = made[:3], made[3:]
    for part in parts:
        sort(site, part, (), {"reverse": reverse})
    merged = MEANINGS[heapq.merge](site, *parts, reverse=reverse)
    assert values(list(merged)) == sorted(values(made), reverse=reverse)


@pytest.mark.parametrize("f", [bisect.bisect_left, bisect.bisect_right, bisect.insort_left,
                               bisect.insort_right])
@pytest.mark.parametrize("key", [None, lambda v: v])
def test_bisection(items, f, key):
    kind, run, made = items
    site = PlainSite(run)
    sort(site, made, (), {})
    plain = values(made)
    for x in list(made):
        assert MEANINGS[f](site, made, x, key=key) == f(plain, values(x))
        assert values(made) == plain
    assert MEANINGS[f](site, made, made[0], 1, 3, key=key) == f(plain, plain[0], 1, 3)
    check_noted(kind, run, site) if key is None else None
    assert key is None or key in site.called
    with pytest.raises(ValueError, match="non-negative"):
        MEANINGS[f](site, made, made[0], -1)


def test_bisection_of_nothing():
    assert MEANINGS[bisect.bisect_left](PlainSite(), [], 1.0) == 0


def test_changes_are_noted():
    with recording(np.array(NUMBERS)) as (run, x):
        site, heap, ordered = PlainSite(run), [1.0], [1.0]
        MEANINGS[heapq.heappush](site, heap, x[0])
        MEANINGS[bisect.insort_left](site, ordered, x[1])
        assert is_wrapper(heap[1]) and is_wrapper(ordered[0])
    run.journal.undo()
    assert heap == ordered == [1.0]
