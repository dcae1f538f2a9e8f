"""What cannot be differentiated, and what cannot be returned."""


from collections import namedtuple

import numpy as np
import pytest

from hybridad import ResultError, grad, jvp, value_and_grad, vjp
from tests.api.comparing import X

Parts = namedtuple("Parts", "left right")


def wait_for(x):
    yield x


SCALAR = "Return a scalar, for example np.sum(...); for other results there are hybridad.vjp and " \
    "hybridad.jvp."
FLOAT = "Return a float (for a complex result for example np.abs(z) or z.real)."


@pytest.mark.parametrize("f, what, remedy", [
    (lambda x: x, "returned an array of shape (3,), not a scalar.", SCALAR),
    (lambda x: np.sum(x, keepdims=True), "returned an array of shape (1,), not a scalar.", SCALAR),
    (lambda x: [x[0]], "returned a list, not a scalar.", SCALAR),
    (lambda x: (x[0], x[1]), "returned a tuple, not a scalar.", SCALAR),
    (lambda x: {"loss": x[0]}, "returned a dict, not a scalar.", SCALAR),
    (lambda x: Parts(x[0], x[1]), "returned a Parts, not a scalar.", SCALAR),
    (lambda x: None, "returned None, not a scalar.", SCALAR),
    (lambda x: (), "returned a tuple, not a scalar.", SCALAR),
    (lambda x: 3, "returned 3 of type int, not a real floating-point number.", FLOAT),
    (lambda x: True, "returned True of type bool, not a real floating-point number.", FLOAT),
    (lambda x: np.argmax(x), "returned np.int64(2) of the type int64, not a real", FLOAT),
    (lambda x: x[0] > 0, "of the type bool, not a real floating-point number.", FLOAT),
    (lambda x: x[0] * 1j, "returned np.complex128(0.5j) of the type complex128, not a", FLOAT),
    (lambda x: np.sum(x) + 0j, "of the type complex128, not a real", FLOAT),
    (lambda x: "text", "returned 'text' of type str, not a real floating-point number.", FLOAT),
    (lambda x: f"{x[0]:.1f}", "returned '0.5' of type str, not a real", FLOAT),
    (wait_for, "of type generator, not a real floating-point number.", FLOAT),
    (lambda x: np.array(None), "of the type object, not a real floating-point number.", FLOAT),
])
def test_results_without_gradient(f, what, remedy):
    for attempt in (value_and_grad(f), grad(f), value_and_grad(lambda x: (f(x), 1), has_aux=True)):
        with pytest.raises(ResultError) as caught:
            attempt(X)
        first, where, last = str(caught.value).split("\n")
        assert what in first and first.startswith(("<lambda> ", "wait_for "))
        assert where.startswith(f"  at {__file__}:") and where.endswith("attempt(X)")
        assert last == remedy


@pytest.mark.parametrize("f, what", [
    (lambda x: 3, "<lambda> returned int 3, which has no derivative."),
    (lambda x: {"a": x, "n": 3}, "<lambda> returned int 3, which has no derivative."),
    (lambda x: np.argsort(x), "<lambda> returned ndarray array([1, 0, 2]), which has no"),
    (lambda x: "text", "<lambda> returned str 'text', which has no derivative."),
])
def test_results_that_are_not_floating(f, what):
    for attempt in (lambda: vjp(f, X), lambda: jvp(f, (X,), (X,))):
        with pytest.raises(ResultError) as caught:
            attempt()
        first, where, last = str(caught.value).split("\n")
        assert first.startswith(what) and where.startswith(f"  at {__file__}:")
        assert last == "Return floating-point numbers and arrays; others with has_aux."


def test_leaves_behind_the_first_must_be_floating_too():
    with pytest.raises(ResultError, match="returned int 2, which has no derivative"):
        vjp(lambda x: (x, 2), X)
