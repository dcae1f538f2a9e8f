"""Programs as people write them, generated: whatever they do, derivatives and effects are right.

Each is Python source with its surroundings (globals, helpers, classes, a random generator) and
two or three calls, between which the surroundings change. What each call should give is found out
in plain Python, on a second copy of the module. The tests run a fixed set;
``HYBRIDAD_FUZZ=5000 pytest -m fuzz tests/test_generated_programs.py`` runs as many new ones. A
program that fails is printed as a file to paste.
"""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from hybridad import value_and_grad
from tests.generator import programs, same, state_of

_HEALTH = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large,
           HealthCheck.large_base_example]
# Some of them part more often than specialized code is made for.
pytestmark = pytest.mark.filterwarnings("ignore::hybridad.errors.SpecializationWarning")

_PHASES = (Phase.generate, Phase.shrink)
_LEAST = {"branches on data": 0.4, "writes in place": 0.4, "writes through a view": 0.2,
          "has a nonzero gradient": 0.8, "is smooth at every call": 0.9}


def _features(program):
    return {"branches on data": any(call.decisions for call in program.calls),
            "writes in place": any("write" in call.writes for call in program.calls),
            "writes through a view": any("view" in call.writes for call in program.calls),
            "has a nonzero gradient": any(call.slope for call in program.calls),
            "is smooth at every call": all(call.slope is not None for call in program.calls)}


def _fixed(count):
    """Settings for a set of programs that is always the same."""
    return settings(max_examples=count, deadline=None, derandomize=True, database=None,
                    phases=_PHASES, suppress_health_check=_HEALTH)


def _check(program, transform=value_and_grad):
    """Make the calls of a program and compare each with what plain Python made of it."""
    namespace = program.load()
    try:
        differentiated = transform(namespace["f"], program.differentiated)
        for k, call in enumerate(program.calls):
            for line in call.changes:
                exec(line, namespace)
            _check_call(f"call {k + 1}", program, call, differentiated, namespace)
    finally:
        program.unload()


def _check_call(which, program, call, differentiated, namespace):
    given = [eval(text, namespace) for text in call.arguments]
    passed = [eval(text, namespace) for text in call.arguments]
    value, gradient = differentiated(*passed)
    assert same(value, call.value), (
        f"{which}: the value is {value!r}, in plain Python {call.value!r}")
    for k, (before, after) in enumerate(zip(given, passed)):
        expected = before if k in program.differentiated else call.given[k]
        assert same(after, expected), f"{which}: argument {k} is {after!r}, should be {expected!r}"
    state = state_of(namespace)
    for name in call.state.keys() | state.keys():
        assert same(state.get(name), call.state.get(name)), (
            f"{which}: {name} is {state.get(name)!r}, in plain Python {call.state.get(name)!r}")
    slope, size = 0.0, 0.0
    for k, g, text in zip(program.differentiated, gradient, call.direction):
        along = eval(text, namespace)
        assert np.shape(g) == np.shape(along), f"{which}: the gradient by argument {k} is {g!r}"
        slope += np.sum(g * along)
        size += np.sum(np.abs(g * along))
    if call.slope is not None:
        assert abs(slope - call.slope) <= 1e-6 * size + 1e-7, (
            f"{which}: the slope is {slope}, by finite differences {call.slope}")


def test_generated_programs():
    """The value, the gradient and all effects are right, in programs that are worth the test."""
    passed = {}

    @_fixed(600)  # hypothesis makes some of them twice
    @given(programs())
    def check(program):
        if repr(program) not in passed:
            _check(program)
            passed[repr(program)] = _features(program)

    check()
    assert len(passed) >= 300
    shares = {name: np.mean([features[name] for features in passed.values()]) for name in _LEAST}
    assert all(shares[name] >= least for name, least in _LEAST.items()), shares


@pytest.mark.fuzz
@pytest.mark.skipif("HYBRIDAD_FUZZ" not in os.environ, reason="HYBRIDAD_FUZZ=N runs N programs")
@settings(max_examples=int(os.environ.get("HYBRIDAD_FUZZ", 1)), deadline=None, database=None,
          phases=_PHASES, suppress_health_check=_HEALTH)
@given(programs())
def test_many_generated_programs(program):
    _check(program)


def _pretended(program, runs=1, factor=1.0, stale=False):
    """A transform that runs the plain function and knows its slopes; or does something wrong."""
    def transform(f, differentiated):
        calls = iter(program.calls)
        kept = []

        def value_and_gradient(*args):
            call = next(calls)
            mutable = [np.array(a) if k in differentiated and isinstance(a, np.ndarray) else a
                       for k, a in enumerate(args)]
            for _ in range(runs):
                value = f(*mutable)
            kept.append(value)
            along = [eval(text, {"np": np}) for text in call.direction]
            norm = sum(np.sum(np.square(a)) for a in along)
            gradient = [factor * (call.slope or 0.0) / norm * a for a in along]
            return kept[0] if stale else value, gradient

        return value_and_gradient
    return transform


@pytest.mark.parametrize("wrong, share", [({}, 0.0), ({"runs": 2}, 0.4), ({"factor": 1.001}, 0.7),
                                          ({"stale": True}, 0.7)], ids=str)
def test_check_sees_what_is_wrong(wrong, share):
    """A plain run passes; effects done twice, slopes a little wrong, old values do not."""
    failed = []

    @_fixed(60)
    @given(programs())
    def check(program):
        try:
            _check(program, _pretended(program, **wrong))
            failed.append(False)
        except AssertionError:
            failed.append(True)

    check()
    assert np.mean(failed) >= share
    assert wrong or not any(failed)
