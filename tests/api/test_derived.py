"""What functions that differentiate functions return: names, methods, copies, pickles."""

import copy
import pickle

import numpy as np
import pytest

from hybridad import grad, hessian, hvp, jacobian, value_and_grad
from hybridad.recording.facts import history_of
from hybridad.tree import flatten
from tests.api.comparing import X

MAKERS = [jacobian, hessian, hvp, grad, value_and_grad]


def square(x):
    """Sums squares."""
    return np.sum(x * x)


@jacobian
def decorated(x):
    return x * x


@pytest.mark.parametrize("make", MAKERS)
def test_names(make):
    made = make(square)
    assert made.__name__ == "square" and made.__doc__ == "Sums squares."
    assert made.__wrapped__ is square and repr(made).endswith(" of square>")
    assert copy.copy(made) is made and copy.deepcopy(made) is made


@pytest.mark.parametrize("make", MAKERS)
def test_pickles(make):
    made, arguments = make(square), (X, X) if make is hvp else (X,)
    again = pickle.loads(pickle.dumps(made))
    assert again is not made and repr(again) == repr(made)
    for found, expected in zip(flatten(again(*arguments))[0], flatten(made(*arguments))[0]):
        np.testing.assert_array_equal(found, expected)


def test_what_stands_in_place_of_its_function_is_found_by_name():
    assert pickle.loads(pickle.dumps(decorated)) is decorated


def test_methods():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @hessian
        def loss(self, x):
            return self.factor * x**3

        loss = hessian(loss.__wrapped__, argnums=1)

    assert Scale(2.0).loss(3.0) == 36.0
    assert Scale.loss(Scale(1.0), 3.0) == 18.0


def test_the_history_of_an_inner_one_is_not_taken_over():
    inner = grad(square)
    assert history_of(inner) is not None and history_of(jacobian(inner)) is None
