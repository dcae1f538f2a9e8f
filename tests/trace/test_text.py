"""Traces as text: what it looks like, and that nothing is lost on the way there and back."""

import math
import operator

import numpy as np
import pytest

from hybridad.trace.ir import (
    Aval,
    Block,
    Branch,
    Node,
    Place,
    Ref,
    Return,
)
from hybridad.trace.text import parse, show

R = Ref

EVERYTHING = """\
%0 = input 0, differentiated=True  : float64[3] C m0  x
%1 = input 1  : int  n
%2 = const(np.array([1.0, 2.0], '<f8'))  : float64[2] C m1
%3 = np.multiply(%0, 2.0)  : float64[3] C m2  r  # fit.py:12:4 in loss (stmt)
%4 = .sum(%3, axis=0, keepdims=True)  : float64[1] C m3
%5 = -%4
%6 = not %5
%7 = (-2.0) * %3
%8 = %7 % %3
%9 = %7 is not None
%10 = %3[1:%1, ..., ::-1, None]
%11 = %3[1,]
%12 = %3[()]
%13 = operator.getitem((1, 2), %1)
%14 = np.linalg.norm(%3)  : bool_  'a  name'
%15 = write operator.iadd(%3[%1:].reshape((2, 1))[:, 0], %4)  : float32[3, 2] A m2  state[0]
%16 = write operator.setitem(%15, (slice(None, None, None), 0), %4)  : m2
%17 = write np.add.at(np.transpose(%16.T(), (1, 0)), %1, 1.0)
%18 = write .fill((%16 | Step(np.where, ([True], _, 0), {'x': 1})), 0.0)
%19 = read function()
%20 = read global(%19, 'scale')  : object Scale
%21 = check equal(%20, 'a  b # %3')
%22 = effect delete attribute(%20, 'x')
%23 = note(%3)
%24 = foreign(%20, (%3,), {'a': 1})
%25 = build list((%3, %4))
%26 = seed()  : float  g  [adjoint]
%27 = np.multiply(%26, %3)  : 'O'[] C  g_r  [adjoint of %3]
%28 = np.multiply(%26, %3)  [tangent of %3]
loop %40 items %0  once  # a dir/fit.py:3 in <lambda>
  item %41  : float64  item
  phi %42 = _ -> %43  : float64 m5  y
  phi %44 = (1.0, %1) -> %45
  branch shape %41
    (3, 4):
      next %41, %44
    ():
      loop %46 while
        leave  label 3
      branch left %46
        3:
          leave %41, %44  leaf 1  label 2  uncounted
loop %50 mirror  of %40  backward  [adjoint]
  next
loop %51 range 0, %1, 1
  next
branch str %20
  'a: b':
    return (%3, {'a': [%4]})  aux %5  cotangents (%27, None)  # fit.py:20 in loss
  'c':
    return None  cotangents ()  tangents %28
"""


def test_there_and_back():
    block = parse(EVERYTHING)
    assert show(block) == EVERYTHING
    assert show(parse(show(block))) == EVERYTHING
    without_array = parse(EVERYTHING.replace("np.array([1.0, 2.0], '<f8')", "2.0"))
    assert parse(show(without_array)) == without_array


def test_operators():
    signs = {"+": operator.add, "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
             "@": operator.matmul, "<<": operator.lshift, "==": operator.eq, "<=": operator.le,
             "is": operator.is_, "|": operator.or_}
    for sign, function in signs.items():
        node = Node(9, "apply", function, (R(1), -2))
        assert show(node) == f"%9 = %1 {sign} -2\n"
        assert parse(show(node)).nodes[0] == node
    for sign, function in {"-": operator.neg, "~": operator.invert, "not ": operator.not_}.items():
        node = Node(9, "apply", function, (R(1),))
        assert show(node) == f"%9 = {sign}%1\n"
        assert parse(show(node)).nodes[0] == node
    # the sign binds stronger than that of a number
    assert show(Node(9, "apply", operator.pow, (-2.0, R(1)))) == "%9 = (-2.0) ** %1\n"
    assert show(Node(9, "apply", operator.neg, (2.0,))) == "%9 = operator.neg(2.0)\n"
    assert parse("%1 = operator.neg(2.0)").nodes[0].args == (2.0,)


@pytest.mark.parametrize("index, text", [
    (R(1), "%1"), ((R(1), 2), "%1, 2"), ((1,), "1,"), ((), "()"), (slice(None), ":"),
    (slice(R(1), None, -1), "%1::-1"), ((..., None, slice(0, 2)), "..., None, 0:2"),
    ([1, 2], "[1, 2]"), ((slice(1), [0]), ":1, [0]"), (((0, 1), slice(None)), "(0, 1), :"),
    ("field", "'field'")])
def test_indices(index, text):
    node = Node(9, "apply", operator.getitem, (R(0), index))
    assert show(node) == f"%9 = %0[{text}]\n"
    assert parse(show(node)).nodes[0] == node


@pytest.mark.parametrize("aval, text", [
    (Aval("array", "<f8", (3, 4), "F"), "float64[3, 4] F"), (Aval("array", "|b1", ()), "bool_[] C"),
    (Aval("array", ">f8", (1,)), "'>f8'[1] C"), (Aval("array", "<U3", (2,), "A"), "'<U3'[2] A"),
    (Aval("number", "float"), "float"), (Aval("number", "bool"), "bool"),
    (Aval("number", "|b1"), "bool_"), (Aval("number", "<c8"), "complex64"),
    (Aval("object", "Model"), "object Model"), (Aval("array", "<M8[s]", (1,)), "'<M8[s]'[1] C")])
def test_types(aval, text):
    for memory, more in ((None, ""), (7, " m7")):
        node = Node(0, "input", 0, aval=aval, memory=memory)
        assert show(node) == f"%0 = input 0  : {text}{more}\n"
        assert parse(show(node)).nodes[0] == node


def test_names_that_look_like_something_else():
    for name in ("m2", "adjoint", "x", "state['a']", "state[0]", "a # b", "a  b", ": x", "[y]"):
        node = Node(0, "input", 0, name=name)
        assert parse(show(node)).nodes[0].name == name


def test_places():
    for place in (Place("a b/x:y.py", 3, "f.<locals>.<lambda>", 7, "while"), Place("x.py", 1, ""),
                  Place("<ipython-input-3 in x>", 2, "g", 0, "for loop")):
        node = Node(0, "input", 0, place=place)
        assert parse(show(node)).nodes[0].place == place


def test_constants():
    def scale(x):
        return x

    table = {}
    weights = np.zeros((20, 2))
    block = Block((
        Node(0, "const", None, (weights,)),
        Node(1, "apply", scale, (R(0), weights)),
        Node(2, "check", "is", (R(1), scale)),
    ), Return(math.inf))
    text = show(block, table)
    assert text == ("%0 = const($ndarray)\n%1 = $scale(%0, $ndarray)\n%2 = check is(%1, $scale)\n"
                    "return inf\n")
    assert table == {"ndarray": weights, "scale": scale}
    again = parse(text, table)
    assert again.nodes[1].target is scale
    assert again.nodes[0].args[0] is weights
    assert show(again, table) == text
    with pytest.raises(ValueError, match=r"\$scale\)\n.*not among the constants"):
        parse(text)


def test_deep_trees():
    block = Block((), Return(0))
    for count in range(3000):
        node = Node(count + 1, "input", count)
        block = Block((node,), Branch(R(count + 1), "bool", {True: block}))
    text = show(block)
    assert text.count("branch") == 3000
    block = parse(text)
    for _ in range(3000):
        block = block.end.sides[True]
    assert block == Block((), Return(0))
