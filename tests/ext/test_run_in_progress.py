"""The run in progress in a thread, and the arrays that come into it."""

import gc
import sys
import threading

import numpy as np
import pytest
from hybridad._record import active, is_wrapper, raw_of, tape_of
from hybridad._run import Run, innermost_run, run_in_progress
from hybridad._tape import Tape

import hybridad

X = np.array([2.0, 3.0, 5.0])


@pytest.fixture
def run():
    made = Run(Tape("test"))
    with made:
        yield made


# ---- which run ---------------------------------------------------------------------------------

def test_runs_are_nested():
    assert run_in_progress() is innermost_run() is None
    outer, inner = Run(Tape("outer")), Run(Tape("inner"))
    with outer:
        assert run_in_progress() is outer
        with inner:
            assert run_in_progress() is inner
            inner.suspended += 1
            assert run_in_progress() is None and innermost_run() is inner
            inner.suspended -= 1
        assert run_in_progress() is outer
        with pytest.raises(KeyError), inner:
            raise KeyError
        assert run_in_progress() is outer
    assert run_in_progress() is innermost_run() is None


def test_threads_have_runs_of_their_own(run):
    found = []

    def other():
        found.append(run_in_progress())
        with Run(Tape("other")) as mine:
            found.append(run_in_progress() is mine)
            ready.set()
            go.wait(10)
            found.append(run_in_progress() is mine)
        found.append(run_in_progress())

    ready, go = threading.Event(), threading.Event()
    thread = threading.Thread(target=other)
    thread.start()
    assert ready.wait(10) and run_in_progress() is run
    go.set()
    thread.join(10)
    assert found == [None, True, True, None] and run_in_progress() is run


def test_a_run_inside_a_differentiated_function():
    seen = []

    def f(x):
        def g(y):
            seen.append((run_in_progress() is outer, innermost_run().tape is outer.tape))
            return y * y * x[1]

        outer = run_in_progress()
        value = hybridad.grad(g)(x[0])
        seen.append(run_in_progress() is outer)
        return value

    assert list(hybridad.grad(f)(X)) == [6.0, 4.0, 0.0]
    assert seen == [(False, True), True] and run_in_progress() is None


def test_a_failed_run_is_over():
    def f(x):
        raise KeyError(run_in_progress() is not None)

    with pytest.raises(KeyError, match="True"):
        hybridad.grad(f)(X)
    assert run_in_progress() is innermost_run() is None


# ---- arrays from outside -----------------------------------------------------------------------

def test_floating_arrays_are_lifted_once(run):
    a = np.ones(3)
    w = run.wrap(a)
    assert is_wrapper(w) and raw_of(w) is a and not active(w) and tape_of(w) is run.tape
    assert run.wrap(a) is w and run.wrap(a.copy()) is not w
    assert is_wrapper(run.wrap(np.ones(2, complex))) and is_wrapper(run.wrap(np.ones(2, "f")))


@pytest.mark.parametrize("x", [
    np.arange(3), np.array([True]), np.array(["a"]), np.array([None]), 1.0, 3, "a", None, [1.0],
    np.float64(2.0), np.ma.masked_array([1.0]), (np.ones(2),),
])
def test_all_else_stays_as_it_is(x, run):
    assert run.wrap(x) is x and run.wrap_fresh(x) is x and run.give(x) is x


def test_views_of_one_buffer_are_views_of_one_storage():
    buffer = np.zeros((2, 3))
    row, column, flat = buffer[0], buffer[:, 1], buffer.reshape(-1)

    def f(x):
        row[1] = x[0]
        flat[5] = x[1]
        return column[0] * column[1] + buffer[0, 1] * 2.0 + buffer[1, 2]

    assert list(hybridad.grad(f)(X)) == [2.0, 1.0, 0.0]
    np.testing.assert_array_equal(buffer, [[0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])


def test_memory_that_no_array_can_stand_for(run):
    repeated = np.broadcast_to(np.ones(1), (3,))
    of_bytes = np.frombuffer(bytearray(16))
    of_integers = np.zeros(2, np.int64).view(float)
    for x in (repeated, of_bytes, of_integers):
        w = run.wrap(x)
        assert raw_of(w) is x and run.wrap(x) is w


def test_what_is_given_away_is_known_when_it_comes_back(run):
    w = run.wrap_fresh(np.ones(3) * 2.0)
    raw = run.give(w)
    assert raw is raw_of(w) and run.wrap(raw) is w and run.give(3.0) == 3.0
    number = run.give(run.wrap(np.ones(2))[0])
    assert not is_wrapper(number)


def test_fresh_arrays_belong_to_the_run(run):
    held = np.ones(3)
    assert run.wrap(held) is run.wrap_fresh(held)       # somebody else has it, too
    view = held[1:]
    assert run.wrap_fresh(view) is run.wrap(view)
    fresh = run.wrap_fresh(np.ones(3))
    assert fresh is not run.wrap(raw_of(fresh))


def test_a_run_inside_knows_the_arrays_of_the_run_around():
    a = np.ones(2)
    tape = Tape("f")
    with Run(tape) as outer:
        w = outer.wrap(a)
        with Run(tape) as inner:
            assert inner.wrap(a) is w
        with Run(Tape("g")) as other:
            assert other.wrap(a) is not w


def test_everything_is_let_go_of():
    a = np.ones(3)
    it = iter([a])
    before = sys.getrefcount(a), sys.getrefcount(it)
    with Run(Tape("f")) as run:
        run.wrap(a), run.wrap(it)
        assert run.is_outside_iterator(it) and sys.getrefcount(it) > before[1]
        run.forget()
        assert not run.is_outside_iterator(it)
    del run
    gc.collect()
    assert (sys.getrefcount(a), sys.getrefcount(it)) == before


def test_iterators_from_outside():
    def outside():
        yield from (1.0, 2.0)

    def inside(x):
        local = (v for v in x)
        assert not run_in_progress().is_outside_iterator(local)
        return sum(local) * x[0]

    with Run(Tape("f")) as run:
        generator, it = outside(), iter([1])
        for x in (generator, it):
            assert not run.is_outside_iterator(x)
            assert run.wrap(x) is x and run.is_outside_iterator(x)
            with Run(Tape("g")) as inner:
                assert inner.is_outside_iterator(x)
        items = [1]
        assert not run.is_outside_iterator(run.wrap(items))
    assert hybridad.value_and_grad(inside)(X)[0] == 20.0


def test_reasons_are_noted_once_and_not_without_end(run):
    for k in range(300):
        run.note(f"reason {k % 150}")
    assert list(run.reasons) == [f"reason {k}" for k in range(100)]


def test_storages_of_others():
    captured = np.zeros(3)
    nodes = []

    def f(x):
        local = np.zeros(3)
        local[0] = x[0]
        nodes.append(run_in_progress().shared_nodes())
        captured[0] = x[1]
        nodes.append(run_in_progress().shared_nodes())
        return local[0] * captured[0]

    assert list(hybridad.grad(f)(X)) == [3.0, 2.0, 0.0]
    assert nodes[0] == set() and len(nodes[1]) == 1
