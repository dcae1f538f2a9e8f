"""Random rearrangements: drawn anew and once in each call, the rest is a gather."""

import copy
import random

import numpy as np
import pytest

from hybridad import cache_info, value_and_grad
from tests.recording.tracing.follow import X, kinds, targets

WEIGHTS = np.array([1.0, 10.0, 100.0])


def shuffled(rng, x):
    y = x * 1.0
    rng.shuffle(y)
    return np.sum(y * WEIGHTS)


def shuffled_numbers(rng, x):
    order = [0, 1, 2]
    rng.shuffle(order)
    return x[order[0]] + x[order[1]] * 10.0


def shuffled_values(rng, x):
    items = [x[0], x[1] * 2.0]
    rng.shuffle(items)
    return items[0] * 3.0 + items[1]


def shuffled_integers(rng, x):
    numbers = np.arange(3)
    rng.shuffle(numbers)
    return x[numbers[0]]


GENERATOR = [
    shuffled, shuffled_numbers,
    lambda rng, x: np.sum(rng.permutation(x) * WEIGHTS),
    lambda rng, x: np.sum(x[rng.permutation(3)] * WEIGHTS),
    lambda rng, x: np.sum(rng.permutation([2.0, 3.0, 5.0]) * x),
    lambda rng, x: np.sum(rng.permutation([x[0], 3.0, x[2]]) * x),
    lambda rng, x: np.sum(rng.permuted(np.outer(x, x), axis=1)[0] * WEIGHTS),
    lambda rng, x: np.sum(rng.choice(x, 2, p=[0.5, 0.25, 0.25])) + rng.choice(4) * x[0],
    lambda rng, x: rng.choice([1.0, 2.0, 3.0]) * x[1] + rng.choice(np.arange(3)) * x[2],
    lambda rng, x: np.sum(rng.choice(np.outer(x, x), 2, axis=1)[0]),
]
STATE = [shuffled, shuffled_numbers, GENERATOR[2], GENERATOR[7], GENERATOR[8]]


def check(make, f, hits=2):
    """Six calls are as in plain Python, the stream stands where it would."""
    mine, plain = make(), make()
    g = value_and_grad(lambda x: f(mine, x), verify=False)
    for k in range(6):
        x = X + k / 8
        again = copy.deepcopy(plain)
        value, gradient = g(x)
        assert value == f(plain, x)
        for j in range(3):
            step = np.eye(3)[j] * 1e-6
            up, down = (f(copy.deepcopy(again), x + s) for s in (step, -step))
            np.testing.assert_allclose(gradient[j], (up - down) / 2e-6, rtol=1e-6, atol=1e-6)
    assert mine.random() == plain.random()
    assert cache_info(g).hits >= hits


@pytest.mark.parametrize("f", GENERATOR)
def test_generators(f):
    check(lambda: np.random.default_rng(3), f)


@pytest.mark.parametrize("f", STATE)
def test_the_older_generators(f):
    check(lambda: np.random.RandomState(3), f)


def test_pythons_own():
    check(lambda: random.Random(3), shuffled_numbers)


def test_the_places_of_values_are_decided():
    check(lambda: np.random.default_rng(0), shuffled_values, hits=1)


def test_integers_that_a_generator_writes_into_stay_on_the_tape():
    check(lambda: np.random.default_rng(0), shuffled_integers, hits=0)


def test_one_draw_and_one_gather():
    rng = np.random.default_rng(0)
    events, _ = kinds(lambda x: shuffled(rng, x), X.copy())
    assert targets(events, "foreign") == [None]
    assert "take" in targets(events, "apply")
