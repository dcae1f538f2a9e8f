"""Adjoints as a good engineer writes them: one NumPy expression a statement, no buffers kept.

Each takes the arguments of the problem's `f` and gives the value and a tuple of gradients.
"""

import math

import numpy as np

from perf.peers import handwritten_loops

__all__ = ["ADJOINTS", "charlstm", "lstm", "mixture", "mlp"]


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


def charlstm(main, extra, state, sequence):
    steps, bits = sequence.shape
    layers = len(state) // 2
    hidden, cell = state[0::2].copy(), state[1::2].copy()
    ws, bs = main[0::2], main[1::2]
    total, saved = 0.0, []
    for t in range(steps - 1):
        h, kept = sequence[t] * extra[0], []
        for i in range(layers):
            inputs = np.concatenate((h, hidden[i], h, hidden[i]))
            gates = inputs * ws[i] + bs[i]
            s = 1.0 / (1.0 + np.exp(-gates[: 3 * bits]))
            change = np.tanh(gates[3 * bits :])
            c_in = cell[i].copy()
            cell[i] = c_in * s[:bits] + s[bits : 2 * bits] * change
            tanh_c = np.tanh(cell[i])
            hidden[i] = h = s[2 * bits :] * tanh_c
            kept.append((inputs, c_in, s, change, tanh_c))
        y = h * extra[1] + extra[2]
        exp_y = np.exp(y)
        norm = np.sum(exp_y) + 2.0
        total += np.dot(sequence[t + 1], y - np.log(norm))
        saved.append((kept, h, exp_y / norm))
    scale = -1.0 / ((steps - 1) * bits)
    g_main, g_extra = np.zeros_like(main), np.zeros_like(extra)
    g_ws, g_bs = g_main[0::2], g_main[1::2]
    g_hidden, g_cell = np.zeros_like(hidden), np.zeros_like(cell)
    for t in reversed(range(steps - 1)):
        kept, h, share = saved[t]
        g_y = scale * (sequence[t + 1] - np.sum(sequence[t + 1]) * share)
        g_extra[1] += g_y * h
        g_extra[2] += g_y
        g_h = g_y * extra[1]
        for i in reversed(range(layers)):
            inputs, c_in, s, change, tanh_c = kept[i]
            forget, ingate, outgate = s[:bits], s[bits : 2 * bits], s[2 * bits :]
            g_h = g_h + g_hidden[i]
            g_c = g_cell[i] + g_h * outgate * (1.0 - tanh_c * tanh_c)
            g_s = np.concatenate((g_c * c_in, g_c * change, g_h * tanh_c))
            g_gates = np.concatenate((g_s * s * (1.0 - s), g_c * ingate * (1.0 - change * change)))
            g_ws[i] += g_gates * inputs
            g_bs[i] += g_gates
            g_inputs = g_gates * ws[i]
            g_h = g_inputs[:bits] + g_inputs[2 * bits : 3 * bits]
            g_hidden[i] = g_inputs[bits : 2 * bits] + g_inputs[3 * bits :]
            g_cell[i] = g_c * forget
        g_extra[0] += g_h * sequence[t]
    return scale * total, (g_main, g_extra)


def mixture(alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    k = len(alpha)
    diagonal = np.exp(q)
    columns, rows = np.triu_indices(d, 1)
    low = np.zeros((k, d, d))
    low[:, np.arange(d), np.arange(d)] = diagonal
    low[:, rows, columns] = l
    apart = x - mu[:, None, :]
    y = apart @ low.transpose(0, 2, 1)
    log_p = alpha + np.sum(q, axis=1) - 0.5 * np.sum(y * y, axis=2).T
    top = np.max(log_p, axis=1, keepdims=True)
    p = np.exp(log_p - top)
    sum_p = np.sum(p, axis=1, keepdims=True)
    likelihood = np.sum(top + np.log(sum_p))
    top_alpha = np.max(alpha)
    p_alpha = np.exp(alpha - top_alpha)
    norm = np.sum(p_alpha)
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
    log_gamma += sum(math.lgamma(0.5 * (freedom - j)) for j in range(d))
    const = n * (0.5 * d * math.log(2.0 * math.pi) + top_alpha + np.log(norm))
    const -= k * (freedom * d * math.log(gamma / math.sqrt(2.0)) - log_gamma)
    value = likelihood - const - 0.5 * gamma**2 * np.sum(low**2) + m * np.sum(q)

    share = p / sum_p
    sum_share = np.sum(share, axis=0)
    g_alpha = sum_share - p_alpha * (n / norm)
    weighted = share.T[:, :, None] * y
    g_mu = np.squeeze(np.sum(weighted, axis=1, keepdims=True) @ low, axis=1)
    g_low = -(weighted.transpose(0, 2, 1) @ apart) - gamma**2 * low
    g_q = sum_share[:, None] + m + g_low[:, np.arange(d), np.arange(d)] * diagonal
    return value, (g_alpha, g_mu, g_q, g_low[:, rows, columns])


ADJOINTS = {
    **handwritten_loops.ADJOINTS,
    "charlstm": charlstm,
    "lstm": lstm,
    "mixture": mixture,
    "mixture_whole": mixture,
    "mlp": mlp,
}
