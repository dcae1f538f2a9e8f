"""Native code: what it says of outside objects is asked anew; values of the run it would lose."""

import datetime
import pathlib
import types
from fractions import Fraction

import numpy as np
import pytest

from hybridad import cache_info, explain, stop_gradient, value_and_grad
from hybridad.recording.tracing.memory import NotTraced
from tests.recording.tracing.follow import X, decisions, follow, kinds, targets

HALF = Fraction(1, 2)
DAY = datetime.date(2020, 2, 29)


def asked(f):
    """What native code is asked, by name."""
    events, _ = kinds(f, X.copy())
    return [e.args[0].__name__ for e in events
            if getattr(e, "op", None) == "read" and e.target == "asked"]


@pytest.mark.parametrize(("f", "names"), [
    (lambda x: np.sum(x) * float(HALF), ["float"]),
    (lambda x: np.sum(x) * float(HALF + 1), ["add", "float"]),
    (lambda x: np.sum(x) * (1 if HALF < 1 else 2), ["lt"]),
    (lambda x: np.sum(x) * (1 if HALF else 2), ["bool"]),
    (lambda x: np.sum(x) * len(str(DAY)), ["str"]),
    (lambda x: np.sum(x) * len(f"{DAY:%d}"), ["format"]),
    (lambda x: np.sum(x) * id(HALF), ["id"]),
])
def test_questions(f, names):
    assert asked(f) == names
    follow(f, X)


def test_arithmetic_of_numbers_is_an_operation():
    level = types.SimpleNamespace(value=2.5)
    assert asked(lambda x: np.sum(x) * round(level.value)) == []


def test_texts_are_not_decided_until_they_are_looked_at():
    def f(x):
        print(f"{DAY}")
        return np.sum(x)

    events, _ = kinds(f, X.copy())
    assert decisions(events) == []


def test_keys_are_decided():
    events, _ = kinds(lambda x: np.sum(x) * {HALF: 2.0}[HALF], X.copy())
    assert ("value", HALF) in decisions(events)


def test_an_error_of_a_question_must_come_again():
    path = types.SimpleNamespace(value=pathlib.PurePosixPath("a"))

    def f(x):
        try:
            return np.sum(x) * len(path.value + 1)
        except TypeError:
            return x[0]

    events, _ = kinds(f, X.copy())
    assert "raises" in targets(events, "check")
    follow(f, X)


@pytest.mark.parametrize(("f", "name"), [
    (lambda x: Fraction(1, 2) + x[0], "add"),
    (lambda x: bytearray([int(x[2])])[0] * x[0], "bytearray"),
    (lambda x: np.sum(x) * len(dir(x[0])), "dir"),
])
def test_values_of_the_run_that_native_code_would_lose(f, name):
    with pytest.raises(NotTraced, match=f"{name} is not followed"):
        kinds(f, X.copy())
    g = value_and_grad(f)
    assert g(X)[0] == g(X)[0] == f(X)


def test_functions_of_our_own():
    g = value_and_grad(lambda x: np.sum(stop_gradient(x * x) * x), engine="sct")
    assert g(X)[0] == g(X)[0] == np.sum(X**3)
    np.testing.assert_array_equal(g(X)[1], X * X)
    assert cache_info(g).hits == 2
    with pytest.raises(NotTraced, match="explain of hybridad is called inside"):
        kinds(lambda x: np.sum(x) * len(str(explain(g))), X.copy())


def test_ranges_of_traced_numbers_are_decided_when_they_are_looked_at():
    events, _ = kinds(lambda x: np.sum(x) * range(int(x[2]) + 1).stop, X.copy())
    assert ("value", 3) in decisions(events)
