"""`explain`: every text of it, and what it is asked of."""

import functools
import re

import numpy as np
import pytest

import hybridad
from hybridad import ArgumentError, explain, grad, value_and_grad
from hybridad.inspection import Explanation
from hybridad.inspection.specializations import Specialization
from hybridad.recording.facts import Facts, Frame, Reason, history_of
from tests.inspection.programs import evaluated, kink

NOTHING = "  hits 0, exits 0, recordings 0, fallbacks 0, paths 0, signatures 0"


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
        "  1,234 entries recorded, 1 decision on data\n" + NOTHING
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
        "  1 entry recorded, 2 decisions on data\n" + NOTHING
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


def test_engine_tape_has_no_cache():
    vg = value_and_grad(loss, engine="tape")
    vg(np.ones(2))
    explanation = explain(vg)
    assert str(explanation) == (
        "loss: 1 call, the last one answered by the tape\n"
        "  all of it was followed from the source\n"
        "  3 entries recorded, 0 decisions on data")
    assert explanation.cache is explanation.cause is None and explanation.specializations == ()


def test_it_tells_who_answered_last_and_why():
    vg = value_and_grad(kink)
    told = []
    for x in (2.0, 3.0, 0.5, 0.25, np.float32(2.0), 4.0):
        vg(x)
        explanation = explain(vg)
        told.append((explanation.engine, explanation.cause))
        assert explanation.reason is None
    exit_text = told[2][1]
    assert exit_text.startswith("specialized code took an exit: not x > 1.0  (at programs.py:")
    assert exit_text.endswith("  if x > 1.0:)")
    first = "it was the first call with such arguments"
    assert told == [("tape", first), ("sct", None), ("tape", exit_text), ("sct", None),
                    ("tape", first), ("sct", None)]
    assert explanation.calls == 6 and explanation.cache == hybridad.cache_info(vg)
    assert explanation.cache.hits == 3
    assert [known.arguments for known in explanation.specializations] == ["x: float", "x: float32"]


def test_what_stays_on_the_tape_says_why_each_time():
    g = grad(evaluated)
    for count in (1, 2):
        g(2.0)
        explanation = explain(g)
        assert (explanation.engine, explanation.calls) == ("tape", count)
        assert "<module> ran outside the recording form" in explanation.reason
        assert explanation.frame.name == "<module>"
        assert "stays on the tape: <module> ran outside" in str(explanation)
    assert explanation.cause.startswith("such calls stay on the tape: <module> ran outside")


def test_the_reason_of_a_signature_is_the_reason():
    known = (Specialization("x: float", "too long"), Specialization("x: int"))
    assert Explanation("f", 1, "tape", specializations=known).reason == "too long"
    assert Explanation("f", 1, "sct", specializations=known[1:]).reason is None
    assert Explanation("f", 1, "tape", stays="ever new").reason == "ever new"
    both = Explanation("f", 1, "tape", reasons=(Reason("no source"),), specializations=known)
    assert both.reason == "no source"


def test_the_whole_text():
    vg = value_and_grad(kink)
    vg(2.0), vg(2.0)
    lines = str(explain(vg)).split("\n")
    assert lines[0] == "kink: 2 calls, the last one answered by specialized code"
    assert lines[1].startswith("  hits 1, exits 0, recordings 1, fallbacks 0, paths ")
    assert lines[2].startswith("  (x: float): ") and lines[2].endswith("; 1 hit, 0 exits")
    assert lines[4].startswith("    exit 0 if not x > 1.0  (at programs.py:")
    assert len(lines) == 5


def test_many_signatures_are_not_all_shown():
    known = tuple([Specialization(f"n: {k}", "of this") for k in range(8)])
    lines = str(Explanation("f", 9, "sct", specializations=known, stays="ever new")).split("\n")
    assert lines[1] == "  new arguments stay on the tape: ever new"
    assert lines[2] == "  (n: 0): stays on the tape: of this" and len(lines) == 8
    assert lines[-1] == "  and 3 signatures more"


def test_it_can_be_asked_while_it_changes_nothing():
    vg = value_and_grad(kink)
    vg(2.0)
    before = hybridad.cache_info(vg)
    assert explain(vg) == explain(vg) and hybridad.cache_info(vg) == before


def test_it_is_public():
    assert "explain" in hybridad.__all__
