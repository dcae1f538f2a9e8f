"""What is told of the code for one signature."""

import numpy as np

from hybridad import grad, value_and_grad
from hybridad.inspection.specializations import (
    Guard,
    Specialization,
    counted,
    specializations_of,
)
from hybridad.recording.facts import history_of
from tests.inspection import programs
from tests.inspection.programs import evaluated, fold, kink, scaled


def of(vg, *calls):
    for args in calls:
        vg(*args)
    return specializations_of(history_of(vg).engine)


def test_nothing_is_known_before_the_first_call():
    assert of(grad(kink)) == ()


def test_hits_exits_and_paths():
    (one,) = of(grad(kink), (2.0,), (3.0,))
    (two,) = of(grad(kink), (2.0,), (3.0,), (0.5,), (0.5,))
    assert (one.arguments, one.hits, one.exits, one.reason) == ("x: float", 1, 0, None)
    assert (two.hits, two.exits, two.paths) == (2, 1, one.paths + 1)
    assert two.sides == one.sides + 1 == 2 and two.statements > one.statements > 0
    assert two.seconds_recording > 0.0 and two.seconds_specializing > 0.0


def test_guards_have_place_and_condition():
    (known,) = of(grad(kink), (2.0,))
    (guard,) = known.guards
    line = kink.__code__.co_firstlineno + 2
    assert guard == Guard(0, programs.__file__, line, f"programs.py:{line}  if x > 1.0:",
                          "not x > 1.0", guard.reason)
    assert not guard.is_about_outside
    (both,) = of(grad(kink), (2.0,), (0.5,))
    assert both.guards == ()


def test_guards_of_what_is_outside_are_counted():
    (known,) = of(grad(scaled), (2.0,))
    (guard,) = [guard for guard in known.guards if guard.is_about_outside]
    assert guard.reason == "check type" and "float" in guard.condition
    assert str(known).split("\n")[-1] == "  1 check of what is read from outside"


def test_the_last_one_used_comes_first():
    g = grad(kink)
    assert [known.arguments for known in of(g, (2.0,), (np.float32(2.0),))] == [
        "x: float32", "x: float"]
    assert [known.arguments for known in of(g, (2.0,))] == ["x: float", "x: float32"]


def test_what_stays_on_the_tape():
    (known,) = of(grad(evaluated), (2.0,))
    assert known.reason.startswith("<module> ran outside the recording form")
    assert str(known) == f"(x: float): stays on the tape: {known.reason}"
    assert (known.paths, known.guards, known.statements) == (0, (), 0)


def test_unrolled_loops_are_told_with_the_reason():
    def growing(x):
        y = x
        for _ in range(3):
            y = np.concatenate([y, y])
        return np.sum(y)

    (known,) = of(value_and_grad(growing), (np.ones(2),))
    assert len(known.unrolled) == 1
    assert f"  unrolled: {known.unrolled[0]}\n" in str(known)
    (known,) = of(value_and_grad(fold), (2.0, 5))
    assert known.unrolled == ()


def guards(count):
    return tuple([Guard(k, None, None, "", f"x > {k}", "bool of a decision")
                  for k in range(count)])


def test_the_whole_text():
    known = Specialization(
        "x: float", None, 2, 3, 1,
        (*guards(1), Guard(1, "a.py", 2, "a.py:2  f()", "f is not _f", "check is")),
        ("a loop",), 1234, 1, 0.0012345, 2.0)
    assert str(known) == repr(known) == (
        "(x: float): 2 paths, 1,234 statements, 1 side; 3 hits, 1 exit\n"
        "  recording 1.23 ms, specializing 2 s\n"
        "  unrolled: a loop\n"
        "  exit 0 if x > 0\n"
        "  1 check of what is read from outside")


def test_many_guards_are_not_all_shown():
    lines = str(Specialization("x: float", guards=guards(10))).split("\n")
    assert lines[2:] == [*[f"  exit {k} if x > {k}" for k in range(8)], "  and 2 exits more"]


def test_guards_show_where_they_are():
    assert str(Guard(3, "a.py", 2, "a.py:2  if x:", "not x", "")) == \
        "exit 3 if not x  (at a.py:2  if x:)"


def test_counted():
    assert [counted(k, "entry", "entries") for k in (0, 1, 2000)] == [
        "0 entries", "1 entry", "2,000 entries"]
    assert counted(2, "path") == "2 paths"
