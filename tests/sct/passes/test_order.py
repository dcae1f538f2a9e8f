"""All passes together, on random traces: values as before, bit for bit; cotangents to rounding."""

import numpy as np
import pytest

from hybridad.sct import passes
from hybridad.sct.passes.order import PASSES as PASSES_AND_NEEDS
from hybridad.trace.text import show
from tests.sct.passes.traces import inputs_of, random_trace, run_in_place
from tests.trace.interpret import run

PASSES = [clean for clean, _ in PASSES_AND_NEEDS]
SEEDS = range(150)


def results(block, seed):
    return run(block, [np.array(x) if np.ndim(x) else np.float64(x) for x in inputs_of(seed)])


def assert_same(new, old):
    assert new.exit is None
    assert new.value == old.value or (new.value != new.value and old.value != old.value)
    for a, b in zip(new.cotangents, old.cotangents, strict=True):
        assert np.shape(a) == np.shape(b)
        assert np.asarray(a).dtype == np.asarray(b).dtype
        size = np.nanmax(np.abs(b), initial=1.0)
        assert np.allclose(a, b, rtol=1e-10, atol=1e-12 * size, equal_nan=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_results_stay(seed, monkeypatch):
    block = random_trace(seed)
    old = results(block, seed)
    clean = block
    for one_pass in PASSES:
        clean = one_pass(clean)
        assert_same(results(clean, seed), old)
    assert_same(run_in_place(clean, inputs_of(seed), monkeypatch), old)


@pytest.mark.parametrize("one_pass", dict.fromkeys(PASSES), ids=lambda p: p.__name__)
def test_each_pass_alone(one_pass):
    for seed in range(40):
        block = random_trace(seed)
        clean = one_pass(block)
        assert_same(results(clean, seed), results(block, seed))
        if one_pass is not passes.simplify:  # where a use has gone, a second look may find more
            assert show(one_pass(clean)) == show(clean)


def test_traces_get_shorter():
    before = [show(random_trace(seed)).count("\n") for seed in SEEDS]
    after = [show(passes.run(random_trace(seed))).count("\n") for seed in SEEDS]
    assert sum(after) < 0.75 * sum(before)
