"""The passes over a hand-made tape: slots, windows, memory put back, errors in rules."""

import gc
import sys

import numpy as np
import pytest
from hybridad._primitive import Primitive
from hybridad._push import Push
from hybridad._record import leaf, raw_of, record, storage_node
from hybridad._sweep import Sweep
from hybridad._tape import Tape

from hybridad import grad, jvp, vjp
from tests.recording.unfound import unfound

X = np.array([0.5, -1.25, 2.0])


def swept(tape, target, result, seed, keeps=True):
    passing = Sweep(tape, 0, len(tape), [storage_node(target)], None, keeps)
    if isinstance(raw_of(result), np.ndarray):
        passing.seed_view(storage_node(result), raw_of(result), seed)
    else:
        passing.seed(storage_node(result), seed)
    passing.run()
    passing.restore()
    return passing.cotangent(storage_node(target))


def pushed(tape, target, result, tangent):
    passing = Push(tape, 0, len(tape), [storage_node(target)])
    passing.seed(storage_node(target), tangent)
    passing.run()
    passing.restore()
    if isinstance(raw_of(result), np.ndarray):
        return passing.tangent_view(storage_node(result), raw_of(result))
    return passing.tangent(storage_node(result))


def program(x):
    """Writes of every kind over saved values; returns what is left and all arrays."""
    y = x * 1.5
    z = y * y
    y[0] = 3.0
    y[1:] *= z[1:]
    w = np.exp(y)
    y[[0, 2]] = w[:2]
    y[np.array([False, True, False])] = x[0]
    np.add.at(y, np.array([0, 0, 1]), x)
    np.add.at(y, slice(0, 2), z[:2])
    np.copyto(w, x, where=np.array([True, False, True]))
    y.sort()
    v = w[::-1]
    v += y
    np.tanh(v, out=v)
    s = y[0] * v[1]
    return np.sum(v * z) * s, (y, z, w, v)


@pytest.mark.parametrize("act", ["sweep", "sweep without keeping", "push", "twice"])
def test_memory_is_put_back(act):
    tape = Tape()
    x = leaf(tape, X)
    result, arrays = program(x)
    before = [raw_of(a).copy() for a in arrays]
    if act == "push":
        pushed(tape, x, result, np.ones(3))
    elif act == "twice":
        first = swept(tape, x, result, np.float64(1.0))
        t = pushed(tape, x, result, np.ones(3))
        second = swept(tape, x, result, np.float64(1.0))
        np.testing.assert_array_equal(first, second)
        np.testing.assert_allclose(np.sum(first), t)
    else:
        swept(tape, x, result, np.float64(1.0), keeps=act == "sweep")
    for a, b in zip(arrays, before):
        if act != "sweep without keeping":
            np.testing.assert_array_equal(raw_of(a), b)


class Boom(Exception):
    """What the failing rule raises."""


def failing(after):
    """A primitive whose rules fail from their call number `after` on."""
    calls = []

    def rule(g, ans, x):
        calls.append(1)
        if len(calls) > after:
            raise Boom
        return g * 2.0

    return Primitive(np.positive, "failing", "rule", vjps=(rule,), jvps=(rule,), needs=7)


def with_failing_rule(x, prim):
    y = x * 1.5
    z = y * y
    y[1:] *= z[1:]
    w = record(prim, raw_of(y) * 2.0, (y,), None)
    y[0] = 7.0
    y[[1, 1]] = z[:2]
    w *= y
    y.sort()
    w[::2] += z[::2]
    return np.sum(w * y), (y, z, w)


@pytest.mark.parametrize("make", [Sweep, Push])
def test_an_error_in_a_rule_leaves_memory_as_it_was(make):
    tape = Tape()
    x = leaf(tape, X)
    result, arrays = with_failing_rule(x, failing(0))
    before = [raw_of(a).copy() for a in arrays]
    for _ in range(3):
        passing = make(tape, 0, len(tape), [0], None, True)
        passing.seed(storage_node(result if make is Sweep else x),
                     np.float64(1.0) if make is Sweep else np.ones(3))
        with pytest.raises(Boom):
            passing.run()
        passing.restore()
        for a, b in zip(arrays, before):
            np.testing.assert_array_equal(raw_of(a), b)


def test_a_pass_is_right_after_one_that_failed():
    tape = Tape()
    x = leaf(tape, X)
    prim = failing(1)
    result, _ = with_failing_rule(x, prim)
    first = swept(tape, x, result, np.float64(1.0))
    with pytest.raises(Boom):
        swept(tape, x, result, np.float64(1.0))
    other = Tape()
    u = leaf(other, X)
    again = swept(other, u, with_failing_rule(u, failing(9))[0], np.float64(1.0))
    np.testing.assert_array_equal(first, again)


def test_an_error_in_a_rule_through_the_public_functions():
    """Inside and outside of runs; what was recorded is freed and the next run is right."""
    @unfound  # for it records by itself
    def f(x):
        y = x * 1.5
        z = y * y
        w = record(failing(0), raw_of(y) * 2.0, (y,), None)
        y[0] = 7.0
        return np.sum(w * y * z)

    def outer(x):
        y = x * 2.0
        z = y * y
        for act in (lambda: grad(f)(y), lambda: jvp(f, (y,), (x,))):
            with pytest.raises(Boom):
                act()
            y[1:] *= x[1:]
        return np.sum(y * z)

    for act in (lambda: grad(f)(X), lambda: vjp(f, X)[1](1.0), lambda: jvp(f, (X,), (X,))):
        with pytest.raises(Boom):
            act()
    found = grad(outer)(X)
    expected = np.concatenate([24.0 * X[:1] ** 2, 40.0 * X[1:] ** 4])
    np.testing.assert_allclose(found, expected)


def test_a_pullback_that_failed_can_be_called_again():
    calls = []

    def rule(g, ans, x):
        calls.append(1)
        if len(calls) == 2:
            raise Boom
        return g * 2.0 * x

    prim = Primitive(np.square, "sometimes", "rule", vjps=(rule,), jvps=(rule,), needs=7)

    @unfound  # for it records by itself
    def f(x):
        y = x * 1.5
        z = record(prim, raw_of(y) ** 2, (y,), None)
        y[0] = 7.0
        z *= y
        y.fill(2.0)
        return z

    _, pullback = vjp(f, X)
    (first,) = pullback(np.ones(3))
    with pytest.raises(Boom):
        pullback(np.ones(3))
    (second,) = pullback(np.ones(3))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, np.concatenate([4.5 * X[:1] * 7.0, 3 * 3.375 * X[1:] ** 2]))


def test_slots_are_freed():
    tape = Tape()
    x = leaf(tape, X)
    result, _ = program(x)
    seed = np.float64(1.0)
    for make in (Sweep, Push):
        gc.collect()
        before = sys.getrefcount(raw_of(x)), sys.getrefcount(seed), sys.getrefcount(None)
        for _ in range(50):
            passing = make(tape, 0, len(tape), [0], None, True)
            passing.seed(storage_node(result if make is Sweep else x),
                         seed if make is Sweep else np.ones(3))
            passing.run()
            passing.restore()
            del passing
        gc.collect()
        after = sys.getrefcount(raw_of(x)), sys.getrefcount(seed), sys.getrefcount(None)
        assert after[:2] == before[:2] and after[2] - before[2] < 20


def test_a_pass_that_never_ran_is_freed():
    tape = Tape()
    x = leaf(tape, X)
    y = x * x
    seed = np.ones(3)
    before = sys.getrefcount(seed)
    for make in (Sweep, Push):
        passing = make(tape, 0, len(tape), [0], None, True)
        passing.seed(storage_node(y if make is Sweep else x), seed)
        del passing
    assert sys.getrefcount(seed) == before
    np.testing.assert_array_equal(seed, np.ones(3))


def test_without_keeping_a_sweep_frees_what_it_has_passed():
    tape = Tape()
    x = leaf(tape, X)
    y = np.sin(x)
    raw = raw_of(y)
    z = np.sum(y * y)
    node = storage_node(z)
    del y, z
    assert sys.getrefcount(raw) > 2
    passing = Sweep(tape, 0, len(tape), [0], None, False)
    passing.seed(node, np.float64(1.0))
    passing.run()
    assert sys.getrefcount(raw) == 2
    np.testing.assert_allclose(passing.cotangent(0), 2.0 * np.sin(X) * np.cos(X))


def test_seeds_add_up():
    tape = Tape()
    x = leaf(tape, X)
    y = x * 2.0
    v = y[1:]
    passing = Sweep(tape, 0, len(tape), [0], None, True)
    passing.seed_view(storage_node(v), raw_of(v), np.array([1.0, 2.0]))
    passing.seed_view(storage_node(y), raw_of(y), np.ones(3))
    passing.seed_view(storage_node(v), raw_of(v)[::-1], np.array([10.0, 20.0]))
    passing.run()
    np.testing.assert_array_equal(passing.cotangent(0), 2.0 * np.array([1.0, 22.0, 13.0]))


def test_what_nothing_depends_on_has_no_cotangent():
    tape = Tape()
    x, y = leaf(tape, X), leaf(tape, X)
    z = x * 2.0
    passing = Sweep(tape, 0, len(tape), [0, 1], None, True)
    passing.seed_view(storage_node(z), raw_of(z), np.ones(3))
    passing.run()
    assert passing.cotangent(storage_node(y)) is None
    forward = Push(tape, 0, len(tape), [0, 1])
    forward.seed(storage_node(y), np.ones(3))
    forward.run()
    assert forward.tangent(storage_node(z)) is None


def test_reads_of_elements_add_into_one_array():
    """Reading n elements costs one array of cotangents, not n."""
    import tracemalloc

    n = 5000
    tape = Tape()
    x = leaf(tape, np.linspace(0.0, 1.0, n))
    total = x[0]
    for i in range(1, n):
        total = total + x[i] * x[-i]
    tracemalloc.start()
    g = swept(tape, x, total, np.float64(1.0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * 8 * n
    expected = np.zeros(n)
    expected[0] = 1.0
    for i in range(1, n):
        expected[i] += raw_of(x)[-i]
        expected[-i] += raw_of(x)[i]
    np.testing.assert_allclose(g, expected)


def test_a_long_tape_is_swept_without_recursion():
    tape = Tape()
    x = leaf(tape, np.float64(0.5))
    y = x
    for _ in range(100_000):
        y = y + x
    assert swept(tape, x, y, np.float64(1.0)) == 100_001.0
    assert pushed(tape, x, y, np.float64(2.0)) == 200_002.0


def test_zero_d_arrays_stay_arrays():
    tape = Tape()
    x = leaf(tape, np.array(1.5))
    y = x * x
    z = np.add(y, y[()], out=np.empty_like(x))
    g = swept(tape, x, z, np.float64(1.0))
    assert type(g) is np.ndarray and g.shape == () and g == 6.0
    t = pushed(tape, x, z, np.array(1.0))
    assert type(t) is np.ndarray and t == 6.0


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_cotangents_have_the_dtype_of_their_storage(dtype):
    tape = Tape()
    x = leaf(tape, X.astype(dtype))
    y = x * np.float64(2.0)
    y[1:] *= x[1:] * (1j if dtype in "FD" else 1.0)
    z = np.abs(y) ** 2
    g = swept(tape, x, z, np.ones(3))
    assert g.dtype == dtype and g.shape == (3,)
    t = pushed(tape, x, z, np.ones(3, dtype))
    assert t.dtype == raw_of(z).dtype
