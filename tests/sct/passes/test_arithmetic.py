"""Rules of arithmetic keep every bit of the results that they do not round anew."""

import itertools
import operator

import numpy as np
import pytest

from hybridad.sct.passes import remove_dead, simplify
from hybridad.trace.ir import Block, Return
from tests.sct.passes.traces import Writer
from tests.trace.interpret import run

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv]


def expressions(w, x, y):
    """All expressions of two operations on two arrays and some numbers."""
    for first, second in itertools.product(BINARY, BINARY):
        for a, b in itertools.permutations((x, y, 2.0, -1.0, 1.0, 3.0), 2):
            if type(a) is type(b) is float:
                continue
            inner = w.apply(first, a, b)
            yield w.apply(second, x, inner)
            yield w.apply(second, w.apply(operator.neg, inner), y)
            yield w.apply(operator.neg, w.apply(second, w.apply(operator.neg, inner), -4.0))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits(dtype):
    random = np.random.default_rng(0)
    arrays = [random.normal(size=5).astype(dtype), random.normal(size=5).astype(dtype)]
    w = Writer()
    x, y = (w.input(a) for a in arrays)
    results = tuple(expressions(w, x, y))
    block = Block(tuple(w.nodes), Return(0.0, cotangents=results))
    new = remove_dead(simplify(block))
    assert len(new.nodes) < 0.8 * len(block.nodes)
    with np.errstate(all="ignore"):
        for a, b in zip(run(new, arrays).cotangents, run(block, arrays).cotangents):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
