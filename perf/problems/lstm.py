"""LSTM with fused gates; size is batch x hidden x steps, with as many inputs as hidden units."""

import numpy as np

ARGNUMS = 0, 1, 2
SIZES = "16x16x20", "16x16x200"


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def f(w_x, w_h, b, xs, h, c, y):
    n = h.shape[1]
    for x in xs:
        gates = x @ w_x + h @ w_h + b
        s = sigmoid(gates[:, : 3 * n])
        c = s[:, :n] * c + s[:, n : 2 * n] * np.tanh(gates[:, 3 * n :])
        h = s[:, 2 * n :] * np.tanh(c)
    return np.mean((h - y) ** 2)


def make(size, seed):
    batch, n, steps = map(int, size.split("x"))
    rng = np.random.default_rng(seed)
    w_x, w_h = rng.standard_normal((2, n, 4 * n)) / np.sqrt(n)
    b = 0.1 * rng.standard_normal(4 * n)
    xs = rng.standard_normal((steps, batch, n))
    h, c, y = rng.standard_normal((3, batch, n))
    return w_x, w_h, b, xs, h, c, y
