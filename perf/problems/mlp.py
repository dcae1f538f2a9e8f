"""Multi-layer perceptron: three layers, tanh, mean squared error; size is batch x width."""

import numpy as np

ARGNUMS = 0, 1, 2, 3, 4, 5
SIZES = "16x16", "128x512"


def f(w1, b1, w2, b2, w3, b3, x, y):
    h1 = np.tanh(x @ w1 + b1)
    h2 = np.tanh(h1 @ w2 + b2)
    out = h2 @ w3 + b3
    return np.mean((out - y) ** 2)


def make(size, seed):
    batch, width = map(int, size.split("x"))
    rng = np.random.default_rng(seed)
    layers = []
    for _ in range(3):
        layers.append(rng.standard_normal((width, width)) / np.sqrt(width))
        layers.append(0.1 * rng.standard_normal(width))
    x, y = rng.standard_normal((2, batch, width))
    return *layers, x, y
