"""Memory of arrays: versions, views, windows of what others share."""

import operator

import numpy as np
import pytest

from hybridad.recording.tracing.memory import SharedMemory, base_of
from hybridad.recording.tracing.recorder import Recorder
from hybridad.trace.ir import Node, Ref
from hybridad.trace.windows import steps_to
from tests.recording.tracing.follow import X, kinds, targets
from tests.recording.tracing.test_recorder import started


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


def test_outside_memory_is_checked_to_be_apart_before_a_write():
    a, b = np.ones(3), np.ones(3)

    def f(x):
        a[0] = a[0] + 1.0
        return np.sum(x * a * b)

    events, _ = kinds(f, X.copy())
    assert targets(events, "check").count("apart") == 1
    assert targets(events, "note") == [None]


def test_whose_memory_it_is():
    x = np.zeros((2, 3))
    assert base_of(x[1:].T) is x and base_of(x) is x
    assert base_of(np.lib.stride_tricks.as_strided(x, (2,), (8,))) is x


def test_a_window_is_a_view_that_others_find():
    recorder = Recorder(shared={1})
    x = np.zeros((2, 3))
    row, turned = x[1], x.T
    recorder.new_array(x, recorder.node("read", "item", (None, 0), None, x, None, 1), True)
    number = recorder.node("read", "item", (None, 1), None, row)
    recorder.window(None, number, row, x, steps_to(x, row))
    assert recorder.array_of(row).memory is recorder.array_of(x).memory
    assert recorder.identity(row) == Ref(number) != recorder.ref(row)
    check = recorder.events[-1]
    assert check.target == "window" and check.args == (Ref(number), recorder.ref(row))
    assert [shown is x or shown is row for shown in recorder.arrays_of(x)] == [True, True]
    recorder.window(None, number, turned, x, steps_to(x, turned))
    row[0] = 1.0
    recorder.written(None, row, operator.setitem, (0, 1.0))
    assert recorder.ref(turned).id != number


def test_a_constant_is_of_nobody():
    recorder = Recorder()
    x = recorder.constant(np.arange(3), None)
    (node,) = recorder.events
    assert node.op == "const" and recorder.ref(x) == Ref(node.id)
    assert not recorder.array_of(x).memory.outside


def test_two_views_from_outside_one_of_which_is_written_to():
    x = np.zeros(4)
    a, b = x[:3], x[1:]

    def f(y):
        s = np.sum(a * y) + np.sum(b * y)
        a[0] = s
        return s

    with pytest.raises(SharedMemory, match="one was written to") as caught:
        kinds(f, X.copy())
    assert caught.value.owner is x
