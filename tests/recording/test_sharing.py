"""Results without a rule that show the memory of an argument: writes are seen by both."""

import numpy as np
import pytest

import hybridad
from hybridad.errors import UnsupportedError
from hybridad.recording.sharing import of_the_same_memory, read_only
from tests.recording.effects.runs import recording
from tests.recording.runtime.whole import POINT, agrees

strided = np.lib.stride_tricks.as_strided

SHOWING = {
    "the array itself": np.real_if_close,
    "a buffer": np.frombuffer,
    "a capsule": np.from_dlpack,
    "an array upon it": lambda a: np.ndarray((3,), float, a),
    "by strides": lambda a: strided(a, (3,), (8,)),
    "by strides, backwards": lambda a: strided(a[2:], (3,), (-8,)),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("show", SHOWING.values(), ids=SHOWING)
def test_writes_through_either_are_seen_by_both(show, local):
    outside = np.arange(1.0, 4.0)

    def f(x):
        outside[:] = [1.0, 2.0, 3.0]
        a = np.arange(1.0, 4.0) if local else outside
        y = np.sum(a * x)               # its derivative is what `a` holds now
        shown = show(a)
        shown[1:] *= x[1:]
        y = y + np.sum(np.sin(a) * x)
        a[0] = x[0] * x[1]
        return y + np.sum(shown * 3.0), a * 1.0

    agrees(f)


def test_constants_are_kept_as_they_were():
    def f(x):
        a = np.arange(1.0, 4.0)
        y = np.sum(a * x)
        np.real_if_close(a)[:] = 0.0
        np.frombuffer(a)[0] = 9.0
        return y + np.sum(a * x)

    agrees(f)


def test_views_that_repeat_memory():
    outside = np.arange(6.0)

    def f(x):
        outside[:] = 2.0
        local = np.ones(4)
        windows = strided(local, (2, 3), (8, 8))
        rows = strided(outside[1:], (2, 3), (0, 8))
        local[1:] = x * x
        outside[2:5] = x
        return np.sum(windows * [[1.0], [3.0]] * x) + np.sum(rows[1] * rows[0] * x[0])

    agrees(f)


def test_a_view_of_columns_that_repeats_memory():
    def f(x):
        a = np.zeros((3, 2), order="F")
        rows = strided(a, (2, 3, 2), (8, 8, 24))[:1]
        rows = strided(a, (2, 2, 2), (8, 8, 24))
        a[:, 1] = x
        return np.sum(rows * np.arange(8.0).reshape(2, 2, 2) * x[0])

    agrees(f)


def test_another_type_is_read_only():
    def f(x):
        a = np.arange(1.0, 4.0)
        y = np.sum(a * x)
        with pytest.raises(ValueError, match="read-only"):
            np.frombuffer(a, np.uint8)[7::8] ^= 128
        return y + np.sum(a * x), np.frombuffer(a, np.uint8)[7]

    assert hybridad.grad(lambda x: f(x)[0])(POINT).tolist() == [2.0, 4.0, 6.0]


def test_what_cannot_be_told_is_refused():
    def f(x):
        row = np.broadcast_to(np.ones(1), (3,))
        return np.sum(strided(row, (2, 3), (0, 0)) * x)

    with pytest.raises(UnsupportedError, match=r"(?s)repeats memory.*np.copy\(a\)"):
        hybridad.grad(f)(POINT)


def test_lists_of_results():
    with recording() as (run,):
        a = run.wrap(np.arange(4.0))
        other = np.ones(2)
        first, same, last = of_the_same_memory([a], (other, np.asarray(run.give(a)),
                                                     run.give(a)[1:]))
        assert first is other and same is a
        last[0] = 7.0
        assert a[1] == 7.0
        unchanged = [other, 2.0]
        assert of_the_same_memory([a], unchanged) is unchanged


def test_read_only():
    assert not read_only(np.ones(2)).flags.writeable
