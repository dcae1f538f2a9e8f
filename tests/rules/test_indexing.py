"""`scatter_add` and `last_writes` against NumPy; exact points of sorting and interpolation."""

import numpy as np
import pytest

from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.indexing import last_writes, scatter_add

RNG = np.random.default_rng(3)
MANY = RNG.integers(-20, 20, 1100)

INDICES = {
    "integer": ((5,), 2),
    "slice": ((5, 3), slice(1, 4)),
    "ellipsis": ((5, 3), (..., 1)),
    "newaxis": ((5,), (None, slice(None))),
    "everything": ((), ()),
    "mask": ((5, 3), RNG.random((5, 3)) > 0.5),
    "mask of rows": ((5, 3), RNG.random(5) > 0.5),
    "mask and integers": ((4, 5), (np.array([True, False, True, False]), np.array([1, 1]))),
    "vector": ((5,), np.array([0, 3, 0, -5, 4])),
    "list": ((5,), [0, 3, 0]),
    "one": ((5, 2), np.array([3])),
    "none": ((5, 2), np.array([], dtype=int)),
    "rows": ((5, 3), np.array([0, 3, 0, -1])),
    "table of rows": ((5, 3), np.array([[0, 3], [3, 3]])),
    "many in a vector": ((20,), MANY),
    "many rows of one": ((20, 1), MANY),
    "many short rows": ((20, 3), MANY),
    "many long rows": ((20, 11), MANY),
    "many blocks": ((20, 2, 3), MANY),
    "pairs": ((5, 4), (np.array([0, -1, 0, 4]), np.array([1, -1, 1, 3]))),
    "outer": ((5, 4), (np.array([[0], [2], [0]]), np.array([1, -4]))),
    "pairs in blocks": ((5, 4, 2), (np.array([0, 1, 0]), np.array([1, 1, 1]))),
    "integer and array": ((5, 4, 2), (1, np.array([0, 3, 0]))),
    "slice and array": ((5, 4), (slice(None), np.array([1, 1, -1]))),
    "apart": ((3, 4, 3), (np.array([0, 2, 0]), slice(1, 3), np.array([1, 1, 1]))),
    "many pairs": ((20, 20), (MANY, MANY[::-1])),
    "many columns": ((3, 20), (slice(None), MANY)),
    "many apart": ((20, 3, 20), (MANY, slice(1, 3), MANY[::-1])),
    "few of many": ((500, 40), (slice(0, 2), np.array([1, 1, -1]))),
    "few rows of many": ((5000,), np.array([7, 9, 7])),
    "unsigned": ((5,), np.array([1, 1, 4], dtype=np.uint8)),
    "zero-dimensional": ((5, 2), np.array(3)),
}


@pytest.mark.parametrize("layout", ["C", "F", "view"])
@pytest.mark.parametrize("dtype", ["f", "d", "D"])
@pytest.mark.parametrize("name", INDICES)
def test_scatter_add(name, dtype, layout):
    shape, index = INDICES[name]
    x = RNG.standard_normal(shape).astype(dtype, order="F" if layout == "F" else "C")
    if layout == "view" and x.ndim:
        x = np.repeat(x, 2, axis=0)[::2]
    expected = x.copy()
    g = RNG.standard_normal(np.shape(x[index])).astype(dtype)
    np.add.at(expected, index, g)
    scatter_add(x, index, g)
    np.testing.assert_allclose(x, expected, rtol=1e-5 if dtype == "f" else 1e-12, atol=1e-5)
    np.add.at(expected, index, 2.0)
    scatter_add(x, index, 2.0)
    np.testing.assert_allclose(x, expected, rtol=1e-5 if dtype == "f" else 1e-12, atol=1e-4)


@pytest.mark.parametrize("name", INDICES)
def test_last_writes(name):
    shape, index = INDICES[name]
    x = np.full(shape, -1)
    values = np.arange(np.size(x[index])).reshape(np.shape(x[index]))
    x[index] = values
    expected = x[index] == values
    survives = last_writes(shape, index)
    if survives is None:
        assert np.all(expected)
    else:
        assert not np.all(expected)
        assert survives.dtype == bool
        np.testing.assert_array_equal(survives, expected)


def test_equal_numbers_go_to_different_places():
    x = np.array([2.0, 1.0, 2.0, 1.0, 2.0])
    g = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    pulled = PRIMITIVES[np.partition].vjps[0](g, np.partition(x, 2), x, 2)
    assert sorted(pulled) == sorted(g)
    assert pulled[1] + pulled[3] == 3.0


def test_equal_numbers_are_sorted_evenly():
    """As central differences have it, and as np.max does with ties."""
    x = np.array([2.0, 1.0, 2.0, 1.0, 2.0])
    g = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    pulled = PRIMITIVES[np.sort].vjps[0](g, np.sort(x), x)
    assert pulled.tolist() == [28 / 3, 1.5, 28 / 3, 1.5, 28 / 3]
    pushed = PRIMITIVES[np.sort].jvps[0](g, np.sort(x), x)
    assert pushed.tolist() == [5.0, 5.0, 7.0, 7.0, 7.0]


def test_interp_at_knots_and_outside():
    xp, fp = np.array([0.0, 1.0, 3.0]), np.array([1.0, 5.0, 3.0])
    x = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0])
    slope = PRIMITIVES[np.interp].vjps[0](np.ones(6), np.interp(x, xp, fp), x, xp, fp)
    np.testing.assert_array_equal(slope, [0.0, 4.0, -1.0, -1.0, -1.0, 0.0])


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_take_modes(mode):
    x, indices = np.zeros(4), np.array([0, 3, -1, 3]) + (0 if mode == "raise" else 6)
    g = np.array([1.0, 2.0, 4.0, 8.0])
    pulled = PRIMITIVES[np.take].vjps[0](g, x[:4], x, indices, mode=mode)
    expected = np.zeros(4)
    for k, i in enumerate(np.take(np.arange(4), indices, mode=mode)):
        expected[i] += g[k]
    np.testing.assert_array_equal(pulled, expected)
