"""What has arrived so far."""

import itertools
import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate.slots import Slots, settled
from hybridad.sct.differentiate.writer import Writer
from hybridad.trace.ir import HOLE, Step

X = np.zeros(3)
PATH = (Step(o.getitem, (HOLE, 1)),)


@pytest.fixture
def writer():
    return Writer("adjoint", itertools.count(10), itertools.count(10), "none")


def slots_of(writer, views=()):
    return Slots(writer, lambda id: writer.value(id, X, id), lambda id: id in views)


def targets(writer):
    return [node.target for node in writer.nodes]


def test_one_cotangent_costs_nothing(writer):
    slots = slots_of(writer)
    slots.add(0, writer.value(5, np.ones(3), 5))
    assert 0 in slots and slots.ids() == [0]
    assert slots.take(0).ref.id == 5
    assert slots.take(0) is None and 0 not in slots
    assert not writer.nodes


def test_two_are_added(writer):
    slots = slots_of(writer)
    slots.add(0, 1.0)
    slots.add(0, writer.value(5, np.ones(3), 5))
    assert slots.take(0).raw.tolist() == [2.0] * 3
    assert targets(writer) == [o.add]


def test_parts_share_one_array(writer):
    slots = slots_of(writer)
    slots.add_part(0, PATH, o.iadd, (1.0,))
    slots.add_part(0, PATH, o.iadd, (2.0,))
    slots.add(0, writer.value(5, np.ones(3), 5))
    slots.take(0)
    assert targets(writer) == [np.zeros_like, o.iadd, o.iadd, o.iadd]


def test_parts_of_a_view_wait(writer):
    slots = slots_of(writer, views={0})
    slots.add_part(0, PATH, o.iadd, (1.0,))
    assert slots.parts(0) == [(PATH, o.iadd, (1.0,))]
    assert not writer.nodes and slots.parts(0) is None
    slots.add_part(0, PATH, o.iadd, (1.0,))
    slots.take(0)
    assert targets(writer) == [np.zeros_like, o.iadd]


def test_what_belongs_elsewhere_is_added_to_its_accumulator(writer):
    sums = writer.new(np.zeros(3))[0]
    first = sums.ref
    slots = Slots(writer, lambda id: writer.value(id, X, id), lambda id: False, lambda id: sums)
    slots.add(0, 1.0)
    (node,) = writer.nodes
    assert node.op == "write" and node.args[0] == first and node.target is o.iadd
    assert slots.number(1) is sums


def test_settled(writer):
    z = np.zeros_like(writer.value(0, X, 0))
    first = settled(z)
    z[0] = 1.0
    assert first.ref != z.ref
    assert settled(2.0) == 2.0
