"""Gaussian mixture of ADBench, a component at a time; size is dimensions x components x points."""

import math

import numpy as np

ARGNUMS = 0, 1, 2, 3
SIZES = ("10x25x1000",)


def f(alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    k = len(alpha)
    low = factors(q, l)
    log_p = np.empty((n, k))
    for c in range(k):
        y = (x - mu[c]) @ low[c].T
        log_p[:, c] = alpha[c] + np.sum(q[c]) - 0.5 * np.sum(y * y, axis=1)
    top = np.max(log_p, axis=1)
    likelihood = np.sum(top + np.log(np.sum(np.exp(log_p - top[:, None]), axis=1)))
    const = n * (0.5 * d * math.log(2.0 * math.pi) + log_sum_exp(alpha))
    return likelihood - const + prior(low, q, gamma, m)


def factors(q, l):
    """Lower triangular, exp(q) on the diagonal and l below it by columns."""
    k, d = q.shape
    low = np.zeros((k, d, d))
    start = 0
    for j in range(d):
        low[:, j, j] = np.exp(q[:, j])
        stop = start + d - 1 - j
        low[:, j + 1 :, j] = l[:, start:stop]
        start = stop
    return low


def prior(low, q, gamma, m):
    k, d = q.shape
    freedom = d + m + 1
    const = freedom * d * math.log(gamma / math.sqrt(2.0)) - log_gamma(0.5 * freedom, d)
    return k * const - 0.5 * gamma**2 * np.sum(low**2) + m * np.sum(q)


def log_gamma(a, d):
    out = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        out += math.lgamma(a - 0.5 * j)
    return out


def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def make(size, seed):
    d, k, n = map(int, size.split("x"))
    rng = np.random.default_rng(seed)
    alpha, mu, q = rng.standard_normal(k), rng.random((k, d)), rng.standard_normal((k, d))
    l = rng.standard_normal((k, d * (d - 1) // 2))
    return alpha, mu, q, l, rng.standard_normal((n, d)), 1.0, 0
