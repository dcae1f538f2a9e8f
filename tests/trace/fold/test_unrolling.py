"""Iterations are written out, under a guard of how many there are."""

import numpy as np
import pytest

from hybridad.trace.fold import Known, fold
from hybridad.trace.ir import Branch, Node
from hybridad.trace.rewriting import parts_of
from tests.trace.interpret import run
from tests.trace.toy import record
from tests.trace.toy_runs import inputs

HIDDEN = [("hide", "s", "b"), ("set", "y", "a"),
          ("for", "i", "n", [("set", "y", ("add", "y", ("mul", "i", ("hidden", "s")))),
                             ("hide", "s", ("mul", "y", 0.5))]), ("return", "y")]


def test_as_many_iterations_as_were_seen():
    values = inputs(np.random.default_rng(0), 3, 1)
    events, value = record(HIDDEN, values)
    tree = fold(events)
    guards = [part.end for part in parts_of(tree) if type(part.end) is Branch]
    assert [(guard.kind, list(guard.sides)) for guard in guards] == [("value", [3])]
    assert run(tree, list(values.values())).value == value
    assert run(tree, [4, *list(values.values())[1:]]).exit.where == guards[0]


def test_a_static_range_needs_no_guard():
    program = [*HIDDEN[:2], ("for", "i", 3, HIDDEN[2][3]), HIDDEN[3]]
    values = inputs(np.random.default_rng(0), 3, 1)
    events, value = record(program, values)
    tree = fold(events)
    assert len(list(parts_of(tree))) == 1
    assert run(tree, list(values.values())).value == value
    multiplied = [node.args[0] for node in tree.nodes
                  if type(node) is Node and node.op == "apply" and type(node.args[0]) is int]
    assert multiplied == [0, 1, 2], "the items are known"


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_the_rest_goes_on_where_the_first_ones_ended(n):
    program = [("flag", "first", True), ("set", "y", ("sin", "a")),
               ("for", "i", "n", [("test", "first", [("flag", "first", False)],
                                   [("set", "y", ("add", "y", "i"))])]), ("return", "y")]
    known = Known()
    fold(record(program, inputs(np.random.default_rng(0), 4, 1))[0], known)
    values = inputs(np.random.default_rng(0), n, 1)
    events, value = record(program, values)
    assert run(fold(events, known), list(values.values())).value == value
