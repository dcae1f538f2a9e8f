"""Runs and sites for the tests of effects: wrappers without a recording form."""

import contextlib
import operator

import numpy as np
from hybridad._record import leaf
from hybridad._run import Run
from hybridad._tape import Tape

from hybridad.recording.effects import Journal


class PlainSite:
    """Does what plain Python does, and notes the functions that were called through it."""

    def __init__(self, run=None):
        self.called, self.guards = [], []
        self._run = run

    @contextlib.contextmanager
    def hashing(self):
        tape = self._run.tape if self._run is not None else None
        if tape is not None:
            tape.hashing += 1
        yield
        if tape is not None:
            tape.hashing -= 1

    def guard(self, kind, outcome):
        self.guards.append((kind, outcome))

    def call(self, function, /, *args, **kwargs):
        self.called.append(function)
        return function(*args, **kwargs)

    def form(self, function):
        return lambda *args, **kwargs: self.call(function, *args, **kwargs)

    def iter(self, x):
        return x

    star = mapping = opened = iter

    def attr(self, obj, name):
        return getattr(obj, name)

    def truth(self, x):
        return bool(x)

    def lt(self, a, b):
        self.called.append("lt")
        return operator.lt(a, b)

    def eq(self, a, b):
        self.called.append("eq")
        return operator.eq(a, b)


@contextlib.contextmanager
def recording(*values, keeps=True):
    """A run in progress and active wrappers of values: ``with recording(1.0) as (run, x):``"""
    tape = Tape("test")
    run = Run(tape, Journal(keeps))
    try:
        with run:
            yield (run, *[leaf(tape, x) for x in values])
    finally:
        tape.close()


def wrappers(*values):
    """Active wrappers of plain values, of a run that has ended."""
    with recording(*map(np.float64, values)) as (_, *made):
        return made
