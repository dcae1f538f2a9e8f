"""The problems of the comparison: plain functions, and the files they read."""

import numpy as np
import pytest

from hybridad.comparison.problems import PROBLEMS, ProblemError, find, kmeans, kmeans_loop, read

MIXTURE = "2 1 3\n0.5\n1.0 2.0\n0.1 0.2 0.3\n1.0 2.0\n2.0 2.0\n1.0 5.0\n1.0 0\n"
BUNDLE = "2 3 4\n1 2 3 4 5 6 7 8 9 0.1 0.01\n7.0 0.5 3.0\n0.4\n270.0 830.0\n"


@pytest.mark.parametrize("name", PROBLEMS)
def test_plain_run_is_a_finite_scalar_and_leaves_its_arguments_alone(name):
    problem = find(name)
    args = read(problem)
    before = [np.array(arg) for arg in args]
    value = problem.function(*args)
    assert np.shape(value) == () and np.isfinite(value)
    for arg, copy in zip(args, before):
        np.testing.assert_array_equal(arg, copy)


def test_shipped_data_have_their_sizes():
    assert read(find("logistic"))[2].shape == (569, 30)
    assert [a.shape for a in read(find("kmeans"))] == [(25, 10), (1000, 10)]
    assert [a.shape for a in read(find("kmeans_loop"))] == [(5, 2), (1000, 2)]
    assert [a.shape for a in read(find("bundle"))[:3]] == [(49, 11), (7776, 3), (31843,)]
    assert [a.shape for a in read(find("lstm"))] == [(4, 56), (3, 14), (4, 14), (1024, 14)]


def test_a_mixture_file_gives_means_and_points(tmp_path):
    path = tmp_path / "mixture.txt"
    path.write_text(MIXTURE)
    means, points = read(find("kmeans"), path)
    np.testing.assert_array_equal(means, [[1.0, 2.0]])
    np.testing.assert_array_equal(points, [[1.0, 2.0], [2.0, 2.0], [1.0, 5.0]])
    assert kmeans(means, points) == kmeans_loop(means, points) == 10.0


def test_a_bundle_file_is_replicated(tmp_path):
    path = tmp_path / "bundle.txt"
    path.write_text(BUNDLE)
    cams, pts, w, obs, feats, *_ = read(find("bundle"), str(path))
    assert cams.shape == (2, 11) and pts.shape == (3, 3) and feats.shape == (4, 2)
    np.testing.assert_array_equal(w, [0.4] * 4)
    np.testing.assert_array_equal(obs, [[0, 0], [1, 1], [0, 2], [1, 0]])


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("logistic", "a,b\n", "is not a CSV file"),
        ("logistic", "a,b\n1.0,2.0,1\n3.0,1\n", "is not a CSV file"),
        ("logistic", "a,b\n1.0,2.0\n", "the last column must be 0 or 1"),
        ("kmeans", "", "is not a Gaussian mixture file"),
        ("kmeans", MIXTURE[:-20], "is not a Gaussian mixture file"),
        ("bundle", "1 2 3\n", "is not a bundle adjustment file"),
        ("lstm", "1 2 3\n1.0", "numbers expected, 1 found"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path, name, text, reason):
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(ProblemError, match=reason) as caught:
        read(find(name), path)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_a_binary_or_missing_file_is_refused(tmp_path):
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\xfe\x00\xff")
    with pytest.raises(ProblemError, match="not a text file"):
        read(find("lstm"), path)
    with pytest.raises(ProblemError, match="No such file"):
        read(find("lstm"), tmp_path / "missing")
    with pytest.raises(ProblemError, match="directory"):
        read(find("lstm"), tmp_path)


def test_an_unknown_problem_is_refused_and_names_those_there_are():
    with pytest.raises(ProblemError, match=r"'nope'.*logistic, kmeans"):
        find("nope")
