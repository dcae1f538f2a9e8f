"""What a path is made of, and that blocks are made of it."""

import operator

import numpy as np
import pytest

from hybridad.trace.ir import Place, Ref
from hybridad.trace.path import Decision, Enter, Exit, Head, Jump, Name

PLACE = Place("f.py", 3, "f")
EVENTS = [
    Decision(Ref(3), "bool", True, PLACE), Enter(0, "while", (), PLACE),
    Head(0, (Name("x", Ref(1), 2),)), Jump(0, 0, (Name("x", Ref(2)),)),
    Exit(0, (Name("x", Ref(2), 4),)), Name("x", 2.0)]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_are_not_changed(event):
    with pytest.raises(AttributeError):
        setattr(event, type(event).__slots__[0], None)


def test_events_are_told_apart_by_what_happened():
    assert Decision(Ref(3), "bool", True) != Decision(Ref(3), "bool", False)
    assert Jump(0, 0, ()) != Jump(0, 1, ())
    assert Exit(0, ()) == Exit(0, ())


def test_examples_do_not_matter():
    """They are arrays, which do not compare, and another run has others."""
    names = [Name("x", Ref(1), 2, example=np.arange(n)) for n in (2.0, 3.0)]
    assert operator.eq(*names)
    assert operator.eq(*[Head(0, (x,), 5, item_example=np.zeros(k))
                         for k, x in enumerate(names)])
    assert "array" not in repr(Head(0, tuple(names), item_example=np.zeros(2)))
