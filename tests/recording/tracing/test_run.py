"""One trace run."""

import types

import numpy as np
import pytest

from hybridad.recording.effects import Journal
from hybridad.recording.tracing import NotTraced, call_foreign, trace
from hybridad.trace.ir import Node, Return
from tests.recording.tracing.follow import X, follow, kinds, targets


def test_a_path_begins_with_inputs_and_ends_with_the_result():
    events, result = kinds(lambda a, b, c: np.sum(a) * b + c, X.copy(), 2.0, 3.0, keys=(0, 2))
    inputs = [e for e in events if type(e) is Node and e.op == "input"]
    assert [(e.target, e.name, e.kwargs) for e in inputs] == [
        (0, "a", {"differentiated": True}), (1, "b", {}), (2, "c", {"differentiated": True})]
    assert result == 1.25 * 2.0 + 3.0
    assert type(events[-1]) is Return


def test_the_callers_arrays_are_not_written_to():
    def f(x):
        x[0] = 7.0
        return np.sum(x)

    x = X.copy()
    kinds(f, x)
    assert x.tolist() == X.tolist()


def test_auxiliary_results_may_be_containers_and_objects():
    def f(x):
        return np.sum(x), {"k": [x[0], 3], "o": types.SimpleNamespace(v=1.0).v}

    events, result, _ = trace(f, (X.copy(),), {}, [0], Journal(keeps=True), True)
    assert result[1] == {"k": [0.5, 3], "o": 1.0}
    assert set(events[-1].aux) == {"k", "o"}


def test_errors_of_the_program_come_through():
    def f(x):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        kinds(f, X.copy())


def test_what_cannot_be_written_down_is_told_with_its_line():
    def f(x):
        return np.sum(np.apply_over_axes(lambda v, a: v, x, 0))

    with pytest.raises(NotTraced, match=r"calls functions .*test_run.py:\d+"):
        kinds(f, X.copy())


def test_foreign_calls_are_handed_out_again():
    journal, numbers = Journal(keeps=True), iter(range(9))
    assert [call_foreign(journal, next, (numbers,), {}) for _ in range(2)] == [0, 1]
    again = journal.replay()
    assert [call_foreign(again, next, (numbers,), {}) for _ in range(3)] == [0, 1, 2]


def test_containers_that_others_see_are_built_once():
    def make():
        store = {}

        def f(x):
            row = [x[0], 2.0]
            store["a"], store["b"] = row, row
            row.append(x[1])
            return np.sum(x) * row[0]
        return store, f

    store, f = make()
    events, _ = kinds(f, X.copy())
    assert targets(events, "build") == ["list"]
    assert store["a"] is store["b"] and len(store["a"]) == 3
    store, f = make()
    follow(f, X)
    assert store["a"] is store["b"] and store["a"] == [0.5, 2.0, -1.25]


def test_methods_and_objects_as_the_function():
    class Model:
        k = 2.0

        def __call__(self, x):
            return np.sum(x ** 2) * self.k

    follow(Model(), X)
    follow(Model().__call__, X)
