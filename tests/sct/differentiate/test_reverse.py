"""The adjoint of straight lines, and what `reverse` promises."""

import operator as o

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hybridad.sct.differentiate import Unsupported, reverse
from tests.sct.differentiate.building import Builder
from tests.sct.differentiate.checking import adjoint_nodes, build, check_reverse
from tests.sct.differentiate.straight_lines import STRAIGHT, V, weighed
from tests.trace.interpret import run


@pytest.mark.parametrize("guards", ["zero", "singular", "none"])
@pytest.mark.parametrize("name", STRAIGHT)
def test_straight_line(name, guards):
    program, *examples = STRAIGHT[name]
    check_reverse(program, *examples, guards=guards)


def test_float32_stays():
    def program(b, x, y):
        return b.apply(np.sum, b.apply(o.mul, b.apply(o.mul, x, x), y))

    check_reverse(program, V.astype(np.float32), 0.7, tolerance=2e-1)


def test_indices_that_come_from_data():
    def program(b, x, n, k):
        k = b.apply(o.mod, k, 3)
        return b.apply(o.mul, b.apply(o.getitem, x, n), weighed(b, b.apply(o.getitem, x, k)))

    builder = Builder()
    x = builder.input(V, "x")
    n, k = builder.input(1), builder.input(np.array([1, 4, 2]))
    made = reverse(builder.returns(program(builder, x, n, k)), [x.id])
    result = run(made, [V, 2, np.array([0, 3, 2])])
    weights = np.cos(np.arange(3))
    expected = np.zeros(4)
    np.add.at(expected, [0, 0, 2], V[2] * weights)
    expected[2] += V[[0, 0, 2]] @ weights
    np.testing.assert_allclose(result.cotangents[0], expected)


def test_given_seeds():
    builder = Builder()
    x = builder.input(V, "x")
    y, z = builder.apply(np.sin, x), builder.apply(np.sum, x)
    made = reverse(builder.returns((y, [z, 3])), [x.id], seeds="given")
    seeds = {0: np.arange(4.0), 1: np.float64(10.0)}
    result = run(made, [V], seeds=seeds)
    np.testing.assert_allclose(result.cotangents[0], np.cos(V) * seeds[0] + 10.0)


def test_two_gradients_never_share_memory():
    def program(b, x, y):
        return b.apply(np.sum, b.apply(o.add, x, y))

    block, wanted = build(program, V, V)
    result = run(reverse(block, wanted), [V, V])
    assert not np.shares_memory(*result.cotangents)
    assert all(g.flags.owndata for g in result.cotangents)


def test_a_function_without_a_rule_is_refused():
    def unknown(x):
        return x

    block, wanted = build(lambda b, x: b.apply(unknown, x), 1.0)
    with pytest.raises(Unsupported, match="unknown"):
        reverse(block, wanted)


def test_guards_must_be_known():
    block, wanted = build(lambda b, x: x, 1.0)
    with pytest.raises(ValueError, match="guards"):
        reverse(block, wanted, guards="some")


def test_what_is_inactive_gets_nothing():
    block, wanted = build(lambda b, x: b.apply(o.mul, b.apply(o.mul, b.apply(
        np.floor, x), b.apply(np.argmax, x)), x), np.float64(1.5))
    made = reverse(block, wanted)
    assert_array_equal(run(made, [np.float64(2.5)]).cotangents, [0.0])
    assert np.floor not in adjoint_nodes(made)
