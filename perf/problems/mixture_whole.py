"""Gaussian mixture of ADBench, whole arrays; size is dimensions x components x points."""

import math

import numpy as np

from perf.problems.mixture import factors, log_sum_exp, make, prior

__all__ = ["ARGNUMS", "SIZES", "f", "make"]

ARGNUMS = 0, 1, 2, 3
SIZES = ("10x25x1000",)


def f(alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    low = factors(q, l)
    y = (x - mu[:, None, :]) @ low.transpose(0, 2, 1)
    log_p = alpha + np.sum(q, axis=1) - 0.5 * np.sum(y * y, axis=2).T
    top = np.max(log_p, axis=1)
    likelihood = np.sum(top + np.log(np.sum(np.exp(log_p - top[:, None]), axis=1)))
    const = n * (0.5 * d * math.log(2.0 * math.pi) + log_sum_exp(alpha))
    return likelihood - const + prior(low, q, gamma, m)
