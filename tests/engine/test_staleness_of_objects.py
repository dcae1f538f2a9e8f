"""What objects and containers from outside say is asked anew in each call, whoever answers it.

Each program reads ``box.v`` by a detour: native code compares it, hashes it, goes through it, adds
it. The first two calls have the same value, so the second one is answered by specialized code; then
it changes.
"""

import array
import collections
import datetime
import decimal
import enum
import functools
import itertools
import math
import operator
import pathlib
import types
from fractions import Fraction as F

import numpy as np
import pytest

from hybridad import cache_info, value_and_grad

box = types.SimpleNamespace(v=None)
X = np.array([1.0, 2.0, 3.0])
HALVES = F(1, 2), F(1, 2), F(3, 2), F(3, 2), F(0)
DAYS = [datetime.date(2020, 1, day) for day in (1, 1, 6, 9)]
EPOCH = datetime.date(1970, 1, 1)
LISTS = [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [3.0, 3.0, 3.0, 4.0]
TUPLES = [tuple(items) for items in LISTS]
SETS = {1.0}, {1.0}, {2.0, 3.0}, set(), {1.0}
DICTS = ({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 2.0},
         {"a": 2.0, "c": 3.0, "b": 7.0})
WORDS = "ab", "ab", "cab", "a"
INTS = 1, 1, 2, 0, 1
MASKS = [np.array(m) for m in ([1, 1, 0], [1, 1, 0], [1, 1, 1], [0, 2, 1])]


class Node:
    """Equal to itself alone."""


ONE, TWO = Node(), Node()
NODES = TWO, TWO, ONE, TWO
Mode = enum.Enum("Mode", "A B C")


def of(kind, values):
    return [kind(v) for v in values]


# -- numbers, dates, paths, texts ----------------------------------------------------------------

OBJECTS = [
    (lambda x: x[0] * float(box.v + 1), HALVES),
    (lambda x: x[0] * float(1 + box.v), HALVES),
    (lambda x: x[0] * float(abs(-box.v)), HALVES),
    (lambda x: x[0] * float(box.v), HALVES),
    (lambda x: x[0] * int(box.v * 4), HALVES),
    (lambda x: x[0] * round(box.v * 3), HALVES),
    (lambda x: x[0] if box.v < 1 else x[1], HALVES),
    (lambda x: x[0] if box.v == 1.5 else x[1], HALVES),
    (lambda x: x[0] if box.v != 1.5 else x[1], HALVES),
    (lambda x: x[0] if box.v else x[1], HALVES),
    (lambda x: x[0] if not box.v else x[1], HALVES),
    (lambda x: x[0] * len(str(box.v)), HALVES),
    (lambda x: x[0] * len(repr(box.v)), HALVES),
    (lambda x: x[0] * len(f"{box.v} {box.v!r}"), HALVES),
    (lambda x: x[0] * len("%s" % (box.v,)), HALVES),  # noqa: UP031
    (lambda x: x[0] * len("{}".format(box.v)), HALVES),  # noqa: UP032
    (lambda x: x[0] * {0.5: 3.0, 1.5: 5.0}.get(box.v, 7.0), HALVES),
    (lambda x: x[0] * (hash(box.v) % 7), HALVES),
    (lambda x: x[0] * len({box.v, 0.5}), HALVES),
    (lambda x: x[0] if box.v in (0.5, 2) else x[1], HALVES),
    (lambda x: x[0] * float(sum([box.v, box.v])), HALVES),
    (lambda x: x[0] * float(max([box.v, 1])), HALVES),
    (lambda x: x[0] * float(sorted([box.v, 1])[0]), HALVES),
    (lambda x: x[0] * float(box.v * 2), of(decimal.Decimal, "1123")),
    (lambda x: x[0] * box.v.day, DAYS),
    (lambda x: x[0] * (box.v - EPOCH).days, DAYS),
    (lambda x: x[0] if box.v < datetime.date.max else x[1], DAYS),
    (lambda x: x[0] * max(box.v, EPOCH).day, DAYS),
    (lambda x: x[0] * len(f"{box.v:%d}"), DAYS),
    (lambda x: x[0] * len(str(box.v / "a")), of(pathlib.PurePosixPath, WORDS)),
    (lambda x: x[0] * len(box.v.parts), of(pathlib.PurePosixPath, ["a", "a", "a/b", "c"])),
    (lambda x: x[0] * len(box.v), of(np.str_, WORDS)),
    (lambda x: x[0] if box.v else x[1], of(np.bool_, [True, True, False, True])),
    (lambda x: x[0] * (box.v - np.datetime64("2020-01-01")).astype(int), of(np.datetime64, DAYS)),
    (lambda x: x[0] * ord(box.v[0]), WORDS),
    (lambda x: x[0] * len(box.v.upper().split("A")), WORDS),
    (lambda x: x[0] if box.v.startswith("a") else x[1], WORDS),
    (lambda x: x[0] * box.v[0], of(str.encode, WORDS)),
    (lambda x: x[0] * box.v.value, of(Mode, (1, 1, 2, 3))),
    (lambda x: x[0] * (id(box.v) % 7 + 1), NODES),
    (lambda x: {id(ONE): x[0]}.get(id(box.v), x[1]), NODES),
    (lambda x: {ONE: x[0]}.get(box.v, x[1]), NODES),
    (lambda x: x[0] if box.v == ONE else x[1], NODES),
    (lambda x: x[0] if box.v != ONE else x[1], NODES),
    (lambda x: x[0] if box.v is ONE else x[1], NODES),
    (lambda x: x[0] if box.v in [ONE] else x[1], NODES),
    (lambda x: x[0] * len({box.v, ONE}), NODES),
    (lambda x: x[0] if {box.v, ONE} == {ONE} else x[1], NODES),
    (lambda x: x[0] if callable(box.v) else x[1], (1, 1, abs, 1.5)),
    (lambda x: x[0] if isinstance(box.v, str | int) else x[1], (1, 1, "a", 1.5)),
]


# -- containers ----------------------------------------------------------------------------------

def extended(x):
    made = [x[0]]
    made.extend(box.v)
    return sum(made)


def updated(x):
    made = {"z": x[0]}
    made.update(box.v)
    return sum(made.values())


def merged(x):
    made = {"z": x[0]}
    made |= box.v
    return sum(made.values())


def joined(x):
    made = {1.0}
    made |= set(box.v)
    made.update(box.v)
    return x[0] * len(made)


def table(x):
    made = {(0, 1): x[0], (1, 1): x[1]}
    return sum(made.get((i, box.v), x[2]) for i in range(3))


def filled(x):
    made = {}
    for i in range(3):
        for j in range(2):
            made[i, j] = x[i] * j
    return made[box.v, 1]


def memoized(x):
    known = {}

    def fibonacci(n):
        if n < 2:
            return x[n]
        if n not in known:
            known[n] = fibonacci(n - 1) + fibonacci(n - 2)
        return known[n]

    return fibonacci(box.v)


CONTAINERS = [
    (extended, LISTS), (updated, DICTS), (merged, DICTS), (joined, LISTS),
    (table, INTS), (filled, INTS), (memoized, (4, 4, 6, 7, 4)),
    (lambda x: x[0] * len(box.v), of(collections.deque, LISTS)),
    (lambda x: x[0] * box.v[-1], of(collections.deque, LISTS)),
    (lambda x: x[0] * sum(collections.deque(box.v)), LISTS),
    (lambda x: x[0] * collections.deque(box.v).pop(), LISTS),
    (lambda x: x[0] * len(collections.Counter(box.v)), LISTS),
    (lambda x: x[0] * len(collections.Counter([x[0], *box.v])), LISTS),
    (lambda x: x[0] * sum(collections.Counter(box.v).values()), DICTS),
    (lambda x: x[0] * sum(collections.OrderedDict(box.v).values()), DICTS),
    (lambda x: x[0] * sum(collections.defaultdict(float, box.v).values()), DICTS),
    (lambda x: x[0] * sum(v for _, v in box.v.items()), of(collections.OrderedDict, DICTS)),
    (lambda x: x[0] * box.v["a"], of(collections.ChainMap, DICTS)),
    (lambda x: x[0] * box.v["a"], of(collections.UserDict, DICTS)),
    (lambda x: x[0] * sum(box.v), of(collections.UserList, LISTS)),
    (lambda x: x[0] * box.v["a"], of(types.MappingProxyType, DICTS)),
    (lambda x: x[0] * len(list(box.v)), of(types.MappingProxyType, DICTS)),
    (lambda x: x[0] * dict(**box.v)["a"], of(types.MappingProxyType, DICTS)),
    (lambda x: x[0] * dict(box.v)["a"], of(types.MappingProxyType, DICTS)),
    (lambda x: x[0] if "c" in box.v else x[1], of(types.MappingProxyType, DICTS)),
    (lambda x: x[0] * len(box.v), [array.array("d", items) for items in LISTS]),
    (lambda x: x[0] * box.v[0], [array.array("d", items) for items in LISTS]),
    (lambda x: x[0] * sum(box.v), [array.array("d", items) for items in LISTS]),
    (lambda x: x[0] if 4.0 in box.v else x[1], [array.array("d", items) for items in LISTS]),
    (lambda x: x[0] * array.array("d", box.v)[0], LISTS),
    (lambda x: x[0] * box.v[0], of(bytearray, ([1], [1], [2, 3], [4]))),
    (lambda x: x[0] * bytes(box.v)[0], ([1], [1], [2, 3], [4])),
    (lambda x: x[0] * sum(box.v), SETS),
    (lambda x: x[0] * len(box.v), SETS),
    (lambda x: x[0] if box.v else x[1], SETS),
    (lambda x: x[0] if 2.0 in box.v else x[1], SETS),
    (lambda x: x[1] if x[0] in box.v else x[2], SETS),
    (lambda x: x[0] * len(box.v | {7.0}), SETS),
    (lambda x: x[0] if box.v == {1.0} else x[1], SETS),
    (lambda x: x[0] if box.v <= {1.0} else x[1], SETS),
    (lambda x: x[0] * sum(v for _, v in enumerate(box.v)), SETS),
    (lambda x: x[0] * len(set(box.v)), LISTS),
    (lambda x: x[0] * len({x[0], x[1], box.v}), INTS),
    (lambda x: x[0] * len({x[0], x[1], box.v * x[0]}), INTS),
    (lambda x: x[0] * len(frozenset([x[0], box.v])), INTS),
    (lambda x: x[0] * len(dict([(x[0], 1.0), (box.v, 2.0)])), INTS),  # noqa: C406
    (lambda x: x[0] * len(dict.fromkeys([x[0], box.v])), INTS),
    (lambda x: x[1] if int(x[0]) in box.v else x[2], ({1: 2}, {1: 2}, {3: 1}, {1: 5})),
    (lambda x: x[0] if box.v == {"a": 1.0, "b": 2.0} else x[1], DICTS),
    (lambda x: x[0] * (box.v | {"b": 2.0})["a"], DICTS),
    (lambda x: x[0] * list(box.v).index("b"), DICTS),
    (lambda x: x[0] * len(list(reversed(box.v))), DICTS),
    (lambda x: x[0] * len("%(a)s" % box.v), DICTS),  # noqa: UP031
    (lambda x: x[0] * len("{a}".format(**box.v)), DICTS),
    (lambda x: {"a": x[0], "b": x[1], "c": x[2]}[min(box.v, key=box.v.get)], DICTS),
    (lambda x: x[0] if box.v == [1.0, 2.0, 3.0] else x[1], LISTS),
    (lambda x: x[0] if box.v < [2.0] else x[1], LISTS),
    (lambda x: x[0] if box.v else x[1], ([1.0], [1.0], [], [2.0, 3.0])),
    (lambda x: x[0] * sum(box.v * 2), LISTS),
    (lambda x: x[0] * sum(tuple(box.v)), LISTS),
    (lambda x: x[0] * sum([box.v, box.v], [])[0], LISTS),  # noqa: RUF017
    (lambda x: x[0] * len(box.v), LISTS),
    (lambda x: x[0] * math.fsum(box.v), LISTS),
    (lambda x: x[0] * math.hypot(*box.v), LISTS),
    (lambda x: x[0] * functools.reduce(operator.mul, box.v), LISTS),
    (lambda x: x[0] * sum(itertools.chain(box.v, box.v)), LISTS),
    (lambda x: x[0] * len(str(box.v)), LISTS),
    (lambda x: x[0] * any(v > 3.5 for v in box.v), LISTS),
    (lambda x: x[0] * box.v.count(3.0), LISTS),
    (lambda x: x[0] * dict(zip("abcd", box.v))["a"], LISTS),
    (lambda x: x[0] * (hash(box.v) % 7), TUPLES),
    (lambda x: x[0] * {(1.0, 2.0, 3.0): 5.0, (3.0,): 6.0}.get(box.v, 1.0), TUPLES),
    (lambda x: x[0] if box.v == (1.0, 2.0, 3.0) else x[1], TUPLES),
    (lambda x: x[0] if box.v == (F(1, 2), 2) else x[1], [(half, 2) for half in HALVES]),
    (lambda x: x[0] * float(sum(box.v)), [[half, half] for half in HALVES]),
    (lambda x: sum(float(a) * b for a, b in zip(box.v, x)), [[half, half] for half in HALVES]),
]


# -- arrays --------------------------------------------------------------------------------------

ARRAYS = [
    (lambda x: x[box.v], INTS),
    (lambda x: x[box.v].sum(), ([0], [0], [1], [0, 1])),
    (lambda x: x[box.v].sum(), (slice(0, 1), slice(0, 1), slice(0, 2), slice(1, 3))),
    (lambda x: np.outer(x, x)[box.v, 0].sum(), ([0], [0], [1], [0, 1])),
    (lambda x: x[box.v].sum(), [m.astype(bool) for m in MASKS]),
    (lambda x: x[np.nonzero(box.v)[0]].sum(), MASKS),
    (lambda x: x[int(box.v.max())], MASKS),
    (lambda x: x[box.v.argmax()], MASKS),
    (lambda x: x[0] if np.all(box.v) else x[1], MASKS),
    (lambda x: x[0] if np.array_equal(box.v, [1, 1, 1]) else x[1], MASKS),
    (lambda x: x[0] * len(np.unique(box.v)), MASKS),
    (lambda x: x[0] * len(str(box.v)), [m * 10 ** k for k, m in enumerate(MASKS)][:1] * 2 + MASKS),
    (lambda x: x[0] if 2 in box.v else x[1], MASKS),
    (lambda x: x.reshape(box.v)[0].sum(), ([3, 1], [3, 1], [1, 3], (3, 1))),
    (lambda x: x[0] * len(np.zeros(box.v)), ([3, 1], [3, 1], [1, 3], (2, 1))),
    (lambda x: np.outer(x, x).sum(axis=box.v).sum(), ((0,), (0,), (1,), (0, 1))),
    (lambda x: np.outer(x, x * x).transpose(box.v)[0, 1], ((0, 1), (0, 1), (1, 0), (0, 1))),
    (lambda x: np.roll(x, box.v)[0], INTS),
    (lambda x: np.einsum(box.v, x, x), ("i,i", "i,i", "i,j->", "i,i")),
    (lambda x: np.sum(box.v) * x[0], LISTS),
    (lambda x: np.array(box.v).shape[0] * x[0], LISTS),
    (lambda x: (x * box.v[:3]).sum(), LISTS),
]


@pytest.mark.parametrize("number", range(len(OBJECTS)))
def test_objects(number):
    check(*OBJECTS[number])


@pytest.mark.parametrize("number", range(len(CONTAINERS)))
def test_containers(number):
    check(*CONTAINERS[number])


@pytest.mark.parametrize("number", range(len(ARRAYS)))
def test_arrays(number):
    check(*ARRAYS[number])


def check(f, values):
    vg = value_and_grad(f, verify=False)
    for k, box.v in enumerate(values):
        value, _ = vg(X.copy())
        expected = f(X.copy())
        assert type(value) is type(expected) and value == expected, (k, box.v)
        if k == 1:
            assert cache_info(vg).hits == 1, vg
