"""What engines that have code made share: the tape answers what it does not know, and teaches."""

from hybridad._dispatch import NAN
from hybridad.cache import Cache
from hybridad.engine.causes import cause_of
from hybridad.engine.learning import NotLearnt, guard, learn
from hybridad.engine.options import is_strict
from hybridad.engine.patience import expect, waits
from hybridad.errors import UnsupportedError, message
from hybridad.recording.effects import Journal
from hybridad.recording.run import record

__all__ = ["Learner"]

_OF_OURS = (NameError, AttributeError, TypeError, AssertionError)


class Learner:
    """Answers calls of one function that specialized code has not answered.

    Parameters
    ----------
    name : str
        Of the function.
    has_aux : bool
    history : History
    must : bool
        Raise where the tape would have to answer for good (the engine "sct").

    Attributes
    ----------
    f : callable
        What is specialized. This and the next two are those of the classes below.
    make_code : callable
        ``make_code(tree, signature, guarded)`` makes `Code` of a trace.
    by_tape : callable
        ``by_tape(call, journal, watches=False, counts=True)`` gives the recording of a call and its
        answer.
    always_guards : bool
        Zero cotangents are kept zero by the code itself from the start.
    cache : Cache
    cause : str or None
        Why the tape answered when it did last.
    """

    always_guards = False

    def __init__(self, name, has_aux, history, must=False):
        self.name, self.has_aux, self.history, self.must = name, has_aux, history, must
        self.cache = Cache(name=name)
        self.cause = None
        self._is_expected = False
        self._cleared_hits = self._hits_at_tape = 0

    @property
    def hits(self):
        """How many calls specialized code has answered, also before the cache was cleared."""
        return self._cleared_hits + self.cache.hits

    @property
    def last(self):
        """Who answered the last call: "sct", "tape", or None before the first one."""
        if self.hits > self._hits_at_tape:
            return "sct"
        return "tape" if self.history.calls else None

    def clear(self):
        """Forget all specialized code; what counts the calls goes on."""
        self._cleared_hits += self.cache.hits
        self.cache.clear()

    def insist(self):
        """Learn from the next call, whatever became of other functions with the same code."""
        self._is_expected = True

    # -- what specialized code has not answered ----------------------------------------------------

    def answer(self, call):
        """Let the tape answer a call, and learn from it."""
        self.cause = cause_of(call, self.cache.reason)
        journal = None if call.run is None else call.run.undo()
        if isinstance(call.outcome, Warning):
            return self._fall_back(call, journal)   # it warns at the user's line
        if call.outcome is NAN or isinstance(call.outcome, ArithmeticError):
            # At such a point there will be no other path, but zero cotangents may have to be kept.
            result = self.by_tape(call, journal)[1]
            with self.cache.claim(call) as granted:
                if granted and call.entry.looks_for_nan:
                    guard(self, call)
                else:
                    self.cache.fall_back()
            return result
        if call.signature is None or self._stays(call):
            return self._fall_back(call, journal)
        if not self._is_expected:
            self._is_expected = True
            if waits(self.f) and not self.must:
                return self._fall_back(call, journal)
            expect(self)
        with self.cache.claim(call) as granted:
            if not granted:
                return self._fall_back(call, journal)
            journal = Journal(keeps=True) if journal is None else journal
            recording, result = self.by_tape(call, journal, watches=True)
            if isinstance(call.outcome, _OF_OURS) and is_strict():
                raise call.outcome      # the tape has answered: the code is wrong
            self._learn(call, recording, journal)
        return result

    def _stays(self, call):
        return call.entry is not None and call.entry.reason is not None

    def _fall_back(self, call, journal):
        self.cache.fall_back()
        if self.must:
            reason = self.cache.reason if call.entry is None else call.entry.reason
            if reason is not None:
                raise self._refusal(reason)
        return self.by_tape(call, journal)[1]

    def _learn(self, call, recording, journal):
        try:
            learn(self, call, recording, journal)
        except NotLearnt as reason:
            self.cache.refuse(call, str(reason))
            if self.must:
                raise self._refusal(reason) from None

    def _refusal(self, reason):
        return UnsupportedError(message(
            f"{self.name} cannot be specialized: {reason}.",
            'Leave engine="sct" away: the tape answers such calls.'))

    def record(self, call, journal, watches, counts):
        """Run the function on the tape."""
        target, has_aux = self.on_tape(call)
        recording = record(target, call.args, call.kwargs, list(call.keys), has_aux,
                           watches=watches, journal=journal)
        if watches:
            self.history.frames = recording.frames or ()
        if counts:
            self.history.add("tape", recording.reasons, self.history.frames,
                             recording.end - recording.start, recording.guards)
            self._hits_at_tape = self.hits
        return recording

    def kept(self, tree):
        """What is kept of a trace."""
        return tree

    def on_tape(self, call):
        """What the tape runs for a call, and whether that has an auxiliary result."""
        return self.f, self.has_aux

    def values_of(self, recording):
        """The leaves of what `f` returned, and whether that is no container."""
        return recording.values, recording.out_treedef.num_nodes == 1
