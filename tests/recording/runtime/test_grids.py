"""`np.mgrid`, `np.ogrid`, `np.r_` and `np.c_` with values being recorded in the index."""

import numpy as np
import pytest
from hybridad._record import is_wrapper

import hybridad
from hybridad.errors import UnsupportedError
from tests.recording.agreement import agrees_at
from tests.recording.runtime.formed import Stand, agrees, form
from tests.recording.unfound import unfound


@pytest.mark.parametrize("expression", [
    "np.mgrid[0:s:4j]",
    "np.mgrid[s:a:1j]",
    "np.mgrid[s:3.0]",
    "np.mgrid[:3.0:a]",
    "np.mgrid[0:s:3j, a:2.0:2j]",
    "np.mgrid[0:2.0, s:a:2j]",
    "np.mgrid[0:2.0:s, 0:2]",
    "np.ogrid[0:s:4j]",
    "np.ogrid[0:s:3j, a:2.0:2j]",
    "np.ogrid[:2, s:a:2j]",
    "np.r_[s, a]",
    "np.r_[x]",
    "np.r_[x, s, 0.5, y]",
    "np.r_[[s, a], x]",
    "np.r_[0:s:3j, x]",
    "np.r_[s:3.0]",
    "np.r_[:2, s, 0:a:s]",
    "np.r_['0,2', x, y]",
    "np.r_['0,2,0', x, y]",
    "np.r_['-1', m, r.T]",
    "np.r_[m, r]",
    "np.r_[h, e]",
    "np.r_[h, 1.0]",
    "np.r_[h, s]",
    "np.r_[k, s]",
    "np.r_[o, s]",
    "np.r_[z, s]",
    "np.c_[x, y]",
    "np.c_[x, m]",
    "np.c_[m, [s, a, 1.0]]",
    "np.c_[x, 1:4]",
    "np.s_[1:3], s",
])
def test_followed(expression):
    agrees(expression)


def test_second_order():
    agrees("np.r_[s * s, x, 0:s:3j] ** 2", order=2)
    agrees("np.mgrid[0:s:3j, a:s:2j] ** 2", order=2)


def test_constant_ones_can_be_filled():
    site = Stand()

    def f(x):
        row, (grid, _), points = (
            site.item(np.r_, (1.0, 2.0)), site.item(np.ogrid, (slice(0, 1, 2j), slice(0, 1, 2j))),
            site.item(np.mgrid, slice(0, 1, 2j)))
        assert is_wrapper(row) == is_wrapper(grid) == is_wrapper(points) == is_wrapper(x)
        row[0] = grid[0, 0] = points[1] = x[1]
        return row, grid, points

    agrees_at(f, (np.array([0.7, 0.2]),))


def test_the_number_of_points_is_a_decision():
    site = Stand()
    hybridad.grad(unfound(lambda x: site.item(np.r_, (slice(0.0, x), x)).sum()))(2.5)
    assert site.guards == [("shape", 3)]


def test_matrices_are_refused():
    f, args = form("np.r_['r', x, y]")
    with pytest.raises(UnsupportedError, match=r"np\.column_stack"):
        hybridad.vjp(f, *args)


@pytest.mark.parametrize(("expression", "error"), [
    ("np.r_[x, m]", ValueError), ("np.r_[x, 'r']", ValueError), ("np.c_['x', x]", ValueError),
])
def test_errors_are_those_of_plain_numpy(expression, error):
    f, args = form(expression)
    with pytest.raises(error) as plainly:
        f(*args)
    with pytest.raises(error) as recorded:
        hybridad.vjp(f, *args)
    assert str(recorded.value) == str(plainly.value)
