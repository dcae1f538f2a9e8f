"""Derivatives inside of a trace run: variables and pulls, and what stays on the tape."""

import numpy as np
import pytest

from hybridad import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from hybridad.recording.effects import Journal
from hybridad.recording.tracing import trace
from hybridad.recording.tracing.memory import NotTraced
from tests.recording.tracing.follow import X, targets

OUTSIDE = {"w": np.ones(3)}


def cube(y):
    return np.sum(y**3)


def vector(y):
    return np.sin(y)


def traced(f, *told):
    """The events of a run; `told`: the leaves of each derivative that the run before has noted."""
    journal = Journal(keeps=True)
    for leaves in told:
        journal.derivatives.append(leaves)
    events, result, _ = trace(f, (X.copy(),), {}, [0], journal.replay())
    return events, result


def operations(events):
    return [event.op for event in events if getattr(event, "op", None) in ("variable", "pull")]


def test_a_gradient_is_a_pull_by_a_variable():
    events, result = traced(lambda x: np.sum(grad(cube)(x)), [3 * X**2])
    assert result == np.sum(3 * X**2)
    made = {event.op: event for event in events if getattr(event, "op", None) in (
        "variable", "pull", "input")}
    assert made["variable"].args[0].id == made["input"].id
    values, cotangents, variable = made["pull"].args
    assert (len(values), cotangents, variable.id) == (1, (1.0,), made["variable"].id)
    assert made["pull"].memory not in (made["variable"].memory, made["input"].memory)


@pytest.mark.parametrize(("f", "told", "wanted"), [
    (lambda x: value_and_grad(cube)(x)[0], [X], ["variable", "pull"]),
    (lambda x: np.sum(vjp(vector, x)[1](x)[0]), [X], ["variable", "pull"]),
    (lambda x: np.sum(jvp(vector, (x,), (x,))[1]), [X],
     ["variable", "variable", "pull", "pull"]),
    (lambda x: np.sum(hvp(cube)(x, x)), [X], ["variable", "pull", "pull"]),
    (lambda x: np.sum(jacobian(vector)(x)), [np.eye(3)], ["variable", "pull", "pull", "pull"]),
    (lambda x: np.sum(hessian(cube)(x)), [np.eye(3)],
     ["variable", "pull", "pull", "pull", "pull"]),
    (lambda x: np.sum(jacobian(cube)(x)), [X], ["variable", "pull"]),
], ids=str)
def test_the_others_are_made_of_pulls(f, told, wanted):
    events, _ = traced(f, told)
    assert operations(events) == wanted


def test_a_function_from_outside_must_be_the_same():
    events, _ = traced(lambda x: np.sum(GRADIENT(x)), [X])
    assert "is" in targets(events, "check") and "attribute" in targets(events, "read")


GRADIENT = grad(cube)


def test_what_it_is_asked_for_may_come_from_data():
    events, _ = traced(lambda x: np.sum(grad(lambda a, b: cube(a * b), int(x[0] > 9))(x, x)), [X])
    assert operations(events) == ["variable", "pull"]


def writes(y):
    y[0] = 1.0
    return cube(y)


def no_pair(y):
    return np.sum(y)


@pytest.mark.parametrize(("f", "told", "reason"), [
    (lambda x: grad(cube)(np.arange(3)), X, "a ndarray is differentiated inside"),
    (lambda x: grad(cube, argnums=1)(x), X, "argnums names argument 1 of cube"),
    (lambda x: grad(no_pair, has_aux=True)(x), X, "of a function that returns no pair"),
    (lambda x: grad(lambda p: cube(p["w"]))(OUTSIDE), X,
     "a dict from outside in a derivative inside"),
    (lambda x: grad(vector)(x), X, "a gradient inside, of what is no real number"),
    (lambda x: grad(cube)(x), None, "a derivative inside that the run before has not computed"),
    (lambda x: grad(cube)(x), np.ones(4), "is of another type than its variable"),
    (lambda x: vjp(vector, x)[1]([x, x]), X, "a cotangent or tangent inside of another structure"),
    (lambda x: vjp(vector, x)[1](x[0]), X, "a cotangent or tangent inside of another type"),
    (lambda x: jacobian(vector)(x * 1j), X, "a matrix of complex derivatives inside"),
    (lambda x: jacobian(lambda y: np.outer(y, np.ones(40)))(x), X,
     "a matrix of more than 64 rows inside"),
    (lambda x: hvp(cube)(), X, "hvp inside, without a vector"),
    (lambda x: hvp(lambda y: np.sum(np.abs(y)))(x * 1j, x), X, "hvp inside, by complex numbers"),
    (lambda x: jvp(vector, (x,), (x, x)), X, "tangents inside that are not one for each argument"),
    (lambda x: vjp(vector, x)[1](), X, "a pullback inside takes one cotangent"),
    (lambda x: grad(writes)(x), X,
     "an array is differentiated inside, and written to"),
], ids=str)
def test_what_stays_on_the_tape(f, told, reason):
    with pytest.raises(NotTraced, match=reason):
        traced(f, *([] if told is None else [[told]]))
