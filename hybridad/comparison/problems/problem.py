"""What a problem of the comparison is, and how its arguments are read from a file."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from hybridad.errors import HybridadError

__all__ = ["Problem", "ProblemError", "read"]


class ProblemError(HybridadError, ValueError):
    """There is no such problem, or its data file cannot be read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A function to differentiate, its differentiated arguments, and where they come from."""

    name: str
    title: str
    function: Callable
    argnums: tuple[int, ...]
    data: str
    format: str
    parse: Callable[[str], tuple]


def read(problem: Problem, data: str | Path | None = None) -> tuple:
    """The arguments of a problem, from a file of the user's or from the one that is shipped."""
    if data is None:
        data = resources.files("hybridad.comparison") / "data" / problem.data
    try:
        text = (Path(data) if isinstance(data, str) else data).read_text(encoding="utf-8")
    except OSError as error:
        raise ProblemError(f"cannot read {str(data)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ProblemError(f"{str(data)!r} is not {problem.format}: not a text file") from None
    try:
        return problem.parse(text)
    except (ValueError, IndexError) as error:
        reason = str(error).split("\n")[0]
        raise ProblemError(f"{str(data)!r} is not {problem.format}: {reason}") from None
