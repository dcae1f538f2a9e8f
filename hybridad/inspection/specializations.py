"""What is known of the specialized code for one signature: `Specialization`."""

from dataclasses import dataclass

from hybridad.engine.causes import conditions_of, shown_place
from hybridad.inspection.arguments import arguments_as_text

__all__ = ["Guard", "Specialization", "counted", "specializations_of"]

_SHOWN = 8  # guards, in print
_OUTSIDE = ("check is", "check type", "check code", "check bound", "check array", "check apart")


@dataclass(frozen=True)
class Guard:
    """A place where specialized code gives up, ``return Exit(number)``: an exit.

    Attributes
    ----------
    number : int
    file : str or None
    line : int or None
        Of what decided, in the source of the user's.
    place : str
        ``"fit.py:3  if x > 0:"``; empty if it is about the arguments.
    condition : str
        Under which it gives up, as it stands in the specialized code.
    reason : str
        Of what kind it is: "bool of a decision", "check code", ...
    """

    number: int
    file: str | None
    line: int | None
    place: str
    condition: str
    reason: str

    @property
    def is_about_outside(self) -> bool:
        """Whether it makes sure that what is read from outside is of the kind that it was."""
        return self.reason in _OUTSIDE

    def __str__(self):
        what = f"exit {self.number} if {self.condition}"
        return f"{what}  (at {self.place})" if self.place else what


@dataclass(frozen=True)
class Specialization:
    """The specialized code for one signature, or why there is none; print it.

    Attributes
    ----------
    arguments : str
        Those that it is for: "w: float64[3], n: int".
    reason : str or None
        Why the tape answers such calls; None if there is code.
    paths : int
        How many are known.
    hits, exits : int
        Calls that it has answered, and calls that it has given up.
    guards : tuple of Guard
        Where it gives up.
    unrolled : tuple of str
        Loops of which iterations were written out one by one, and why.
    statements, sides : int
        Operations of the trace, and sides of its decisions.
    seconds_recording, seconds_specializing : float
        Spent so far, beside the tape's answers: on running the function a second time and folding
        its trace, and on making code of that.
    """

    arguments: str
    reason: str | None = None
    paths: int = 0
    hits: int = 0
    exits: int = 0
    guards: tuple[Guard, ...] = ()
    unrolled: tuple[str, ...] = ()
    statements: int = 0
    sides: int = 0
    seconds_recording: float = 0.0
    seconds_specializing: float = 0.0

    def __str__(self):
        if self.reason is not None:
            return f"({self.arguments}): stays on the tape: {self.reason}"
        lines = [
            f"({self.arguments}): {counted(self.paths, 'path')}, "
            f"{counted(self.statements, 'statement')}, {counted(self.sides, 'side')}; "
            f"{counted(self.hits, 'hit')}, {counted(self.exits, 'exit')}",
            f"  recording {_duration(self.seconds_recording)}, "
            f"specializing {_duration(self.seconds_specializing)}",
            *[f"  unrolled: {reason}" for reason in self.unrolled],
        ]
        shown = [guard for guard in self.guards if not guard.is_about_outside]
        lines += [f"  {guard}" for guard in shown[:_SHOWN]]
        if len(shown) > _SHOWN:
            lines.append(f"  and {counted(len(shown) - _SHOWN, 'exit')} more")
        outside = len(self.guards) - len(shown)
        if outside:
            lines.append(f"  {counted(outside, 'check')} of what is read from outside")
        return "\n".join(lines)

    __repr__ = __str__


def specializations_of(engine):
    """One for each signature, the one that was used last first.

    Parameters
    ----------
    engine : Engine

    Returns
    -------
    tuple of Specialization
    """
    entries = sorted(engine.cache.entries.values(), key=lambda entry: -entry.used)
    return tuple([_specialization(engine, entry) for entry in entries])


def _specialization(engine, entry):
    arguments = arguments_as_text(engine.f, entry.signature)
    if entry.function is None:
        return Specialization(arguments, entry.reason, 0, entry.hits, entry.exits)
    learnt = entry.trace
    code, seconds = learnt.code, learnt.seconds
    return Specialization(
        arguments, None, entry.paths, entry.hits, entry.exits, _guards(code.source),
        learnt.loops.reasons, code.statements, code.sides, seconds.recording,
        seconds.specializing)


def _guards(source):
    return tuple([
        Guard(point.number, *_where(point.place), shown_place(point.place), condition,
              point.reason)
        for point, condition in zip(source.exits, conditions_of(source))])


def _where(place):
    return (None, None) if place is None or not place.line else (place.file, place.line)


def counted(number, noun, nouns=None):
    """``1 path``, ``2,000 paths``."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def _duration(seconds):
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1e3 * seconds:.3g} ms"
