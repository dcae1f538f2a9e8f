"""The problems by name: plain functions, and the files they read."""

import ast
import copy
import inspect

import numpy as np
import pytest

from hybridad.comparison.problems import PROBLEMS, ProblemError, find, read


@pytest.mark.parametrize("name", PROBLEMS)
def test_plain_run_is_a_finite_scalar_and_leaves_its_arguments_alone(name):
    problem = find(name)
    args = read(problem)
    before = copy.deepcopy(args)
    value = problem.function(*args)
    assert np.shape(value) == () and np.isfinite(value)
    for arg, kept in zip(args, before):
        np.testing.assert_equal(arg, kept)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_knows_nothing_of_derivatives(name):
    tree = ast.parse(inspect.getsource(inspect.getmodule(find(name).function)))
    imported = {
        alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    parts = "importlib.resources", "hybridad.comparison.problems.mixture.parse_mixture"
    assert imported <= {"numpy", "math", *parts}


def test_shipped_data_have_their_sizes():
    shapes = lambda name, count: [np.shape(arg) for arg in read(find(name))[:count]]
    assert read(find("logistic"))[2].shape == (569, 30)
    assert shapes("kmeans", 2) == [(25, 10), (1000, 10)]
    assert shapes("kmeans_loop", 2) == [(5, 2), (1000, 2)]
    assert shapes("mixture", 5) == [(25,), (25, 10), (25, 10), (25, 45), (1000, 10)]
    assert shapes("mixture_loop", 5) == [(5,), (5, 2), (5, 2), (5, 1), (1000, 2)]
    assert shapes("bundle", 3) == [(49, 11), (7776, 3), (31843,)]
    assert shapes("lstm", 4) == [(4, 56), (3, 14), (4, 14), (1024, 14)]
    assert shapes("hand", 1) == [(26,)] and read(find("hand"))[2].shape == (100, 3)
    assert shapes("hand_surface", 2) == [(26,), (100, 2)]


def test_an_unknown_problem_is_refused_and_names_those_there_are():
    with pytest.raises(ProblemError, match=r"'nope'.*logistic, kmeans"):
        find("nope")
