"""Blocks of matrices, put together of rows and of columns."""

import numpy as np

from hybridad.api.blocks import Inputs, by_pulling, by_pushing
from hybridad.engine import Like


class Matrix:
    """The linear map ``y = m @ x`` with vectors `x` and `y`."""

    def __init__(self, m):
        self.m, self.likes, self.asked = m, [Like(m[:, 0])], []

    def pull(self, parts):
        self.asked.append(parts[0])
        g = parts[0] @ self.m
        return [g]

    def push(self, parts):
        self.asked.append(parts[0][0])
        return [self.m @ parts[0][0]]


def test_rows_and_columns_give_one_matrix():
    m = np.arange(6.0).reshape(2, 3)
    inputs = Inputs((m[0],), {}, [0], True)
    assert inputs.size == 3
    by_rows, by_columns = Matrix(m), Matrix(m)
    np.testing.assert_array_equal(by_pulling(by_rows, inputs)[0][0], m)
    np.testing.assert_array_equal(by_pushing(by_columns, inputs)[0][0], m)
    assert len(by_rows.asked) == 2 and len(by_columns.asked) == 3


def test_inputs_are_split_by_argument():
    inputs = Inputs((1.0, {"a": 2.0, "b": np.ones(2)}), {"k": 3.0}, [1, "k"], False)
    assert inputs.split([10, 20, 30]) == [[10, 20], [30]]
    assert inputs.trees([10, 20, 30]) == ({"a": 10, "b": 20}, 30)
    assert inputs.leaves([{"a": 10, "b": 20}, 30]) == [10, 20, 30]
    assert [like.shape for like in inputs.likes] == [(), (2,), ()]
