"""What a trace keeps of the objects that it has met."""

import gc
import weakref

import numpy as np

from hybridad.recording.effects import Journal
from hybridad.recording.tracing import trace
from hybridad.sct.emit import emit
from hybridad.sct.forgetting import without_objects
from hybridad.trace.fold import Known, fold


class Model:
    def __init__(self):
        self.scale = 2.0


def make():
    model = Model()

    def f(x, *, power=2):
        return np.sum(x**power) * model.scale

    return f, model


def test_functions_and_objects_are_free_to_die():
    f, model = make()
    events, *_ = trace(f, (np.ones(2),), {}, [0], Journal(keeps=True))
    tree = fold(events, Known())
    kept = without_objects(tree)
    assert emit(kept, "f").text == emit(tree, "f").text and without_objects(kept) == kept
    dead = weakref.ref(f), weakref.ref(model)
    del f, model, events, tree
    gc.collect()
    assert [reference() for reference in dead] == [None, None]
