"""What runs are told of derivatives that are computed inside of them."""

import numpy as np
import pytest

from hybridad import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from hybridad.recording.effects import Journal
from hybridad.recording.nested import DIRECT, MAKERS, Nested
from hybridad.recording.run import record

X = np.array([0.5, 2.0])


def cube(y):
    return np.sum(y**3)


def noted(f):
    """The leaves of the derivatives that a run was told of, the first one first."""
    journal = Journal(keeps=True)
    record(f, (X.copy(),), {}, [0], journal=journal)
    assert journal.replay().derivatives == journal.derivatives[::-1]
    return journal.derivatives


@pytest.mark.parametrize(("f", "wanted"), [
    (lambda x: np.sum(grad(cube)(x)), 3 * X**2),
    (lambda x: value_and_grad(cube, engine="tape")(x)[0], 3 * X**2),
    (lambda x: np.sum(hvp(cube)(x, x)), 6 * X**2),
    (lambda x: np.sum(hessian(cube)(x)), np.diag(6 * X)),
    (lambda x: np.sum(jacobian(np.square)(x)), np.diag(2 * X)),
    (lambda x: np.sum(jvp(np.square, (x,), (x,))[1]), 2 * X**2),
    (lambda x: np.sum(vjp(np.square, x)[1](x)[0]), 2 * X**2),
])
def test_each_is_noted_as_plain_values(f, wanted):
    ((found,),) = noted(f)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, wanted)


def test_inner_ones_come_first_and_are_not_what_is_changed_later():
    def f(x):
        def inner(y):
            g = grad(cube)(y)
            g *= 0.0
            return np.sum(g) + np.sum(y)
        return np.sum(grad(inner)(x))

    found = noted(f)
    np.testing.assert_allclose(found[0][0], 3 * X**2)
    np.testing.assert_allclose(found[1][0], np.ones(2))


def test_nothing_is_kept_by_a_journal_that_keeps_nothing():
    journal = Journal(keeps=False)
    record(lambda x: np.sum(grad(cube)(x)), (X,), {}, [0], journal=journal)
    assert journal.derivatives == []


def test_who_makes_them():
    assert {grad, value_and_grad, hessian, hvp, jacobian} == MAKERS
    assert {vjp: "vjp", jvp: "jvp"} == DIRECT


@pytest.mark.parametrize(("options", "wanted"), [
    ((True, False, False), "g"), ((False, False, False), ("g",)), ((True, True, False), ("g", "a")),
    ((True, False, True), ("v", "g")), ((False, True, True), (("v", "a"), ("g",))),
])
def test_shapes_of_results(options, wanted):
    assert Nested("gradient", cube, (0,), *options).shape("v", "a", ["g"]) == wanted
