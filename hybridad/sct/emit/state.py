"""What is known on one path while it is written."""

from typing import NamedTuple

from hybridad.sct.emit.static import Expression

__all__ = ["Pending", "State", "line_of"]


class Pending(NamedTuple):
    """A value that has not been written yet: it goes into the expression that uses it.

    `line` is the place in the user's source: (file, line, part).
    """

    value: object
    expression: Expression
    line: tuple


class State:
    """The state of one path; both sides of a branch go on with a state of their own.

    Attributes
    ----------
    env : dict
        Id -> `Expression` by which the value is found.
    late : dict
        The same for uses in the adjoint, where they differ: copies of what is overwritten.
    pending : list of Pending
        In the order in which they have to be computed.
    names : Names
    apart : dict
        Id of what has been copied, for it was going to be overwritten -> variable of the copy.
    residents : dict
        Memory -> values that show it.
    holders : dict
        Variable -> values that it holds.
    owned : set
        Ids of arrays of loops and sums that nobody else sees.
    targets : dict
        Id -> variables of the loop that the value is to go to, with what is in them now.
    doomed : set
        Variables of large arrays to be deleted when no value that waits needs them.
    closed : set
        Variables of the enclosing function, inside a pullback.
    loaded : set
        Variables that hold what mirrors have brought back, while their iteration lasts.
    """

    __slots__ = ("apart", "closed", "doomed", "env", "holders", "late", "line", "loaded", "names",
                 "owned", "pending", "residents", "targets")

    def __init__(self, names):
        self.env, self.late, self.pending, self.names = {}, {}, [], names
        self.residents, self.holders, self.targets, self.apart = {}, {}, {}, {}
        self.owned, self.closed, self.loaded, self.doomed = set(), set(), set(), set()
        self.line = None

    def copy(self):
        """The same, to go on with independently."""
        other = State(self.names.copy())
        other.env, other.late = dict(self.env), dict(self.late)
        other.apart = dict(self.apart)
        other.pending = list(self.pending)
        other.residents = {memory: list(values) for memory, values in self.residents.items()}
        other.holders = {variable: list(values) for variable, values in self.holders.items()}
        other.targets = dict(self.targets)
        other.owned, other.closed = set(self.owned), set(self.closed)
        other.doomed = set(self.doomed)
        other.loaded = set(self.loaded)
        return other


def line_of(place, part):
    """What has to be equal for two operations to be written in one line."""
    return (None, 0, part) if place is None else (place.file, place.line, part)
