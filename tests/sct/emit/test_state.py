"""The state of a path."""

from hybridad.sct.emit.names import Names
from hybridad.sct.emit.state import State, line_of
from hybridad.sct.emit.static import Expression
from hybridad.trace.ir import Place


def test_a_copy_is_independent():
    state = State(Names())
    state.env[0] = Expression("x")
    state.holders["x"] = [0]
    other = state.copy()
    other.env[1] = Expression("y")
    other.holders["x"].append(1)
    other.names.new("y")
    other.owned.add(1)
    assert (state.env, state.holders, state.owned) == ({0: Expression("x")}, {"x": [0]}, set())
    assert state.names.new("y") == "y"


def test_columns_do_not_part_lines():
    assert line_of(Place("a.py", 1, "f", 3), "forward") == line_of(Place("a.py", 1, "g"), "forward")
    assert line_of(Place("a.py", 1, "f"), "forward") != line_of(Place("a.py", 1, "f"), "adjoint")
