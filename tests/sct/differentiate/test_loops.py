"""Mirrors: gradients through loops, at other trip counts than the one that was recorded."""

import operator as o

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hybridad.sct.differentiate import forward, reverse
from hybridad.trace.ir import HOLE, Block, Branch, Loop, Next, replace
from tests.sct.differentiate.checking import build, check_reverse, differences
from tests.sct.differentiate.programs import LOOPS
from tests.trace.interpret import run


@pytest.mark.parametrize("guards", ["zero", "none"])
@pytest.mark.parametrize("name", LOOPS)
def test_loop(name, guards):
    program, *examples = LOOPS[name]
    check_reverse(program, *examples, guards=guards)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 20])
@pytest.mark.parametrize("name", ["horner", "branches", "last"])
def test_other_trip_counts(name, n):
    program, x, c = LOOPS[name]
    block, wanted = build(program, x, c)
    made = reverse(block, wanted)
    inputs = [x, np.linspace(0.4, 1.3, n)]
    result = run(made, inputs)
    assert result.exit is None
    for k in range(2):
        assert_allclose(result.cotangents[k], differences(block, inputs, k), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("a", [2.0, 1.0, 3.7e4])
def test_newton_by_its_closed_form(a):
    program, example = LOOPS["newton"]
    block, wanted = build(program, example)
    result = run(reverse(block, wanted), [a])
    assert_allclose(result.value, np.sqrt(a))
    assert_allclose(result.cotangents, [0.5 / np.sqrt(a)], rtol=1e-7)


def mirror_of(name):
    program, *examples = LOOPS[name]
    block, wanted = build(program, *examples)
    (found,) = [node for node in reverse(block, wanted).nodes
                if type(node) is Loop and node.kind == "mirror"]
    return found


def test_a_mirror_carries_only_what_is_needed():
    # The step of Newton's method is carried by the loop; nobody needs its cotangent.
    mirror = mirror_of("newton")
    assert len(mirror.phis) == 2    # of y, and the sum for a
    assert mirror.order == -1


def test_an_accumulator_keeps_its_memory():
    mirror = mirror_of("horner")
    (sums,) = [phi for phi in mirror.phis if phi.aval.kind == "array"]
    assert mirror.body.nodes[-1].memory == sums.memory or any(
        node.memory == sums.memory for node in mirror.body.nodes)
    assert not any(node.target is np.zeros_like for node in mirror.body.nodes)


def test_a_leaf_that_does_not_count_has_no_block():
    assert type(mirror_of("newton").body.end) is not Branch


def test_every_other_leaf_has_one():
    assert set(mirror_of("branches").body.end.sides) == {0, 1, 2}
    assert set(mirror_of("broken").body.end.sides) == {0, 1}


def test_a_loop_that_nobody_has_seen_run_hands_on_what_comes():
    block, wanted = build(lambda b, x: b.apply(np.sin, b.loop(
        "range", (0, 0, 1), [b.apply(np.square, x)], lambda b, i, y: Block(), item=0)[0]), 0.7)
    made = reverse(block, wanted)
    assert [node.kind for node in made.nodes if type(node) is Loop] == ["range"]
    assert_allclose(run(made, [0.7]).cotangents, [2 * 0.7 * np.cos(0.49)])


@pytest.mark.parametrize("x", [1.3, np.array([0.5, 1.5, 2.5])])
def test_a_name_that_is_not_bound_before_the_loop(x):
    def program(b, x):
        (y,) = b.loop("range", (0, 3, 1), [x], lambda b, i, y: Next((b.apply(
            np.multiply, x, b.apply(o.add, i, 1.0)),)), item=0)
        loop = b.nodes[-1]
        b.nodes[-1] = replace(loop, phis=(replace(loop.phis[0], init=HOLE, example=None),))
        return b.apply(np.sum, b.apply(np.square, y))

    block, wanted = build(program, x)
    for made in (reverse(block, wanted), forward(block, wanted)):
        result = run(made, [x], seeds={0: np.ones_like(x)[()]})
        if result.cotangents is not None:
            assert_allclose(result.cotangents, [18.0 * x])
        else:
            assert_allclose(result.tangents, np.sum(18.0 * x))


def test_a_chain_writes_in_place():
    mirror = mirror_of("chain")
    (carried, *_) = mirror.phis
    end = {node.id: node for node in mirror.body.nodes}[mirror.body.end.values[0].id]
    assert end.memory == carried.memory
