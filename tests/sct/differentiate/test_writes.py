"""Writes into arrays, in both modes and to the second order."""

import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate import Unsupported, reverse
from hybridad.sct.differentiate.writes import written
from hybridad.trace.ir import HOLE, Method, Node, Ref, Step
from tests.sct.differentiate.checking import build, check_forward, check_hessian, check_reverse
from tests.sct.differentiate.straight_lines import WRITES, V, Z, weighed


@pytest.mark.parametrize("name", WRITES)
def test_writes(name):
    check_reverse(WRITES[name], V, 0.7)
    check_forward(WRITES[name], V, 0.7)
    check_hessian(WRITES[name], V, 0.7)


def test_writes_of_complex_parts():
    def program(b, z, x):
        w = b.write(b.method(z, "copy"), (Step(Method("imag"), (HOLE,)),), o.setitem,
                    slice(0, 2), x)
        return weighed(b, b.apply(o.mul, w, w))

    check_reverse(program, Z, V[:2])


def node(target, *rest, **kwargs):
    return Node(9, "write", target, (Ref(0), (), *rest), kwargs)


def test_what_a_write_does():
    assert written(node(o.setitem, 1, Ref(2))) == ((), None, 1, [Ref(2)])
    assert written(node(Method("fill"), 2.0)) == ((), None, Ellipsis, [2.0])
    assert written(node(o.imul, Ref(2))) == ((), np.multiply, Ellipsis, [Ref(2)])
    assert written(node(np.subtract.at, 1, 2.0)) == ((), "subtract", 1, [2.0])
    assert written(node(np.copyto, 1.0, where=Ref(3))) == ((), "mask", Ref(3), [1.0])


@pytest.mark.parametrize("target", [np.multiply.at, Method("resize")])
def test_other_writes_are_refused(target):
    with pytest.raises(Unsupported, match="a write by"):
        written(node(target, 1, 2.0))


def test_values_that_are_repeated_are_refused():
    block, wanted = build(lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (), np.put, np.array([0, 1, 2]), y)), V, V[:2])
    with pytest.raises(Unsupported, match="repeated"):
        reverse(block, wanted)


def test_nothing_is_zeroed_where_the_old_version_does_not_matter():
    def program(b, x):
        return b.apply(np.sum, b.set(b.apply(np.zeros, 4), slice(0, 2), x))

    block, wanted = build(program, V[:2])
    assert not [n for n in reverse(block, wanted).nodes if n.part == "adjoint" and n.op == "write"]
