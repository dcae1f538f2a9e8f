"""A straight line that is being built."""

from hybridad.trace.fold.line import Line
from hybridad.trace.ir import Node, Ref, Return
from hybridad.trace.rewriting import Rewriting
from hybridad.trace.text import parse, show


def made():
    line = Line()
    line.nodes.append(Node(0, "input", 0))
    line.decide(Ref(0), "bool", True, None)
    line.decide(False, "bool", False, None)
    line.nodes.append(Node(1, "check", "equal", (Ref(0), 1)))
    return line


def test_decisions_nest():
    assert show(made().block(Return(Ref(0)))) == show(parse(
        "%0 = input 0\nbranch bool %0\n  True:\n    %1 = check equal(%0, 1)\n    return %0\n"))


def test_what_has_become_static_is_left_out():
    line = Line()
    line.extend(made(), Rewriting({0: 1}))
    assert show(line.block(Return(1))) == show(parse("%0 = input 0\nreturn 1\n"))
