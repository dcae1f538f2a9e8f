"""Operations, memory of arrays, decisions."""

import operator

import numpy as np
import pytest

from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.recorder import Recorder
from tests.recording.tracing.follow import X, follow


def started():
    recorder, x = Recorder(), np.arange(4.0)
    number = recorder.node("input", 0, (), {"differentiated": True}, x, None,
                           recorder.next_memory())
    recorder.new_array(x, number, False)
    return recorder, x


def test_results_are_known_by_identity():
    recorder, x = started()
    y = recorder.apply(None, np.sin, (recorder.ref(x),), {}, np.sin(x), (x,))
    s = recorder.apply(None, np.sum, (recorder.ref(y),), {}, 2.5, (y,))
    assert recorder.is_known(s) and not recorder.is_known(2.5 * 1.0)
    assert recorder.ref(x.copy()) is None
    assert [recorder.ref(v).id for v in (x, y, s)] == [1, 2, 3]
    assert recorder.is_active(s)


def test_what_cannot_be_written_down_breaks_off():
    recorder, _ = started()
    with pytest.raises(NotTraced, match="unknown origin"):
        recorder.written(None, np.ones(3), operator.setitem, (0, 1.0))
    with pytest.raises(NotTraced, match="unknown origin"):     # the first reason counts
        recorder.refuse("odd")


def test_views_after_writes():
    def f(x):
        y = x * 2.0
        v = y[1:]
        v *= x[1:]
        y[0] = v[1]
        return np.sum(y * y) + v[0] * v[1]

    follow(f, X)
