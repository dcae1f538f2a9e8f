"""Tangents of straight lines."""

import operator as o
import warnings

import numpy as np
import pytest

from hybridad.sct.differentiate import Unsupported, forward
from tests.sct.differentiate.checking import build, check_forward
from tests.sct.differentiate.straight_lines import STRAIGHT, V


@pytest.mark.parametrize("name", STRAIGHT)
def test_straight_line(name):
    program, *examples = STRAIGHT[name]
    check_forward(program, *examples)


def test_what_has_no_tangent_costs_nothing():
    block, wanted = build(lambda b, x, y: b.apply(np.sum, b.apply(
        o.mul, x, b.apply(np.exp, y))), V, V)
    made = forward(block, wanted[:1])
    assert [n.target for n in made.nodes if n.part == "tangent"] == [0, o.mul, np.sum]


def test_a_tangent_stands_behind_its_operation():
    block, wanted = build(lambda b, x: b.apply(np.sum, b.apply(np.exp, x)), V)
    parts = [n.part for n in forward(block, wanted).nodes]
    assert parts == ["forward", "tangent", "forward", "tangent", "forward", "tangent"]


@pytest.mark.parametrize(("function", "options"), [
    (np.mean, {}), (np.var, {}), (np.std, {"ddof": 1}), (np.mean, {"where": np.zeros(1, bool)})])
def test_averages_that_may_be_of_nothing_are_refused(function, options):
    """NumPy warns of them at a line of its own, which nobody could take back."""
    def program(b, x):
        return b.apply(function, b.apply(o.getitem, x, slice(0, found)), **options)

    found = 3
    if "where" not in options:
        forward(*build(program, V))
    found = options.get("ddof", 0) or ("where" in options)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        block, wanted = build(program, V)
    with pytest.raises(Unsupported, match="of nothing"):
        forward(block, wanted)
