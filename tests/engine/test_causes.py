"""Why the tape has answered a call, in words."""

import types

import pytest
from hybridad._dispatch import NAN

from hybridad.engine.causes import cause_of, conditions_of, shown_place
from hybridad.sct.emit.source import ExitPoint, Source
from hybridad.sct.load import Exit
from hybridad.trace.ir import Place

PLACE = Place(__file__, 1, "f")
LINE = 'test_causes.py:1  """Why the tape has answered a call, in words."""'
TEXT = """
def f(x):
    if not x > 1.0:
        return Exit(0)
    for k in range(3):
        if k == 2:
            return Exit(1)
    print("return Exit(1)")
    while x:
        return Exit(2)
    return x, 1.0
"""
SOURCE = Source("f", TEXT, {}, {}, (ExitPoint(0, PLACE, "bool of a decision"),
                                    ExitPoint(1, None, "again"), ExitPoint(2, None, "odd")), False)


def call(outcome=None, reason=None, function=len, signature="known", has_entry=True):
    trace = types.SimpleNamespace(code=types.SimpleNamespace(source=SOURCE))
    entry = types.SimpleNamespace(reason=reason, trace=trace) if has_entry else None
    return types.SimpleNamespace(outcome=outcome, function=function, signature=signature,
                                 entry=entry)


@pytest.mark.parametrize(("made", "cause"), [
    (call(signature=None), "the call was part of another run"),
    (call(reason="it is too long"), "such calls stay on the tape: it is too long"),
    (call(function=None, has_entry=False), "it was the first call with such arguments"),
    (call(Exit(0)), f"specialized code took an exit: not x > 1.0  (at {LINE})"),
    (call(Exit(1)), "specialized code took an exit: k == 2"),
    (call(ZeroDivisionError()), "specialized code raised ZeroDivisionError"),
    (call(NAN), "the gradient by specialized code held NaN"),
    (call(None), "specialized code gave up"),
])
def test_causes(made, cause):
    assert cause_of(made) == cause


def test_a_cache_that_takes_nothing_new():
    new = call(function=None, has_entry=False)
    assert cause_of(new, "they keep changing") == \
        "new arguments stay on the tape: they keep changing"
    assert cause_of(call(Exit(1)), "they keep changing") == \
        "specialized code took an exit: k == 2"


def test_conditions_are_those_of_the_text():
    assert conditions_of(SOURCE) == ["not x > 1.0", "k == 2", "odd"]


@pytest.mark.parametrize(("place", "shown"), [
    (None, ""), (Place("", 0, "f"), ""), (PLACE, LINE), (Place("gone.py", 3, "f"), "gone.py:3"),
])
def test_places(place, shown):
    assert shown_place(place) == shown
