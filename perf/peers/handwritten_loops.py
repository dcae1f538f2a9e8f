"""Adjoints of loops as a good engineer writes them: the loop once more, the other way round."""

import numpy as np

__all__ = ["ADJOINTS", "branches", "fill", "heat", "horner", "newton", "product"]


def branches(x):
    if np.sum(x) > 0.0:
        return np.sum(x**2), (2.0 * x,)
    if x[0] < -5.0:
        return np.sum(np.sin(x)), (np.cos(x),)
    return np.sum(-3.0 * x), (np.full_like(x, -3.0),)


def fill(x):
    n = len(x)
    out = np.zeros_like(x)
    out[0] = x[0]
    for i in range(1, n):
        out[i] = np.sin(out[i - 1]) + x[i]
    value = np.sum(out)
    g_out = np.ones_like(x)
    for i in range(n - 1, 0, -1):
        g_out[i - 1] += g_out[i] * np.cos(out[i - 1])
    return value, (g_out,)


def heat(start, rate, steps):
    u = start.copy()
    saved = []
    for _ in range(steps):
        bend = u[2:] - 2.0 * u[1:-1] + u[:-2]
        saved.append(bend)
        u[1:-1] += rate * bend
    value = np.sum(u * u)
    g_u = 2.0 * u
    g_rate = 0.0
    for bend in reversed(saved):
        g_rate += np.dot(g_u[1:-1], bend)
        g_bend = rate * g_u[1:-1]
        g_u[2:] += g_bend
        g_u[1:-1] -= 2.0 * g_bend
        g_u[:-2] += g_bend
    return value, (g_u, g_rate)


def horner(x, t):
    n = len(x)
    y = 0.0
    for i in range(n):
        y = y * t + x[i]
    g_x = np.zeros_like(x)
    g_y = 1.0
    for i in range(n - 1, -1, -1):
        g_x[i] = g_y
        g_y = g_y * t
    return y, (g_x,)


def newton(a):
    y = a
    saved = []
    while abs(y * y - a) > 1e-13 * a:
        saved.append(y)
        y = 0.5 * (y + a / y)
    g_y, g_a = 1.0, 0.0
    for y_in in reversed(saved):
        half = 0.5 * g_y
        g_a += half / y_in
        g_y = half - half * a / (y_in * y_in)
    return y, (g_a + g_y,)


def product(a, b):
    rows, inner = a.shape
    columns = b.shape[1]
    c = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            for k in range(inner):
                c[i, j] += a[i, k] * b[k, j]
    value = np.sum(c * c)
    g_c = 2.0 * c
    g_a, g_b = np.zeros_like(a), np.zeros_like(b)
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            g = g_c[i, j]
            for k in range(inner - 1, -1, -1):
                g_a[i, k] += g * b[k, j]
                g_b[k, j] += g * a[i, k]
    return value, (g_a, g_b)


ADJOINTS = {
    "branches": branches,
    "fill": fill,
    "heat": heat,
    "horner": horner,
    "newton": newton,
    "product": product,
}
