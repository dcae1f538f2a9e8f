"""Loops over the elements of an array."""

import operator as o

import numpy as np

from hybridad.sct.differentiate.numbering import by_number
from hybridad.trace.ir import Loop, Next
from tests.sct.differentiate.checking import build, check_forward, check_reverse
from tests.trace.interpret import run

V = np.linspace(0.5, 1.6, 6)
M = np.linspace(0.5, 1.5, 12).reshape(3, 4)


def over_elements(b, x):
    def body(b, v, s):
        return Next((b.apply(o.add, b.apply(o.mul, s, v), b.apply(np.sin, v)),))

    return b.loop("items", (x,), [b.apply(np.float64, 0.0)], body, item=V[0])[0]


def over_rows(b, x):
    def body(b, row, s):
        return Next((b.apply(o.mul, s, b.apply(np.sum, b.apply(o.mul, row, row))),))

    return b.loop("items", (x,), [b.apply(np.float64, 1.0)], body, item=M[0])[0]


def test_over_elements():
    check_reverse(over_elements, V)
    check_forward(over_elements, V)


def test_over_rows():
    check_reverse(over_rows, M)
    check_forward(over_rows, M)


def test_the_value_stays():
    block, _ = build(over_elements, V)
    changed = by_number(block)
    assert [node.kind for node in changed.nodes if type(node) is Loop] == ["range"]
    assert run(changed, [V[:4]]).value == run(block, [V[:4]]).value
    assert by_number(changed) is changed
