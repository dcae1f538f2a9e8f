"""Which operations are windows into an array, and how is added at an index."""

import itertools
import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate.views import indexed_write, is_basic, is_window, step_of
from hybridad.sct.differentiate.writer import Writer
from hybridad.trace.ir import HOLE, Method, Node, Ref

X = np.zeros((3, 4))


def node(target, example, *rest):
    return Node(1, "apply", target, (Ref(0), *rest), {}, example=example)


@pytest.mark.parametrize(("made", "expected"), [
    (node(o.getitem, X[1], 1), True),
    (node(o.getitem, X[1, 1], (1, 1)), False),                  # a number
    (node(o.getitem, X[[0, 1]], np.array([0, 1])), False),      # a copy
    (node(Method("T"), X.T), True),
    (node(np.exp, X), False)])
def test_is_window(made, expected):
    assert is_window(made, {0: X}) is expected


def test_the_step_of_a_view():
    step = step_of(node(o.getitem, X[1], Ref(7)))
    assert step.target is o.getitem and step.args == (HOLE, Ref(7))


@pytest.mark.parametrize(("index", "expected"), [
    (1, True), ((slice(1, None), None, ...), True), (Ref(5), True), (True, False),
    (np.array([1]), False), (Ref(6), False)])
def test_is_basic(index, expected):
    assert is_basic(index, {5: 3, 6: np.array([1, 2])}) is expected


def test_adding_at_an_index():
    writer = Writer("adjoint", itertools.count(10), itertools.count(10))
    target = lambda index, plain: indexed_write(index, plain, (3, 4), 1.0)[1]
    assert target(1, 1) is o.iadd
    assert target(np.array([0, 2]), np.array([0, 2])) is o.iadd
    assert target(np.array([0, 0]), np.array([0, 0])) == np.add.at
    assert target(X > 0, X > 0) is o.iadd
    data = writer.value(0, np.array([0, 2]), 0)     # may repeat in another run
    assert target(data, data.raw) == np.add.at
    assert target((slice(None), writer.value(1, 2)), (slice(None), 2)) is o.iadd
