"""The tape: entries, operands and writes are kept as long as needed, and freed to the last one."""

import gc
import sys
import threading
import tracemalloc

import numpy as np
import pytest

from hybridad import grad
from hybridad._access import record_write
from hybridad._record import (
    active,
    constant_value,
    leaf,
    raw_of,
    record,
    record_outputs,
    storage_node,
    tape_of,
)
from hybridad._sweep import Sweep
from hybridad._tape import Tape
from hybridad.errors import ScopeError
from hybridad.rules.declare import PRIMITIVES

X = np.array([0.5, -1.25, 2.0])


def cotangent(tape, target, result, seed=1.0):
    """Sweep a tape that was recorded by hand; the cotangent of `target`."""
    passing = Sweep(tape, 0, len(tape), [storage_node(target)], None, True)
    passing.seed(storage_node(result), np.asarray(seed) if np.ndim(seed) else np.float64(seed))
    passing.run()
    passing.restore()
    return passing.cotangent(storage_node(target))


class References:
    """Reference counts of objects, to see whether they come back to what they were."""

    def __init__(self, *objects):
        self.objects = objects
        self.before = self.counts()

    def counts(self):
        return [sys.getrefcount(x) for x in self.objects]

    def assert_unchanged(self):
        gc.collect()
        assert self.counts() == self.before


def test_entries_are_appended_and_number_the_nodes():
    tape = Tape("f")
    assert len(tape) == 0 and tape.name == "f" and tape.is_open
    x = leaf(tape, X)
    assert len(tape) == 1 and storage_node(x) == 0 and active(x) and tape_of(x) is tape
    y = x * x
    assert len(tape) == 2 and storage_node(y) == 1
    v = y[1:]
    assert len(tape) == 2 and storage_node(v) == 1  # a view is no entry
    v *= 2.0
    assert len(tape) == 3 and storage_node(y) == 1  # a write is one, but no node
    s = v[0]
    assert storage_node(s) == 3
    np.testing.assert_array_equal(raw_of(y), [X[0] ** 2, 2 * X[1] ** 2, 2 * X[2] ** 2])


def test_constants_take_no_entry_until_a_rule_must_read_them():
    tape = Tape()
    c = constant_value(tape, np.ones(3))
    c[0] = 2.0
    c += 1.0
    d = c * 3.0
    assert len(tape) == 0 and storage_node(c) == storage_node(d) == -1 and not active(d)
    x = leaf(tape, X)
    y = x + c
    assert storage_node(c) == -1  # addition reads no operand
    y = x * c
    assert storage_node(c) == len(tape) - 2 and not active(c)
    np.testing.assert_array_equal(cotangent(tape, x, y, np.ones(3)), [3.0, 2.0, 2.0])


def test_a_constant_that_receives_active_values_is_active():
    tape = Tape()
    x = leaf(tape, X)
    c = constant_value(tape, np.ones(3))
    v = c[1:]
    assert not active(v) and not tape.activated
    c[0] = x[1]
    assert active(c) and active(v) and tape.activated
    c[:] = 1.0
    assert active(c)  # the storage stays active; the cotangent is cut by the sweep
    assert not np.any(cotangent(tape, x, c * c, np.ones(3)))


def test_release_frees_everything_after_the_mark():
    tape = Tape()
    x = leaf(tape, X)
    y = x * 2.0
    mark = tape.mark()
    constants = [np.arange(3.0), np.ones((3, 3)), np.array([0, 2]), np.array([True, False, True])]
    references = References(*constants, None, Ellipsis, PRIMITIVES[np.multiply])
    for _ in range(3):
        z = x * constants[0]
        z[1:] *= x[1:]
        z[constants[2]] = 1.0
        z[constants[3]] += x[0]
        w = z @ constants[1]
        w[...] = x
        np.add.at(z, [0, 0], x[1])
        s = np.sum(w * z[::2][0])
        assert len(tape) > mark[0] + 8
        del z, w, s
        tape.release(mark)
        assert len(tape) == mark[0] and tape.mark() == mark
    references.assert_unchanged()
    np.testing.assert_array_equal(cotangent(tape, x, y, np.ones(3)), np.full(3, 2.0))


@pytest.mark.parametrize("how", ["release", "drop", "close and drop"])
def test_stored_arrays_are_freed(how):
    constant, large = np.arange(3.0), np.ones((3, 3))
    references = References(constant, large)
    tape = Tape()
    x = leaf(tape, X)
    results = [x * constant, x @ large, np.where(constant > 1.0, x, constant), x[1:] + constant[1:]]
    results[0][...] = constant
    results[0] += large[0]
    del results
    if how == "release":
        tape.release((0, 0, 0, 0))
        assert len(tape) == 0
    if how == "close and drop":
        tape.close()
    del x, tape
    references.assert_unchanged()


def test_results_are_held_by_the_tape_alone():
    tape = Tape()
    x = leaf(tape, X)
    y = np.sin(x)
    raw = raw_of(y)
    z = y * y
    held = sys.getrefcount(raw)
    del y, z
    assert sys.getrefcount(raw) == held - 1  # the wrapper's; the entry keeps its own
    tape.release((0, 0, 0, 0))
    assert sys.getrefcount(raw) == 2


def test_small_plain_arrays_are_copied_once_while_they_do_not_change():
    tape = Tape()
    x = leaf(tape, X)
    buffer = np.ones(3)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = [x * buffer for _ in range(200)]
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert used < 200 * 700
    y = x * buffer
    buffer[:] = 5.0
    z = x * buffer
    np.testing.assert_array_equal(cotangent(tape, x, y, np.ones(3)), np.ones(3))
    np.testing.assert_array_equal(cotangent(tape, x, z, np.ones(3)), np.full(3, 5.0))
    assert len(kept) == 200


def test_large_plain_arrays_are_copied_once_while_they_do_not_change():
    weights = np.ones((200, 200))

    def f(x, change):
        for k in range(30):
            x = np.tanh(x @ weights)
            if change and k < 3:
                weights[0, k] += 1.0
        return np.sum(x)

    def peak(change):
        tracemalloc.start()
        grad(f)(np.ones(200), change)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(False)  # warm up
    assert peak(False) < 2.0 * weights.nbytes
    assert 4.0 * weights.nbytes < peak(True) < 6.0 * weights.nbytes


def test_operands_of_a_closed_tape_are_constants():
    first = Tape()
    x = leaf(first, X)
    y = x * x
    first.close()
    assert not active(y)
    tape = Tape()
    z = leaf(tape, X)
    w = z * y
    assert active(w)
    np.testing.assert_array_equal(cotangent(tape, z, w, np.ones(3)), X * X)
    plain = y + 1.0
    assert type(plain) is np.ndarray
    y[0] = 3.0
    assert raw_of(y)[0] == 3.0


def test_operands_of_another_open_tape_are_refused():
    tape, other = Tape("f"), Tape("g")
    x, y = leaf(tape, X), leaf(other, X)
    with pytest.raises(ScopeError, match=r"run of g.*run of f|run of f.*run of g"):
        x * y
    with pytest.raises(ScopeError):
        x[0] = y[1]
    with pytest.raises(ScopeError):
        x += y
    z = x * x
    np.testing.assert_array_equal(cotangent(tape, x, z, np.ones(3)), 2.0 * X)


def test_values_are_refused_in_another_thread():
    tape = Tape()
    x = leaf(tape, X)
    errors = []

    def use():
        for act in (lambda: x * 2.0, lambda: np.sin(x), lambda: x[0],
                    lambda: x.__setitem__(0, 1.0), lambda: np.sum(x)):
            try:
                act()
            except ScopeError as error:
                errors.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert len(errors) == 5 and len(tape) == 1
    np.testing.assert_array_equal(raw_of(x), X)


def test_functions_with_several_results_share_their_operands():
    tape = Tape()
    x = leaf(tape, X)
    whole, part = PRIMITIVES[np.modf].func(X)[::-1]
    fraction, integer = record_outputs(PRIMITIVES[np.modf], (part, whole), (x,), None)
    assert active(fraction)
    np.testing.assert_array_equal(raw_of(fraction) + raw_of(integer), X)
    np.testing.assert_array_equal(cotangent(tape, x, fraction, np.ones(3)), np.ones(3))
    references = References(X)
    del fraction, integer
    tape.release((0, 0, 0, 0))
    references.assert_unchanged()


def _failing_writes():
    wrong, index = np.ones(7), np.array([0, 9])

    def multiply(x, y):
        y *= wrong

    def add(x, y):
        y += wrong

    def assign(x, y):
        y[:] = wrong

    def active_value(x, y):
        y[...] = x[:2]

    def active_product(x, y):
        y *= x[1:]

    def out(x, y):
        np.multiply(x, wrong, out=y)

    def out_views(x, y):
        np.multiply(x[:2], x[1:], out=y)

    def fancy(x, y):
        y[index] = wrong[:2]

    def add_at(x, y):
        np.add.at(y, index, wrong[:2])

    def text(x, y):
        y[0] = "a"

    def active_fancy(x, y):
        y[index] = x[:2]

    def matrix(x, y):
        y @= wrong

    def wrapped(x, y):
        y *= np.ones_like(x, shape=(7,))

    return [f for f in locals().values() if callable(f)], (wrong, index)


_WRITES, _USED = _failing_writes()


@pytest.mark.parametrize("write", _WRITES, ids=lambda f: f.__name__)
def test_a_write_that_fails_leaves_nothing_behind(write):
    """Neither an entry nor a reference: what it had prepared is given back."""
    tape = Tape()
    x = leaf(tape, X)
    y = x * 1.5
    z = y * y

    def attempt():
        with pytest.raises((ValueError, IndexError)):
            write(x, y)

    attempt()
    mark, content = tape.mark(), raw_of(y).copy()
    references = References(*_USED, None, raw_of(x), raw_of(y))
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(200):
        attempt()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 200 * 20
    assert tape.mark() == mark
    changes = [abs(a - b) for a, b in zip(references.counts(), references.before)]
    assert max(changes) < 100, changes  # pytest itself holds a few
    np.testing.assert_array_equal(raw_of(y), content)
    np.testing.assert_array_equal(cotangent(tape, x, z, np.ones(3)), 4.5 * X)


def test_an_unknown_derivative_leaves_nothing_behind():
    tape = Tape()
    x = leaf(tape, X)
    constant = np.ones(3)
    references = References(constant)
    one_argument = PRIMITIVES[np.sin]
    for _ in range(50):
        with pytest.raises(NotImplementedError):
            record(one_argument, X, (constant, x), None)
    references.assert_unchanged()
    assert len(tape) <= 2


def test_writes_save_only_what_a_rule_will_read():
    """A write into memory that no rule reads saves nothing."""
    def used(function, n=200_000):
        tape = Tape()
        x = leaf(tape, np.ones(n))
        y = x * 1.0
        function(x, y)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10):
            y[:] = 2.0
        found = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        return found

    assert used(lambda x, y: y + y) < 50_000
    assert used(lambda x, y: np.sum(y)) < 50_000
    assert used(lambda x, y: y * y) > 10 * 8 * 200_000


def test_a_tape_of_many_entries_is_freed_without_recursion():
    """Deep chains of operands, of views and of writes; a recursive deallocation would crash."""
    def run():
        tape = Tape()
        x = leaf(tape, np.float64(1.0))
        y = x
        for _ in range(100_000):
            y = y * 1.0
        a = leaf(tape, np.ones(4))
        for _ in range(30_000):
            a = a[::-1]
            a += 1.0
            a = a * 0.5
        return cotangent(tape, x, y), len(tape)

    found, n = run()
    assert found == 1.0 and n > 150_000


@pytest.mark.slow
def test_a_million_entries_cost_little_memory():
    tape = Tape()
    x = leaf(tape, np.float64(1.0))
    tracemalloc.start()
    y = x
    for _ in range(1_000_000):
        y = y * 1.0
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert used < 150 * 1_000_000
    assert cotangent(tape, x, y) == 1.0


def test_runs_leave_no_memory_behind():
    """Of any kind, a thousand times: neither objects nor references nor bytes."""
    weights, mask, index = np.ones(3), np.array([True, False, True]), np.array([0, 0, 2])

    def f(x):
        y = x * weights
        z = y * y
        y[mask] *= x[0]
        np.add.at(y, index, z)
        y[index] = z
        v = y[::-1]
        v[1:] += z[1:]
        np.exp(v, out=v)
        return np.sum(v * z)

    from hybridad import jvp, vjp

    def everything():
        grad(f)(X)
        _, pullback = vjp(f, X)
        pullback(1.0)
        pullback(2.0)
        jvp(f, (X,), (X,))
        grad(lambda x: np.sum(grad(f)(x)))(X)
        grad(lambda x: jvp(f, (x,), (X,))[1])(X)

    for _ in range(20):
        everything()
    gc.collect()
    references = References(X, weights, mask, index, None)
    objects = len(gc.get_objects())
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(300):
        everything()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(gc.get_objects()) - objects < 50
    changes = [abs(a - b) for a, b in zip(references.counts(), references.before)]
    assert max(changes[:4]) == 0 and changes[4] < 100
    assert grown < 300 * 60


def test_inner_runs_leave_no_entries_behind():
    """What a run inside recorded is freed, unless something outside depends on it."""
    lengths = []

    def f(x):
        c = np.ones_like(x)
        for _ in range(100):
            grad(lambda v: np.sum(np.exp(v * c) * v))(np.ones(3))
            lengths.append(len(tape_of(x)))
        return np.sum(x * c)

    grad(f)(X)
    assert lengths[-1] <= lengths[2] + 3


def test_record_write_records_nothing_where_nothing_is_active():
    tape = Tape()
    c = constant_value(tape, np.zeros(3))
    done = []
    record_write(c, raw_of(c), None, None, (1.0,), None, lambda: done.append(1))
    assert done == [1] and len(tape) == 0
