"""Heat in a rod, explicit Euler steps in place; size is points x steps."""

import numpy as np

ARGNUMS = 0, 1
SIZES = ("100x200",)
UNIT = "step"


def f(start, rate, steps):
    u = start.copy()
    for _ in range(steps):
        u[1:-1] += rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def make(size, seed):
    points, steps = map(int, size.split("x"))
    return np.random.default_rng(seed).random(points), 0.2, steps


def units(size):
    return int(size.split("x")[1])
