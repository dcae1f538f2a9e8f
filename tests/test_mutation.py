"""Mutation and aliasing: the programs of `tests/mutation`, and what they cannot say.

Every program is run at all its points: value to the last bit, gradient, forward mode, pullback
called again, every mode over every mode, and `check_grads`, which widens and moves the arguments in
its own way.
"""

import contextlib
import os
import random
import traceback
import warnings
import zlib

import numpy as np
import pytest

import tests.mutation.buffers
import tests.mutation.indexing
import tests.mutation.nested
import tests.mutation.saved
import tests.mutation.views
import tests.mutation.writes  # noqa: F401
from hybridad import grad, jvp, value_and_grad, vjp
from hybridad.errors import HybridadError, LostDerivativeError, ScopeError, UnsupportedError
from hybridad.testing import check_grads
from tests.mutation import PROGRAMS
from tests.mutation.checks import (
    check_first_order,
    check_second_order,
    check_value,
    differences,
    fresh,
    same_bits,
)
from tests.recording.unfound import unfound

# These crashed the interpreter once. They run in a child, so that a crash is one failed test.
CRASHED = {
    "add_at-slice",
    "add_at_slice",
    "constant_used_inside_then_elements",
    "constant_used_inside_then_written",
    "constant_used_in_many_inner_runs",
    "inner_raises_after_writing_a_constant",
    "inner_writes_constant_at_constant_point",
    "pullback_after_every_kind_of_write",
    "views_of_broadcast_views",
}


def in_child(check):
    """Run a check in a child process; fail if it fails there or the child crashes."""
    if not hasattr(os, "fork"):
        return check()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        text = b""
        try:
            check()
        except BaseException:
            text = traceback.format_exc().encode()
        os.write(writing, text[-60000:])
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read().decode()
    status = os.waitpid(child, 0)[1]
    assert status == 0, f"the interpreter crashed: signal {status & 127}"
    assert not text, text


_ALL_MODES = ("rev-rev", "fwd-rev", "rev-fwd", "fwd-fwd")


def _modes(name):
    """Of the programs that are made from tables each runs two of the modes of second order."""
    k = zlib.crc32(name.encode()) % 2
    return _ALL_MODES[k::2] if "-" in name else _ALL_MODES


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    program = PROGRAMS[name]

    def run():
        for args in program.points:
            check_value(program.function, args, program.plain)
            check_first_order(program.function, args, program.plain)
            if program.orders > 1:
                check_second_order(program.function, args, _modes(name))

    in_child(run) if name in CRASHED else run()


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_in_every_mode(name):
    for args in PROGRAMS[name].points:
        check_second_order(PROGRAMS[name].function, args)


def _independent(name):
    """Whether the program runs on plain arrays, and means the same in another memory layout."""
    return PROGRAMS[name].reference is None and name != "fortran_arguments"


@pytest.mark.parametrize("name", [n for n in PROGRAMS if "-" not in n and _independent(n)])
def test_check_grads(name):
    program = PROGRAMS[name]
    run = lambda: check_grads(program.function, program.points[0], order=program.orders,
                              directions=1)
    in_child(run) if name in CRASHED else run()


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in PROGRAMS if _independent(n)])
def test_check_grads_everywhere(name):
    program = PROGRAMS[name]

    def run():
        for args in program.points:
            check_grads(program.function, args, order=program.orders)

    in_child(run) if name in CRASHED else run()


def test_corpus_has_derivatives_everywhere():
    """A program with a zero gradient would test little."""
    flat = []
    for name, program in PROGRAMS.items():
        slopes = differences(program.plain, program.points[0])
        if not all(np.all(np.any(g)) for g in slopes if np.size(g)):
            flat.append(name)
    assert not flat
    assert len([n for n in PROGRAMS if "-" not in n]) >= 100


# Errors are those of plain code, and leave everything as plain code would.


X = np.array([0.3, -1.2, 0.7, 2.1])


def _plainly_wrong():
    def complex_element(x):
        y = x * 1.0
        y[0] = 1j
        return np.sum(y)

    def complex_slice(x):
        y = x * 1.0
        y[:2] = x[:2] * 1j
        return np.sum(y)

    def complex_augmented(x):
        y = x * 1.0
        y += x * 1j
        return np.sum(y)

    def complex_out(x):
        y = x * 1.0
        np.multiply(x, 1j, out=y)
        return np.sum(y)

    def shape_of_slice(x):
        y = x * 1.0
        y[1:] = x
        return np.sum(y)

    def shape_of_fancy(x):
        y = x * 1.0
        y[[0, 1]] = x[:3]
        return np.sum(y)

    def shape_of_mask(x):
        y = x * 1.0
        y[np.array([True, False])] = 1.0
        return np.sum(y)

    def out_of_range(x):
        y = x * 1.0
        y[4] = x[0]
        return np.sum(y)

    def out_of_range_read(x):
        return x[-5]

    def too_many_indices(x):
        y = x * 1.0
        y[0, 0] = x[0]
        return np.sum(y)

    def float_index(x):
        y = x * 1.0
        y[1.0] = x[0]
        return np.sum(y)

    def scalar_has_no_items(x):
        y = x[0]
        y[0] = 1.0
        return y

    def read_only_diagonal(x):
        y = np.outer(x, x)
        y.diagonal()[0] = x[0]
        return np.sum(y)

    def read_only_broadcast(x):
        y = np.broadcast_to(x, (2, 4))
        y[0] = x
        return np.sum(y)

    def read_only_flag(x):
        y = x * 1.0
        y.setflags(write=False)
        y += x
        return np.sum(y)

    def growing_in_place(x):
        y = x[:1] * 1.0
        y += x
        return np.sum(y)

    def matrix_in_place(x):
        y = np.outer(x, x)
        y @= x
        return np.sum(y)

    def fill_with_array(x):
        y = x * 1.0
        y.fill(x)
        return np.sum(y)

    def sort_along_no_axis(x):
        y = x * 1.0
        y.sort(axis=3)
        return np.sum(y)

    return [f for f in locals().values() if callable(f)]


@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("f", _plainly_wrong(), ids=lambda f: f.__name__)
def test_error_is_that_of_plain_code(f):
    with pytest.raises(Exception) as plain:
        f(X.copy())
    for run in (lambda: value_and_grad(f)(X), lambda: vjp(f, X),
                lambda: jvp(f, (X,), (X,)),
                lambda: grad(lambda x: np.sum(grad(f)(x)))(X)):
        with pytest.raises(type(plain.value)) as ours:
            run()
        if not isinstance(ours.value, HybridadError):
            said = str(ours.value).replace("hybridad._parray.PersistentScalar", "numpy.float64")
            assert said == str(plain.value)
        np.testing.assert_array_equal(grad(lambda x: np.sum(x * x))(X), 2.0 * X)


def test_read_only_argument_stays_read_only():
    """What plain `f` may not write to, `f` may not write to."""
    x = X.copy()
    x.flags.writeable = False

    def f(x):
        x[0] = 3.0
        return np.sum(x)

    with pytest.raises(ValueError, match="read-only"):
        f(x)
    with pytest.raises(ValueError, match="read-only"):
        grad(f)(x)


def test_complex_written_into_real_warns_as_plain_code():
    def f(x):
        y = x * 1.0
        y[1:] = x[1:] * (2.0 + 1.0j)
        return np.sum(y * y)

    with pytest.warns(np.exceptions.ComplexWarning):
        expected = f(X.copy())
    with pytest.warns(np.exceptions.ComplexWarning):
        value, g = value_and_grad(f)(X)
    assert same_bits(value, expected)
    np.testing.assert_allclose(g, np.concatenate([2.0 * X[:1], 8.0 * X[1:]]))


# What may be refused, but must never be wrong.


def _refused_or_right():
    def windows(x):
        y = x * 1.5
        z = y * y
        w = np.lib.stride_tricks.sliding_window_view(y, 2, writeable=True)
        w[0] = x[2:]
        return np.sum(y * z) * np.sum(w**3)

    def inactive_windows(x):
        y = np.zeros_like(x)
        w = np.lib.stride_tricks.sliding_window_view(y, 2, writeable=True)
        w[0, 1] = x[2]
        return np.sum(y * x) * np.sum(w * w)

    def repeated_multiplication(x):
        y = x * 1.5
        z = y * y
        np.multiply.at(y, np.array([1, 1, 3]), y[:3])
        return np.sum(z * y)

    def flat_iterator(x):
        y = x * 1.5
        y.flat[1:3] = x[0]
        return np.sum(y * y)

    def two_outputs(x):
        y, z = np.empty_like(x), np.empty_like(x)
        np.modf(x, out=(y, z))
        return np.sum(y * y)

    def assigned_shape(x):
        y = x * 1.5
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy 2.5
            y.shape = (2, 2)
        return np.sum(y @ y)

    def resized(x):
        y = x * 1.5
        y.resize((2, 2), refcheck=False)
        return np.sum(y @ y)

    def byte_swapped(x):
        y = x * 1.5
        y.byteswap(inplace=True)
        return np.sum(np.tanh(y))

    def written_into_plain(x):
        y = np.zeros(4)
        y[0] = x[0]
        return np.sum(y)

    def copied_into_plain(x):
        y = np.zeros(4)
        np.copyto(y, x)
        return np.sum(y)

    def added_into_plain(x):
        y = np.zeros(4)
        y += x
        return np.sum(y)

    def random_into_wrapper(x):
        y = np.empty_like(x)
        np.random.default_rng(0).standard_normal(out=y)
        return np.sum(y * x)

    def nditer(x):
        y = x * 1.5
        with np.nditer(y, op_flags=["readwrite"]) as it:
            for e in it:
                e[...] = 2.0 * e
        return np.sum(y * y)

    def ndenumerate(x):
        y = x * 1.5
        for (i,), e in np.ndenumerate(y):
            y[i] = e * x[0]
        return np.sum(y * y)

    def gradient_at_constants(x):
        g = grad(lambda v: np.sum(np.sin(v) * v))(np.ones_like(x))
        g[0] = x[0]
        return np.sum(g * g * x)

    return [f for f in locals().values() if callable(f)]


def test_a_masked_write_into_itself_is_refused():
    """NumPy reads while it writes there: no derivative of such an order is defined."""
    def f(x):
        a = x * 1.0
        a[::-1][np.array([True, False, True, True])] = a[1:]
        return np.sum(a * x)

    with pytest.raises(UnsupportedError, match="written into itself through a mask"):
        grad(f)(X)


SHUFFLES = {
    "Generator": lambda y: np.random.default_rng(0).shuffle(y),
    "along an axis": lambda y: np.random.default_rng(0).shuffle(y, axis=-1),
    "RandomState": lambda y: np.random.RandomState(0).shuffle(y),
    "of NumPy": lambda y: [np.random.seed(0), np.random.shuffle(y)],  # noqa: NPY002
    "Random": lambda y: random.Random(0).shuffle(y),
    "of Python": lambda y: [random.seed(0), random.shuffle(y)],
}


@pytest.mark.parametrize("make", [lambda x: np.outer(x, x), lambda x: x * 1.5,
                                  lambda x: np.outer(x, x).T[:, 1:], lambda x: (x * 1.5)[::-1]],
                         ids=["rows", "elements", "of a view", "backwards"])
@pytest.mark.parametrize("shuffle", SHUFFLES.values(), ids=SHUFFLES)
def test_shuffling(shuffle, make):
    """As in plain code, where Python's own doubles rows of arrays."""
    def f(x):
        y = make(x)
        z = y * y
        shuffle(y)
        return np.sum(y * z * np.arange(float(y.size)).reshape(y.shape))

    check_value(f, (X,))
    check_first_order(f, (X,))


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_shuffling_rows_is_warned_of_where_no_source_is(generator):
    """NumPy swaps the rows of what is no ndarray to it as views, which doubles some: it says so."""
    def f(x):
        y = np.outer(x, x)
        generator(0).shuffle(y)
        return np.sum(y)

    with pytest.raises(UserWarning, match="shuffling a 'PersistentArray'"):
        grad(unfound(f))(X)


@pytest.mark.parametrize("f", _refused_or_right(), ids=lambda f: f.__name__)
def test_refused_or_right(f):
    def run():
        with contextlib.suppress(NotImplementedError, TypeError, ValueError):
            check_value(f, (X,))
            check_first_order(f, (X,))

    in_child(run)


@pytest.mark.parametrize("kind", ["same", "views", "captured", "tree"])
def test_arguments_that_share_memory(kind):
    """A write through one is seen by the other in plain code: the same value, or a refusal."""
    a = X.copy()

    def f(x, y):
        x[0] = 3.0 * y[1]
        x *= 2.0
        return np.sum(x * y)

    args = {"same": (a, a), "views": (a[:3], a[1:]), "captured": (a, a), "tree": (a, a)}[kind]
    if kind == "captured":
        function, run = lambda x: f(x, a), lambda g: value_and_grad(g)(a)
    elif kind == "tree":
        function = lambda t: f(t["x"], t["y"])
        run = lambda g: value_and_grad(g)({"x": a, "y": a})
    else:
        function, run = f, lambda g: value_and_grad(g, (0, 1))(*args)
    try:
        value, _ = run(function)
    except (NotImplementedError, ValueError):
        return
    np.testing.assert_array_equal(a, X)
    b = X.copy()
    expected = {"same": lambda: f(b, b), "views": lambda: f(b[:3], b[1:]),
                "captured": lambda: f(X.copy(), X), "tree": lambda: f(b, b)}[kind]()
    assert same_bits(value, expected)


# What a run leaves behind.


def test_plain_arrays_end_as_plain_code_leaves_them():
    def f(x, buffer):
        total = 0.0
        for i in range(4):
            buffer[i] = i + 1.0
            total = total + np.sum(x * x * buffer)
        buffer *= 2.0
        return total

    ours, plain = np.zeros(4), np.zeros(4)
    expected = f(X.copy(), plain)
    value, _ = value_and_grad(f)(X, ours)
    assert same_bits(value, expected)
    assert same_bits(ours, plain)
    value, pullback = vjp(f, X, ours, argnums=0)
    np.testing.assert_allclose(pullback(1.0), pullback(np.float64(1.0)))
    np.testing.assert_array_equal(ours, plain)


def test_results_own_their_memory():
    def f(x):
        y = x * 1.5
        v = y[1:3]
        v *= x[1:3]
        return y, v, y[::2], x

    value, pullback = vjp(f, X)
    plain = f(X.copy())
    for a, b in zip(value, plain):
        assert same_bits(np.ascontiguousarray(a), np.ascontiguousarray(b))
    seeds = tuple(np.ones_like(a) for a in value)
    (first,) = pullback(seeds)
    for k, a in enumerate(value):
        for b in (*value[:k], X, first):
            assert not np.shares_memory(a, b)
        a[...] = np.nan
    (second,) = pullback(seeds)
    assert same_bits(first, second)
    first[...] = 0.0
    assert same_bits(second, pullback(seeds)[0])


def test_value_kept_after_the_run_shows_what_plain_code_would():
    kept = []

    def f(x):
        y = x * 1.5
        z = y * y
        y[0] = 2.0
        kept.append(y)
        kept.append(y[1:])
        y[1:] *= 3.0
        return np.sum(y * z)

    plain = np.array(X * 1.5)
    plain[0] = 2.0
    plain[1:] *= 3.0
    for run in (lambda: grad(f)(X), lambda: vjp(f, X)[1](1.0), lambda: jvp(f, (X,), (X,))):
        kept.clear()
        run()
        np.testing.assert_array_equal(np.asarray(kept[0]), plain)
        np.testing.assert_array_equal(np.asarray(kept[1]), plain[1:])


def test_write_into_a_value_of_another_run():
    """What is left of it is a plain array: written into as any other, where the source is known."""
    kept = []

    def f(x):
        kept.append(x * 2.0)
        return np.sum(kept[0])

    grad(f)(X)

    def g(x):
        kept[0][1] = 3.0 * x[0]
        return np.sum(kept[0] ** 2)

    with pytest.raises(LostDerivativeError, match="plain array"):
        grad(unfound(g))(X)
    assert type(kept[0]) is np.ndarray and kept[0].tolist() == (2.0 * X).tolist()
    np.testing.assert_array_equal(grad(g)(X), [18.0 * X[0], 0.0, 0.0, 0.0])
    assert type(kept[0]) is np.ndarray and kept[0][1] == 3.0 * X[0]


def test_write_into_a_value_that_a_generator_kept_of_another_run():
    """Frames that wait keep what they hold: that is still a value of the run that has ended."""
    kept = []

    def steps(x):
        y = x * 2.0
        yield
        yield y

    def f(x):
        kept.append(steps(x))
        next(kept[-1])
        return np.sum(x)

    grad(f)(X)

    def g(x):
        y = next(kept[-1])
        y[1] = 3.0 * x[0]
        return np.sum(y ** 2)

    with pytest.raises(ScopeError):
        grad(g)(X)


def test_exception_after_writes_leaves_the_next_run_right():
    def f(x, stop):
        y = x * 1.5
        z = y * y
        y[1:] = z[:-1]
        y *= x
        if stop:
            raise KeyError("stop")
        return np.sum(y * z)

    before = value_and_grad(f)(X, False)
    for _ in range(3):
        with pytest.raises(KeyError):
            grad(f)(X, True)
        with pytest.raises(KeyError):
            vjp(f, X, True, argnums=0)
    after = value_and_grad(f)(X, False)
    assert all(map(same_bits, before, after))


def test_pullback_is_right_after_a_bad_cotangent():
    def f(x):
        y = x * 1.5
        z = y * y
        y[::2] = z[:2]
        y.sort()
        return y * z

    value, pullback = vjp(f, X)
    (first,) = pullback(value)
    for bad in (np.ones(3), "a", np.ones((4, 1))):
        with pytest.raises((ValueError, TypeError)):
            pullback(bad)
    assert same_bits(first, pullback(value)[0])


def test_writes_by_elements_cost_the_same_at_any_length():
    """Versions share their memory: n writes and reads allocate O(n), not O(n^2)."""
    import tracemalloc

    def f(x):
        y = np.zeros_like(x)
        total = x[0] * 0.0
        for i in range(len(x)):
            y[i] = x[i] * y[i - 1]
            total = total + np.sum(y[i:i + 2] * y[i:i + 2])
        return total

    peaks = []
    for n in (500, 4000):
        x = np.ones(n)
        tracemalloc.start()
        grad(f)(x)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 12 * peaks[0]


def test_large_arrays_are_not_copied_at_small_writes():
    """Only what is overwritten is saved."""
    import tracemalloc

    def f(x):
        y = x * 1.0
        total = np.sum(y * y)
        for i in range(200):
            y[i:i + 3] *= 0.5
            y[i, :5] += 1.0
            total = total + y[i, 0]
        return total + np.sum(y)

    x = np.ones((300, 300))
    tracemalloc.start()
    value_and_grad(f)(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * x.nbytes


def test_refusals_name_the_users_line():
    def f(x):
        y = x * 1.5
        np.multiply.at(y, np.array([1, 1]), x[:2])
        return np.sum(y)

    with pytest.raises(UnsupportedError, match=r"test_mutation\.py:\d+"):
        grad(f)(X)


def test_fresh_keeps_what_it_copies():
    """The helper of these tests: layouts and flags survive."""
    for x in (X, X[::-1], X[::2], np.asfortranarray(np.ones((2, 3))), np.broadcast_to(X, (2, 4))):
        (y,) = fresh([x])
        assert same_bits(np.ascontiguousarray(x), np.ascontiguousarray(y))
        assert [np.sign(s) for s in x.strides] == [np.sign(s) for s in y.strides]
        assert x.flags.writeable == y.flags.writeable
