"""Traces written by hand: what is read, what may be left out, what is refused."""

import operator

import numpy as np
import pytest

from hybridad.trace.ir import (
    HOLE,
    Aval,
    Block,
    Branch,
    Leave,
    Loop,
    Method,
    Next,
    Node,
    Phi,
    Place,
    Ref,
    Return,
    Step,
)
from hybridad.trace.reading import parse
from hybridad.trace.text import show

R = Ref
FLOATS = Aval("array", "<f8", (3,))
PLACE = Place("fit.py", 12, "loss")


def test_what_is_read():
    block = parse("""
        %0 = input 0, differentiated=True  : float64[3] C m0  x
        # a remark
        %5 = np.multiply(%0, 2.0)  : float64[3] C m2  r  # fit.py:12 in loss
        loop %9 range 0, 3, 1  [adjoint]
          item %1  : int  i
          phi %2 = %5 -> %3  : float64[3] m2  r
          %4 = write operator.iadd(%2[%1].T(), 1.0)  : m2  [adjoint of %5]
          next %4  leaf 2
        branch bool %3  # fit.py:13
          True:
            return %3  cotangents (%5,)
          False:
            loop %10 mirror  of %9  backward
              leave  label 1  uncounted
            return .5
    """)
    path = (Step(operator.getitem, (HOLE, R(1))), Step(Method("T"), (HOLE,)))
    body = Block((Node(4, "write", operator.iadd, (R(2), path, 1.0), memory=2, part="adjoint",
                       of=5),), Next((R(4),), 2))
    mirror = Loop(10, "mirror", (), None, (), Block((), Leave((), 0, 1, False)), of=9, order=-1)
    expected = Block((
        Node(0, "input", 0, (), {"differentiated": True}, FLOATS, 0, name="x"),
        Node(5, "apply", np.multiply, (R(0), 2.0), {}, FLOATS, 2, PLACE, "r"),
        Loop(9, "range", (0, 3, 1), 1, (Phi(2, R(5), 3, "r", FLOATS, 2),), body, part="adjoint",
             item_aval=Aval("number", "int"), item_name="i"),
    ), Branch(R(3), "bool", {
        True: Block((), Return(R(3), cotangents=(R(5),))),
        False: Block((mirror,), Return(0.5)),
    }, Place("fit.py", 13, "")))
    assert block == expected
    assert block.end.sides == expected.end.sides  # no part of the comparison of branches
    assert block.nodes[0].kwargs == {"differentiated": True}
    assert parse(show(expected)).end.sides == expected.end.sides


def test_ids_may_be_left_out():
    block = parse("%3 = input 0\nnote(%3)\ncheck is(%3, None)\nreturn %3")
    ids = [node.id for node in block.nodes]
    assert ids[0] == 3 and len(set(ids)) == 3


@pytest.mark.parametrize("text, complaint", [
    ("%0 = frobnicate(1)", "nothing is called 'frobnicate'"),
    ("return 1\nreturn 2", None),
    ("%0 = input 0\n  %1 = input 1", "nothing can stand inside"),
    ("%0 = 3", "no operation"),
    ("%0 = write operator.iadd(2.0, 1)", "no way from an array"),
    ("%0 = np.sum(%1", None),
    ("%0 = np.sum(np.cos(%1))", "no value")])
def test_what_cannot_be_read(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        parse(text)
