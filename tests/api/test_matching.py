"""Cotangents and tangents as users pass them, leaf by leaf."""

import numpy as np
import pytest

from hybridad import ArgumentError
from hybridad.api.matching import match
from hybridad.engine import Like
from hybridad.tree import flatten


def matched(value, belongs, what="cotangent"):
    leaves, structure = flatten(belongs)
    return match(value, structure, list(map(Like, leaves)), what, matched)


def test_none_is_zero_everywhere():
    assert matched(None, {"a": 1.0, "b": [2.0]}) == [None, None]
    assert matched({"a": None, "b": [3.0]}, {"a": 1.0, "b": [2.0]}) == [None, 3.0]
    assert matched({"a": 1.0, "b": None}, {"a": 1.0, "b": [2.0, 4.0]}) == [1.0, None, None]


def test_python_numbers_become_those_of_numpy():
    (found,) = matched(2, 1.0)
    assert type(found) is np.float64 and found == 2.0
    (found,) = matched(1j, 1.0)
    assert type(found) is np.complex128


def test_arrays_are_handed_on():
    x = np.ones(2)
    assert matched(x, np.zeros(2))[0] is x


def test_only_of_cotangents_of_real_numbers_the_real_part_counts():
    assert matched(np.array([1j]), np.ones(1))[0][0] == 1j
    with pytest.raises(ArgumentError, match="tangent of argument 0 of matched is complex where"):
        matched(np.array([1j]), np.ones(1), "tangent of argument 0")


@pytest.mark.parametrize("value, what", [
    ({"b": 1.0}, "has not the structure"), (np.ones(3), "has not the structure"),
    ({"a": np.ones(3)}, r"has shape \(3,\) where \(2,\) was expected"),
    ({"a": "text"}, "holds str where a number or an array of numbers was expected")])
def test_what_does_not_fit(value, what):
    with pytest.raises(ArgumentError, match=f"^The cotangent of matched {what}"):
        matched(value, {"a": np.ones(2)})
