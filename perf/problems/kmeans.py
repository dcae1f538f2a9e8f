"""k-means cost of centroids; size is clusters x points x dimensions."""

import numpy as np

ARGNUMS = (0,)
SIZES = ("10x1000x8",)


def f(centroids, points):
    delta = points[:, None, :] - centroids[None, :, :]
    return np.sum(np.min(np.sum(delta**2, axis=2), axis=1))


def make(size, seed):
    clusters, count, dimensions = map(int, size.split("x"))
    rng = np.random.default_rng(seed)
    return rng.random((clusters, dimensions)), rng.random((count, dimensions))
