"""A function of three branches, of which calls take one after the other; size is the length."""

import numpy as np

ARGNUMS = (0,)
SIZES = ("16",)
SEEDS = 6


def f(x):
    if np.sum(x) > 0.0:
        return np.sum(x**2)
    if x[0] < -5.0:
        return np.sum(np.sin(x))
    return np.sum(-3.0 * x)


def make(size, seed):
    x = np.random.default_rng(seed).random(int(size))
    if seed % 3 == 1:
        x = -x
    elif seed % 3 == 2:
        x[0] -= 6.0 + x.sum()
    return (x,)
