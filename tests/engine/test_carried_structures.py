"""Tuples, lists and dicts that loops carry, at trip counts in any order, also of one iteration."""

import numpy as np
import pytest

from hybridad import source, value_and_grad
from tests.engine.carried import ORDERS, W, X, check_against_plain_python, recordings_of


def tuple_turned_around(x, w, n):
    """One of its items is what another name stands for, too."""
    pair, best = (np.sin(w), w), -1.0
    for _ in range(n, 0, -1):
        t = np.tanh(x[0])
        if t > best:
            best = t
        pair = pair[::-1]
    return w + 10 * pair[0] + best


def list_turned_around(x, w, n):
    items = [np.sin(w), w]
    for _ in range(n):
        items = items[::-1]
    return w + 10 * items[0] + np.sum(x) * items[1]


def list_turned_around_and_read(x, w, n):
    items, s = [np.sin(w), w], 0.0
    for _ in range(n):
        items = items[::-1]
        s = s + w * items[0]
    return s + 10 * items[0]


def state_in_a_list(x, w, n):
    s = [x, w * x]
    for _ in range(n):
        s = [s[0] + 0.1 * s[1], s[1] - w * np.sin(s[0])]
    return np.sum(s[0] * s[1]) + w


def state_in_a_dict(x, w, n):
    s = {"a": x, "b": w * x}
    for _ in range(n):
        s = {"a": s["a"] + 0.1 * s["b"], "b": s["b"] - w * np.sin(s["a"])}
    return np.sum(s["a"] * s["b"]) + w


def one_value_twice(x, w, n):
    s = np.sin(w)
    pair = (s, s)
    for _ in range(n):
        pair = (pair[1] * 0.9, pair[0] * 0.8)
    return pair[0] + pair[1] * x[0]


def one_value_twice_in_a_list(x, w, n):
    s = np.sin(w)
    pair = [s, s]
    for _ in range(n):
        pair = [pair[1] * 0.9, pair[0] * 0.8]
    return pair[0] + pair[1] * x[0]


def best_with_its_index(x, w, n):
    best = (w, 0)
    for i in range(n):
        if 0.1 * i * x[i % 5] > best[0]:
            best = (0.1 * i * x[i % 5], i)
    return best[0] * x[best[1] % 5]


def nested_tuples(x, w, n):
    state = ((x, w), np.cos(w))
    for _ in range(n):
        (a, b), c = state
        state = ((a * 0.9 + b, c), b * c)
    return np.sum(state[0][0]) + state[1] * state[0][1] + w


def none_at_first(x, w, n):
    pair = (None, w)
    for _ in range(n):
        pair = (pair[1], pair[1] * np.sin(pair[1]))
    return pair[1] + (0.0 if pair[0] is None else pair[0]) * x[0]


def shape_in_a_tuple(x, w, n):
    shape, y = (1, 2), w * x[0]
    for _ in range(n):
        shape = (shape[1], shape[0])
        y = y + w * np.sum(np.ones(shape))
    return y * shape[0]


PROGRAMS = (
    tuple_turned_around, list_turned_around, list_turned_around_and_read, state_in_a_list,
    state_in_a_dict, one_value_twice, one_value_twice_in_a_list, best_with_its_index,
    nested_tuples, none_at_first, shape_in_a_tuple)
FOLDED = (state_in_a_list, state_in_a_dict, one_value_twice, nested_tuples)


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("f", PROGRAMS)
def test_each_is_as_in_plain_python(f, order):
    check_against_plain_python(f, order)


@pytest.mark.parametrize("f", FOLDED)
def test_what_tuples_and_dicts_carry_is_folded(f):
    assert recordings_of(f) <= 4


def test_items_of_tuples_have_names_of_their_own():
    vg = value_and_grad(one_value_twice, (0, 1))
    vg(X, W, 5)
    text = str(source(vg, X, W, 5))
    assert "pair_1 = pair_0 * 0.8" in text
