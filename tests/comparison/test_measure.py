"""What is measured: the answer of the tape, held against finite differences."""

import numpy as np
import pytest

from hybridad.comparison import PROBLEMS, ProblemError, compare
from hybridad.comparison.measure import worst_difference


def product(x, scale, y):
    return scale * np.sum(np.sin(x)) * np.sum(y**2)


def gradients(x, scale, y):
    g_x = scale * np.cos(x) * np.sum(y**2)
    return g_x, scale * np.sum(np.sin(x)) * 2.0 * y


ARGS = np.array([0.3, -2.0, 0.0, 1e3]), 2.0, np.array([[1.0], [1e-3]])


def test_the_true_gradient_passes():
    assert worst_difference(product, ARGS, (0, 2), gradients(*ARGS)) < 1e-8


@pytest.mark.parametrize("argument", [0, 1])
def test_one_wrong_element_shows(argument):
    wrong = [g.copy() for g in gradients(*ARGS)]
    wrong[argument].flat[0] *= 1.01
    assert worst_difference(product, ARGS, (0, 2), wrong) > 1e-5


def test_a_permuted_gradient_shows():
    g_x, g_y = gradients(*ARGS)
    assert worst_difference(product, ARGS, (0, 2), (g_x[::-1], g_y)) > 1e-3


def test_a_nan_shows():
    g_x, g_y = gradients(*ARGS)
    assert worst_difference(product, ARGS, (0, 2), (g_x * np.nan, g_y)) == np.inf


def test_a_kink_within_reach_of_the_first_step_is_cleared():
    x = np.array([1.0, 1.0 + 1e-5])
    assert worst_difference(np.max, (x,), (0,), (np.array([0.0, 1.0]),)) < 1e-6


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_tape_agrees(name):
    told = []
    (record,) = compare(name, seconds=0.0, progress=lambda *news: told.append(news))
    assert record.problem == name
    assert record.same_value
    assert record.worst_difference < 1e-7
    assert record.gradient_norm > 0.0
    assert record.plain_seconds > 0.0 and record.gradient_seconds > 0.0
    assert told[0][:2] == (0.0, 1) and told[-1] == (1, 1, "done")
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)


def test_data_needs_one_problem(tmp_path):
    with pytest.raises(ProblemError, match="exactly one problem"):
        compare(["kmeans", "lstm"], data=tmp_path)
