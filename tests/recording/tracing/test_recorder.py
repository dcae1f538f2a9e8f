"""Operations, memory of arrays, decisions."""

import operator

import numpy as np
import pytest

from hybridad.recording.tracing.recorder import NotTraced, Recorder
from hybridad.trace.ir import Node, Ref
from tests.recording.tracing.follow import X, follow, kinds, targets


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


def test_a_write_makes_a_new_version_also_of_views():
    recorder, x = started()
    y = recorder.apply(None, np.sin, (recorder.ref(x),), {}, np.sin(x), (x,))
    view = recorder.apply(None, operator.getitem, (recorder.ref(y), slice(2)), {}, y[:2], (y,))
    before = recorder.ref(y), recorder.ref(view)
    view[0] = 7.0
    recorder.written(None, view, operator.setitem, (0, 7.0))
    after = recorder.ref(y), recorder.ref(view)
    assert before[0] != after[0] and before[1] != after[1]
    write, again = recorder.events[-2:]
    assert write.op == "write" and len(write.args[1]) == 1 and write.args[0] == before[0]
    assert again.target is operator.getitem and again.args[0] == after[0] == Ref(write.id)
    assert write.memory == again.memory == recorder.array_of(y).memory.number


def test_memory_of_arrays():
    recorder, x = started()
    y = recorder.apply(None, np.sin, (recorder.ref(x),), {}, np.sin(x), (x,))
    z = recorder.apply(None, np.transpose, (recorder.ref(y),), {}, y.T, (y,))
    memories = [e.memory for e in recorder.events if type(e) is Node]
    assert memories[1] == memories[2] != memories[0]
    assert recorder.array_of(z).memory is recorder.array_of(y).memory


def test_what_cannot_be_written_down_breaks_off():
    recorder, _ = started()
    with pytest.raises(NotTraced, match="unknown origin"):
        recorder.written(None, np.ones(3), operator.setitem, (0, 1.0))
    with pytest.raises(NotTraced, match="unknown origin"):     # the first reason counts
        recorder.refuse("odd")


def test_outside_memory_is_checked_to_be_apart_before_a_write():
    a, b = np.ones(3), np.ones(3)

    def f(x):
        a[0] = a[0] + 1.0
        return np.sum(x * a * b)

    events, _ = kinds(f, X.copy())
    assert targets(events, "check").count("apart") == 1
    assert targets(events, "note") == [None]


def test_views_after_writes():
    def f(x):
        y = x * 2.0
        v = y[1:]
        v *= x[1:]
        y[0] = v[1]
        return np.sum(y * y) + v[0] * v[1]

    follow(f, X)
