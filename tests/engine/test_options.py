"""The names of the engines, and what the environment asks for."""

import numpy as np
import pytest

from hybridad import ArgumentError, grad, jvp, value_and_grad, vjp
from hybridad.engine import options

X = np.array([0.5, -1.25, 2.0])


def loss(x):
    y = np.tanh(x)
    y[1:] *= y[:-1]
    return np.sum(y * x)


ATTEMPTS = [
    lambda f, x, **options: value_and_grad(f, **options)(x),
    lambda f, x, **options: grad(f, **options)(x),
    lambda f, x, **options: vjp(f, x, **options)[1](1.0)[0],
    lambda f, x, **options: jvp(f, (x,), (x,), **options)[1],
]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_engines_agree(attempt):
    auto, tape, default = (attempt(loss, X, engine="auto"), attempt(loss, X, engine="tape"),
                           attempt(loss, X))
    assert repr(auto) == repr(tape) == repr(default)


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.parametrize("name", ["jit", "", None, "Tape", 1])
def test_unknown_engine(attempt, name):
    with pytest.raises(ArgumentError) as caught:
        attempt(loss, X, engine=name)
    first, where, last = str(caught.value).split("\n")
    assert first == f"There is no engine {name!r}."
    assert where.startswith(f"  at {__file__}:") and "engine" not in last
    assert last == "Write one of 'auto', 'tape', 'sct'."


def test_an_unknown_engine_is_refused_when_decorating():
    with pytest.raises(ArgumentError, match="There is no engine 'fast'"):
        @value_and_grad(engine="fast")
        def f(x):
            return x


@pytest.mark.parametrize(("text", "asked"), [("", False), ("0", False), ("1", True), ("yes", True)])
@pytest.mark.parametrize(("ask", "name"), [
    (options.is_strict, "HYBRIDAD_STRICT"), (options.verifies, "HYBRIDAD_VERIFY")])
def test_the_environment(monkeypatch, ask, name, text, asked):
    monkeypatch.setenv(name, text)
    assert ask() is asked
    monkeypatch.delenv(name)
    assert ask() is False
