"""Ids, memories and names of what is written down."""

import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate import Unsupported
from hybridad.sct.differentiate.writer import Writer, aval_of, computed, ids_and_memories
from hybridad.trace.ir import Aval, Method
from tests.sct.differentiate.checking import build
from tests.sct.differentiate.programs import LOOPS

X = np.zeros((3, 4))


@pytest.mark.parametrize(("value", "aval"), [
    (X, Aval("array", "<f8", (3, 4), "C")), (X.T, Aval("array", "<f8", (4, 3), "F")),
    (X[:, ::2], Aval("array", "<f8", (3, 2), "A")), (np.float32(1), Aval("number", "<f4")),
    (True, Aval("number", "bool")), ([], Aval("object", "list"))])
def test_aval_of(value, aval):
    assert aval_of(value) == aval


def test_free_ids():
    block, _ = build(*LOOPS["chain"])
    ids, memories = ids_and_memories(block)
    writer = Writer.beside("adjoint", block)
    x = writer.apply(np.zeros, (3,))
    assert x.ref.id == ids and writer.memory_of(x) == memories
    assert ids > max(node.id for node in block.nodes)


def test_memories():
    block, _ = build(lambda b, x: x, X)
    writer = Writer.beside("adjoint", block)
    x = writer.value(0, X, 1)
    y = writer.apply(o.mul, (x, 2.0))
    assert writer.memory_of(x.T) == writer.memory_of(x[1]) == 1
    assert writer.memory_of(y) != 1 and writer.memory_of(y[0]) == writer.memory_of(y)
    assert writer.owns(y) and not writer.owns(y[0]) and writer.is_own(y[0])
    assert not writer.is_own(x)
    assert writer.memory_of(writer.value(3, 1.0)) is None
    assert writer.shares(x, x.T) and not writer.shares(x, y)


def test_names():
    block, _ = build(lambda b, x: x, X)
    writer = Writer.beside("adjoint", block)
    y = writer.apply(np.zeros, (3,))
    writer.name(y, "g_x")
    writer.name(y, "g_y")
    assert writer.node_of(y).name == "g_x"
    assert writer.node_of(writer.value(0, X)) is None


def test_blocks():
    block, _ = build(lambda b, x: x, X)
    writer = Writer.beside("adjoint", block)
    with writer.block() as inner:
        writer.apply(np.zeros, (3,))
        with writer.block(writer.nodes) as same:
            writer.apply(np.zeros, (3,))
    assert same is inner and len(inner) == 2 and not writer.nodes


def test_computed():
    assert computed(Method("sum"), (X,), {"axis": 0}).shape == (4,)
    assert computed(Method("T"), (X,), {}).shape == (4, 3)
    with np.errstate(all="ignore"):
        assert computed(o.truediv, (1.0, 0.0), {}) == np.inf
    with pytest.raises(Unsupported):
        computed(np.linalg.inv, (np.zeros((2, 2)),), {})
