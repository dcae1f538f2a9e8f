"""What is asked about: a function that hybridad has returned, and the code of it for arguments."""

import functools
import types

from hybridad.errors import ArgumentError, UnsupportedError, message
from hybridad.inspection.arguments import arguments_as_text
from hybridad.recording.arguments import name_of, select
from hybridad.recording.facts import history_of

__all__ = ["Subject"]


class Subject:
    """A function that hybridad has returned, seen through partials and bound methods.

    Parameters
    ----------
    vg : callable
    asked : str
        What is asked of it, for messages: "explain(vg)".

    Attributes
    ----------
    name : str
        Of the function that is differentiated.
    history : History
    engine : Engine or LinearEngine or None
        None: it was made with ``engine="tape"``.

    Raises
    ------
    ArgumentError
        For anything else.
    """

    def __init__(self, vg, asked):
        self._vg, self._args, self._kwargs = vg, (), {}
        found = vg
        while isinstance(found, functools.partial | types.MethodType):
            if isinstance(found, types.MethodType):
                found, self._args = found.__func__, (found.__self__, *self._args)
            else:
                self._args = (*found.args, *self._args)
                self._kwargs = {**found.keywords, **self._kwargs}
                found = found.func
        self._nested = getattr(found, "_nested", None)
        history = history_of(found)
        if history is None and self._nested is not None:
            self._of_linear(found, asked)
            return
        if history is None:
            raise ArgumentError(message(
                f"{name_of(vg) if callable(vg) else repr(vg)} is not a differentiated function.",
                f"Pass what hybridad has returned: {asked} after vg = value_and_grad(f)."))
        self.history, self.engine, self.name = history, history.engine, history.name

    def _of_linear(self, derived, asked):
        """A function that gives products or matrices: it asks an engine of the function."""
        self.engine, self.name = derived.linear_engine(), name_of(self._nested.f)
        if self.engine is None:
            raise ArgumentError(message(
                f'The {derived.title} of {self.name} was made with engine="tape", of which no '
                "account is kept.", f"Leave the engine away, and ask {asked} again."))
        self.history = self.engine.history

    def check_gradient(self, asked, remedy):
        """Raise ArgumentError if it gives no gradient."""
        if self.is_linear:
            raise ArgumentError(message(
                f"{asked} is for gradients; this gives the {self._nested.kind} of {self.name}.",
                remedy))

    @property
    def is_linear(self):
        """Whether it gives products with derivatives or their matrices, and no gradient."""
        return self.engine is not None and self.engine is not self.history.engine

    def arguments(self, args, kwargs):
        """All arguments of the function itself, with those that partials and methods add."""
        return (*self._args, *args), {**self._kwargs, **kwargs}

    def call(self, args, kwargs):
        """Call the function, which learns from it."""
        self._vg(*args, **kwargs)

    def check_engine(self):
        """Raise ArgumentError if there never is any source."""
        if self.engine is None:
            raise ArgumentError(message(
                f'{self.name} was differentiated with engine="tape", which makes no source.',
                "Leave the engine away: value_and_grad(f)."))

    def entry(self, args, kwargs):
        """The entry of the cache for these arguments; if there is none, the function is called.

        Without arguments, the one that there is.

        Raises
        ------
        ArgumentError
            If there is no entry, or several, and no arguments tell which one.
        UnsupportedError
            If the tape answers such calls.
        """
        self.check_engine()
        if not args and not kwargs and not self._args and not self._kwargs:
            entry = self._only_entry()
        else:
            entry = self._entry_for(args, kwargs)
            if entry is None:
                self.engine.insist()
                self.call(args, kwargs)
                entry = self._entry_for(args, kwargs)
        if entry is None or entry.function is None:
            reason = self.engine.cache.reason if entry is None else entry.reason
            raise UnsupportedError(message(
                f"There is no source of {self.name} for these arguments: "
                f"{reason or 'the tape has answered the call'}.",
                "hybridad.explain(vg) tells more."))
        return entry

    def _entry_for(self, args, kwargs):
        args, kwargs = self.arguments(args, kwargs)
        if not self.is_linear:
            return self.engine.entry_for(args, kwargs)
        if self._nested.kind == "hvp":
            args = args[:-1]
        return self.engine.entry_for(*select(self._nested.f, self._nested.argnums, args, kwargs))

    def _only_entry(self):
        entries = list(self.engine.cache.entries.values())
        if len(entries) == 1:
            return entries[0]
        if not entries:
            raise ArgumentError(message(
                f"Nothing of {self.name} has been specialized yet.",
                "Give the arguments of a call, or call it first."))
        known = "".join([f"\n  ({arguments_as_text(self.engine.f, entry.signature)})"
                         for entry in entries])
        raise ArgumentError(message(
            f"{self.name} has been called with arguments of {len(entries)} kinds:{known}",
            "Give the arguments of one of them."))
