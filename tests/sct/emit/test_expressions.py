"""Operations as expressions: what is printed computes what the operation computes."""

import math
import operator
import random

import numpy as np
import pytest

from hybridad.sct.emit.expressions import Speller, operands
from hybridad.sct.emit.static import Expression, Statics
from hybridad.trace.ir import HOLE, Method, Node, Ref, Step

BINARY = [
    operator.add, operator.sub, operator.mul, operator.pow, operator.and_, operator.or_,
    operator.xor, operator.lshift, operator.rshift, operator.eq, operator.ne, operator.lt,
    operator.floordiv, operator.mod,
]
UNARY = [operator.neg, operator.pos, operator.invert, operator.not_, operator.abs]


def spell(target, *args, **kwargs):
    look = {0: Expression("x"), 1: Expression("a + b", 10, 1), 2: Expression("-c", 12, 1)}
    return Speller(Statics(), look.__getitem__).operation(target, args, kwargs).text


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")  # from Python 3.12
def test_brackets_are_right_in_random_expressions():
    rng = random.Random(0)
    for _ in range(3000):
        found = {}
        speller = Speller(Statics(), found.__getitem__)

        def grow(depth, speller=speller, found=found):
            if depth == 0 or rng.random() < 0.2:
                x = rng.choice((1, 2, 3, -1, -2, True))
                return x, x
            if rng.random() < 0.3:
                target, count = rng.choice(UNARY), 1
            else:
                target, count = rng.choice(BINARY), 2
            parts = [grow(depth - 1) for _ in range(count)]
            value = target(*[part[1] for part in parts])
            if type(value) is int and abs(value) > 1 << 40:
                raise OverflowError
            found[len(found)] = speller.operation(target, tuple([part[0] for part in parts]), {})
            return Ref(len(found) - 1), value

        try:
            x, value = grow(4)
        except (ZeroDivisionError, ValueError, OverflowError, TypeError):
            continue
        again = eval(speller.text(x))
        assert again == value
        assert type(again) is type(value)


@pytest.mark.parametrize("text, target, args, kwargs", [
    ("x.T", Method("T"), (Ref(0),), {}),
    ("x.sum(axis=0)", Method("sum"), (Ref(0),), {"axis": 0}),
    ("(a + b).sum()", Method("sum"), (Ref(1),), {}),
    ("x.astype(np.float32)", Method("astype"), (Ref(0), np.dtype("float32")), {}),
    ("np.zeros(3, dtype=np.float64)", np.zeros, (3,), {"dtype": np.dtype("float64")}),
    ("x[1:, ::2, None]", operator.getitem, (Ref(0), (slice(1, None), slice(None, None, 2), None)),
     {}),
    ("x[..., 0]", operator.getitem, (Ref(0), (Ellipsis, 0)), {}),
    ("x[0,]", operator.getitem, (Ref(0), (0,)), {}),
    ("x[()]", operator.getitem, (Ref(0), ()), {}),
    ("x[a + b:]", operator.getitem, (Ref(0), slice(Ref(1), None)), {}),
    ("x @ (a + b)", operator.matmul, (Ref(0), Ref(1)), {}),
    ("(-c) ** -2.0", operator.pow, (Ref(2), -2.0), {}),
    ("-c * x", operator.mul, (Ref(2), Ref(0)), {}),
    ("x - (a + b)", operator.sub, (Ref(0), Ref(1)), {}),
    ("a + b - x", operator.sub, (Ref(1), Ref(0)), {}),
    ("x in [1, 2]", operator.contains, ([1, 2], Ref(0)), {}),
    ("(2.0).conjugate()", Method("conjugate"), (2.0,), {}),
    ("np.concatenate([x, -c], axis=1)", np.concatenate, ([Ref(0), Ref(2)],), {"axis": 1}),
    ("np.where(x, math.inf, -0.0)", np.where, (Ref(0), math.inf, -0.0), {}),
    ("x.__index__()", operator.index, (Ref(0),), {}),
    ("x + 1", operator.iadd, (Ref(0), 1), {}),
])
def test_forms(text, target, args, kwargs):
    assert spell(target, *args, **kwargs) == text


def test_regions():
    speller = Speller(Statics(), {0: Expression("x"), 1: Expression("i")}.__getitem__)
    path = (Step(operator.getitem, (HOLE, (Ref(1), slice(None)))), Step(Method("T"), (HOLE,)),
            Step(np.swapaxes, (HOLE, 0, 1)))
    assert speller.region(Ref(0), path) == "np.swapaxes(x[i, :].T, 0, 1)"


def test_operands_stand_in_the_order_of_evaluation():
    write = Node(9, "write", operator.setitem, (Ref(0), (), Ref(1), Ref(2)))
    assert operands(write) == [2, 0, 1]
    assert operands(Node(9, "apply", operator.contains, (Ref(0), Ref(1)))) == [1, 0]
    assert operands(Node(9, "apply", np.clip, (Ref(3),), {"min": Ref(1)})) == [3, 1]
