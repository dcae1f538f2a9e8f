"""Cotangents in the space of what they belong to."""

import itertools
import operator as o

import numpy as np
import pytest

from hybridad.rules.spaces import project
from hybridad.sct.differentiate.spaces import cast, expanded, projected
from hybridad.sct.differentiate.writer import Writer
from hybridad.trace.ir import Method

RNG = np.random.default_rng(0)


@pytest.fixture
def writer():
    return Writer("adjoint", itertools.count(10), itertools.count(10), "none")


@pytest.mark.parametrize(("found", "logical", "shape"), [
    ((3, 4), None, (4,)), ((3, 4), None, (3, 1)), ((3, 4), None, ()), ((2, 3, 4), None, (3, 1)),
    ((3, 4), None, (1, 4)), ((3, 4), None, (3, 4)), ((), (3, 4), (4,)), ((), (3, 4), ()),
    ((4,), (3, 4), (4,)), ((4,), (3, 4), (3, 1)), ((3, 1), (3, 4), (4,)), ((3, 1), (3, 4), (1, 4)),
    ((1, 4), (2, 3, 4), (3, 1)), ((), None, (3, 4)), ((4,), None, (3, 4))])
def test_projected(writer, found, logical, shape):
    g = np.asarray(RNG.normal(size=found))
    like = np.zeros(shape)
    whole = np.broadcast_to(g, found if logical is None else logical)
    made = projected(writer, writer.value(0, g, 0), like, logical)
    np.testing.assert_allclose(np.broadcast_to(made.raw, shape), project(whole, like))


def test_nothing_is_written_where_spaces_agree(writer):
    g = writer.value(0, np.ones((3, 4)), 0)
    assert projected(writer, g, np.zeros((3, 4))) is g
    assert projected(writer, 1.0, np.zeros((3, 4))) == 1.0
    assert not writer.nodes


def test_a_bias_is_summed_by_one_operation(writer):
    projected(writer, writer.value(0, np.ones((3, 4)), 0), np.zeros(4))
    assert [node.target for node in writer.nodes] == [Method("sum")]


def test_cast(writer):
    g = writer.value(0, np.ones(3, complex), 0)
    assert cast(writer, g, np.zeros(3)).raw.dtype == float
    assert cast(writer, g, np.zeros(3, np.float32)).raw.dtype == np.float32
    assert type(cast(writer, writer.value(1, np.float64(1.0)), np.float32(2.0)).raw) is np.float32


def test_expanded(writer):
    like = writer.value(0, np.zeros((3, 4)), 0)
    row = writer.value(1, np.arange(4.0), 1)
    np.testing.assert_array_equal(expanded(writer, row, like).raw, [np.arange(4.0)] * 3)
    assert not expanded(writer, row, like).raw.flags.writeable
    assert expanded(writer, row, like, owned=True).raw.flags.writeable
    assert expanded(writer, 2.0, like, owned=True).raw.tolist() == [[2.0] * 4] * 3
    whole = writer.apply(o.mul, (like, 2.0))
    assert expanded(writer, whole, like, owned=True) is whole
    # What others own is never written into.
    assert expanded(writer, like, like, owned=True) is not like
    assert expanded(writer, 3.0, writer.value(2, 1.0)) == 3.0
