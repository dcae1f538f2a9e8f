"""No operation that a look at the trace could save."""

import operator as o

import numpy as np

from hybridad.sct.differentiate import reverse
from hybridad.trace.ir import Method
from tests.sct.differentiate.checking import adjoint_nodes, adjoint_of, build
from tests.sct.differentiate.straight_lines import M, V

RNG = np.random.default_rng(0)


def test_a_sum_of_products_broadcasts_nothing():
    assert adjoint_of(lambda b, x, y: b.apply(np.sum, b.apply(o.mul, x, y)), V, V) == [
        o.mul, o.mul]


def test_one_accumulator_for_many_reads():
    def program(b, x):
        parts = [b.apply(o.getitem, x, k) for k in range(4)]
        total = parts[0]
        for part in parts[1:]:
            total = b.apply(o.mul, total, part)
        return total

    targets = adjoint_of(program, V)
    assert targets.count(np.zeros_like) == 1
    assert targets.count(o.iadd) == 4


def test_an_element_of_a_row_makes_no_row():
    assert adjoint_of(lambda b, x: b.apply(o.getitem, b.apply(o.getitem, x, 1), 2), M) == [
        np.zeros_like, o.iadd]


def test_a_network_has_the_operations_of_a_hand_written_adjoint():
    def program(b, x, w1, b1, w2, b2):
        h = b.apply(np.tanh, b.apply(o.add, b.apply(o.matmul, x, w1), b1))
        y = b.apply(o.add, b.apply(o.matmul, h, w2), b2)
        return b.apply(np.mean, b.apply(o.mul, y, y))

    block, wanted = build(program, M, RNG.normal(size=(4, 5)), RNG.normal(size=5),
                          RNG.normal(size=(5, 2)), RNG.normal(size=2))
    targets = adjoint_nodes(reverse(block, wanted[1:]))
    T, total = Method("T"), Method("sum")
    assert targets == [
        o.truediv, o.mul, o.mul,                    # the mean of the squares: numbers, and one pass
        total, T, o.matmul, T, o.matmul,            # b2, the hidden layer, w2
        o.mul, o.mul, o.sub,                        # tanh
        total, T, o.matmul]                         # b1, w1


def test_a_square_is_one_pass_over_the_array():
    program = lambda b, x: b.apply(np.mean, b.apply(o.pow, x, 2))
    assert adjoint_of(program, V) == [o.truediv, o.mul, o.mul]
    block, wanted = build(program, V)
    assert np.shape(reverse(block, wanted).nodes[-2].example) == ()
