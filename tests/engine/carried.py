"""Programs whose loops carry something, held against plain Python at trip counts in any order."""

import numpy as np

from hybridad import cache_info, value_and_grad

__all__ = ["ORDERS", "W", "X", "check_against_plain_python", "recordings_of"]

X, W = np.array([0.3, -0.2, 0.5, 0.1, 0.7]), 0.9
ORDERS = ((0, 0, 1, 1, 3, 3, 2, 5, 9, 70, 70, 4, 4), (1, 1, 1, 2, 3, 5, 70, 70, 0, 0),
          (2, 1, 0, 5, 5), (70, 70, 3, 3, 1, 1, 0, 0), (1, 70, 3, 7, 2, 2))


def slopes(f, n, step=1e-6):
    """Derivatives of ``f(x, w, n)`` by central differences."""
    points = [(X + step * e, W) for e in np.eye(5)] + [(X, W + step)]
    before = [(X - step * e, W) for e in np.eye(5)] + [(X, W - step)]
    return [(f(*a, n) - f(*b, n)) / (2 * step) for a, b in zip(points, before)]


def check_against_plain_python(f, order):
    """Values to the last bit and of the same type, gradients against differences."""
    vg = value_and_grad(f, (0, 1), verify=False)
    for n in order:
        value, (by_x, by_w) = vg(X, W, n)
        plain = f(X, W, n)
        assert value == plain and type(value) is type(plain)
        np.testing.assert_allclose([*by_x, by_w], slopes(f, n), rtol=1e-5, atol=1e-6)


def recordings_of(f):
    """How many recordings nine trip counts take, none of which stays on the tape."""
    vg = value_and_grad(f, (0, 1))
    for n in (3, 70, 500, 8, 1, 0, 4, 60, 2):
        vg(X, W, n)
    assert cache_info(vg).fallbacks == 0
    return cache_info(vg).recordings
