"""Rules at work on cotangents that are smaller than their values."""

import itertools
import operator as o

import numpy as np
import pytest

from hybridad.rules.declare import PRIMITIVES
from hybridad.sct.differentiate import Unsupported
from hybridad.sct.differentiate.application import is_elementwise, pull, push
from hybridad.sct.differentiate.writer import Writer

X = np.linspace(0.5, 1.5, 12).reshape(3, 4)


@pytest.fixture
def writer():
    return Writer("adjoint", itertools.count(10), itertools.count(10), "none")


def pulled(writer, function, g, ans, *args, wanted=(0,), **kwargs):
    found = pull(writer, PRIMITIVES[function], g, ans, args, kwargs, set(wanted))
    return dict(found)


def test_a_number_stays_one(writer):
    g, x = writer.value(0, 2.0), writer.value(1, X, 1)
    for function in (np.reshape, np.transpose, np.ravel, np.flip):
        assert pulled(writer, function, g, x, x)[0] is g
    assert pulled(writer, np.sum, g, writer.value(2, X[0], 2), x, axis=0)[0] is g
    assert not writer.nodes


def test_a_mean_divides_a_number(writer):
    g, x = writer.value(0, 2.0), writer.value(1, X, 1)
    assert pulled(writer, np.mean, g, writer.value(2, X[0], 2), x, axis=0)[0].raw == 2.0 / 3


def test_others_get_the_whole(writer):
    g, x = writer.value(0, 2.0), writer.value(1, X, 1)
    found = pulled(writer, np.cumsum, g, x, x, axis=0)[0]
    np.testing.assert_allclose(found.raw, 2.0 * np.arange(3, 0, -1)[:, None] * np.ones(4))


def test_a_part_of_a_sequence(writer):
    g, x = writer.value(0, np.arange(24.0).reshape(6, 4), 0), writer.value(1, X, 1)
    ans = writer.value(2, np.zeros((6, 4)), 2)
    found = dict(pull(writer, PRIMITIVES[np.concatenate], g, ans, ([x, x],), {}, {1}))
    np.testing.assert_array_equal(found[1].raw, g.raw[3:])


def test_is_elementwise():
    assert is_elementwise(PRIMITIVES[np.exp]) and is_elementwise(PRIMITIVES[np.absolute])
    assert not is_elementwise(PRIMITIVES[np.sum]) and not is_elementwise(PRIMITIVES[np.matmul])


def test_tangents_are_added(writer):
    t, x = writer.value(0, X, 0), writer.value(1, X, 1)
    found = push(writer, PRIMITIVES[np.multiply], x, (x, x), {}, {0: t, 1: t})
    np.testing.assert_allclose(found.raw, 2 * X * X)
    assert [node.target for node in writer.nodes] == [o.mul, o.mul, o.add]


def test_an_argument_without_a_rule_is_refused(writer):
    x = writer.value(1, X, 1)
    with pytest.raises(Unsupported, match="argument 3"):
        pulled(writer, np.take, x, x, x, np.arange(2), x, wanted=(2,))
