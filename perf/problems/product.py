"""A matrix product by three loops, element by element; size is rows x inner x columns."""

import numpy as np

ARGNUMS = 0, 1
SIZES = ("12x12x12",)
UNIT = "multiplication"


def f(a, b):
    rows, inner = a.shape
    columns = b.shape[1]
    c = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            for k in range(inner):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def make(size, seed):
    rows, inner, columns = map(int, size.split("x"))
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, inner)), rng.standard_normal((inner, columns))


def units(size):
    rows, inner, columns = map(int, size.split("x"))
    return rows * inner * columns
