"""The engine "auto": who answers, and what is counted."""

import gc
import resource
import sys
import weakref

import numpy as np
import pytest

from hybridad import ResultError, UnsupportedError, cache_clear, cache_info, grad, value_and_grad

X = np.array([0.5, -1.25, 2.0])


def engine_of(g):
    return g.__hybridad__.engine


def test_who_answers():
    g = value_and_grad(lambda x: np.sum(x ** 2) if x[0] > 0 else np.sum(x))
    engine = engine_of(g)
    assert engine.last is None and engine.hits == 0
    answered = []
    for x in (X, X, -X, -X, X):
        g(x)
        answered.append(engine.last)
    assert answered == ["tape", "sct", "tape", "sct", "sct"]
    assert engine.hits == 3


def test_clearing():
    g = grad(lambda x: np.sum(x ** 2))
    g(X), g(X)
    cache_clear(g)
    assert cache_info(g).hits == cache_info(g).signatures == 0 and engine_of(g).hits == 1
    g(X), g(X)
    assert cache_info(g).hits == 1 and engine_of(g).hits == 2


def test_entries_are_for_signatures():
    g = grad(lambda x, n: np.sum(x) * n)
    for x, n in ((X, 2.0), (X[:2], 2.0), (X, 2.0)):
        g(x, n)
    engine = engine_of(g)
    assert cache_info(g).signatures == 2 and cache_info(g).hits == 1
    assert engine.entry_for((X, 5.0), {}) is not engine.entry_for((X[:2], 5.0), {})
    assert engine.entry_for((np.ones((2, 2)), 5.0), {}) is None


def test_results_that_are_no_scalars_are_refused_each_time():
    g = grad(lambda x: x * 2.0)
    for _ in range(3):
        with pytest.raises(ResultError):
            g(X)
    assert cache_info(g).recordings == 0


def test_errors_of_the_program_come_through_each_time():
    def f(x):
        if x[0] < 0:
            raise ValueError(float(x[0]))
        return np.sum(x)

    g = grad(f)
    for x in (X, X, -X, -X, X):
        if x[0] < 0:
            with pytest.raises(ValueError, match=r"-0\.5"):
                g(x)
        else:
            assert g(x).tolist() == [1.0] * 3
    assert cache_info(g).hits == 2


def test_sct_raises_where_auto_stays_on_the_tape():
    g = grad(lambda x: np.sum(np.apply_over_axes(lambda v, a: v, x, 0)), engine="sct")
    for _ in range(2):
        with pytest.raises(UnsupportedError) as caught:
            g(X)
    assert str(caught.value).split("\n")[-1] == \
        'Leave engine="sct" away: the tape answers such calls.'


def test_an_engine_dies_with_its_function():
    g = grad(lambda x: np.sum(x))
    g(X), g(X)
    ref = weakref.ref(engine_of(g))
    del g
    gc.collect()
    assert ref() is None


def test_nested_gradients():
    def f(x):
        return x ** 4

    g = f
    for n, expected in enumerate((4 * 1.5 ** 3, 12 * 1.5 ** 2, 24 * 1.5, 24.0)):
        g = grad(g, engine=("auto", "tape")[n % 2])
        for _ in range(3):
            assert np.isclose(g(1.5), expected, rtol=1e-12)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_does_not_grow():
    """Neither by hits, nor by functions that come and go."""
    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    g, log = value_and_grad(lambda x: [log.append(1), log.clear(), np.sum(x ** 2)][2]), []

    def work():
        for _ in range(5_000):
            g(X)
        for _ in range(40):
            new = value_and_grad(lambda x: np.sum(np.sin(x)))
            new(X), new(X)
        gc.collect()

    work()
    before = resident()
    work()
    assert resident() - before < 2_000_000
