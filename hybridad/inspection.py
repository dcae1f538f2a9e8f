"""Look at what hybridad did: `explain`."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

from hybridad.errors import ArgumentError, message
from hybridad.recording.arguments import name_of
from hybridad.recording.facts import Frame, Reason, history_of

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """How the last call of a differentiated function was answered, and why so; print it.

    Attributes
    ----------
    name : str
        Of the function that is differentiated.
    calls : int
        How many calls were answered.
    engine : str or None
        Which engine answered the last one; None before the first.
    reasons : tuple of Reason
        Everything that kept the run from being followed from the source alone, as ``text`` and
        ``frame``; empty if nothing did.
    entries : int
        Operations that were recorded.
    guards : int
        Decisions that came from data.
    """

    name: str
    calls: int = 0
    engine: str | None = None
    reasons: tuple[Reason, ...] = ()
    entries: int = 0
    guards: int = 0

    @property
    def reason(self) -> str | None:
        """The first of the reasons, None if there is none."""
        return self.reasons[0].text if self.reasons else None

    @property
    def frame(self) -> Frame | None:
        """The first function of the user's (file, line, name) that a reason is about, or None."""
        return next((reason.frame for reason in self.reasons if reason.frame), None)

    def __str__(self):
        if self.engine is None:
            return f"{self.name}: nothing has run yet; call it, then ask again."
        calls = _counted(self.calls, "call")
        lines = [f"{self.name}: {calls}, the last one answered by the {self.engine}"]
        if self.reasons:
            lines.append("  not all of it was followed from the source:")
            lines += [f"    {_line(reason)}" for reason in self.reasons]
        else:
            lines.append("  all of it was followed from the source")
        lines.append(f"  {_counted(self.entries, 'entry', 'entries')} recorded, "
                     f"{_counted(self.guards, 'decision')} on data")
        return "\n".join(lines)

    __repr__ = __str__


def explain(vg: Callable) -> Explanation:
    """How a differentiated function answered its last call, and why so.

    Parameters
    ----------
    vg : callable
        What `value_and_grad`, `grad` or another function of hybridad has returned.

    Returns
    -------
    Explanation
        Print it, or read ``engine``, ``reason`` and ``frame``.

    Raises
    ------
    ArgumentError
        For anything else.

    Examples
    --------
    >>> import hybridad
    >>> print(hybridad.explain(hybridad.grad(abs)))
    abs: nothing has run yet; call it, then ask again.
    """
    while isinstance(vg, functools.partial):
        vg = vg.func
    history = history_of(vg)
    if history is None:
        raise ArgumentError(message(
            f"{name_of(vg) if callable(vg) else repr(vg)} is not a differentiated function.",
            "Pass what hybridad has returned: explain(vg) after vg = value_and_grad(f)."))
    calls, runs = history.calls, tuple(history.runs)
    if not runs:
        return Explanation(history.name)
    last = runs[-1]
    return Explanation(
        history.name, calls, last.engine, last.reasons, last.entries, last.guards)


def _line(reason):
    return f"{reason.text}  (at {reason.frame})" if reason.frame else reason.text


def _counted(number, noun, nouns=None):
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
