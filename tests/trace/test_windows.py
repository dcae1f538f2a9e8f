"""A view tells how it was taken."""

import numpy as np
import pytest

from hybridad.trace.ir import HOLE, Method
from hybridad.trace.windows import steps_to

X = np.arange(60.0).reshape(3, 4, 5)

VIEWS = {
    "all": X,
    "a row": X[1],
    "a column": X[:, 2, 3],
    "slices": X[1:, 1:3, ::2],
    "backwards": X[::-1, 1, ::-2],
    "transposed": X[1:].transpose(2, 0, 1),
    "reshaped": X.reshape(12, 5),
    "new axes": X[1, None, :, None, 2],
    "one of each": X[1:2, 2:3, :],
}


@pytest.mark.parametrize("name", VIEWS)
def test_the_steps_lead_there(name):
    found = X
    for step in steps_to(X, VIEWS[name]):
        args = [found if x is HOLE else x for x in step.args]
        found = getattr(args[0], step.target.name)(*args[1:]) \
            if type(step.target) is Method else step.target(*args)
    np.testing.assert_array_equal(found, VIEWS[name])
    assert found.strides == VIEWS[name].strides or 1 in found.shape
    assert found.__array_interface__["data"] == VIEWS[name].__array_interface__["data"]


def test_of_a_view():
    y = X[::2, :, 1:].transpose(1, 0, 2)
    (step,) = steps_to(y, y[2, :, 1:])
    np.testing.assert_array_equal(y[step.args[1]], y[2, :, 1:])


def test_others_have_none():
    assert steps_to(X, np.lib.stride_tricks.sliding_window_view(X[0, 0], 2)) is None
    assert steps_to(X, np.diagonal(X[0])) is None
    assert steps_to(X, np.broadcast_to(X[0, 0], (2, 5))) is None


def test_a_row_of_numbers_turned():
    row = np.arange(6.0)
    first, second = steps_to(row, row.reshape(3, 2).T)
    assert (first.args[1], second.args[1:]) == ((3, 2), (1, 0))
