"""The Gaussian mixture of ADBench: a log posterior of weights, means and covariance factors.

The lower triangular factor of a component has exp(q) on the diagonal and l below it, by columns.
"""

import math

import numpy as np

__all__ = ["mixture", "mixture_loop", "parse_mixture"]


def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def log_gamma(a, d):
    """The logarithm of the multivariate gamma function."""
    out = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        out += math.lgamma(a - 0.5 * j)
    return out


def factors(q, l):
    """The lower triangular factors, filled column by column."""
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
    """The logarithm of a Wishart prior on the factors."""
    k, d = q.shape
    freedom = d + m + 1
    const = freedom * d * math.log(gamma / math.sqrt(2.0)) - log_gamma(0.5 * freedom, d)
    return k * const - 0.5 * gamma**2 * np.sum(low**2) + m * np.sum(q)


def mixture(alpha, mu, q, l, x, gamma, m):
    """The log posterior, one component at a time."""
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


def mixture_loop(alpha, mu, q, l, x, gamma, m):
    """The log posterior, one point and component at a time: many small operations."""
    n, d = x.shape
    k = len(alpha)
    low = factors(q, l)
    sum_q = np.sum(q, axis=1)
    likelihood = 0.0
    log_p = np.zeros(k)
    for i in range(n):
        for c in range(k):
            y = low[c] @ (x[i] - mu[c])
            log_p[c] = alpha[c] + sum_q[c] - 0.5 * np.dot(y, y)
        likelihood += log_sum_exp(log_p)
    const = n * (0.5 * d * math.log(2.0 * math.pi) + log_sum_exp(alpha))
    return likelihood - const + prior(low, q, gamma, m)


def parse_mixture(text):
    """`d k n`, k weights, k means, k times q and l, n points or one for all, then `gamma m`."""
    head, rest = text.split("\n", 1)
    d, k, n = map(int, head.split())
    numbers = np.array(rest.split(), dtype=float)
    below = d * (d - 1) // 2
    ends = np.cumsum([k, k * d, k * (d + below)])
    alpha, mu, diagonal_and_below, points = np.split(numbers[:-2], ends)
    gamma, m = numbers[-2:]
    points = points.reshape(-1, d)
    if len(points) == 1:
        points = np.repeat(points, n, axis=0)
    elif len(points) != n:
        raise ValueError(f"{n} points expected, {len(points)} found")
    q, l = np.split(diagonal_and_below.reshape(k, d + below), [d], axis=1)
    return alpha, mu.reshape(k, d), q.copy(), l.copy(), points, float(gamma), int(m)
