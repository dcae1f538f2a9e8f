"""The engine "auto": specialized code where there is some, the tape where not, which teaches it."""

import weakref

import numpy as np

from hybridad._dispatch import Dispatcher
from hybridad._signature import signature
from hybridad.engine.learner import Learner
from hybridad.engine.tape import value_and_cotangents
from hybridad.engine.verifying import compare
from hybridad.recording.effects import Journal
from hybridad.recording.nested import note_derivative
from hybridad.sct.specialize import specialize

__all__ = ["Engine"]


class Engine(Learner):
    """Answers the calls of one gradient function.

    Parameters
    ----------
    f : callable
    name : str
    argnums : tuple of (int or str)
    prepare, check : callable
        ``prepare(args, kwargs)`` returns these with defaults filled in, and the keys;
        ``check(recording)`` raises where the result is no scalar.
    history : History
    single, has_aux, returns_value : bool
        See `Dispatcher`.
    must : bool
        Raise where the tape would have to answer for good (the engine "sct").
    verify : bool
        Compare every answer of specialized code with that of the tape.

    Attributes
    ----------
    cache : Cache
    call : callable
        Answers ``f(*args, **kwargs)``: ``call(args, kwargs)``.
    cause : str or None
        Why the tape answered when it did last.
    """

    def __init__(self, f, name, argnums, prepare, check, history, *, single, has_aux,
                 returns_value, must=False, verify=False):
        # The history has this engine; the two die at once.
        super().__init__(name, has_aux, weakref.proxy(history), must)
        self.f, self.single, self._check = f, single, check
        self._dispatcher = Dispatcher(
            f, self.cache, argnums, prepare, _method(self, "answer"), single=single,
            has_aux=has_aux, returns_value=returns_value,
            verify=_method(self, "verified") if verify else None)
        self.call = self._dispatcher.dispatch

    # -- what is asked of it -----------------------------------------------------------------------

    @property
    def returns_value(self):
        """Whether a call gives the value, too."""
        return self._dispatcher.returns_value

    def entry_for(self, args, kwargs):
        """The entry of the cache for a call, which is not made; None if there is none."""
        return self._dispatcher.look_up(args, kwargs)

    def leaves_for(self, args, kwargs):
        """The leaves of the arguments of a call: those of specialized code."""
        args, kwargs, keys = self._dispatcher.prepare(args, kwargs)
        _, leaves = signature(args, kwargs, keys)
        return leaves

    def code_for(self, entry, tree, guarded=None):
        """The code that an entry would have if its trace were `tree`; see `specialize`.

        `guarded` is as in the entry's own code by default.
        """
        if guarded is None:
            guarded = not entry.looks_for_nan
        return self.make_code(tree, entry.signature, guarded)

    def make_code(self, tree, signature, guarded):
        """See `Learner`."""
        return specialize(tree, signature.wanted, self.name, self.has_aux, guarded,
                          signature.leaves)

    def by_tape(self, call, journal, watches=False, counts=True):
        """See `Learner`."""
        recording = self.record(call, journal, watches, counts)
        self._check(recording)
        (value,) = recording.values
        cotangents = value_and_cotangents(recording, np.float64(1.0))
        note_derivative(cotangents)
        gradient = cotangents[0] if self.single else tuple(cotangents)
        return recording, self._dispatcher.shape(value, recording.aux, gradient)

    # -- comparison --------------------------------------------------------------------------------

    def verified(self, call, result):
        """The result of specialized code, compared with what the tape says."""
        journal = Journal(keeps=True) if call.run is None else call.run.undo()
        _, expected = self.by_tape(call, journal, counts=False)
        compare(self.name, result, expected)
        return result


def _method(engine, name):
    """A method of an engine that does not keep it alive: its dispatcher is part of it."""
    engine = weakref.ref(engine)

    def method(*args):
        return getattr(engine(), name)(*args)

    return method
