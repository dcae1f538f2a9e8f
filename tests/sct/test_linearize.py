"""Traces made into pullbacks, tangents and tangents of gradients."""

import numpy as np
import pytest
from hybridad._signature import signature

from hybridad.recording.effects import Journal
from hybridad.recording.tracing import trace
from hybridad.sct.linearize import Plan, pullback_code, push_code, second_push_code
from hybridad.sct.specialize import NotSpecialized
from hybridad.trace.fold import Known, fold

X = np.array([1.0, 2.0])


def tree_of(f, *args):
    """The trace of a call; all arguments are differentiated."""
    known, leaves = signature(args, {}, range(len(args)))
    events, *_ = trace(f, args, {}, list(range(len(args))), Journal(keeps=True))
    return fold(events, Known()), known.wanted, leaves


def made(make, f, *args):
    tree, wanted, leaves = tree_of(f, *args)
    code = make(tree, wanted, f.__name__, len(leaves))

    class Run:
        function = f

    extra = [Run()] if code.needs_run else []
    return code, lambda *more: code.function(*leaves, *more, *extra)


def product(x, k):
    return {"b": x * k, "a": np.sum(x)}


def scalar(x, k):
    return np.sum(x**3) * k


def test_pullbacks():
    code, call = made(pullback_code, product, X, 3.0)
    _, (number, value, aux), pullback = call()
    assert value["b"].tolist() == [3.0, 6.0] and value["a"] == 3.0 and aux is None
    plan = code.plans[number]
    assert type(plan) is Plan and plan.order == [1, 0] and plan.parameters == (0, 1)
    g, h = pullback(np.array([1.0, 0.0]), 10.0)
    assert g.tolist() == [13.0, 10.0] and h == 1.0
    assert code.repeats


def test_seeds_that_nothing_depends_on_are_no_parameters():
    def f(x):
        return np.sum(x), 2.0 * np.sum(np.floor(x)), np.sum(x * x)

    code, call = made(pullback_code, f, X)
    _, (number, _, _), pullback = call()
    assert code.plans[number].parameters == (0, 2)
    assert pullback(1.0, 10.0)[0].tolist() == [21.0, 41.0]


def test_tangents():
    _, call = made(push_code, product, X, 3.0)
    _, (value, _), tangent = call(np.array([1.0, 0.0]), 2.0)
    assert list(value) == list(tangent) == ["b", "a"]
    assert tangent["b"].tolist() == [5.0, 4.0] and tangent["a"] == 1.0


def test_constants_have_no_tangent():
    def f(x):
        return x * 2.0, [5.0, {"c": np.float32(3.0)}], None

    _, call = made(push_code, f, 1.0)
    _, _, tangent = call(1.0)
    assert tangent == (2.0, [0.0, {"c": 0.0}], None)
    assert type(tangent[1][1]["c"]) is np.float32


def test_tangents_of_gradients():
    _, call = made(second_push_code, scalar, X, 2.0)
    _, (value, _), (t, u) = call(np.array([1.0, 0.0]), 1.0)
    assert value == 18.0
    np.testing.assert_allclose(t, [12.0 + 3.0, 12.0])
    assert u == 3.0


def test_effects_are_noted():
    log = []

    def f(x):
        log.append(1)
        return x * x

    assert not made(push_code, f, 2.0)[0].repeats


def test_results_that_are_objects_are_refused():
    def f(x):
        return Holder(x)

    tree, wanted, leaves = tree_of(f, 1.0)
    for make in (pullback_code, push_code):
        with pytest.raises(NotSpecialized, match="it returns an object"):
            make(tree, wanted, "f", len(leaves))


class Holder:
    def __init__(self, x):
        self.x = x
