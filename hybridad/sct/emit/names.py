"""Names of variables: those of the user's, versioned when they are bound again."""

import builtins
import keyword
import re

__all__ = ["Names", "readable"]

_RESERVED = frozenset((*keyword.kwlist, *dir(builtins), "np", "math", "special", "Exit", "journal"))


def readable(name, otherwise="t"):
    """An identifier that looks like `name`.

    Parameters
    ----------
    name : str or None
        Of a variable of the user's, or of a part of a structure.
    otherwise : str
        For what has no name.

    Examples
    --------
    >>> readable("state[0].w"), readable("sum"), readable(None)
    ('state_0_w', 'sum_', 't')
    """
    name = re.sub(r"\W+", "_", name or "").strip("_") or otherwise
    if name[0].isdigit():
        name = otherwise + name
    return name + "_" if name in _RESERVED else name


class Names:
    """The names that are taken on a path.

    Examples
    --------
    >>> names = Names()
    >>> names.new("r"), names.new("r")
    ('r', 'r_1')
    """

    __slots__ = ("_counts", "_taken")

    def __init__(self, taken=()):
        self._taken = set(taken)
        self._counts = {}

    def copy(self):
        """The same names, to go on with independently."""
        other = Names(self._taken)
        other._counts = dict(self._counts)
        return other

    def new(self, base):
        """A name that is not taken: `base`, or the next version of it."""
        name, count = base, self._counts.get(base, 0)
        while name in self._taken:
            count += 1
            name = f"{base}_{count}"
        self._counts[base] = count
        self._taken.add(name)
        return name

    def take(self, name):
        """Use a name again that was free."""
        self._taken.add(name)
