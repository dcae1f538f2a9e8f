"""What the tests of derivatives compare with."""

import numpy as np

__all__ = ["X", "alike", "differences"]

X = np.array([0.5, -1.25, 2.0])


def alike(a, b):
    """Whether two values are of the same type, dtype and shape, with the same bits."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return (a == b or a != a) and getattr(a, "dtype", None) == getattr(b, "dtype", None)


def differences(f, x, h=1e-5):
    """Central differences of a scalar function of one array."""
    g = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[index] = h
        g[index] = (f(x + e) - f(x - e)) / (2 * h)
    return g
