"""Horner's scheme: a polynomial by its coefficients, read one by one; size is their number."""

import numpy as np

ARGNUMS = (0,)
SIZES = "1000", "10000", "100000"
UNIT = "element"


def f(x, t):
    y = 0.0
    for i in range(len(x)):
        y = y * t + x[i]
    return y


def make(size, seed):
    return np.random.default_rng(seed).standard_normal(int(size)), 0.9


def units(size):
    return int(size)
