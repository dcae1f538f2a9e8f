"""One look at a whole path."""

import numpy as np

from hybridad.trace.fold.survey import Survey
from hybridad.trace.ir import Node, Return
from hybridad.trace.path import Enter, Head
from tests.trace.toy import record

PROGRAM = [("array", "z", 3), ("for", "i", "n", [("store", "z", "i", "a")]),
           ("array", "w", 3), ("store", "w", 0, "a"), ("return", ("sum", "z"))]


def test_survey():
    events, _ = record(PROGRAM, {"n": 2, "a": 1.5, "x": np.ones(3)})
    survey = Survey(events)
    nodes = [event for event in events if type(event) is Node]
    writes = [node for node in nodes if node.op == "write"]
    (number,) = [event.number for event in events if type(event) is Enter]
    z, w = writes[0].memory, writes[-1].memory
    assert survey.written == {z, w} and survey.written_in == {number: {z}}
    assert survey.roots[z] == next(node.id for node in nodes if node.memory == z)
    assert survey.last_use[writes[-2].id] > survey.order[writes[-1].id]
    assert survey.first_memory[w] > survey.order[writes[-2].id]
    items = [event.item for event in events if type(event) is Head]
    assert [survey.examples[item] for item in items] == [0, 1]
    assert survey.kinds[items[0]][0].dtype == "int"
    assert survey.last_id == max(survey.order) and type(events[-1]) is Return
