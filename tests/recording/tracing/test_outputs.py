"""Where a call has its `out`."""

import numpy as np
import pytest

from hybridad.recording.tracing.outputs import by_name
from tests.recording.tracing.follow import X, follow


@pytest.mark.parametrize(("f", "args", "found"), [
    (np.sum, (1.0, 0, None, "a"), ((1.0, 0, None), {"out": "a"})),
    (np.sum, (1.0, 0, None, "a", True), ((1.0, 0, None), {"out": "a", "keepdims": True})),
    (np.sum, (1.0, 0), ((1.0, 0), {})),
    (np.einsum, ("i,i->", 1, 2, 3, 4), (("i,i->", 1, 2, 3, 4), {})),
    (np.dot, (1, 2, "a"), ((1, 2), {"out": "a"})),
    ("max", (0, "a"), ((0,), {"out": "a"})),
    ("transpose", (0, 1, 2, 3), ((0, 1, 2, 3), {})),
])
def test_arguments_by_name(f, args, found):
    assert by_name(f, args, {}) == found


def test_out_by_position():
    def f(x):
        o, p = np.zeros(3), np.zeros(())
        np.cumsum(x ** 2, 0, None, o)
        np.dot(x, o, p)
        return np.sum(o * x) * p

    follow(f, X)
