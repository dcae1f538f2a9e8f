"""Comparing the answer of specialized code with that of the tape."""

import numpy as np
import pytest

from hybridad import cache_info, value_and_grad
from hybridad.engine.verifying import Disagreement, compare

ONE = np.float64(1.0)


@pytest.mark.parametrize(("a", "b"), [
    ((ONE, np.ones(3)), (ONE, np.ones(3))),
    ((ONE, {"a": np.ones(3), "b": 2.0}), (ONE, {"a": np.ones(3) * (1 + 1e-14), "b": 2.0})),
    ((ONE, np.array([np.nan, np.inf])), (ONE, np.array([np.nan, np.inf]))),
    ((ONE, np.array([1e9, 1e-8])), (ONE, np.array([1e9, 0.0]))),
    ((ONE, "text"), (ONE, "text")),
])
def test_the_same(a, b):
    compare("f", a, b)


@pytest.mark.parametrize(("a", "b"), [
    ((ONE, np.ones(3)), (ONE, np.ones(3) * 1.0001)),
    ((ONE, np.ones(3)), (ONE, np.ones(2))),
    ((ONE, np.ones(3)), (ONE, np.ones(3, np.float32))),
    ((ONE, np.ones(3)), (ONE, np.array([1.0, 1.0, np.nan]))),
    ((ONE, 1.0), (ONE, ONE)),
    ((ONE, [1.0]), (ONE, (1.0,))),
    ((ONE, {"a": 1.0}), (ONE, {"b": 1.0})),
])
def test_not_the_same(a, b):
    with pytest.raises(Disagreement, match="f: "):
        compare("f", a, b)


def test_it_does_not_count_and_its_effects_happen_once():
    log = []

    def f(x):
        log.append(float(x))
        return x ** 2

    g = value_and_grad(f, verify=True)
    for x in (2.0, 3.0, 4.0):
        assert g(x) == (x ** 2, 2 * x)
    assert log == [2.0, 3.0, 4.0]
    info = cache_info(g)
    assert (info.hits, info.recordings, info.fallbacks) == (2, 1, 0)


def test_it_finds_what_is_wrong():
    g = value_and_grad(lambda x: x ** 2, verify=True)
    g(2.0)
    (entry,) = g.__hybridad__.engine.cache.entries.values()
    entry.function = lambda *args: (args[0] ** 2, 7.0)
    with pytest.raises(Disagreement, match=r"part 1 is 7.0, by the tape 6.0"):
        g(3.0)


def test_the_default_is_asked_of_the_environment(monkeypatch):
    for text, verified in (("1", True), ("0", False)):
        monkeypatch.setenv("HYBRIDAD_VERIFY", text)
        calls = []
        g = value_and_grad(lambda x: x ** 2)
        engine = g.__hybridad__.engine
        monkeypatch.setattr(type(engine), "verified",
                            lambda self, call, result, calls=calls: calls.append(1) or result)
        engine.call((2.0,), {})
        engine.call((2.0,), {})
        assert bool(calls) is verified
