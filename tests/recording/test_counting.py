"""`recording.counting`: np.unique picks, np.histogram counts."""

import numpy as np
import pytest

import hybridad
from hybridad.errors import MissingRuleError, UnsupportedError

X = np.array([0.5, -1.0, 0.5, 2.0, -1.0])


def test_unique_picks_the_first_of_equal_elements():
    value, g = hybridad.value_and_grad(lambda x: np.sum(np.unique(x) * [1.0, 10.0, 100.0]))(X)
    assert value == np.sum(np.unique(X) * [1.0, 10.0, 100.0])
    assert g.tolist() == [10.0, 1.0, 0.0, 100.0, 0.0]


def test_unique_with_all_results():
    def f(x):
        values, index, inverse, counts = np.unique(x, True, True, True)
        kept.append((index.tolist(), inverse.tolist(), counts.tolist()))
        return np.sum(values[inverse] * x) + np.sum(counts * values)

    kept = []
    value, g = hybridad.value_and_grad(f)(X)
    assert kept.pop() == tuple(part.tolist() for part in np.unique(X, True, True, True)[1:])
    assert value == f(X)
    # values[inverse] is x itself; each element picked stands for all that are equal to it.
    direct = X + np.array([2 * 0.5 + 2, -2.0 + 2, 0.0, 2.0 + 1, 0.0])
    assert np.allclose(g, direct)


def test_unique_along_an_axis():
    a = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    g = hybridad.grad(lambda a: np.sum(np.unique(a, axis=0) ** 2))(a)
    assert g.tolist() == [[2.0, 4.0], [6.0, 8.0], [0.0, 0.0]]


def test_unique_of_what_is_not_differentiated():
    def f(x, n):
        return np.sum(x) * len(np.unique(n)) * np.unique(np.zeros_like(n))[0]

    assert hybridad.grad(f)(X, np.array([1.0, 1.0])).tolist() == [0.0] * 5


def test_unique_notes_the_shape():
    def f(x):
        return np.sum(np.unique(x))

    vg = hybridad.value_and_grad(f)
    vg(X)
    assert hybridad.explain(vg).guards == 1


def test_histogram_counts():
    edges = np.linspace(-2.0, 3.0, 4)

    def f(x):
        counts, bounds = np.histogram(x, edges)
        density, _ = np.histogram(x, 3, (-2.0, 3.0), True)
        return np.sum(counts * x[:3]) + np.sum(bounds) + np.sum(density)

    value, g = hybridad.value_and_grad(f)(X)
    assert value == f(X)
    assert g.tolist() == [*np.histogram(X, edges)[0], 0.0, 0.0]


def test_histogram_refuses_what_it_cannot_follow():
    with pytest.raises(UnsupportedError, match="edges from the data"):
        hybridad.grad(lambda x: np.sum(np.histogram(x)[1]))(X)
    with pytest.raises(MissingRuleError, match="differentiated weights"):
        hybridad.grad(lambda x: np.sum(np.histogram(X, weights=x)[0]))(X)
    with pytest.raises(MissingRuleError, match="differentiated edges"):
        hybridad.grad(lambda x: np.sum(np.histogram(X, np.sort(x[:2]))[0] * x[0]))(X)
