"""Functions that are no primitives are differentiated by way of those that they are made of."""

import itertools
import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate import Unsupported
from hybridad.sct.differentiate.decompose import decomposed
from hybridad.trace.ir import Method, Node, Ref
from tests.sct.differentiate.checking import check_reverse
from tests.sct.differentiate.straight_lines import M, V, weighed

MADE_OF_OTHERS = {
    "outer of a ufunc": (lambda b, x, y: weighed(b, b.apply(np.add.outer, x, y)), V, V + 1),
    "reduction of a ufunc": (lambda b, x: weighed(b, b.apply(np.logaddexp.reduce, x)), M),
    "select": (lambda b, x, y: weighed(b, b.apply(np.select, [
        np.array([True, False, True, False])], [x], b.apply(o.mul, x, y))), V, 0.4),
    "block": (lambda b, x: weighed(b, b.apply(np.block, [[x, x], [2.0, x]])), np.ones((1, 1))),
    "meshgrid": (lambda b, x, y: (lambda r: b.apply(o.add, weighed(b, b.apply(
        o.getitem, r, 0)), weighed(b, b.apply(np.exp, b.apply(o.getitem, r, 1)))))(b.apply(
            np.meshgrid, x, y)), V, V[:3]),
    "gradient with a spacing": (lambda b, x, h: weighed(b, b.apply(np.gradient, x, h)), V, 0.5),
    "gradient of a matrix": (lambda b, x: (lambda r: b.apply(o.add, weighed(b, b.apply(
        o.getitem, r, 0)), b.apply(np.sum, b.apply(np.exp, b.apply(o.getitem, r, 1)))))(b.apply(
            np.gradient, x)), M),
    "average": (lambda b, x: weighed(b, b.apply(np.average, x, axis=0)), M),
    "linspace": (lambda b, x, y: weighed(b, b.apply(np.linspace, x, y, 5)), 0.4, 2.0),
    "item of an array": (lambda b, x: b.method(b.method(x, "item", 1), "conjugate"), V),
}


@pytest.mark.parametrize("name", MADE_OF_OTHERS)
def test_made_of_others(name):
    program, *examples = MADE_OF_OTHERS[name]
    check_reverse(program, *examples)


def test_what_depends_on_values_is_refused():
    node = Node(5, "apply", np.piecewise, (Ref(0), [Ref(0)], [1.0]), {})
    with pytest.raises(Unsupported):
        decomposed(node, {0: V}, itertools.count(10), "adjoint")


def test_integers_from_data_are_refused():
    node = Node(5, "apply", np.choose, (Ref(1), [Ref(0), Ref(0)]), {})
    with pytest.raises(Unsupported, match="integers"):
        decomposed(node, {0: V, 1: np.array([0, 1, 1, 0])}, itertools.count(10), "adjoint")


def test_operations_give_the_value():
    node = Node(5, "apply", np.subtract.outer, (Ref(0), Ref(1)), {}, example=None)
    values = {0: V, 1: V + 1}
    nodes, result = decomposed(node, values, itertools.count(10), "adjoint")
    for made in nodes:
        plain = [values[x.id] if type(x) is Ref else x for x in made.args]
        values[made.id] = getattr(plain[0], made.target.name)(*plain[1:]) \
            if type(made.target) is Method else made.target(*plain)
    np.testing.assert_array_equal(values[result.id], np.subtract.outer(V, V + 1))
