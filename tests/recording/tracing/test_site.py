"""Places of a recording form in a trace run."""

import builtins

import numpy as np
import pytest

from hybridad import UnsupportedError, value_and_grad
from hybridad.recording.tracing.site import TraceSite
from tests.recording.tracing.follow import X, decisions, follow, kinds, targets

FACTOR = 2.0


def test_without_a_run_a_site_does_what_python_does():
    site = TraceSite("call", "file.py", "f", 3, 4)
    assert repr(site) == "<trace site call file.py:3:4>"
    assert site.call(max, 1, 2) == 2 and site.truth([]) is False and site.add(1, 2) == 3
    assert site.format(3, -1, "03d") == "003" and site.joined("a", "b") == "ab"
    assert site.item([1, 2], 1) == 2 and site.attr(1, "real") == 1 and site.isin(1, [1])
    assert site.effect(max, (1, 2), {}) == 2 and site.form(len) is len
    with site.hashing():
        assert site.is_(None, None)


def test_texts():
    def f(x):
        label = f"{x[0]:.2f} {'a'!r:>5}" + str(len(x))
        return np.sum(x) * 3.0 if label.startswith("0.50") else x[0]

    assert len(decisions(kinds(f, X.copy())[0])) == 1
    follow(f, X)


def test_globals_and_cells_are_set():
    n = 0

    def f(x):
        nonlocal n
        global FACTOR
        n, FACTOR = n + 1, FACTOR * 1.0
        return np.sum(x) * FACTOR * n

    events, _ = kinds(f, X.copy())
    assert sorted(targets(events, "effect")) == ["cell", "global"]
    assert n == 1 and type(n) is int


def test_builtins_must_not_be_hidden():
    events, _ = kinds(lambda x: np.sum(x) * len(x) * abs(x[0]), X.copy())
    found = [e for e in events if getattr(e, "target", None) == "builtin"]
    assert sorted(e.args[1] for e in found) == ["abs", "len"]
    assert all(hasattr(builtins, e.args[1]) for e in found)


def test_errstate():
    def f(x):
        with np.errstate(divide="ignore", invalid="ignore"):
            y = np.where(x > 0, np.log(np.abs(x)), 0.0)
        return np.sum(y)

    events, _ = kinds(f, X.copy())
    assert targets(events, "effect") == ["errstate", "errstate end"]
    follow(f, X)


def deleted(x):
    global SPARE
    SPARE = 1.0
    del SPARE
    return np.sum(x)


def test_what_is_refused():
    g = value_and_grad(deleted, engine="sct")
    with pytest.raises(UnsupportedError):
        for _ in range(3):
            g(X)


def test_truth():
    box = [1.0]
    events, _ = kinds(lambda x: np.sum(x) if box and x[0] > 0 and x[1] else x[0], X.copy())
    assert "asked" in targets(events, "read") and decisions(events)[0] == ("bool", True)
    assert [outcome for _, outcome in decisions(events)] == [True, True, True]
