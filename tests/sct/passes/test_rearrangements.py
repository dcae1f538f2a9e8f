"""Rules of what moves numbers about, against NumPy."""

import itertools

import numpy as np

from hybridad.sct.passes import remove_dead, simplify
from hybridad.trace.ir import Block, Method, Return
from hybridad.trace.text import parse, show
from tests.sct.passes.traces import Writer
from tests.trace.interpret import run

TURNS = [
    (Method("T"),), (np.transpose,), (np.transpose, (1, 2, 0)), (Method("transpose"), 2, 0, 1),
    (Method("transpose"), (0, 2, 1)), (np.swapaxes, 0, -1), (Method("swapaxes"), 1, 2),
    (np.moveaxis, 0, -1), (np.moveaxis, (0, 1), (1, 0)), (np.transpose, (0, -1, 1)),
]


def test_two_transposes_are_one_or_none():
    x = np.arange(24.0).reshape(2, 3, 4)
    for (first, *a), (second, *b) in itertools.product(TURNS, TURNS):
        w = Writer()
        use = w.input(x)
        result = w.apply(second, w.apply(first, use, *a), *b)
        block = Block(tuple(w.nodes), Return(0.0, cotangents=(result,)))
        new = remove_dead(simplify(block))
        assert len(new.nodes) <= 2, show(new)
        np.testing.assert_array_equal(run(new, [x]).cotangents[0], w.value(result))


def test_reshapes_of_reshapes():
    x = np.arange(24.0).reshape(2, 3, 4)
    w = Writer()
    use = w.input(x)
    there = w.apply(np.reshape, w.apply(np.reshape, use, (6, 4)), (4, 6))
    back = w.apply(Method("reshape"), w.apply(np.reshape, use, 24), 2, 3, 4)
    block = Block(tuple(w.nodes), Return(0.0, cotangents=(there, back)))
    new = remove_dead(simplify(block))
    assert [node.args[1:] for node in new.nodes[1:]] == [((4, 6),)]
    assert new.end.cotangents == (there, use)


def test_a_denominator_that_is_never_zero_needs_no_guard():
    text = """
        %0 = input 0, differentiated=True  : float64[3] C m0
        %1 = np.exp(%0)  : float64[3] C m1
        %2 = 1.0 + %1  : float64[3] C m2
        %3 = %0 * %0  : float64[3] C m3  [adjoint]
        %4 = %3 == 0  : bool_[3] C m4  [adjoint]
        %5 = np.where(%4, 1.0, DENOMINATOR)  : float64[3] C m5  [adjoint]
        %6 = %3 / %5  : float64[3] C m6  [adjoint]
        return %2  cotangents (%6,)
    """
    plain = show(remove_dead(simplify(parse(text.replace("DENOMINATOR", "%2")))))
    assert "%6 = %3 / %2" in plain and "where" not in plain
    guarded = show(remove_dead(simplify(parse(text.replace("DENOMINATOR", "%1")))))
    assert "where" in guarded


def test_the_sum_of_a_negative_is_the_negative_of_the_sum():
    new = show(remove_dead(simplify(parse("""
        %0 = input 0, differentiated=True  : float64[3] C m0
        %1 = -%0  : float64[3] C m1  [adjoint]
        %2 = np.sum(%1)  : float64  [adjoint]
        %3 = input 1, differentiated=True  : float64
        %4 = %3 + %2  : float64  [adjoint]
        return %3  cotangents (%4,)
    """))))
    assert "%4 = %3 - %5" in new
