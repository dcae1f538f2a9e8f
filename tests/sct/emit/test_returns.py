"""Results own their memory."""

import numpy as np
import pytest

from hybridad.sct.emit import emit
from hybridad.sct.load import load
from hybridad.trace.text import parse

HEAD = """
        %0 = input 0, differentiated=True  : float64[4] C m0  x
        %1 = input 1  : float64[4] C m1  y
        %2 = np.tanh(%0)  : float64[4] C m2  a
        %3 = %2[1:3]  : float64[2] C m2
        %4 = .reshape(%2, (2, 2))  : float64[2, 2] C m2
"""


def results(end, **options):
    x, y = np.arange(4.0), np.ones(4)
    source = emit(parse(HEAD + end), **options)
    return [x, y], load(source)(x, y), source.text


@pytest.mark.parametrize("end, copies", [
    ("return %0", 1), ("return %2", 0), ("return %3", 1), ("return %4", 0), ("return (%2, %2)", 1),
    ("return %2  cotangents (%2, %4)", 2), ("return (%2, [%3, {'a': %0}])", 2),
    ("return %1", 1),
])
def test_no_two_results_share_memory(end, copies):
    given, found, text = results(end)
    arrays = list(given)

    def collect(x):
        if isinstance(x, np.ndarray):
            arrays.append(x)
        elif isinstance(x, (tuple, list)):
            for item in x:
                collect(item)
        elif isinstance(x, dict):
            collect(list(x.values()))

    collect(found)
    for k, a in enumerate(arrays):
        assert not any(np.shares_memory(a, b) for b in arrays[:k])
    assert text.count(".copy()") == copies


def test_constants_are_not_given_away():
    table = np.ones(3)
    function = load(emit(parse("%0 = const $t  : float64[3] C m0\nreturn %0", {"t": table})))
    (found,) = function()
    assert found is not table
    assert found.tolist() == [1.0, 1.0, 1.0]


def test_an_auxiliary_array_from_outside_is_handed_on():
    given, found, _ = results("return %2  aux (%1, %0, 'text')")
    _value, (y, x, text) = found
    assert y is given[1]
    assert x is not given[0]
    assert text == "text"


def test_an_auxiliary_result_may_be_none():
    _, found, _ = results("return 1.0  cotangents (%2,)", has_aux=True)
    assert found[:2] == (1.0, None)
    assert len(found) == 3


def test_tangents_come_last():
    _, found, _ = results("return 1.0  tangents (2.0, 3.0)")
    assert found == (1.0, (2.0, 3.0))
