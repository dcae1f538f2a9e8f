"""Windows of arrays."""

import pytest

from hybridad.sct.passes.pieces import Pieces


def pieces(shape, depth, *indices):
    found = Pieces(shape, depth)
    return found, [found.add(index) for index in indices]


def test_what_overlaps_is_told():
    found, apart = pieces((6,), 1, slice(0, 2), slice(1, 3), slice(2, None, 2), -1)
    assert apart == [True, False, False, True]
    assert not found.are_all


def test_what_covers_is_told():
    found, apart = pieces((3, 100), 1, 2, slice(0, 2))
    assert apart == [True, True]
    assert found.are_all
    assert pieces((3, 4), 2, (slice(None), 0), (slice(None), slice(1, 4)))[0].are_all
    assert not pieces((3, 4), 2, (slice(None), 0), (slice(None), slice(2, 4)))[0].are_all


def test_too_large_an_array_is_not_looked_at():
    assert pieces((10**9,), 1, slice(0, 5))[1] == [False]
    assert pieces((3, 10**9), 1, 1)[1] == [True]


@pytest.mark.parametrize("shape, indices, shapes, order", [
    ((4,), [slice(2, 4), slice(0, 2)], [(2,), (2,)], (0, [1, 0])),
    ((3, 4), [(slice(None), slice(2, 4)), (..., slice(0, 2))], [(3, 2), (3, 2)], (1, [1, 0])),
    ((3,), [1, 0, -1], [(), (), ()], (None, [1, 0, 2])),
    ((3,), [slice(None)], [(3,)], (0, [0])),
    ((3,), [slice(None)], [()], None),  # the value is broadcast
    ((3,), [0, slice(1, 3)], [(), (2,)], None),
    ((4,), [slice(0, 4, 2), slice(1, 4, 2)], [(2,), (2,)], None),
    ((2, 2), [(0, slice(None)), (1, slice(None))], [(2,), (2,)], None),
    ((2, 2), [(slice(0, 1), slice(0, 1)), (slice(0, 1), slice(1, 2)), slice(1, 2)],
     [(1, 1), (1, 1), (1, 2)], None),
])
def test_order(shape, indices, shapes, order):
    found, _ = pieces(shape, len(shape), *indices)
    assert found.are_all
    assert found.in_order(shapes) == order
