"""What wrappers share with plain values: memory, identity, arguments of methods, lifetime."""

import copy
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest
from hybridad._parray import PersistentArray
from hybridad._record import (
    active,
    constant_value,
    inactive,
    is_wrapper,
    leaf,
    raw_of,
    storage_node,
)
from hybridad._tape import Tape

from hybridad import grad
from hybridad.errors import LostDerivativeError

X = np.array([0.5, -1.25, 2.0])


def test_cannot_be_made_by_hand():
    with pytest.raises(TypeError):
        PersistentArray()
    with pytest.raises(TypeError):
        PersistentArray(X)


def test_inactive_results_are_wrapped_only_where_they_can_be_written_to():
    x = leaf(Tape(), X)
    assert is_wrapper(inactive(x, np.ones(3))) and not active(inactive(x, np.ones(3)))
    for plain in (np.arange(3), np.array([True]), np.float64(1.0), 2.0, "a", None, [1.0]):
        assert inactive(x, plain) is plain
    assert is_wrapper(np.zeros_like(x)) and is_wrapper(np.empty_like(x))
    assert type(np.argsort(x)) is np.ndarray and type(x > 0) is np.ndarray
    assert type(np.zeros_like(x, dtype=int)) is np.ndarray


def test_views_share_the_memory_of_their_base():
    x = leaf(Tape(), np.arange(12.0).reshape(3, 4))
    raw = raw_of(x)
    for view in (x[1:], x.T, x[::-1, ::2], x.reshape(-1), x.ravel(), x[1], x[..., None], x[:],
                 x[1, 2, ...], np.swapaxes(x, 0, 1), np.diagonal(x), x.view(complex), x.real,
                 np.squeeze(x[:1]), np.split(x, 3)[1], next(iter(x)), np.real(x)):
        assert np.shares_memory(raw_of(view), raw) and storage_node(view) == storage_node(x)
    for made in (x[[0, 1]], x[x > 1], x.copy(), +x, x.flatten(), x.T.ravel(), x * 1.0,
                 x.astype("f"), copy.copy(x), copy.deepcopy(x), np.array_split(x.copy(), 2)[0]):
        assert not np.shares_memory(raw_of(made), raw)


def test_augmented_assignment_keeps_the_object():
    tape = Tape()
    for x in (leaf(tape, X), constant_value(tape, X.copy())):
        y, v = x, x[1:]
        y += 1.0
        y *= leaf(tape, X)
        y[...] -= 2.0
        assert y is x and np.shares_memory(raw_of(v), raw_of(x))
    s = leaf(tape, 1.5)
    t = s
    t += 1.0
    assert t is not s and raw_of(s) == 1.5


def test_methods_take_what_plain_methods_take():
    """Arguments of other types than the usual ones."""
    x = leaf(Tape(), np.arange(6.0).reshape(2, 3))
    raw = raw_of(x)
    for got, plain in [
        (x.transpose(np.array([1, 0])), raw.T),
        (np.transpose(x, np.array([1, 0])), raw.T),
        (x.transpose([1, 0]), raw.T),
        (x.transpose(np.int64(1), np.int64(0)), raw.T),
        (x.reshape(np.array([3, 2])), raw.reshape(3, 2)),
        (x.reshape(np.int64(3), -1), raw.reshape(3, -1)),
        (x.sum(axis=np.int64(1)), raw.sum(axis=1)),
        (x[np.int8(1), np.uint8(2)], raw[1, 2]),
        (x.item(np.int64(4)), raw.item(4)),
        (x.swapaxes(np.int64(0), 1), raw.swapaxes(0, 1)),
        (x.repeat(np.array([1, 2]), axis=0), raw.repeat([1, 2], axis=0)),
        (x.take(np.array([[0, 1]]), axis=np.int64(1)), raw.take([[0, 1]], axis=1)),
        (x.max(initial=np.float64(9.0)), raw.max(initial=9.0)),
        (x.astype(np.dtype("f")), raw.astype("f")),
    ]:
        np.testing.assert_array_equal(raw_of(got), plain)


def test_wrappers_are_freed_at_once():
    """Reference counting alone frees them: no cycles."""
    gc.disable()
    try:
        tape = Tape()
        x = leaf(tape, X)
        base = raw_of(x)
        count = sys.getrefcount(base)
        views = [x[1:], x[::-1], x[1:][0:1]]
        del views
        assert sys.getrefcount(base) == count
        gone = weakref.ref(base)
        tape.release((0, 0, 0, 0))
        del x, base, tape
        assert gone() is None
    finally:
        gc.enable()


def test_nothing_hands_out_the_memory_of_a_run():
    x = leaf(Tape(), X)
    for take in (np.asarray, np.array, memoryview, bytes, pickle.dumps, np.from_dlpack,
                 lambda v: v.__array_interface__, lambda v: v.__array_struct__, hash,
                 lambda v: v.data, lambda v: v.tobytes(), lambda v: np.frombuffer(v),
                 lambda v: float(v[0]), lambda v: int(v[0]), lambda v: list(X)[v[0]]):
        with pytest.raises((LostDerivativeError, NotImplementedError, TypeError)):
            take(x)


def test_after_the_run_values_act_as_plain_ones():
    kept = []

    def f(x):
        y = x * 2.0
        kept.extend([x, y, y[1:], y[0], np.sum(y)])
        return np.sum(y * y)

    grad(f)(X)
    x, y, part, element, total = kept
    for got, plain in [(x, X), (y, 2 * X), (part, 2 * X[1:]), (element, 2 * X[0]),
                       (total, np.sum(2 * X))]:
        assert type(got + 1.0) is type(plain + 1.0)
        np.testing.assert_array_equal(np.asarray(got), plain)
        assert pickle.loads(pickle.dumps(got)).tolist() == plain.tolist()
    assert float(element) == 1.0 and memoryview(np.asarray(part)).nbytes == 16
    y[0] = 5.0
    part += 1.0
    assert np.asarray(y).tolist() == [5.0, -1.5, 5.0]
    assert type(np.sin(y)) is np.ndarray and type(y[1:]) is np.ndarray
    x *= y
    assert np.asarray(x).tolist() == [2.5, 1.875, 10.0]
