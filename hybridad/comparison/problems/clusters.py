"""k-means: squared distances to the nearest centroid."""

import numpy as np

from hybridad.comparison.problems.mixture import parse_mixture

__all__ = ["kmeans", "kmeans_loop", "parse_means_and_points"]


def kmeans(centroids, points):
    """Sum of squared distances to the nearest centroid, all points at once."""
    delta = points[:, None, :] - centroids[None, :, :]
    return np.sum(np.min(np.sum(delta**2, axis=2), axis=1))


def kmeans_loop(centroids, points):
    """The same, one point at a time: many small operations."""
    total = 0.0
    for point in points:
        total += np.min(np.sum((centroids - point) ** 2, axis=1))
    return total


def parse_means_and_points(text):
    """The means of a Gaussian mixture file, as centroids, and its points."""
    _, means, _, _, points, _, _ = parse_mixture(text)
    return means, points
