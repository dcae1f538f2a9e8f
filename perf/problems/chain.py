"""A chain of elementwise operations on 4 elements; size is the number of operations.

Each round moves y little, so that neither values nor gradients vanish or grow.
"""

import numpy as np

ARGNUMS = (0,)
SIZES = ("1000",)
UNIT = "operation"


def f(y, c, operations):
    for _ in range(operations // 5):
        y = np.sin(y) * c * np.tanh(y) + y
    return np.sum(y)


def make(size, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(4), rng.uniform(0.005, 0.02, 4), int(size)


def units(size):
    return int(size)
