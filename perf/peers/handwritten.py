"""Adjoints as a good engineer writes them: one NumPy expression a statement, no buffers kept.

Each takes the arguments of the problem's `f` and gives the value and a tuple of gradients.
"""

import numpy as np

__all__ = ["ADJOINTS", "lstm", "mlp"]


def mlp(w1, b1, w2, b2, w3, b3, x, y):
    h1 = np.tanh(x @ w1 + b1)
    h2 = np.tanh(h1 @ w2 + b2)
    miss = h2 @ w3 + b3 - y
    value = np.mean(miss**2)
    g_out = miss * (2.0 / miss.size)
    g_w3 = h2.T @ g_out
    g_b3 = np.sum(g_out, axis=0)
    g_h2 = (g_out @ w3.T) * (1.0 - h2 * h2)
    g_w2 = h1.T @ g_h2
    g_b2 = np.sum(g_h2, axis=0)
    g_h1 = (g_h2 @ w2.T) * (1.0 - h1 * h1)
    g_w1 = x.T @ g_h1
    g_b1 = np.sum(g_h1, axis=0)
    return value, (g_w1, g_b1, g_w2, g_b2, g_w3, g_b3)


def lstm(w_x, w_h, b, xs, h, c, y):
    n = h.shape[1]
    saved = []
    for x in xs:
        h_in, c_in = h, c
        gates = x @ w_x + h @ w_h + b
        s = 1.0 / (1.0 + np.exp(-gates[:, : 3 * n]))
        change = np.tanh(gates[:, 3 * n :])
        c = s[:, :n] * c + s[:, n : 2 * n] * change
        tanh_c = np.tanh(c)
        h = s[:, 2 * n :] * tanh_c
        saved.append((x, h_in, c_in, s, change, tanh_c))
    miss = h - y
    value = np.mean(miss**2)
    g_h = miss * (2.0 / miss.size)
    g_c = 0.0
    g_w_x, g_w_h, g_b = np.zeros_like(w_x), np.zeros_like(w_h), np.zeros_like(b)
    for x, h_in, c_in, s, change, tanh_c in reversed(saved):
        forget, ingate, outgate = s[:, :n], s[:, n : 2 * n], s[:, 2 * n :]
        g_c = g_c + g_h * outgate * (1.0 - tanh_c * tanh_c)
        g_s = np.concatenate((g_c * c_in, g_c * change, g_h * tanh_c), axis=1)
        g_change = g_c * ingate * (1.0 - change * change)
        g_gates = np.concatenate((g_s * s * (1.0 - s), g_change), axis=1)
        g_w_x += x.T @ g_gates
        g_w_h += h_in.T @ g_gates
        g_b += np.sum(g_gates, axis=0)
        g_h = g_gates @ w_h.T
        g_c = g_c * forget
    return value, (g_w_x, g_w_h, g_b)


ADJOINTS = {"mlp": mlp, "lstm": lstm}
