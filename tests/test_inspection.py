"""`explain`: every text of it, and what it is asked of."""

import functools
import re

import numpy as np
import pytest

import hybridad
from hybridad import ArgumentError, explain, grad, value_and_grad
from hybridad.recording.facts import Facts, Frame, Reason, history_of


def loss(x):
    return np.sum(x * x)


def after(*runs):
    """The explanation of a function whose runs left these facts."""
    vg = value_and_grad(loss)
    for facts in runs:
        history_of(vg).add(facts.engine, facts.reasons, [], facts.entries, facts.guards)
    return explain(vg)


def test_before_the_first_call():
    explanation = explain(value_and_grad(loss))
    assert str(explanation) == "loss: nothing has run yet; call it, then ask again."
    assert explanation.engine is explanation.reason is explanation.frame is None
    assert (explanation.name, explanation.calls) == ("loss", 0)


def test_a_run_that_was_followed_from_the_source():
    explanation = after(Facts("tape", (), 1234, 1))
    assert str(explanation) == (
        "loss: 1 call, the last one answered by the tape\n"
        "  all of it was followed from the source\n"
        "  1,234 entries recorded, 1 decision on data"
    )
    assert (explanation.engine, explanation.reason, explanation.frame) == ("tape", None, None)
    assert (explanation.calls, explanation.entries, explanation.guards) == (1, 1234, 1)


def test_a_run_with_reasons():
    reasons = (
        Reason("exec was called with differentiated values"),
        Reason("no source for <lambda>", Frame("<string>", 1, "<lambda>")),
        Reason("Point.__eq__ ran outside the recording form", Frame("fit.py", 3, "Point.__eq__")),
    )
    explanation = after(Facts("tape"), Facts("tape", reasons, 1, 2))
    assert str(explanation) == (
        "loss: 2 calls, the last one answered by the tape\n"
        "  not all of it was followed from the source:\n"
        "    exec was called with differentiated values\n"
        "    no source for <lambda>  (at <string>:1 in <lambda>)\n"
        "    Point.__eq__ ran outside the recording form  (at fit.py:3 in Point.__eq__)\n"
        "  1 entry recorded, 2 decisions on data"
    )
    assert explanation.reason == "exec was called with differentiated values"
    assert explanation.frame == ("<string>", 1, "<lambda>")
    assert explanation.reasons == reasons


def test_only_the_last_run_is_told_of():
    explanation = after(Facts("tape", (Reason("no source"),)), Facts("tape"))
    assert explanation.reason is None and explanation.calls == 2


def test_it_shows_itself_at_the_prompt():
    explanation = after(Facts("tape"))
    assert repr(explanation) == str(explanation)


def test_a_function_within_a_function_has_a_history_of_its_own():
    first = grad(loss)
    second = grad(lambda x: np.sum(first(x)))
    assert history_of(first) is not history_of(second)
    assert explain(first).name == "loss" and explain(second).name == "<lambda>"
    history_of(first).add("tape", [], [], 0, 0)
    assert explain(grad(first)).calls == 0
    assert explain(first).calls == 1


def test_partials_methods_and_decorated_functions_are_seen_through():
    class Model:
        @value_and_grad
        def fit(self, x):
            return self * x

        step = value_and_grad(loss)

    @functools.wraps(Model.step)
    def decorated(*args):
        return Model.step(*args)

    history_of(Model.step).add("tape", [], [], 0, 0)
    for vg in (Model().step, functools.partial(Model.step, 1.0), decorated):
        assert explain(vg).calls == 1
    assert explain(Model().fit).name == "fit"


@pytest.mark.parametrize(("other", "name"), [
    (loss, "loss"), (functools.partial(loss, 1.0), "loss"), (len, "len"),
    (3.0, "3.0"), (None, "None"),
])
def test_what_is_no_differentiated_function_is_refused(other, name):
    with pytest.raises(ArgumentError, match=re.escape(f"{name} is not a differentiated")) as caught:
        explain(other)
    assert str(caught.value).endswith("explain(vg) after vg = value_and_grad(f).")


def test_it_is_public():
    assert "explain" in hybridad.__all__
