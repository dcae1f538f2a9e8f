"""Functions that the tests of inspection look at."""

import numpy as np

scale = 2.0
seen = []


def fold(x, n):
    """A loop with two sides, and a decision behind it."""
    y = x
    for _ in range(n):
        if y > 1.0:
            y = y * 0.5
        else:
            y = y * y
    if y > 0.1:
        y = y * 3.0
    return y


def kink(x):
    """One decision."""
    if x > 1.0:
        return x * x
    return 3.0 * x


def affine(p, x):
    """A dict of arrays."""
    return np.sum(np.tanh(x @ p["w"] + p["b"]))


def scaled(x):
    """Reads a global."""
    return x * scale


def noting(x):
    """Has an effect."""
    seen.append(2.0)
    if x > 1.0:
        return x * x
    return 3.0 * x


def evaluated(x):
    """What runs in it has no source."""
    return x * eval("2.0")


def halved(x, by=0.5):
    """Has a default."""
    return x * by


def through(x):
    """Calls a function of the user's."""
    return halved(x) + np.sin(x)
