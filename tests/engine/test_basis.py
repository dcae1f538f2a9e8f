"""Linear functions, known by unit vectors."""

import numpy as np

from hybridad import grad
from hybridad.engine.basis import as_matrices, units


def test_units():
    found = list(units((2, 2), "f"))
    assert len(found) == 4 and all(unit.dtype == np.float32 for unit in found)
    np.testing.assert_array_equal(sum(found), np.ones((2, 2)))
    assert [unit[()] for unit in units((), complex)] == [1.0, 1.0j]
    assert list(units((0,), float)) == []


def test_a_function_that_cannot_be_recorded():
    m = np.arange(6.0).reshape(2, 3)

    def opaque(x, y):
        return m @ np.asarray(x, float), float(np.sum(x) * 2.0 + y)

    def f(x):
        vector, number = as_matrices(opaque, [x, 4.0])
        return np.sum(vector**2) + number

    x = np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(grad(f, engine="tape")(x), 2.0 * m.T @ (m @ x) + 2.0)


def test_complex_arguments():
    def opaque(c):
        return (np.real(c * (1.0 + 2.0j)),)     # linear over the real numbers alone

    def f(c):
        (found,) = as_matrices(opaque, [c])
        return found * found

    c = 0.5 + 1.0j
    assert np.isclose(grad(f, engine="tape")(c), 2.0 * opaque(c)[0] * (1.0 + 2.0j))
