"""Tables of functions."""

import operator

import numpy as np
import pytest

from hybridad.sct.passes import facts
from hybridad.trace.ir import Aval, Method, Node, Ref

ARRAY = Aval("array", "<f8", (3, 4))
INTEGER = Aval("number", "int")
FLOAT = Aval("number", "float")


def aval(ref):
    return {0: ARRAY, 1: INTEGER, 2: FLOAT}.get(ref.id) if type(ref) is Ref else None


def apply(target, *args, **kwargs):
    return Node(9, "apply", target, args, kwargs, ARRAY)


@pytest.mark.parametrize("node, quiet", [
    (apply(Method("T"), Ref(0)), True),
    (apply(Method("sum"), Ref(0)), False),
    (apply(np.transpose, Ref(0)), True),
    (apply(np.zeros, (3, 4)), True),
    (apply(np.zeros, Ref(1)), False),  # a negative length
    (apply(np.isfinite, Ref(0)), True),
    (apply(np.exp, Ref(0)), False),
    (apply(operator.add, Ref(1), 1), True),
    (apply(operator.add, Ref(1), 1.5), False),  # an integer may be too large for a float
    (apply(operator.mul, Ref(2), 1.5), True),
    (apply(operator.truediv, Ref(2), 1.5), False),
    (apply(operator.add, Ref(0), 1.5), False),
    (apply(operator.getitem, Ref(0), slice(0, Ref(1))), True),
    (apply(operator.getitem, Ref(0), slice(0, 3, 0)), False),
    (apply(operator.getitem, Ref(0), 1), True),
    (apply(operator.getitem, Ref(0), 99), False),
    (apply(operator.getitem, Ref(0), (slice(None),) * 3), False),
])
def test_quiet(node, quiet):
    assert facts.is_quiet(node, aval) is quiet


@pytest.mark.parametrize("index, basic", [
    (0, True), (slice(1, None), True), ((..., None, 2), True), (Ref(1), False),
    (slice(Ref(1), None), False), ([0, 1], False), (True, False), (np.arange(2), False),
])
def test_basic(index, basic):
    assert facts.is_basic(index) is basic


def test_elementwise():
    assert facts.is_elementwise(np.exp) and facts.is_elementwise(operator.mul)
    assert not facts.is_elementwise(np.matmul) and not facts.is_elementwise(np.modf)
    assert not facts.is_elementwise(np.sum)


def test_what_is_called_fresh_is_fresh():
    """Against NumPy itself: none of these gives a view of its argument."""
    x = np.arange(12.0).reshape(3, 4)
    calls = [(np.exp, (x,)), (np.where, (x > 1, x, x)), (np.take, (x, [0], 0)),
             (np.concatenate, ([x],)), (np.tensordot, (x, x, 0)), (np.sum, (x[None], 0)),
             (np.copy, (x,)), (np.add.reduce, (x[None], 0)), (np.tile, (x, (1, 1))),
             (np.repeat, (x, 1, 0)), (np.triu, (x,)), (np.stack, ([x],)), (np.vstack, ([x],)),
             (np.positive, (x,)), (np.conjugate, (x,)), (Method("copy"), (x,))]
    for target, args in calls:
        assert facts.is_fresh(apply(target, *args)), target
        result = x.copy() if type(target) is Method else target(*args)
        assert not np.may_share_memory(result, x), target
    for target in (np.reshape, np.ravel, np.asarray, np.real, np.squeeze, operator.getitem):
        assert facts.is_view(apply(target, x)) and not facts.is_fresh(apply(target, x))


def test_creation():
    assert facts.is_creation(np.zeros_like) and facts.is_creation(Method("copy"))
    assert not facts.is_creation(np.exp)


def test_deterministic_and_total():
    assert facts.is_deterministic(np.arange) and not facts.is_deterministic(np.random.rand)
    assert not facts.is_deterministic(np.matmul)
    assert facts.is_total(np.exp) and facts.is_total(Method("T"))
    assert not facts.is_total(np.linalg.inv) and not facts.is_total(operator.getitem)
