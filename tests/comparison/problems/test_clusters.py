"""k-means."""

import numpy as np

from hybridad.comparison.problems.clusters import kmeans, kmeans_loop, parse_means_and_points

MIXTURE = "2 1 3\n0.5\n1.0 2.0\n0.1 0.2 0.3\n1.0 2.0\n2.0 2.0\n1.0 5.0\n1.0 0\n"


def test_a_mixture_file_gives_means_and_points():
    means, points = parse_means_and_points(MIXTURE)
    np.testing.assert_array_equal(means, [[1.0, 2.0]])
    np.testing.assert_array_equal(points, [[1.0, 2.0], [2.0, 2.0], [1.0, 5.0]])
    assert kmeans(means, points) == kmeans_loop(means, points) == 10.0


def test_the_nearest_counts():
    centroids, points = np.array([[0.0], [10.0]]), np.array([[1.0], [8.0], [5.0]])
    assert kmeans(centroids, points) == kmeans_loop(centroids, points) == 30.0  # 1 + 4 + 25
