"""What emission gives: the text of a function and what belongs to it."""

from dataclasses import dataclass, field

from hybridad.trace.ir import Place

__all__ = ["ExitPoint", "Page", "Source"]

_INDENT = "    "


@dataclass(frozen=True, slots=True)
class ExitPoint:
    """Where a function gives up: ``return Exit(number)``.

    Attributes
    ----------
    number : int
    place : Place or None
        Of what decided.
    reason : str
        What kind of decision it was, for `hybridad.explain`.
    recipe : object
        If it is the check of an int: how that was read.
    """

    number: int
    place: Place | None
    reason: str
    recipe: object = None


@dataclass(frozen=True, slots=True)
class Source:
    """Emitted code.

    Attributes
    ----------
    name : str
        Of the function.
    text : str
        A module that defines it: imports, then the function.
    constants : dict
        Name -> object: what the text uses beside that, as globals.
    lines : dict
        Line of the text -> `Place` that it belongs to.
    exits : tuple of ExitPoint
    needs_run : bool
        Whether the last parameter is ``_run``.
    """

    name: str
    text: str
    constants: dict = field(hash=False)
    lines: dict = field(hash=False)
    exits: tuple
    needs_run: bool


class Page:
    """Lines of text as they are written, with the places that they belong to."""

    def __init__(self):
        self.rows = []
        self.places = {}
        self.exits = []

    def write(self, depth, text, place=None):
        """Add a line, `depth` levels inside."""
        self.rows.append(_INDENT * depth + text if text else "")
        if place is not None:
            self.places[len(self.rows)] = place

    def shorten_test(self, row, depth):
        """Make ``while test:`` of ``while True:`` if the body begins with the test alone.

        Parameters
        ----------
        row : int
            How many lines there were when the body began.
        depth : int
        """
        inner = _INDENT * (depth + 1)
        comments = [line for line in self.rows[row:row + 1] if line.startswith(inner + "#")]
        first = row + len(comments)
        found = [line.removeprefix(inner) for line in self.rows[first:first + 2]]
        if len(found) < 2 or found[1] != _INDENT + "break" or not found[0].startswith("if "):
            return
        test = found[0].removeprefix("if ")
        test = test.removeprefix("not ") if test.startswith("not ") else f"not {test}"
        place = self.places.get(first + 1, self.places.get(row))
        self.rows[row - 1:first + 2] = [
            *[line.removeprefix(_INDENT) for line in comments], f"{_INDENT * depth}while {test}"]
        self.places = {line if line < row else line - 2: known
                       for line, known in self.places.items() if line < row or line > first + 2}
        if place is not None:
            self.places[row + len(comments)] = place
        if len(self.rows) == row + len(comments):
            self.write(depth + 1, "pass")

    def leave(self, place, reason, recipe=None):
        """The text of an exit, which gets the next number."""
        self.exits.append(ExitPoint(len(self.exits), place, reason, recipe))
        return f"return Exit({len(self.exits) - 1})"

    def shift(self, count):
        """Places by line, when `count` lines are put before."""
        return {line + count: place for line, place in self.places.items()}
