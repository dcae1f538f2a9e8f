"""Effects of a trace run, and code that is not followed."""

import functools

import numpy as np
import pytest

from hybridad.recording.effects import Journal
from hybridad.recording.tracing import NotTraced, trace
from hybridad.recording.tracing.effects import call_foreign
from hybridad.trace.ir import Node
from tests.recording.tracing.follow import X, follow, kinds, targets


def test_a_foreign_call_is_made_once_and_its_result_checked():
    rng = np.random.default_rng(0)
    wanted = np.random.default_rng(0).normal(size=3)

    def f(x):
        return np.sum(x * rng.normal(size=3))

    events, result = kinds(f, X.copy())
    assert result == np.sum(X * wanted)
    assert targets(events, "foreign") == [None]
    assert "array" in targets(events, "check")


def test_foreign_calls_with_differentiated_values_are_refused():
    def f(x):
        return float(functools.partial(str.format, "{:.3f}")(x[0])) if x is None else _code(x)

    with pytest.raises(NotTraced):
        kinds(f, X.copy())


def _code(x):
    return eval("x[0]")


def test_stores_outside_are_effects_with_plain_values():
    class Box:
        pass

    box, log = Box(), []

    def f(x):
        box.last = x[0]
        log.append({"n": [x[1]]})
        return box.last * log[-1]["n"][0]

    events, result = kinds(f, X.copy())
    assert targets(events, "effect") == ["attribute", "method"]
    assert targets(events, "build") == ["list", "dict"]
    assert result == X[0] * X[1]
    assert type(box.last) is np.float64 and log == [{"n": [X[1]]}]


def test_objects_that_escape_are_made_of_their_attributes():
    class Particle:
        def __init__(self, v):
            self.v = v

    kept = []

    def f(x):
        p = Particle(x[0] * 2.0)
        kept.append(p)
        return p.v * kept[-1].v

    follow(f, X.copy())
    assert [p.v for p in kept[:1]] == [1.0]


def test_arrays_from_outside_are_noted_before_they_are_written_to():
    buffer = np.zeros(3)

    def f(x):
        buffer[:] = x
        buffer[0] = 2.0
        return np.sum(buffer * x)

    events, _ = kinds(f, X.copy())
    assert len([e for e in events if type(e) is Node and e.op == "note"]) == 1


def test_results_are_handed_out_by_ordinal():
    journal = Journal(keeps=True)
    rng = np.random.default_rng(1)
    first = [call_foreign(journal, rng.random, (), {}) for _ in range(3)]
    again = journal.replay()
    assert [call_foreign(again, rng.random, (), {}) for _ in range(3)] == first


def test_functions_made_inside_are_no_arguments_of_others():
    kept = []

    def f(x):
        kept.append(lambda v: v * x[0])
        return kept[-1](2.0)

    with pytest.raises(NotTraced, match="made inside"):
        trace(f, (X.copy(),), {}, [0], Journal(keeps=True))
