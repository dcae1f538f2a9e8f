"""Random loop programs: values, gradients and Hessian-vector products are right at any trip count.

The tests run the first few hundred seeds; ``HYBRIDAD_FUZZ=3000 pytest -m fuzz
tests/test_generated_loops.py`` runs as many others, ``python -m tests.generator.loops`` prints what
became of them. A program is shown by ``python -m tests.generator.loops --show SEED``.
"""

import functools
import os
import re

import numpy as np
import pytest

import hybridad
from tests.generator import loops
from tests.generator.loop_oracle import LoopProgram
from tests.generator.loop_programs import loop_source
from tests.generator.shrinking import shrink

ENGINE = "auto"
COUNT = 300
LEAST_SPECIALIZED = {"tape": 0.0, "auto": 0.85}

# What the programs are made of, and the least share of them that have it.
FEATURES = {
    r"    for .*\n(.*\n)*?        +(for|while) ": 0.2,  # nested
    r"while \w+ < ": 0.1,
    r"while True": 0.05,
    r"while (np\.)?abs": 0.1,
    r"        +if ": 0.6,
    r"break\n": 0.15,
    r"continue\n": 0.05,
    r"return .*\n.*\n": 0.02,  # from inside a loop
    r"        +(v|out)\d+\[.*\] (.=|=) ": 0.4,
    r"\[.* % .*\]": 0.5,
    r"(v\d+), (v\d+) = ": 0.02,  # buffers that change places
    r"first\d+ = False": 0.03,
    r"acc\d+ is None": 0.05,
    r"in enumerate\(": 0.05,
    r"in zip\(": 0.05,
    r"in TABLE": 0.03,
    r"reversed\(|, -1, -1\)": 0.1,
    r" [-+*/]= ": 0.8,
    r"        .*step\d+\(": 0.2,
    r"        +pair\d+ = ": 0.05,
    r"best\d+ = ": 0.05,
    r"\.append\(": 0.02,
    r"        +state\d+\[": 0.01,
}


def test_generated_loops():
    """No wrong answer; most are specialized where there is a specializer."""
    outcomes = [loops.check_program(seed, ENGINE) for seed in range(COUNT)]
    bad = [f"seed {o.seed} {o.verdict}: {o.detail}" for o in outcomes if o.verdict != "right"]
    assert not bad, "\n".join(bad)
    assert sum(o.gradients for o in outcomes) >= 0.98 * 3 * len(loops.TRIPS) * COUNT
    assert sum(o.hvps for o in outcomes) >= 0.7 * COUNT
    assert np.mean([o.specialized for o in outcomes]) >= LEAST_SPECIALIZED[ENGINE]


@pytest.mark.fuzz
@pytest.mark.skipif("HYBRIDAD_FUZZ" not in os.environ, reason="HYBRIDAD_FUZZ=N runs N programs")
def test_many_generated_loops():
    assert loops.main(["--start", str(COUNT), "--engine", ENGINE,
                       "--count", os.environ["HYBRIDAD_FUZZ"]]) == 0


def test_programs_have_what_loops_are_written_with():
    sources = [loop_source(seed) for seed in range(COUNT)]
    assert len(set(sources)) == COUNT
    rare = {pattern: share for pattern, least in FEATURES.items()
            if (share := np.mean([bool(re.search(pattern, s)) for s in sources])) < least}
    assert not rare


def test_a_seed_gives_one_program():
    assert loop_source(7) == loop_source(7) != loop_source(8)


def test_trip_counts_change_the_value_of_most_programs():
    changed = []
    for seed in range(60):
        program = LoopProgram(loop_source(seed), str(seed))
        rng = np.random.default_rng(seed)
        x, w = rng.uniform(-1.0, 1.0, 5), 0.4
        changed.append(len({float(program.value(x, w, n)) for n in loops.TRIPS}) > 2)
        program.unload()
    assert np.mean(changed) > 0.6


POWER = """\
import numpy as np
def f(x, w, n):
    y = abs(w)
    for _ in range(n):
        if y > 0.0:
            y = y * w
    return y * np.max(x)
"""


def test_the_oracle_knows_derivatives_in_closed_form():
    program = LoopProgram(POWER, "power")
    x, w = np.array([0.5, 2.0, -1.0]), 1.5
    try:
        np.testing.assert_allclose(
            program.gradient(x, w, 3), [0.0, w**4, 0.0, 2.0 * 4.0 * w**3], rtol=1e-14)
        tx, tw = np.array([1.0, -1.0, 2.0]), 0.5
        np.testing.assert_allclose(
            program.hvp(x, w, 3, tx, tw),
            [0.0, 4.0 * w**3 * tw, 0.0, 4.0 * w**3 * tx[1] + 2.0 * 12.0 * w**2 * tw], rtol=1e-8,
            atol=1e-8)
        assert program.hvp(np.array([2.0, 2.0, 1.0]), w, 3, tx, tw) is None  # at a kink
    finally:
        program.unload()


def _spoiled(spoil):
    """`value_and_grad` whose answers go through `spoil(value, gradient, call number)`."""
    def value_and_grad(f, argnums, engine):
        right = hybridad.value_and_grad(f, argnums, engine=engine)
        calls = iter(range(1000))

        @functools.wraps(right)
        def spoiled(x, w, n):
            return spoil(*right(x, w, n), next(calls))

        return spoiled
    return value_and_grad


@pytest.mark.parametrize("spoil", [
    lambda value, g, call: (np.nextafter(value, np.inf), g),
    lambda value, g, call: (value, (g[0] * (1.0 + 1e-7), g[1])),
    lambda value, g, call: (value, (g[0], g[1] + 1e-7 * (call > 9))),
    lambda value, g, call: (value, (g[0], np.array([g[1]]))),
    lambda value, g, call: (float(value), g),
], ids=["bits of the value", "gradient", "late gradient", "shape", "type"])
def test_the_check_sees_what_is_wrong(spoil):
    found = [loops.check_program(seed, "tape", _spoiled(spoil)).verdict for seed in range(20)]
    assert found.count("wrong") >= 15
    assert "refused" not in found


@pytest.mark.parametrize("error, verdict", [(hybridad.UnsupportedError("no."), "refused"),
                                            (KeyError("no."), "wrong")])
def test_what_is_raised_tells_the_verdict(error, verdict):
    def raises(f, argnums, engine):
        right = hybridad.value_and_grad(f, argnums, engine=engine)

        @functools.wraps(right)
        def raised(x, w, n):
            raise error

        return raised

    outcome = loops.check_program(0, "tape", raises)
    assert outcome.verdict == verdict and "no." in outcome.detail


def test_the_table_counts(capsys):
    assert loops.main(["--count", "3", "--engine", "tape"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"right +3\n", out) and re.search(r"compared +54 gradients", out)
    assert loops.main(["--show", "5"]) == 0
    assert capsys.readouterr().out == loop_source(5) + "\n"


def test_a_program_is_shrunk_to_what_matters():
    def keeps(source):
        program = LoopProgram(source, "shrunk")
        try:
            values = [program.value(np.ones(5), 0.5, n) for n in (1, 2)]
        finally:
            program.unload()
        return values[1] > values[0] and "while" in source

    source = next(source for source in map(loop_source, range(300))
                  if "while" in source and keeps(source))
    small = shrink(source, keeps)
    assert keeps(small) and len(small) < 0.4 * len(source)
