"""`source`: the text that answers, and what it is asked with."""

import numpy as np
import pytest

import hybridad
from hybridad import ArgumentError, UnsupportedError, cache_info, grad, source, value_and_grad
from hybridad.inspection import Source
from tests.inspection.programs import affine, evaluated, fold, kink


def body(text):
    """The statements of a source, without comments."""
    lines = [line.split("#")[0].rstrip() for line in text.split("\n")]
    return [line for line in lines if line]


def test_it_is_python_that_answers():
    vg = value_and_grad(kink)
    text = source(vg, 2.0)
    assert type(text) is Source
    space = {}
    exec(text, space)
    assert space["kink"](3.0) == (9.0, 6.0)


def test_it_is_the_code_that_runs():
    vg = value_and_grad(kink)
    assert body(source(vg, 2.0))[:5] == [
        "import numpy as np", "def kink(x):", "    if not x > 1.0:", "        return Exit(0)",
        "    value = x * x"]
    vg(0.5)
    both = source(vg, 2.0)
    assert source(vg) == source(vg, 0.5) == both
    space = {}
    exec(both, space)
    assert space["kink"](3.0) == (9.0, 6.0) and space["kink"](0.5) == (1.5, 3.0)


def test_it_names_the_lines_of_the_user():
    text = source(value_and_grad(kink), 2.0)
    assert "# programs.py:" in text and "  if x > 1.0:" in text and "return x * x" in text


def test_it_says_for_what_it_is():
    p = {"w": np.ones((3, 2)), "b": np.zeros(2)}
    text = source(grad(affine), p, np.ones((4, 3)))
    assert "x: float64[4, 3]" in text


def test_asking_counts_as_nothing_if_it_is_known():
    vg = value_and_grad(kink)
    vg(2.0)
    before = cache_info(vg)
    source(vg, 2.0)
    source(vg)
    source(vg, 2.0, path=True)
    assert cache_info(vg) == before


def alone(x):
    """The source if nothing else has been seen."""
    return source(value_and_grad(kink), x)


def test_path_is_the_straight_line_of_the_arguments():
    vg = value_and_grad(kink)
    vg(2.0), vg(0.5)
    assert source(vg, 2.0, path=True) == alone(2.0)
    assert source(vg, 0.5, path=True) == alone(0.5)
    assert alone(2.0) != alone(0.5)
    assert body(alone(0.5))[2:4] == ["    if x > 1.0:", "        return Exit(0)"]


def test_a_path_that_is_not_known_is_learnt():
    vg = value_and_grad(kink)
    vg(2.0)
    assert "if x > 1.0:" in source(vg, 0.5, path=True)
    assert cache_info(vg).recordings == 2


def test_path_needs_arguments():
    vg = value_and_grad(kink)
    vg(2.0)
    with pytest.raises(ArgumentError, match="and there are none") as caught:
        source(vg, path=True)
    assert str(caught.value).endswith("Give them: source(vg, x, path=True).")
    with pytest.raises(ArgumentError, match="which makes no source"):
        source(value_and_grad(kink, engine="tape"), path=True)


def test_loops_stay_loops():
    vg = value_and_grad(fold)
    text = source(vg, 1.5, 6, path=True)
    assert text.count("for ") >= 2


def test_what_stays_on_the_tape_is_refused():
    with pytest.raises(UnsupportedError, match="There is no source of evaluated"):
        source(value_and_grad(evaluated), 2.0)


def test_it_is_public():
    assert "source" in hybridad.__all__
