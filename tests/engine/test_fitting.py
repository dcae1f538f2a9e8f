"""Cotangents and tangents in the type of what they belong to."""

import numpy as np
import pytest

from hybridad import grad
from hybridad.engine.fitting import Like, fitted, fitted_tangent, is_recorded


@pytest.mark.parametrize("like", [1.0, 1j, np.float32(1), np.complex64(1), np.longdouble(1)])
@pytest.mark.parametrize("part", [None, 2, 2.0, True, np.float16(2), np.array(2.0), 2.0 + 0j])
def test_numbers(like, part):
    found = fitted(part, Like(like))
    assert type(found) is type(like) and found == (0 if part is None else part)


@pytest.mark.parametrize("dtype", ["f", "d", "D", ">f8"])
def test_arrays(dtype):
    like = Like(np.ones(2, dtype))
    assert (like.shape, like.size, like.is_complex) == ((2,), 2, dtype == "D")
    for part in (np.ones(2), np.ones(2, "i4"), np.ones(2) + 0j, None):
        found = fitted(part, like)
        assert found.dtype == np.dtype(dtype)
        assert found.tolist() == ([0.0, 0.0] if part is None else [1.0, 1.0])
    same = np.ones(2, dtype)
    assert fitted(same, like) is same


def test_tangents_have_memory_of_their_own_and_the_layout_of_the_point():
    x, t = np.asfortranarray(np.ones((2, 3))), np.arange(6.0).reshape(2, 3)
    found = fitted_tangent(t, x)
    assert found is not t and found.flags.f_contiguous and np.array_equal(found, t)
    assert not fitted_tangent(None, x).any()


def test_values_of_a_run_are_recorded_while_it_lasts():
    kept = []

    def f(x):
        kept.extend([x, is_recorded(x), is_recorded(1.0)])
        return np.sum(x)

    grad(f, engine="tape")(np.ones(2))
    assert kept[1:] == [True, False] and not is_recorded(kept[0])
