"""Emitted functions against the interpreter, on random traces."""

import warnings

import numpy as np
import pytest

from hybridad.sct.emit import emit
from hybridad.sct.load import Exit, load
from tests.sct.emit.programs import make_inputs, make_trace
from tests.trace.interpret import run


def same(a, b):
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and np.array_equal(a, b, equal_nan=True)


def arrays(*xs):
    return [x for x in xs if isinstance(x, np.ndarray)]


def check(block, seed, pullback):
    source = emit(block, "f", pullback=pullback)
    function = load(source)
    for k in range(4):
        inputs = make_inputs(100 * seed + k)
        given = [x.copy() if isinstance(x, np.ndarray) else x for x in inputs]
        written = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = run(block, inputs, written=written)
            found = function(*given)
        if expected.exit is not None:
            assert type(found) is Exit
            continue
        assert same(given[:2], inputs[:2]) or all(map(same, given[:2], inputs[:2]))
        memory = block.nodes[2].memory
        assert same(given[2], np.array(written.get(memory, inputs[2])))
        if not pullback:
            assert same(found[0], expected.value), source.text
            assert same(found[1:], expected.cotangents), source.text
            results = arrays(*found)
        else:
            value, pull = found
            assert same(value, expected.value), source.text
            results = arrays(value)
            for x in arrays(value, *given):
                x[...] = 1e3
            for _ in range(2):
                assert same(pull(1.0), expected.cotangents), source.text
            results += arrays(*pull(1.0), *pull(1.0))
        results += arrays(*given)
        for i, x in enumerate(results):
            assert x.flags.writeable
            assert not any(np.shares_memory(x, y) for y in results[:i]), source.text


@pytest.mark.parametrize("pullback", [False, True])
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_straight_lines_and_branches(first, pullback):
    for seed in range(first, first + 20):
        check(make_trace(seed, loops=0), seed, pullback)


@pytest.mark.parametrize("pullback", [False, True])
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_loops(first, pullback):
    for seed in range(first, first + 20):
        check(make_trace(seed, 6, loops=2), seed, pullback)
