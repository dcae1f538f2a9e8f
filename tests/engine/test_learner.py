"""What engines share: who answers, and what is counted."""

import numpy as np
import pytest

from hybridad import UnsupportedError, grad, vjp
from hybridad.engine import engine_for
from hybridad.recording.facts import history_of

X = np.array([1.0, 2.0])


def test_clearing_forgets_code_but_not_how_many_calls_there_were():
    f = lambda x: np.sum(x * x)
    made = grad(f)
    engine = history_of(made).engine
    for _ in range(3):
        made(X)
    engine.clear()
    assert engine.hits == 2 and engine.cache.info() == (0, 0, 0, 0, 0, 0)
    made(X)
    assert engine.cache.recordings == 1 and engine.last == "tape"


def test_sct_raises_also_when_it_is_asked_again():
    def f(x):
        return np.sum(np.apply_over_axes(lambda v, a: v * v, x, 0))

    for call in (lambda: grad(f, engine="sct")(X), lambda: vjp(f, X, engine="sct")):
        for _ in range(2):
            with pytest.raises(UnsupportedError, match=r"^f cannot be specialized: .*over_axes"):
                call()


def test_the_cause_is_told():
    def f(x):
        if x[0] > 0.0:
            return x * x
        return x

    vjp(f, X)
    engine = engine_for(f, "vjp")
    assert engine.cause == "it was the first call with such arguments"
    vjp(f, -X)
    assert engine.cause.startswith("specialized code took an exit: ")
