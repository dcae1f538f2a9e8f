"""What the runs of one differentiated function did, for `hybridad.explain`.

Every function that hybridad returns has a `History` as its attribute ``__hybridad__`` (`attach`).
The engine adds the facts of each run to it: texts and numbers only, no values of the run.
"""

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Facts", "Frame", "History", "Reason", "attach", "history_of"]

_KEPT = 10  # runs whose facts are kept


class Frame(NamedTuple):
    """A function of the user's: its file, its line and its qualified name."""

    file: str
    line: int
    name: str

    def __str__(self):
        return f"{self.file}:{self.line} in {self.name}"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a run was not followed from the source alone, and the frame that shows it, if any."""

    text: str
    frame: Frame | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is remembered of one run.

    Attributes
    ----------
    engine : str
        Which engine answered.
    reasons : tuple of Reason
        Why it was not followed from the source alone; empty if it was.
    entries : int
        How many operations were recorded.
    guards : int
        How many decisions came from data.
    """

    engine: str
    reasons: tuple[Reason, ...] = ()
    entries: int = 0
    guards: int = 0

    @classmethod
    def of(
        cls,
        engine: str,
        texts: Iterable[str | Reason],
        frames: Iterable[tuple[str, int, str]],
        entries: int,
        guards: int,
    ) -> "Facts":
        """From what a run leaves behind: reasons, and frames found by `recording.net.watch`."""
        reasons = [text if isinstance(text, Reason) else Reason(text) for text in texts]
        for found in frames:
            frame = Frame(*found)
            if frame.file:
                reasons.append(Reason(f"{frame.name} ran outside the recording form", frame))
            else:
                reasons.append(Reason(f"nobody could watch beside {frame.name}"))
        return cls(engine, tuple(dict.fromkeys(reasons)), entries, guards)


class History:
    """The runs of one differentiated function: how many, and the facts of the last ones."""

    __slots__ = ("__weakref__", "_lock", "_runs", "calls", "engine", "frames", "name")

    def __init__(self, name: str):
        self.name = name
        self.calls = 0
        self.engine = None  # the engine "auto", if it is that
        self.frames = []
        self._runs: deque[tuple] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()

    def add(self, engine, reasons, frames, entries, guards) -> None:
        """Remember a run that has answered; the arguments are those of `Facts.of`."""
        with self._lock:
            self.calls += 1
            self._runs.append((engine, reasons, frames, entries, guards))

    @property
    def runs(self) -> list[Facts]:
        """The facts of the last runs."""
        return [Facts.of(*run) for run in tuple(self._runs)]

    def __reduce__(self):
        return History, (self.name,)  # a function that is pickled by value starts anew elsewhere

    def __repr__(self):
        return f"<History of {self.name}: {self.calls} calls>"


def attach(function, history: History):
    """Give a function that hybridad returns its history, in place of one that came with `f`."""
    function.__hybridad__ = history
    return function


def history_of(function) -> History | None:
    """The history of a function that hybridad has returned, None for any other object."""
    found = getattr(function, "__hybridad__", None)
    return found if isinstance(found, History) else None
