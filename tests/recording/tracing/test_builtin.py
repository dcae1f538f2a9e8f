"""Python's builtins."""

import dataclasses
import functools
import itertools
import operator

import numpy as np
import pytest

from hybridad.recording.tracing.builtin import MEANINGS
from tests.recording.tracing.follow import X, decisions, follow, kinds


@dataclasses.dataclass
class Pair:
    a: object
    b: float = 2.0


@pytest.mark.parametrize("f", [
    lambda x: len(x) * abs(x[1]) + sum(x) + sum([1.0, x[0]], x[1]),
    lambda x: max(x) + min(x[0], x[1]) + max([x[0], x[2]], key=lambda v: -v),
    lambda x: sorted(x)[1] * 2.0 + sorted(x, reverse=True)[0] + sorted(x, key=abs)[0],
    lambda x: np.sum(x) * any(v > 1.0 for v in x) + x[0] * all(v > -5.0 for v in x),
    lambda x: sum(map(operator.mul, x, x)) + sum(filter(lambda v: v > 0, x)),
    lambda x: sum(a * b for a, b in zip(x, reversed(x))),
    lambda x: sum(k * v for k, v in enumerate(x, 1)),
    lambda x: list(x)[0] * tuple(x)[1] + dict(a=x[2])["a"] + dict([("k", x[0])])["k"],  # noqa: RUF015, C406, C408
    lambda x: next(iter([x[0], x[1]])) * next(iter([]), 3.0),
    lambda x: functools.reduce(lambda a, b: a * b, x, 2.0),
    lambda x: divmod(x[0], 0.3)[1] + pow(x[2], 3),
    lambda x: float(x[0]) * int(x[2] + 0.5) * bool(x[1]) + complex(1.0, 0.0).real * x[0],
    lambda x: np.sum(x) * isinstance(x, np.ndarray) * callable(len) * (type(x) is np.ndarray),
    lambda x: sum(itertools.accumulate(x)) + sum(a - b for a, b in itertools.pairwise(x)),
    lambda x: sum(a * b for a, b in itertools.combinations(x, 2)),
    lambda x: sum(itertools.chain(x, [1.0])) + sum(itertools.islice(x, 2)),
    lambda x: dataclasses.replace(Pair(x[0]), b=x[1]).b * 3.0,
    lambda x: np.sum(x) * len(str(len(x))) * len(f"{3:03d}"),
    lambda x: operator.add(x[0], x[1]) * operator.getitem(x, 2),
])
def test_builtins(f):
    follow(f, X)


def test_comparisons_of_data_decide():
    for f, count in ((lambda x: max(x), 2), (lambda x: sorted(x)[0], 2), (
            lambda x: x[0] * any(v > 1.0 for v in x), 3)):
        assert len(decisions(kinds(f, X.copy())[0])) >= count


def test_types_are_those_of_the_program():
    seen = []

    def f(x):
        for k in range(2):
            seen.append((type(k), type(f"{x[0]}")))
        return np.sum(x)

    kinds(f, X.copy())
    assert seen == [(int, str)] * 2


def test_meanings():
    assert all(callable(function) and callable(MEANINGS[function]) for function in MEANINGS)


def test_a_length_that_varies():
    ws = [1.0, 2.0]

    def f(x):
        return np.sum(x) * len(ws)

    events, _ = kinds(f, X.copy())
    (check,) = [e for e in events if getattr(e, "target", None) == "length"]
    events, _ = kinds(f, X.copy(), dynamic={check.kwargs["recipe"]})
    assert [e.op for e in events if getattr(e, "target", None) == "length"] == ["read"]
