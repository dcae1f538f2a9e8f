"""An array filled in place, each element from the one before; size is its length."""

import numpy as np

ARGNUMS = (0,)
SIZES = "1000", "10000", "100000"
UNIT = "element"


def f(x):
    out = np.zeros_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = np.sin(out[i - 1]) + x[i]
    return np.sum(out)


def make(size, seed):
    return (np.random.default_rng(seed).standard_normal(int(size)),)


def units(size):
    return int(size)
