"""Plain arrays of outside that code in C writes to: undone, and left again by a second run."""

import operator
import random

import numpy as np
import pytest

from hybridad.recording.effects import Journal, note_writes
from hybridad.recording.run import record

RNG = np.random.default_rng(0)
LEGACY = np.random.RandomState(0)
OWN = random.Random(0)

WRITES = {
    "sort": lambda i: i.sort(),
    "of the class": lambda i: np.ndarray.sort(i),
    "of a view": lambda i: i[1:].sort(),
    "partition": lambda i: i.partition(1),
    "fill": lambda i: i.fill(3),
    "put": lambda i: i.put([0], 9),
    "byteswap": lambda i: i.byteswap(True),
    "resize": lambda i: i.resize((3, 2)),
    "resize to more": lambda i: i.resize(9, refcheck=False),
    "shape": lambda i: [setattr(i, "shape", (2, 3)), i.sort()],
    "setflags": lambda i: i.setflags(write=False),
    "flags": lambda i: setattr(i.flags, "writeable", False),
    "its own cumsum": lambda i: i.cumsum(out=i),
    "__iadd__": lambda i: i.__iadd__(2),
    "__setitem__": lambda i: i.__setitem__(0, 77),
    "operator": lambda i: operator.iadd(i, 1),
    "operator on an item": lambda i: operator.setitem(i, 0, 8),
    "flat": lambda i: setattr(i, "flat", 3),
    "item of flat": lambda i: operator.setitem(i.flat, 0, 9),
    "method of flat": lambda i: i.flat.__setitem__(0, 9),
    "memoryview": lambda i: operator.setitem(memoryview(i), 0, 3),
    "method of memoryview": lambda i: memoryview(i).__setitem__(0, 3),
    "nditer": lambda i: [operator.setitem(v, ..., 9)
                         for v in np.nditer(i, op_flags=["readwrite"])],
    "ufunc out": lambda i: np.add(i, 1, out=i),
    "ufunc out by position": lambda i: np.add(i, 1, i),
    "ufunc at": lambda i: np.add.at(i, [0], 1),
    "reduce": lambda i: np.add.reduce(i.reshape(2, 3), axis=0, out=i[:3]),
    "cumsum": lambda i: np.cumsum(i, out=i),
    "clip": lambda i: np.clip(i, 2, 3, out=i),
    "take": lambda i: np.take(i, [1] * 6, out=i),
    "copyto": lambda i: np.copyto(i[::2], 9),
    "np.put": lambda i: np.put(i, [0], 9),
    "place": lambda i: np.place(i, i > 1, [7]),
    "putmask": lambda i: np.putmask(i, i > 1, 7),
    "put_along_axis": lambda i: np.put_along_axis(i, np.array([0]), 9, 0),
    "fill_diagonal": lambda i: np.fill_diagonal(i.reshape(2, 3), 9),
    "generator": lambda i: RNG.shuffle(i),
    "generator out": lambda i: RNG.permuted(i, out=i),
    "legacy generator": lambda i: LEGACY.shuffle(i),
    "python's generator": lambda i: OWN.shuffle(i),
}


def seen(array):
    return array.tolist(), array.shape, array.flags.writeable


NOT_OF_OBJECTS = {"byteswap", "memoryview", "method of memoryview", "nditer"}


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # NumPy 2.5
@pytest.mark.parametrize("name, dtype", [
    (name, dtype) for name in WRITES for dtype in ("i8", "O")
    if dtype == "i8" or name not in NOT_OF_OBJECTS])
def test_a_write_is_undone_and_done_again(name, dtype):
    array, write = np.array([5, 2, 3, 0, 1, 4], dtype), WRITES[name]

    def f(x):
        write(array)
        return x * float(array.ravel()[0])

    def run(journal):
        recording = record(f, (2.0,), {}, [0], journal=journal)
        return float(recording.values[0])

    before = seen(array)
    journal = Journal(keeps=True)
    value = run(journal)
    after = seen(array)
    assert after != before
    again = journal.replay()
    journal.undo()
    assert seen(array) == before
    assert (run(again), seen(array)) == (value, after)
    assert not again.called


def test_ufuncs_write_nowhere_but_out():
    journal, (a, b, out) = Journal(keeps=True), np.arange(6).reshape(3, 2)
    note_writes(journal, np.add, (a, b), {"out": (out,)})
    a[0], out[0] = 7, 8
    journal.undo()
    assert (a.tolist(), out.tolist()) == ([0, 1], [4, 5]), "its memory is that of `out`"
