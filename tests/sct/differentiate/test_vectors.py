"""Arrays in the form of lists."""

import itertools
import math
import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate.calls import call_of
from hybridad.sct.differentiate.vectors import with_arrays
from hybridad.trace.ir import Node, Ref
from tests.sct.differentiate.checking import check_forward, check_reverse
from tests.sct.differentiate.straight_lines import V, weighed

LISTS = {
    "dot": (lambda b, x, y: b.apply(np.dot, [x, y], [y, 2.0]), 0.4, 2.0),
    "mean": (lambda b, x, y: b.apply(np.mean, (x, b.apply(o.mul, x, y), 1.0)), 0.4, 2.0),
    "nested": (lambda b, x, y: weighed(b, b.apply(np.exp, [[x, y], [y, 0.5]])), 0.4, 2.0),
    "of arrays": (lambda b, x, y: weighed(b, b.apply(np.transpose, [x, y])), V, V + 1),
    "among arrays": (lambda b, x, y: weighed(b, b.apply(
        np.concatenate, [[y, 1.0, y], x, [2.0]])), V, 0.4),
    "fsum": (lambda b, x, y: b.apply(math.fsum, [x, b.apply(o.mul, x, y), 1]), 0.4, 2.0),
    "prod": (lambda b, x, y: b.apply(math.prod, [x, y, y, 2]), 0.4, 2.0),
    "prod from a start": (lambda b, x, y: b.apply(math.prod, [x, x], start=y), 0.4, 2.0),
    "dist": (lambda b, x, y: b.apply(math.dist, (x, 1.0), [y, x]), 0.4, 2.0),
    "dist of arrays": (lambda b, x, y: b.apply(math.dist, x, y), V, np.ones(4)),
}
if hasattr(math, "sumprod"):
    LISTS["sumprod"] = (lambda b, x, y: b.apply(math.sumprod, [x, y], [3, x]), 0.4, 2.0)


@pytest.mark.parametrize("name", LISTS)
def test_lists(name):
    program, *examples = LISTS[name]
    check_reverse(program, *examples)
    check_forward(program, *examples)


def test_what_is_no_array_stays_a_list():
    node = Node(5, "apply", np.reshape, (Ref(0), [Ref(1), 2]), {})
    made, found = with_arrays(node, call_of(node), {0: V, 1: 2}, itertools.count(9), "adjoint")
    assert not made
    assert found.args == (Ref(0), [Ref(1), 2])


def test_a_list_of_static_numbers_is_left_to_numpy():
    node = Node(5, "apply", np.dot, (Ref(0), [1.0, 2.0]), {})
    made, found = with_arrays(node, call_of(node), {0: V[:2]}, itertools.count(9), "adjoint")
    assert not made
    assert found.args[1] == [1.0, 2.0]
