"""Runs programs of the toy language again and again, as the engine would, and checks every answer.
"""

from collections import Counter

import numpy as np

from hybridad.trace.fold import Known, NotFolded, Unmergeable, fold, merge
from hybridad.trace.ir import Loop
from hybridad.trace.simplify import simplify
from hybridad.trace.valid import check
from tests.trace.interpret import run
from tests.trace.toy import record

__all__ = ["TRIPS", "Runs", "inputs"]

TRIPS = ((3, 2), (0, 1), (5, 4), (2, 0), (1, 3), (7, 6), (4, 1), (3, 3), (6, 2))


def inputs(rng, n, m):
    """Values for all names that programs start with."""
    return {"n": n, "m": m, "a": float(rng.uniform(-1, 2)), "b": float(rng.uniform(-1, 1)),
            "x": rng.uniform(size=5)}


class Runs:
    """A program, and the tree that grows by its runs.

    Attributes
    ----------
    tree : Block or None
        Not simplified.
    code : Block
        Simplified.
    counts : Counter
        "hit", "exit", "new", "merged", "grown", "unmergeable", "not folded".
    """

    def __init__(self, program, **options):
        self.program, self.options = program, options
        self.known, self.tree, self.code, self.counts = Known(), None, None, Counter()

    def __call__(self, values):
        """Run it; every answer must be that of the plain run."""
        events, value = record(self.program, values, **self.options)
        if self.tree is not None:
            result = run(self.code, list(values.values()))
            if result.exit is None:
                assert np.array_equal(result.value, value), (values, result.value, value)
                self.counts["hit"] += 1
                return
            self.counts["exit"] += 1
        try:
            path = fold(events, self.known)
        except NotFolded:
            self.counts["not folded"] += 1
            return
        self.answers(path, values, value)
        self.tree = self.grown(path)
        self.code = simplify(self.tree)
        self.answers(self.tree, values, value)

    def grown(self, path):
        """The tree with one more path."""
        if self.tree is None or self.known.grown:
            self.counts["new" if self.tree is None else "grown"] += 1
            return path
        try:
            tree, _ = merge(self.tree, path)
        except Unmergeable:
            self.counts["unmergeable"] += 1
            return path
        self.counts["merged"] += 1
        return tree

    def answers(self, tree, values, value):
        """What was just recorded is answered."""
        code = simplify(tree)
        check(code)
        result = run(code, list(values.values()))
        if result.exit is not None:  # the interpreter counts a false test as an iteration
            where = result.exit.where
            assert type(where) is Loop and where.kind == "while" and where.once, result.exit
            return
        assert np.array_equal(result.value, value), (values, result.value, value)
