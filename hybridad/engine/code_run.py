"""What specialized code is given that reads outside state or has effects: one for each call."""

import sys

import numpy as np

from hybridad.recording.effects import Journal
from hybridad.recording.lines import at_line
from hybridad.recording.tracing import call_foreign

__all__ = ["CodeRun"]


class CodeRun:
    """A call of specialized code.

    Attributes
    ----------
    function : callable
        What is differentiated; reads start there.
    journal : Journal
        Told of effects before they happen.
    """

    __slots__ = ("_errors", "_journal", "function")

    def __init__(self, function):
        self.function = function
        self._journal = self._errors = None     # most calls have no effects

    @property
    def journal(self):
        """See above; made when it is asked for."""
        if self._journal is None:
            self._journal = Journal(keeps=True)
        return self._journal

    def foreign(self, function, args, kwargs):
        """Call code that is not followed, in order with all the others."""
        frame = sys._getframe(1)
        place = frame.f_globals["__source__"].lines.get(frame.f_lineno)
        if place is None:
            return call_foreign(self.journal, function, args, kwargs)
        namespace = getattr(self.function, "__globals__", {})
        return call_foreign(self.journal, function, args, kwargs, at_line(place, namespace))

    def errors(self, options):
        """``np.seterr(**options)``; what was set before is set again if the call is given up."""
        before = np.seterr(**options)
        if self._errors is None:
            self._errors = before
        return before

    def undo(self):
        """The effects of the call are undone; returns the journal for the run that follows."""
        if self._errors is not None:
            np.seterr(**self._errors)
        self.journal.undo()
        return self.journal.replay()
