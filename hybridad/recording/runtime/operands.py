"""What the meanings of Python's functions ask of their arguments, and how they convert them."""

import numpy as np

from hybridad._record import active, is_wrapper, raw_of, record
from hybridad.recording.arraylike import plain
from hybridad.recording.lines import at_users_line
from hybridad.recording.ownership import is_entered
from hybridad.rules.declare import PRIMITIVES

__all__ = ["as_complex", "as_float", "holds", "judged", "lift", "natively", "own"]

_NOT_USERS = (int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset, range,
              type(None))


def own(x, name):
    """The function of the user's that is the special method `name` of `x`, or None.

    Native code would enter it behind the back of the run.
    """
    kind = type(x)
    if kind in _NOT_USERS or is_wrapper(x):
        return None
    for base in kind.__mro__:
        if name in base.__dict__:
            found = base.__dict__[name]
            return found if is_entered(found) else None
    return None


def judged(function, name, x, result):
    """What `function` makes of the result of a special method of `x`: the value, or its error."""
    raw = raw_of(result)
    stand_in = type(type(x).__name__, (), {name: lambda self, *_: raw})()
    return at_users_line(function, (stand_in,), {})


def holds(x):
    """Whether `x` is a wrapper or a builtin container with one inside."""
    if is_wrapper(x):
        return True
    kind = type(x)
    if kind in (list, tuple, set, frozenset):
        return any(map(holds, x))
    return kind is dict and (any(map(holds, x)) or any(map(holds, x.values())))


def natively(function, args, kwargs):
    """The plain function on plain values, as from the user's line."""
    return at_users_line(function, tuple(map(plain, args)), plain(kwargs) if kwargs else kwargs)


def lift(site, x):
    """What ``for`` goes through; what cannot be iterated is left to raise as plain code does."""
    if is_wrapper(x):
        return x if type(raw_of(x)) is np.ndarray else raw_of(x)
    kind = type(x)
    if getattr(kind, "__iter__", None) is None and not hasattr(kind, "__getitem__"):
        return x
    return site.iter(x)


def _element(x):
    """The number in an array of one element, recorded; numbers as they are."""
    raw = raw_of(x)
    return x[(0,) * raw.ndim] if type(raw) is np.ndarray else x


def as_float(x):
    """What ``float(x)`` is, recorded, for a number or an array of one element.

    Nothing warns or raises: whether `float` takes it has been seen before.
    """
    if not active(x):
        raw = raw_of(x)
        return raw if type(raw) is float else float(raw.item().real if hasattr(raw, "item")
                                                    else raw)
    x = _element(x)
    if isinstance(raw_of(x), (complex, np.complexfloating)):
        x = np.real(x)
    raw = raw_of(x)
    return x if type(raw) is float else record(PRIMITIVES[float], float(raw), (x,), None)


def as_complex(x):
    """What ``complex(x)`` is, recorded, for a number or an array of one element."""
    x = _element(x)
    raw = raw_of(x)
    return x if type(raw) is complex else record(PRIMITIVES[complex], complex(raw), (x,), None)
