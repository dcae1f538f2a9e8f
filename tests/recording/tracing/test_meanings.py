"""Which callables have a meaning of their own in a trace run, and meanings shared with the tape."""

import copy
import itertools
import operator

import numpy as np
import pytest

from hybridad.recording.tracing.meanings import INSTANCES, OF_CLASSES, meaning_of
from tests.recording.tracing.follow import X, follow


class Part:
    def __init__(self, w):
        self.w = w


PART = Part(2.0)
FIRST = operator.itemgetter(0)


def test_which_have_one():
    assert all(map(meaning_of, (len, max, operator.add, itertools.groupby, copy.deepcopy)))
    assert dict.fromkeys in OF_CLASSES and operator.itemgetter in INSTANCES
    assert meaning_of(lambda: 1) is None


@pytest.mark.parametrize("f", [
    lambda x: FIRST(x) * operator.itemgetter(0, 2)(x)[1] + operator.attrgetter("w")(PART) * x[1],
    lambda x: operator.methodcaller("sum")(x) * operator.contains([1, 2], 2) * x[0],
    lambda x: sum(operator.iconcat([x[0]], [x[1]])) * operator.indexOf([3, 4], 4) + x[2],
    lambda x: sum(sum(group) * len(str(key)) for key, group in itertools.groupby(
        x, lambda v: v > 0)),
    lambda x: sum(itertools.compress(x, [1, 0, 1])) + sum(itertools.accumulate(x, initial=x[0])),
    lambda x: sum(itertools.chain.from_iterable([x, [x[0]]])) * sum(iter([3, 2, 1].pop, 3)),
    lambda x: sum(a * b for a, b in zip(x, itertools.cycle([1.0, -1.0]))),
    lambda x: copy.copy(PART).w * x[0] + copy.deepcopy([PART, x])[1][1] + copy.copy(x)[2],
])
def test_what_is_as_on_the_tape(f):
    follow(f, X)


def test_a_copied_array_is_another_one():
    def f(x):
        y = copy.deepcopy({"y": x})["y"]
        y[0] = 5.0
        return np.sum(y * x)

    follow(f, X)
