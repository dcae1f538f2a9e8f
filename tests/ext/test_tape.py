"""The tape by itself: entries, marks, releasing, what it holds on to."""

import gc
import sys
import tracemalloc

import numpy as np
import pytest
from hybridad._primitive import Primitive
from hybridad._record import active, constant_value, leaf, raw_of, record, storage_node
from hybridad._sweep import Sweep
from hybridad._tape import Tape

from hybridad.errors import ScopeError

DOUBLE = Primitive(None, "double", "linear", vjps=(lambda g, ans, x: g + g,), needs=0)


def double(x):
    return record(DOUBLE, raw_of(x) + raw_of(x), (x,), None)


def test_a_chain_is_swept_without_any_rule_of_numpy():
    tape = Tape("f")
    x = y = leaf(tape, np.array([1.0, 2.0]))
    for _ in range(3):
        y = double(y)
    assert len(tape) == 4 and storage_node(y) == 3
    sweep = Sweep(tape, 0, len(tape), [0])
    sweep.seed(storage_node(y), np.array([1.0, 0.5]))
    sweep.run()
    np.testing.assert_array_equal(sweep.cotangent(storage_node(x)), [8.0, 4.0])


def test_release_lets_go_of_everything():
    tape = Tape("f")
    a = np.ones(3)
    before = sys.getrefcount(a)
    mark = tape.mark()
    y = record(DOUBLE, a, (leaf(tape, np.zeros(3)),), {"axis": 0})
    assert sys.getrefcount(a) > before
    del y
    tape.release(mark)
    assert len(tape) == 0 and sys.getrefcount(a) == before


def test_a_dying_tape_lets_go_of_everything():
    a = np.ones(3)
    before = sys.getrefcount(a)
    tape = Tape("f")
    record(DOUBLE, a, (leaf(tape, np.zeros(3)),), None)
    del tape
    gc.collect()
    assert sys.getrefcount(a) == before


def test_a_million_entries_are_freed_without_recursion():
    tape = Tape("f")
    y = leaf(tape, 1.0)
    for _ in range(1_000_000):
        y = double(y) if storage_node(y) % 50 else record(DOUBLE, 1.0, (y,), None)
    assert len(tape) == 1_000_001
    sweep = Sweep(tape, 0, len(tape), [0], None, False)
    sweep.seed(storage_node(y), 0.0)
    sweep.run()
    assert sweep.cotangent(0) == 0.0
    tape.release((0, 0, 0, 0))
    assert len(tape) == 0


def test_after_the_run_values_are_plain():
    tape = Tape("f")
    x = leaf(tape, np.array([1.0, 2.0]))
    assert active(x)
    tape.close()
    assert not active(x)
    assert type(x + 1.0) is np.ndarray and float(x[0]) == 1.0
    np.testing.assert_array_equal(np.asarray(x), [1.0, 2.0])


def test_values_of_two_open_tapes_do_not_mix():
    x, y = leaf(Tape("f"), np.ones(2)), leaf(Tape("g"), np.ones(2))
    with pytest.raises(ScopeError, match="run of g was used in the run of f"):
        x + y


def test_wrappers_are_counted_by_runs():
    tape = Tape("f")
    outer = leaf(tape, 1.0)
    before = tape.begin_run()
    inner = leaf(tape, 2.0)
    del outer                       # does not count for the inner run
    assert tape.end_run(before) == 1
    before = tape.begin_run()
    kept = leaf(tape, 3.0)
    del inner, kept
    assert tape.end_run(before) == 0


def test_constants_are_no_entries_until_a_rule_reads_them():
    tape = Tape("f")
    zeros = constant_value(tape, np.zeros(2))
    assert len(tape) == 0 and storage_node(zeros) == -1
    zeros[0] = 3.0
    assert len(tape) == 0
    zeros[1] = leaf(tape, 1.0)
    assert len(tape) == 3 and active(zeros)     # the number, the storage, the write


def test_what_no_rule_reads_is_not_saved():
    """Sums and joins look at shapes alone: overwriting their operands costs no memory."""
    def grown(use):
        tape = Tape("f")
        y = leaf(tape, np.ones(100_000)) + 0.0
        use(y)
        tracemalloc.start()
        for _ in range(10):
            y[:] = 2.0
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    for use in (lambda y: y + y, np.sum, np.mean, lambda y: np.concatenate([y, y])):
        assert grown(use) < 50_000
    assert grown(lambda y: y * y) > 10 * 8 * 100_000
