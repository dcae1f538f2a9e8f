"""Special methods, found on the type as the interpreter finds them."""

import types

from hybridad._record import is_wrapper
from hybridad.recording.ownership import is_entered

__all__ = ["has", "special", "users"]


def special(x, name):
    """A special method of the type of `x`, or None."""
    for base in type(x).__mro__:
        found = base.__dict__.get(name)
        if found is not None:
            return found
    return None


def has(x, name):
    """Whether the type of `x` says anything about a special method; None is to forbid it."""
    return any(name in base.__dict__ for base in type(x).__mro__)


def users(x, name):
    """The special method if it was written by the user, else None."""
    if is_wrapper(x):
        return None
    found = special(x, name)
    return found if type(found) is types.FunctionType and is_entered(found) else None
