"""The tables of meanings together: nothing is in two of them, and all is found in a run."""

import collections
import math
from types import FunctionType

import numpy as np
import pytest

from hybridad.recording.effects import MEANINGS as CONTAINERS
from hybridad.recording.runtime import (
    conversion,
    creation,
    folding,
    iteration,
    iterators,
    mathematics,
    operators,
    python,
    vectorized,
)
from hybridad.recording.runtime.meanings import FUNCTIONS, INDEXED, INSTANCES, METHODS
from tests.recording.runtime.whole import agrees

TABLES = {"effects": CONTAINERS} | {
    room.__name__.split(".")[-1]: room.MEANINGS
    for room in (conversion, creation, folding, iteration, iterators, mathematics, operators,
                 python, vectorized)}


def test_all_tables_are_there():
    assert set().union(*TABLES.values()) <= set(FUNCTIONS)
    for name, table in TABLES.items():
        assert table, name


def test_no_meaning_hides_another():
    seen = collections.defaultdict(set)
    for name, table in TABLES.items():
        for function, handler in table.items():
            seen[function].add((name, handler))
    twice = {f: [n for n, _ in found] for f, found in seen.items()
             if len({handler for _, handler in found}) > 1}
    assert not twice


@pytest.mark.parametrize("table", [FUNCTIONS, INSTANCES, METHODS, INDEXED],
                         ids=["functions", "instances", "methods", "indexed"])
def test_handlers_are_functions(table):
    assert table and all(callable(handler) for handler in table.values())


def test_keys_are_what_a_run_looks_for():
    assert all(map(callable, FUNCTIONS))
    assert all(isinstance(kind, type) for kind in (*INSTANCES, *INDEXED))
    for kind, name in METHODS:
        assert isinstance(kind, type) and hasattr(kind, name)
    # A function with a meaning must not be one that is entered in recording form instead.
    from hybridad.recording.ownership import is_entered

    assert not [f for f in FUNCTIONS if type(f) is FunctionType and is_entered(f)]


def test_each_kind_is_found():
    def f(x):
        rng = np.random.default_rng(2)
        grid = np.mgrid[0:3]
        table = collections.defaultdict(list)
        table["a"].append(x[0])
        y = np.vectorize(lambda v: math.sin(v) * v)(x)
        items = [*map(float, x), *np.array([x[0], x[1]])]
        z = rng.permutation(y) * np.r_[x[0], 1.0, grid[2]]
        return sum(z) + max(items) * table["a"][0] + next(iter(y)), sorted(np.argsort(x))

    agrees(f)
