"""Slots, windows and versions: what the sweep and the push do with memory, with toy rules."""

import numpy as np
import pytest
from hybridad._access import record_write
from hybridad._primitive import Primitive
from hybridad._push import Push
from hybridad._record import leaf, raw_of, record, storage_node
from hybridad._sweep import Sweep
from hybridad._tape import Tape

SQUARE = Primitive(
    None, "square", "elementwise", vjps=(lambda g, ans, x: 2.0 * g * x,),
    jvps=(lambda t, ans, x: 2.0 * t * x,), needs=0b10)
BROKEN = Primitive(None, "broken", "elementwise", vjps=(lambda g, ans, x: 1 / 0,), needs=0b10)


def square(x):
    return record(SQUARE, raw_of(x) * raw_of(x), (x,), None)


def swept(tape, y, g, targets, keeps=True):
    sweep = Sweep(tape, 0, len(tape), targets, None, keeps)
    sweep.seed_view(storage_node(y), raw_of(y), g)
    try:
        sweep.run()
    finally:
        sweep.restore()
    return [sweep.cotangent(node) for node in targets]


def overwritten():
    """y = x²; x[1] = 5; z = x²: the rule of y must see the old x."""
    tape = Tape("f")
    x = leaf(tape, np.array([2.0, 3.0]))
    y = square(x)
    x[1] = 5.0
    y += square(x)
    return tape, x, y


@pytest.mark.parametrize("keeps", [True, False])
def test_a_rule_sees_the_values_of_its_time(keeps):
    tape, _, y = overwritten()
    (g,) = swept(tape, y, np.array([1.0, 1.0]), [0], keeps)
    np.testing.assert_array_equal(g, [8.0, 6.0])


def test_memory_is_as_before_after_a_pass_that_keeps():
    tape, x, y = overwritten()
    for _ in range(2):
        (g,) = swept(tape, y, np.array([1.0, 1.0]), [0])
        np.testing.assert_array_equal(g, [8.0, 6.0])
        np.testing.assert_array_equal(raw_of(x), [2.0, 5.0])


def test_the_push_goes_through_the_versions_in_order():
    tape, x, y = overwritten()
    push = Push(tape, 0, len(tape), [0])
    push.seed(0, np.array([1.0, 1.0]))
    push.run()
    push.restore()
    np.testing.assert_array_equal(push.tangent_view(storage_node(y), raw_of(y)), [8.0, 6.0])
    np.testing.assert_array_equal(raw_of(x), [2.0, 5.0])


def test_a_rule_that_fails_leaves_memory_as_it_was():
    tape = Tape("f")
    x = leaf(tape, np.array([2.0, 3.0]))
    y = record(BROKEN, raw_of(x) + 1.0, (x,), None)
    z = square(x)
    x[:] = 7.0
    z += y
    with pytest.raises(ZeroDivisionError):
        swept(tape, z, np.ones(2), [0])
    np.testing.assert_array_equal(raw_of(x), [7.0, 7.0])


@pytest.mark.parametrize("make", [
    lambda a: a[::2], lambda a: a[::-1], lambda a: a.T, lambda a: a[1:, None], lambda a: a.ravel(),
    lambda a: a.reshape(3, 4).T[1:], np.diagonal,
], ids=["step", "reversed", "transposed", "newaxis", "ravel", "reshaped", "diagonal"])
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_the_window_of_a_view_is_where_the_view_is(make, layout):
    a = np.arange(12.0).reshape(4, 3)
    a = np.asfortranarray(a) if layout == "F" else np.repeat(a, 2, axis=1)[:, ::2] \
        if layout == "strided" else a
    tape = Tape("f")
    x = leaf(tape, a)
    y = square(make(x))
    (g,) = swept(tape, y, np.ones(np.shape(raw_of(y))), [0])
    expected = np.zeros((4, 3))
    index = np.arange(12).reshape(4, 3)
    index = np.asfortranarray(index) if layout == "F" else index
    np.add.at(expected.reshape(-1), np.ravel(make(index)), 1.0)
    np.testing.assert_array_equal(g, 2.0 * a * expected)


def test_real_and_imaginary_parts_are_windows_of_the_conjugate():
    tape = Tape("f")
    z = leaf(tape, np.array([1.0 + 2.0j]))
    z.imag[0] = 5.0
    y = square(z.real)
    (g,) = swept(tape, y, np.ones(1), [0])
    np.testing.assert_array_equal(g, [2.0 + 0.0j])
    assert raw_of(z)[0] == 1.0 + 5.0j


def test_masked_and_adding_writes():
    tape = Tape("f")
    x = leaf(tape, np.array([1.0, 2.0, 3.0]))
    v = leaf(tape, np.array([4.0, 5.0, 6.0]))
    mask = np.array([True, False, True])
    raw = raw_of(x)
    record_write(x, raw, mask, None, (v,), None, lambda: np.copyto(raw, raw_of(v), where=mask),
                 masked=True)
    record_write(x, raw, np.array([0, 0, 1]), None, (v,), None,
                 lambda: np.add.at(raw, [0, 0, 1], raw_of(v)), adds=True)
    np.testing.assert_array_equal(raw, [13.0, 8.0, 6.0])
    g_x, g_v = swept(tape, x, np.array([1.0, 10.0, 100.0]), [0, 1])
    np.testing.assert_array_equal(g_v, [1.0 + 1.0, 1.0, 10.0 + 100.0])
    np.testing.assert_array_equal(g_x, [0.0, 10.0, 0.0])    # what the mask left of its own
