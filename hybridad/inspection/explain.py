"""How a differentiated function answers its calls, and why so: `explain`."""

from collections.abc import Callable
from dataclasses import dataclass

from hybridad.cache import CacheInfo
from hybridad.inspection.specializations import Specialization, counted, specializations_of
from hybridad.inspection.subject import Subject
from hybridad.recording.facts import Frame, Reason

__all__ = ["Explanation", "explain"]

_SHOWN = 5  # signatures, in print
_ENGINES = {"tape": "the tape", "sct": "specialized code"}


@dataclass(frozen=True)
class Explanation:
    """How a differentiated function has answered its calls, and why so; print it.

    Attributes
    ----------
    name : str
        Of the function that is differentiated.
    calls : int
        How many calls were answered.
    engine : str or None
        Which engine answered the last one: "tape" or "sct" (specialized code); None before the
        first.
    cause : str or None
        Why it was the tape.
    reasons : tuple of Reason
        Everything that kept the last run on the tape from being followed from the source alone, as
        ``text`` and ``frame``; empty if nothing did.
    entries : int
        Operations that were recorded in it.
    guards : int
        Decisions in it that came from data.
    cache : CacheInfo or None
        None if the function was made with ``engine="tape"``.
    specializations : tuple of Specialization
        The code for each signature, that used last first.
    stays : str or None
        Why calls with new signatures stay on the tape.
    """

    name: str
    calls: int = 0
    engine: str | None = None
    cause: str | None = None
    reasons: tuple[Reason, ...] = ()
    entries: int = 0
    guards: int = 0
    cache: CacheInfo | None = None
    specializations: tuple[Specialization, ...] = ()
    stays: str | None = None

    @property
    def reason(self) -> str | None:
        """Why the last call could not be specialized; None if it could, or did not have to."""
        if self.reasons:
            return self.reasons[0].text
        last = self.specializations[0].reason if self.specializations else None
        return (last or self.stays) if self.engine == "tape" else None

    @property
    def frame(self) -> Frame | None:
        """The first function of the user's (file, line, name) that a reason is about, or None."""
        return next((reason.frame for reason in self.reasons if reason.frame), None)

    def __str__(self):
        if self.engine is None:
            return f"{self.name}: nothing has run yet; call it, then ask again."
        answered = f"{self.name}: {counted(self.calls, 'call')}, the last one answered by " \
                   f"{_ENGINES[self.engine]}"
        lines = [answered] if self.engine == "sct" else [answered, *self._of_the_tape()]
        if self.cache is not None:
            lines.append("  " + ", ".join([
                f"{noun} {number:,}" for noun, number in self.cache._asdict().items()]))
        if self.stays:
            lines.append(f"  new arguments stay on the tape: {self.stays}")
        for known in self.specializations[:_SHOWN]:
            lines += [f"  {line}" for line in str(known).split("\n")]
        if len(self.specializations) > _SHOWN:
            more = counted(len(self.specializations) - _SHOWN, "signature")
            lines.append(f"  and {more} more")
        return "\n".join(lines)

    def _of_the_tape(self):
        lines = [f"  because {self.cause}"] if self.cause else []
        if self.reasons:
            lines.append("  not all of it was followed from the source:")
            lines += [f"    {_line(reason)}" for reason in self.reasons]
        else:
            lines.append("  all of it was followed from the source")
        lines.append(f"  {counted(self.entries, 'entry', 'entries')} recorded, "
                     f"{counted(self.guards, 'decision')} on data")
        return lines

    __repr__ = __str__


def explain(vg: Callable) -> Explanation:
    """How a differentiated function has answered its calls, and why so.

    Parameters
    ----------
    vg : callable
        What `value_and_grad`, `grad` or another function of hybridad has returned.

    Returns
    -------
    Explanation
        Print it, or read what it has: ``engine``, ``cause``, ``reason``, ``specializations``, ...

    Raises
    ------
    ArgumentError
        For anything else.

    Examples
    --------
    >>> import hybridad
    >>> g = hybridad.grad(abs)
    >>> print(hybridad.explain(g))
    abs: nothing has run yet; call it, then ask again.
    >>> g(2.0), g(3.0)
    (1.0, 1.0)
    >>> print(hybridad.explain(g))  # doctest: +ELLIPSIS
    abs: 2 calls, ...
    """
    subject = Subject(vg, "explain(vg)")
    history, engine = subject.history, subject.engine
    runs = tuple(history.runs)
    calls = history.calls + (engine.hits if engine is not None else 0)
    if not calls:
        return Explanation(history.name)
    last = "tape" if engine is None else engine.last
    facts = runs[-1] if runs and last == "tape" else None
    told = {} if facts is None else {
        "reasons": facts.reasons, "entries": facts.entries, "guards": facts.guards}
    if engine is not None:
        told.update(cause=engine.cause if last == "tape" else None, cache=engine.cache.info(),
                    specializations=specializations_of(engine), stays=engine.cache.reason)
    return Explanation(history.name, calls, last, **told)


def _line(reason):
    return f"{reason.text}  (at {reason.frame})" if reason.frame else reason.text
