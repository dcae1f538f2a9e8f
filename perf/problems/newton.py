"""Newton's method for a square root, to a tolerance; size is the fewest and the most iterations.

How many there are depends on the argument, which is another one for each seed.
"""

import numpy as np

ARGNUMS = (0,)
SIZES = ("3-50",)
SEEDS = 100


def f(a):
    y = a
    while abs(y * y - a) > 1e-13 * a:
        y = 0.5 * (y + a / y)
    return y


def make(size, seed):
    fewest, most = map(int, size.split("-"))
    wanted = fewest + 7 * seed % (most - fewest + 1)
    a = 1.0 + 1e-4 * np.random.default_rng(seed).random()
    while iterations(a) < wanted:
        a *= 1.05
    return (float(a),)


def iterations(a):
    """How many iterations `f` makes."""
    y, count = a, 0
    while abs(y * y - a) > 1e-13 * a:
        y = 0.5 * (y + a / y)
        count += 1
    return count
