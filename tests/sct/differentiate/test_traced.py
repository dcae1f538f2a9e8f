"""Values that write down what is done with them."""

import itertools
import math
import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate import Unsupported
from hybridad.sct.differentiate.choice import chosen
from hybridad.sct.differentiate.traced import Traced
from hybridad.sct.differentiate.writer import Writer
from hybridad.trace.ir import Method, Ref


@pytest.fixture
def writer():
    return Writer("adjoint", itertools.count(10), itertools.count(10), "none")


def targets(writer):
    return [node.target for node in writer.nodes]


def test_it_poses_as_what_it_stands_for(writer):
    x = writer.value(0, np.ones((2, 3)), 0)
    assert isinstance(x, np.ndarray) and x.shape == (2, 3) and x.ndim == 2 and len(x) == 2
    assert type(x) is Traced
    y = writer.value(1, 2.0)
    assert isinstance(y, float) and y.dtype == np.float64 and np.shape(y) == ()
    assert not writer.nodes


def test_ufuncs_are_operators(writer):
    x = writer.value(0, np.ones(3), 0)
    np.ones(3) * x, np.add(x, 1), 2.0 - x, -x, np.float64(3.0) / x
    assert targets(writer) == [o.mul, o.add, o.sub, o.neg, o.truediv]


@pytest.mark.parametrize("nothing", [
    lambda x: np.reshape(x, (2, 3)), lambda x: np.broadcast_to(x, (2, 3)), np.real, np.conj,
    lambda x: x.conj(), lambda x: np.moveaxis(x, 0, 0), lambda x: x.reshape(2, 3),
    lambda x: np.transpose(x, (0, 1)), lambda x: x.real, lambda x: +x])
def test_what_does_nothing_is_not_written(writer, nothing):
    x = writer.value(0, np.ones((2, 3)), 0)
    assert nothing(x) is x
    assert not writer.nodes


def test_functions_of_numbers_are_those_of_math(writer):
    x = writer.value(0, 0.5)
    assert type(np.exp(x).raw) is float
    assert type(np.where(x > 0, x, 0.0).raw) is float
    assert targets(writer) == [math.exp, o.gt, chosen]


def test_numbers_do_not_raise_as_examples(writer):
    x = writer.value(0, 0.0)
    with np.errstate(all="ignore"):
        assert np.isinf((1.0 / x).raw)
        assert np.isneginf(np.log(x).raw)


def test_a_write_through_a_view_is_a_write_to_the_array(writer):
    z = np.zeros_like(writer.value(0, np.ones((2, 3)), 0))
    first = z.ref
    row = z.T[1]
    row[0] = 5.0
    assert z.ref != first
    node = writer.nodes[-1]
    assert node.op == "write" and node.args[0] == first
    assert [step.target for step in node.args[1]] == [Method("T"), o.getitem]
    before = len(writer.nodes)
    assert row.ref.id >= before         # read again, from the new version
    assert writer.nodes[-1].args[0].id != first.id


def test_a_number_may_be_used_as_an_array(writer):
    g = writer.value(0, 2.0)
    assert g[..., None].shape == (1,)
    assert g.reshape(1, 1).shape == (1, 1)
    assert writer.nodes[0].target is np.float64
    assert type((g * 3.0).raw) is float     # else it stays one of Python's


def test_complex_numbers_are_none_for_math(writer):
    np.arcsin(writer.value(0, 0.5 + 1j))
    np.exp(writer.value(1, 0.5))
    assert [node.target for node in writer.nodes] == [np.arcsin, math.exp]


def test_iadd_of_an_item(writer):
    z = np.zeros_like(writer.value(0, np.ones(3), 0))
    z[1:] += 2.0
    assert [node.target for node in writer.nodes if node.op == "write"] == [o.iadd]


def test_shapes_that_come_from_values_are_checked(writer):
    x = writer.value(0, np.array([True, False]), 0)
    np.flatnonzero(x)
    assert [node.op for node in writer.nodes] == ["apply", "check"]


@pytest.mark.parametrize("decision", [bool, float, int, np.array, lambda x: [1, 2][x]])
def test_a_rule_cannot_decide(writer, decision):
    with pytest.raises(Unsupported):
        decision(writer.value(0, np.float64(1.0)))


def test_a_number_times_a_constant_times_an_array(writer):
    g, x = writer.value(0, 1.0), writer.value(1, np.ones(3), 0)
    g * (2.0 * x)
    assert [np.shape(node.example) for node in writer.nodes] == [(), (3,)]
    assert writer.nodes[0].args == (Ref(0), 2.0)
