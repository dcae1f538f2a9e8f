"""Which rule a call has."""

import math
import operator as o

import numpy as np
import pytest

from hybridad.rules.declare import PRIMITIVES
from hybridad.sct.differentiate.calls import call_of, is_constant, is_differentiable
from hybridad.trace.ir import Method, Node, Ref

X, Y = Ref(0), Ref(1)


def node(target, *args, **kwargs):
    return Node(9, "apply", target, args, kwargs)


@pytest.mark.parametrize(("made", "function", "args", "kwargs"), [
    (node(o.mul, X, 2.0), np.multiply, (X, 2.0), {}),
    (node(abs, X), np.absolute, (X,), {}),
    (node(math.exp, X), math.exp, (X,), {}),
    (node(Method("sum"), X, axis=0), np.sum, (X,), {"axis": 0}),
    (node(Method("reshape"), X, 2, 3), np.reshape, (X, (2, 3)), {}),
    (node(Method("reshape"), X, (2, 3)), np.reshape, (X, (2, 3)), {}),
    (node(Method("T"), X), np.transpose, (X,), {}),
    (node(Method("mT"), X), np.swapaxes, (X, -1, -2), {}),
    (node(Method("astype"), X, "f4"), np.copy, (X,), {}),
    (node(np.sum, a=X, axis=1), np.sum, (X, 1), {}),
    (node(np.add.reduce, X), np.sum, (X,), {"axis": 0}),
    (node(np.concatenate, (X, Y), axis=1), np.concatenate, ([X, Y], ), {"axis": 1}),
    (node(np.exp, X, dtype=float), np.exp, (X,), {}),
    (node(np.float64, X), np.copy, (X,), {}),
    (node(np.dot, [X, Y], Y), np.dot, ([X, Y], Y), {}),
    (node(sum, (X, Y), 2.0), sum, ([X, Y, 2.0],), {}),
    (node(sum, [X], start=Y), sum, ([X, Y],), {}),
    (node(complex, imag=X), complex, (0.0, X), {}),
    (node(np.linalg.diagonal, X, offset=1), np.diagonal, (X, 1, -2, -1), {}),
    (node(np.linalg.matrix_transpose, X), np.matrix_transpose, (X,), {}),
])
def test_call_of(made, function, args, kwargs):
    found = call_of(made)
    assert found.primitive.func is function
    assert (found.args, found.kwargs) == (args, kwargs)


@pytest.mark.parametrize("made", [
    node(np.exp, X, where=Y), node(np.concatenate, X), node(np.sum, X, where=Y),
    node(np.add.outer, X, Y), node(Method("item"), X, 1), node(len, X)])
def test_others_are_decomposed(made):
    assert call_of(made) is None


def test_values_without_derivative_by_name():
    made = node(np.sum, X, where=Y)
    assert call_of(made, {X.id}).kwargs == {"where": Y}
    assert call_of(made, {X.id, Y.id}) is None


def test_constants():
    assert is_constant(node(np.floor, X))
    assert is_constant(node(o.floordiv, X, 2.0))
    assert is_constant(node(Method("argmax"), X))
    assert not is_constant(node(Method("sum"), X))
    assert not is_constant(node(len, X))


@pytest.mark.parametrize(("value", "expected"), [
    (1.0, True), (1, False), (np.zeros(2), True), (np.arange(2), False), (np.float32(1), True),
    (1j, True), ((1, 2.0), True), ("a", False), (None, False)])
def test_is_differentiable(value, expected):
    assert is_differentiable(value) is expected


def test_every_method_has_a_rule():
    from hybridad.sct.differentiate import calls

    assert all(function in PRIMITIVES for function in calls._METHODS.values())
