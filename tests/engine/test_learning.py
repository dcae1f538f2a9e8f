"""From a call that the tape has answered to specialized code."""

import gc

import numpy as np
import pytest

from hybridad import UnsupportedError, cache_info, value_and_grad
from hybridad.recording.tracing import NotTraced

X = np.array([0.5, -1.25, 2.0])


def learnt(g):
    (entry,) = g.__hybridad__.engine.cache.entries.values()
    return entry.trace


def test_a_path_is_added_to_those_known():
    g = value_and_grad(lambda x: np.sum(x ** 2) if x[0] > 0 else np.sum(x))
    g(X)
    first = learnt(g)
    g(-X)
    second = learnt(g)
    assert second is not first and second.tree != first.tree
    assert g(X)[1].tolist() == (2 * X).tolist() and g(-X)[1].tolist() == [1.0] * 3
    info = cache_info(g)
    assert (info.hits, info.exits, info.recordings) == (2, 1, 2)
    assert second.seconds.recording > first.seconds.recording
    assert second.seconds.specializing > first.seconds.specializing


def test_an_int_becomes_dynamic_when_its_guard_fails():
    box = [3]
    g = value_and_grad(lambda x: np.sum(x) * box[0])
    g(X)
    assert learnt(g).dynamic == frozenset()
    box[0] = 4
    g(X)
    assert len(learnt(g).dynamic) == 1
    box[0] = 5
    assert g(X)[1].tolist() == [5.0] * 3 and cache_info(g).hits == 1


def test_shared_arguments_are_noted():
    def f(x, y):
        return np.sum(x * y)

    for args, shared in (((X, X), True), ((X, X.copy()), False)):
        g = value_and_grad(f)
        g(*args)
        assert learnt(g).shares is shared


@pytest.mark.parametrize(("f", "reason"), [
    (lambda x: np.sum(np.apply_over_axes(lambda v, a: v, x, 0)), "calls functions"),
    (lambda x: sum(eval("[x[0], x[1]]")), ""),
])
def test_what_cannot_be_specialized_stays_on_the_tape(f, reason):
    g = value_and_grad(f)
    for _ in range(3):
        assert g(X)[0] == f(X)
    info = cache_info(g)
    assert (info.hits, info.recordings, info.fallbacks) == (0, 0, 2)
    assert reason in g.__hybridad__.engine.cause
    with pytest.raises(UnsupportedError, match="cannot be specialized"):
        for _ in range(2):
            value_and_grad(f, engine="sct")(X)


def test_an_error_in_the_second_run_leaves_the_effects_of_the_first_one():
    log = []

    def f(x):
        log.append(1)
        y = np.apply_over_axes(lambda v, a: v, x, 0)
        log.append(2)
        return np.sum(y)

    g = value_and_grad(f)
    for k in range(1, 4):
        g(X)
        assert log == [1, 2] * k


def test_nan_is_answered_by_the_tape_and_guarded_from_then_on():
    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0))

    g = value_and_grad(f, verify=False)
    with np.errstate(all="ignore"):
        for x in (np.array([1.0, 4.0]), np.array([-1.0, 4.0]), np.array([-1.0, 4.0])):
            value, gradient = g(x)
            assert value == f(x)
            assert gradient.tolist() == np.where(x > 0, 0.5 / np.sqrt(np.abs(x)), 0.0).tolist()
    info = cache_info(g)
    assert info.hits == 1 and info.exits == 1


def test_cycles_are_not_searched_while_it_learns(monkeypatch):
    seen = []

    def f(x):
        seen.append(gc.isenabled())
        return np.sum(x * x)

    assert gc.isenabled()
    value_and_grad(f)(X)
    assert gc.isenabled() and seen == [True]    # the second run is undone
    monkeypatch.setattr("hybridad.engine.learning.trace", raising)
    value_and_grad(lambda x: np.sum(x))(X)
    assert gc.isenabled()
    gc.disable()
    try:
        value_and_grad(f)(X)
        assert not gc.isenabled()
    finally:
        gc.enable()


def raising(*args):
    assert not gc.isenabled()
    raise NotTraced("nothing")
