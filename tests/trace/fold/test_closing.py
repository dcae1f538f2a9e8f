"""A loop is over: what is noted of its place, and how it was left."""

import numpy as np
import pytest

from hybridad.trace.fold import Known, fold
from hybridad.trace.ir import HOLE, Aval, Node, Place, Ref, Return
from hybridad.trace.path import Decision, Enter, Exit, Head, Jump, Name
from tests.trace.interpret import run
from tests.trace.toy import record
from tests.trace.toy_runs import inputs

FLOAT, INT, BOOL = [Aval("number", x) for x in ("float", "int", "bool")]
PLACE = Place("f.py", 3, "f", 0, "for.loop")


def test_a_number_that_becomes_numpys_at_the_very_end_wants_an_iteration():
    """With none `y` would be of another type behind the loop."""
    program = [("set", "y", 0.5), ("for", "i", "n", [("set", "y", ("item", "x", "i"))]),
               ("return", "y")]
    known = Known()
    tree = fold(record(program, inputs(np.random.default_rng(0), 1, 1))[0], known)
    (loop,) = known.loops.values()
    assert (loop.peeled, loop.floats, loop.least) == (0, {"y"}, 1)
    assert known.reasons == ()
    assert tree.end.kind == "bool" and [*tree.end.sides] == [True]


def test_later_runs_tell_whether_trees_still_fit():
    program = [("flag", "first", True), ("set", "y", ("sin", "a")),
               ("for", "i", "n", [("test", "first", [("flag", "first", False)],
                                   [("set", "y", ("add", "y", "i"))])]),
               ("return", "y")]
    known, grown = Known(), []
    for n in (0, 4, 2):
        fold(record(program, inputs(np.random.default_rng(0), n, 1))[0], known)
        grown.append(known.grown)
    assert grown == [False, True, False]


def events_with_else(n):
    """``for i in range(n): y = y * 2`` with an ``else: y = y + 1``; there the loop has ended."""
    events = [Node(0, "input", 0, aval=INT, example=n),
              Node(1, "input", 1, aval=FLOAT, example=1.5),
              Enter(1, "range", (0, Ref(0), 1), PLACE)]
    y, id, example = Ref(1), 10, 1.5
    for k in range(n):
        events += [Head(1, (Name("y", y, id, FLOAT, None, example),), id + 1, "i", INT,
                        item_example=k),
                   Node(id + 2, "apply", np.multiply, (Ref(id), 2.0), aval=FLOAT, example=example)]
        y, id = Ref(id + 2), id + 3
    events += [Jump(1, 0, (Name("y", y),)),
               Node(id, "apply", np.add, (y, 1.0), aval=FLOAT, example=example),
               Exit(1, (Name("y", Ref(id), id + 1, FLOAT, None, example),)),
               Return(Ref(id + 1))]
    return events


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_loop_with_an_else_clause(n):
    tree = fold(events_with_else(3))
    assert run(tree, [n, 1.5]).value == 1.5 * 2**n + 1
    assert run(fold(events_with_else(n or 1)), [n or 1, 1.5]).value == 1.5 * 2**(n or 1) + 1


def test_other_iterables_are_written_out():
    events = [Node(0, "input", 0, aval=FLOAT), Enter(1, "other", (), PLACE)]
    for k in range(2):
        before = Ref(0) if k == 0 else Ref(12)
        events += [Head(1, (Name("y", before, 11 + 10 * k, FLOAT), Name("z", HOLE))),
                   Node(12 + 10 * k, "apply", np.add, (Ref(11 + 10 * k), float(k)), aval=FLOAT)]
    events += [Jump(1, 0, (Name("y", Ref(22)),)), Exit(1, (Name("y", Ref(22), 30, FLOAT),)),
               Node(31, "apply", np.greater, (Ref(30), 1.0), aval=BOOL),
               Decision(Ref(31), "bool", True), Return(Ref(30))]
    known = Known()
    assert run(fold(events, known), [3.0]).value == 4.0
    assert known.reasons == ("f.py:3: it goes through something else than a range",)
