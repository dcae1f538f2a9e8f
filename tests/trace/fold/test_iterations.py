"""Each iteration is added to the body as it ends."""

import numpy as np
import pytest

from hybridad.trace.fold import Known, NotFolded, fold
from hybridad.trace.ir import Loop
from hybridad.trace.rewriting import leaves_of, parts_of
from tests.trace.toy import record
from tests.trace.toy_runs import inputs

HIDDEN = [("hide", "s", 1.0), ("set", "y", "a"),
          ("for", "i", "n", [("set", "y", ("add", "y", ("hidden", "s"))),
                             ("hide", "s", ("mul", "y", 0.5))]), ("return", "y")]


def folded(program, n, known=None):
    events, _ = record(program, inputs(np.random.default_rng(0), n, 1))
    return fold(events, known)


def only_loop(tree):
    (loop,) = [x for part in parts_of(tree) for x in part.nodes if type(x) is Loop]
    return loop


def test_too_long_to_be_written_out():
    folded(HIDDEN, 64)
    with pytest.raises(NotFolded, match=r"toy.py:\d+: .*too (long|many)"):
        folded(HIDDEN, 70)


def test_too_many_ways_through():
    tests = [("if", ("lt", ("mod", ("mul", "i", k), 10007), 5000), [("set", "y", ("sin", "y"))], [])
             for k in (371, 719, 1931, 2341, 3137, 4337, 5753, 6113, 8317)]
    program = [("set", "y", ("sin", "a")), ("for", "i", "n", tests), ("return", "y")]
    with pytest.raises(NotFolded, match="ways through"):
        folded(program, 1000)


@pytest.mark.parametrize("n, once", [(1, True), (2, False)])
def test_one_iteration_proves_nothing(n, once):
    program = [("set", "y", ("sin", "a")), ("for", "i", "n", [("set", "y", ("sin", "y"))]),
               ("return", "y")]
    assert only_loop(folded(program, n)).once is once


def test_a_false_test_is_no_iteration():
    program = [("set", "y", 0.0), ("while", ("lt", "y", "n"), [("set", "y", ("add", "y", 1.0))]),
               ("return", "y")]
    assert only_loop(folded(program, 1)).once and not only_loop(folded(program, 2)).once
    (leave,) = [leaf for leaf in leaves_of(only_loop(folded(program, 2)).body)
                if hasattr(leaf, "counts")]
    assert not leave.counts


def test_arrays_that_are_written_to_may_not_be_shared_now_and_then():
    """In the first iteration `z` and `w` are one array: what is written to one is in the other."""
    program = [("array", "z", 5), ("alias", "w", "z"),
               ("for", "i", "n", [("store", "z", "i", "a"), ("copy", "w", "z")]),
               ("return", ("add", ("sum", "w"), ("sum", "z")))]
    known = Known()
    folded(program, 4, known)
    (loop,) = known.loops.values()
    assert loop.peeled == 1
