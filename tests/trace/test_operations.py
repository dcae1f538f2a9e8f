"""The forms of operations, and what counts as a write."""

import operator

import numpy as np
import pytest

from hybridad.trace.ir import HOLE, Method, Node, Ref, Step
from hybridad.trace.operations import changes_argument, complaint

R = Ref
PATH = (Step(operator.getitem, (HOLE, 0)),)

GOOD = [
    Node(0, "input", 3), Node(0, "input", 3, kwargs={"differentiated": True}),
    Node(0, "const", None, (2.0,)), Node(0, "seed"), Node(0, "apply", np.sum, (R(1),)),
    Node(0, "apply", Method("sum"), (R(1),), {"axis": 0}),
    Node(0, "write", operator.setitem, (R(1), (), 0, 1.0)),
    Node(0, "write", np.add.at, (R(1), PATH, 0, 1.0)),
    Node(0, "write", Method("fill"), (R(1), (), 0)),
    Node(0, "read", "function"), Node(0, "read", "global", (R(1), "a")),
    Node(0, "check", "bound", (R(1), "a", len)), Node(0, "effect", "method", (R(1), "a", (), {})),
    Node(0, "note", None, (R(1),)), Node(0, "foreign", None, (R(1), (), {})),
    Node(0, "build", list, ((),)),
]
BAD = [
    (Node(0, "compute"), "no operation"), (Node(0, "input", "x"), "number of a leaf"),
    (Node(0, "input", 0, kwargs={"active": True}), "differentiated or not"),
    (Node(0, "const", None, (R(1),)), "one static value"), (Node(0, "const"), "one static value"),
    (Node(0, "seed", None, (1,)), "no arguments"), (Node(0, "apply", "sum", (R(1),)), "called"),
    (Node(0, "apply", Method("sum")), "method has an argument"),
    (Node(0, "apply", operator.iadd, (R(1), 1)), "is a write"),
    (Node(0, "apply", np.add, (R(1), 1), {"out": R(2)}), "is a write"),
    (Node(0, "apply", np.sum, ([HOLE],)), "hole"), (Node(0, "write", None, (R(1), ())), "called"),
    (Node(0, "write", operator.iadd, (R(1), 1)), "a path"),
    (Node(0, "write", operator.iadd, (2.0, (), 1)), "an array"),
    (Node(0, "write", operator.iadd, (R(1), (Step(np.transpose, (R(1),)),), 1)), "hole"),
    (Node(0, "write", operator.add, (R(1), (), 1)), "does not write"),
    (Node(0, "read", "local", (R(1), "a")), "no read"), (Node(0, "read", "item", (R(1),)), "2 arg"),
    (Node(0, "check", "bound", (R(1), 2)), "3 arguments"),
    (Node(0, "check", len, (R(1), 2)), "no check"),
    (Node(0, "effect", "method", (R(1),)), "4 arguments"), (Node(0, "note"), "one array"),
    (Node(0, "foreign", None, (R(1), [], {})), "tuple of arguments"),
    (Node(0, "build", 3), "called"),
]


@pytest.mark.parametrize("node", GOOD, ids=lambda node: node.op)
def test_operations_of_good_form(node):
    assert complaint(node) is None


@pytest.mark.parametrize("node, text", BAD)
def test_operations_of_bad_form(node, text):
    assert text in complaint(node)


def test_what_changes_its_argument():
    for target in (operator.imul, operator.setitem, np.copyto, np.put, np.subtract.at,
                   Method("fill"), Method("sort")):
        assert changes_argument(target, {})
    for target in (operator.mul, operator.getitem, np.add, np.add.reduce, Method("byteswap"),
                   np.sort, Method("sum"), float):
        assert not changes_argument(target, {})
    assert changes_argument(np.add, {"out": R(1)})
    assert not changes_argument(np.add, {"out": None})
    assert changes_argument(Method("byteswap"), {"inplace": True})
