"""What comes into a run from outside (`_run.pyx`): memory, numbers, texts, lifetimes."""

import queue
import warnings
import weakref

import numpy as np
import pytest
from hybridad._sweep import Sweep
from hybridad._tape import Tape
from numpy.lib.stride_tricks import as_strided

import hybridad
from hybridad import grad, value_and_grad, vjp
from hybridad.errors import LostDerivativeError, ScopeError, UnsupportedError

X = np.array([0.5, -1.25, 2.0])


# Memory -----------------------------------------------------------------------------------------


def shown_twice():
    """Pairs of floating arrays of one memory that is no floating array's."""
    raw = bytearray(24)
    yield np.frombuffer(raw), np.frombuffer(raw)
    numbers = np.zeros(24, np.uint8)
    yield numbers.view(float), numbers.view(float)
    records = np.zeros(3, [("a", float), ("b", float)])
    yield records["a"], records["a"]


@pytest.mark.parametrize("a, b", list(shown_twice()), ids=["buffer", "bytes", "records"])
def test_the_same_memory_is_one_storage(a, b):
    def f(x):
        a[:] = x * x
        return np.sum(b * 3.0)

    value, g = value_and_grad(f)(X)
    assert value == np.sum(X * X * 3.0) and g.tolist() == (6.0 * X).tolist()
    assert b.tolist() == (X * X).tolist()


def test_fields_of_records():
    records = np.zeros(3, [("a", float), ("b", float)])

    def f(x):
        records["a"][:] = x * x
        records["b"][:] = x
        return np.sum(records["a"] * records["b"])

    assert np.allclose(grad(f)(X), 3.0 * X**2)


def test_a_record_cannot_be_written_as_a_whole():
    records = np.zeros(3, [("a", float), ("b", float)])

    def f(x):
        records[0] = (x[0], x[1])
        return np.sum(records["a"])

    with pytest.raises(UnsupportedError, match=r"structured array.*\n  at .*records\[0\] = "):
        grad(f)(X)


BASE = np.arange(9.0)
OTHERS = {
    "broadcast": lambda: (BASE[:3], np.broadcast_to(BASE[:3], (2, 3))),
    "diagonal": lambda: (as_strided(BASE, (3,), (32,)), BASE.reshape(3, 3)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_memory_that_another_array_shows_is_not_written_silently(name):
    a, b = OTHERS[name]()

    def after(x):
        a[:3] = x
        return np.sum(b)

    def before(x):
        total = np.sum(b * x[0])
        a[:3] = x
        return total

    with pytest.raises(UnsupportedError, match=r"^An array was read whose memory has been"):
        grad(after)(X)
    with pytest.raises(UnsupportedError, match=r"^An array was written to whose memory another"):
        grad(before)(X)


def test_a_differentiated_array_that_is_reached_from_elsewhere():
    holder = [X]

    def through_the_argument(x):
        x[:] = 3.0 * x
        return np.sum(holder[0] * x)

    def through_the_other(x):
        holder[0][:] = 3.0 * x
        return np.sum(x)

    with pytest.raises(UnsupportedError, match="or of a differentiated argument"):
        grad(through_the_argument)(X)
    with pytest.raises(UnsupportedError, match="is also a differentiated argument"):
        grad(through_the_other)(X)
    assert grad(lambda x: np.sum(holder[0] * x))(X).tolist() == X.tolist()
    assert X.tolist() == [0.5, -1.25, 2.0]


def test_arrays_read_first_in_a_run_inside():
    buffer = np.ones(3)

    def f(x):
        def inner(y):
            buffer[:] = y * y
            return np.sum(buffer)

        grad(inner)(x)
        return np.sum(buffer * x)

    assert np.allclose(grad(f)(X), 3.0 * X**2)


def test_a_pullback_has_memory_of_its_own():
    buffer = np.ones(3)

    def f(x):
        return np.sum(np.broadcast_to(buffer, (2, 3)) * x) + np.sum(buffer * x)

    _, pullback = vjp(f, X)
    first = pullback(1.0)[0].tolist()
    buffer[:] = 7.0
    assert pullback(1.0)[0].tolist() == first == [3.0, 3.0, 3.0]


def test_what_was_released_is_not_swept():
    tape = Tape("f")
    tape.close()
    with pytest.raises(ScopeError, match="What the run of f recorded has been released"):
        Sweep(tape, 0, 5, [0])


# Numbers ----------------------------------------------------------------------------------------


def test_numbers_come_back_from_other_code():
    def f(x):
        waiting = queue.Queue()
        waiting.put(x[0] * 2.0)
        return waiting.get() * x[1]

    assert grad(f)(X).tolist() == [2.0 * X[1], 2.0 * X[0], 0.0]


def test_a_number_is_not_known_by_being_the_arguments_object(capsys):
    class State:
        a = 2.5

    def f(x):
        print(x)
        return x * State.a

    assert grad(f)(State.a) == 2.5


def test_a_memo_of_an_earlier_call_is_refused():
    memo = {}

    def f(x):
        if x[0] not in memo:
            memo[x[0]] = x[0] * x[0]
        return memo[x[0]] * x[1]

    assert grad(f)(X).tolist() == [2.0 * X[0] * X[1], X[0] ** 2, 0.0]
    with pytest.raises(LostDerivativeError, match="a number of an earlier call"):
        grad(f)(X)
    with pytest.raises(LostDerivativeError, match="a number of an earlier call"):
        grad(lambda x: memo.get(x[0], 0.0) * x[1])(X)

    def fixed(x):
        return memo[hybridad.stop_gradient(x[0])] * x[1]

    assert grad(fixed)(X).tolist() == [0.0, X[0] ** 2, 0.0]


def test_a_table_made_inside_may_be_asked_by_a_differentiated_key():
    def f(x):
        table = {x[0]: 2.0}
        return table[x[0]] * x[1] + table.get(x[2], 3.0) * x[2]

    assert grad(f)(X).tolist() == [0.0, 2.0, 3.0]


@pytest.mark.parametrize("text", [str, repr, lambda v: f"{v}"], ids=["str", "repr", "f-string"])
def test_a_text_is_not_turned_into_a_number_again(text):
    def f(x):
        return float(text(x)) * 2.0

    with pytest.raises(LostDerivativeError, match="The text of a differentiated value"):
        grad(f)(1.5)
    assert grad(lambda x: x * float(f"{x:.1f}"))(1.25) == 1.2  # rounded: its derivative is zero


# Lifetimes --------------------------------------------------------------------------------------


class Thing:
    """Weakly referenced."""

    def __init__(self, value):
        self.value = value


def test_objects_die_as_in_plain_code():
    def f(x):
        thing = Thing(x)
        seen = weakref.ref(thing)
        thing.other = x * 2.0
        del thing
        return np.sum(x) if seen() is None else 100.0 * np.sum(x)

    assert grad(f)(X).tolist() == [1.0, 1.0, 1.0]


def test_files_are_closed_as_in_plain_code(tmp_path):
    path = tmp_path / "number"

    def f(x):
        open(path, "w").write("3.5")
        return np.sum(x) * float(open(path).read())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        assert grad(f)(X).tolist() == [3.5, 3.5, 3.5]


# Warnings ---------------------------------------------------------------------------------------


def test_warnings_count_the_users_frames():
    def helper(x):
        warnings.warn("far", RuntimeWarning, stacklevel=2)
        return x

    def f(x):
        return np.sum(helper(x))

    with pytest.warns(RuntimeWarning) as plain:
        f(X)
    with pytest.warns(RuntimeWarning) as seen:
        grad(f)(X)
    assert (seen[0].filename, seen[0].lineno) == (plain[0].filename, plain[0].lineno)
