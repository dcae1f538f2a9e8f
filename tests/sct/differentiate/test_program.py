"""Trees of paths, and what is active in them."""

import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate import Unsupported, forward, reverse
from hybridad.sct.differentiate.program import Program, paths, rebuilt
from hybridad.trace.ir import Block, Branch, Return, replace
from tests.sct.differentiate.building import Builder
from tests.sct.differentiate.checking import build, check_reverse
from tests.trace.interpret import run

V = np.linspace(0.5, 1.6, 4)


def tree():
    """``sin(x) * x if x > 1 else x ** 3``, and an exit for x > 2."""
    b = Builder()
    x = b.input(1.5, "x")
    y = b.apply(o.mul, x, x, name="y")
    test = b.apply(o.gt, x, 1.0)
    left, right = Builder(b), Builder(b)
    value = left.apply(o.mul, left.apply(np.sin, x), x)
    sides = {True: Block(tuple(left.nodes), Return(value))}
    value = right.apply(o.mul, y, x)
    sides[False] = Block(tuple(right.nodes), Return(value))
    return Block(tuple(b.nodes), Branch(test, "bool", sides)), x


@pytest.mark.parametrize(("x", "expected"), [
    (1.3, np.cos(1.3) * 1.3 + np.sin(1.3)), (0.7, 3 * 0.7 ** 2)])
def test_every_path_has_its_own_adjoint(x, expected):
    block, ref = tree()
    made = reverse(block, [ref.id])
    np.testing.assert_allclose(run(made, [x]).cotangents, [expected])
    pushed = forward(made, [ref.id])
    np.testing.assert_allclose(run(pushed, [x], seeds={0: 1.0}).tangents[0], expected)


def test_paths():
    block, _ = tree()
    found = list(paths(block))
    assert len(found) == 2
    assert all(blocks[0] is block and end is blocks[-1].end for blocks, end in found)


def test_rebuilt():
    block, _ = tree()
    made = rebuilt(block, lambda blocks: replace(blocks[-1], end=Return(len(blocks))),
                   lambda block: block.nodes[:1])
    assert len(made.nodes) == 1
    assert [end.value for _, end in paths(made)] == [2, 2]
    assert list(made.end.sides) == [True, False]


def test_activity():
    block, ref = tree()
    program = Program(block, [ref.id])
    active = [program.made_by[id].target for id in sorted(program.active)]
    assert o.gt not in active
    assert active.count(o.mul) == 3


def test_items_of_a_tuple_that_is_read():
    def program(b, x):
        pair = b.apply(np.linalg.eigh, b.apply(o.matmul, x, b.method(x, "T")))
        # The recorder keeps no example of several results, and may read them as items.
        b.nodes[-1] = replace(b.nodes[-1], example=None)
        values = b.node("read", "item", (pair, 0), {}, b.example(pair)[0])
        vectors = b.node("read", "attribute", (pair, "eigenvectors"), {}, b.example(pair)[1])
        return b.apply(o.add, b.apply(o.getitem, values, 0), b.apply(
            o.pow, b.apply(o.getitem, vectors, (0, 1)), 2))

    check_reverse(program, np.array([[1.0, 0.3, 0.2], [0.1, 2.0, 0.4], [0.3, 0.2, 3.0]]))


def test_a_sum_of_a_list():
    check_reverse(lambda b, x, y: b.apply(sum, [x, b.apply(o.mul, x, y), 1.0]), 0.3, 0.7)


def test_what_was_stored_and_read_is_refused():
    def program(b, x):
        box = b.node("build", list, ([x],), {}, [b.example(x)])
        return b.node("read", "item", (box, 0), {}, b.example(x))

    block, wanted = build(program, 0.5)
    with pytest.raises(Unsupported, match="stored"):
        reverse(block, wanted)


def test_code_that_is_not_followed_is_refused():
    block, wanted = build(lambda b, x: b.node(
        "foreign", None, (abs, (x,), {}), {}, 0.5), 0.5)
    with pytest.raises(Unsupported, match="not followed"):
        reverse(block, wanted)
    # Of what is not differentiated it is nobody's matter.
    block, wanted = build(lambda b, x: b.apply(o.mul, x, b.node(
        "foreign", None, (abs, (2.0,), {}), {}, 2.0)), 0.5)
    assert run(reverse(block, wanted), [0.5]).cotangents == (2.0,)


