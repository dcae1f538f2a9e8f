"""Pullbacks and pushes by tape and by code give the same."""

import numpy as np
import pytest

from hybridad.engine.answers import CheckedPullback, CheckedPush, CodePush, Pushed, typed
from hybridad.engine.linear import LinearCall, LinearEngine
from hybridad.engine.verifying import Disagreement

X = np.array([1.0, 2.0])


def answers(way, verify=False):
    """The answers of the tape and of code for one point."""
    def f(p):
        return {"b": p["x"] ** 2 * p["k"], "a": np.sum(p["x"])}

    engine = LinearEngine(f, way, False, verify=verify)
    return [engine.ask(LinearCall(({"x": X, "k": 3.0},), {}, [0], lambda recording: None))
            for _ in range(2)]


def test_pullbacks():
    tape, code = answers("vjp")
    assert [like.shape for like in tape.likes] == [like.shape for like in code.likes] == [(), (2,)]
    assert tape.structure == code.structure and code.repeats
    for parts in ([1.0, None], [None, X], [2.0, X]):
        (one,), (other,) = tape.pull(parts), code.pull(parts)
        assert list(one) == list(other) == ["x", "k"] and type(other["k"]) is float
        np.testing.assert_allclose(one["x"], other["x"])
        assert one["k"] == other["k"]
    code.check_scope()
    tape.check_scope()


def test_pushes():
    tape, code = answers("jvp")
    assert type(code) is CodePush and tape.structure == code.structure
    for parts in ([[1.0, None]], [[None, X]], [[2.0, X]]):
        for one, other in zip(tape.push(parts), code.push(parts), strict=True):
            np.testing.assert_allclose(one, other)


def test_a_push_that_code_gives_up_is_done_by_the_tape():
    tape, code = answers("jvp")
    broken = CodePush(lambda *leaves: None, [3.0, X], (0, 1), Pushed(code.value, None, code.value),
                      lambda: tape)
    for one, other in zip(tape.push([[2.0, X]]), broken.push([[2.0, X]]), strict=True):
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("way", ["vjp", "jvp"])
def test_answers_of_code_are_compared_with_those_of_the_tape(way):
    tape, code = answers(way, verify=True)
    if way == "vjp":
        assert type(code) is CheckedPullback
        np.testing.assert_allclose(code.pull([1.0, X])[0]["x"], tape.pull([1.0, X])[0]["x"])
        wrong = CheckedPullback("f", code, type("Wrong", (), {"pull": lambda self, parts: [7.0]})())
        with pytest.raises(Disagreement, match=r"^the pullback of f: "):
            wrong.pull([1.0, X])
    else:
        assert type(code) is CheckedPush
        np.testing.assert_allclose(code.push([[1.0, X]])[1], tape.push([[1.0, X]])[1])
        wrong = CheckedPush("f", code, type("Wrong", (), {"push": lambda self, parts: [7.0, X]})())
        with pytest.raises(Disagreement, match=r"^the tangent of f: "):
            wrong.push([[1.0, X]])


def test_types_of_numbers():
    assert typed([np.float64(1.0)], None) == [1.0]
    found = typed([np.float64(1.0), X], [float, np.ndarray])
    assert type(found[0]) is float and found[1] is X
