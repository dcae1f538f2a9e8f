"""The engines of functions that `vjp` and `jvp` are asked for: found by the function, held weakly.

Two functions never share any, also two closures of one definition.
"""

import os
import threading
import types
import weakref

from hybridad._run import innermost_run
from hybridad.engine.linear import LinearCall, LinearEngine, answer_by_tape, parts_of
from hybridad.engine.options import verifies
from hybridad.engine.second import gradient_of
from hybridad.engine.tape import run
from hybridad.errors import UnsupportedError, message
from hybridad.recording.arguments import name_of

__all__ = ["engine_for", "finder", "linear"]

_known = {}     # ids of the parts of a function -> _Place
_lock = threading.RLock()       # a collector's callback may come here while it is held


class _Place:
    """What is known of one function as long as it has the same code."""

    __slots__ = ("code", "engines", "references")

    def __init__(self, code, references):
        self.code, self.references = code, references
        self.engines = {}       # has_aux -> {(way, must): engine}


def engine_for(f, way, has_aux=False, must=False):
    """The engine of a function for one way.

    Parameters
    ----------
    f : callable
    way : {"vjp", "jvp", "hvp"}
    has_aux, must : bool
        See `Learner`.

    Returns
    -------
    LinearEngine or None
        None if the function cannot be held weakly.
    """
    parts = parts_of(f)
    key, code = tuple(map(id, parts)), _code_of(parts[-1])
    with _lock:
        place = _known.get(key)
        if place is None or place.code is not code:
            try:
                place = _Place(code, [weakref.ref(x, lambda _: _forget(key)) for x in parts])
            except TypeError:
                return None
            _known[key] = place
        siblings = place.engines.setdefault(has_aux, {})
        made = siblings.get((way, must))
        if made is None:
            made = siblings[way, must] = LinearEngine(
                f, way, has_aux, must, siblings, verifies())
        return made


def finder(f, way, has_aux, engine):
    """A function that gives the engine of `f` for one way; None where the tape answers.

    Parameters are those of `linear`.
    """
    return None if engine == "tape" else lambda: engine_for(f, way, has_aux, engine == "sct")


def linear(way, f, args, kwargs, keys, has_aux, engine, check, fit=None):
    """The derivative of a function at a point.

    Parameters
    ----------
    way : {"vjp", "jvp", "hvp"}
    f : callable
    args, kwargs, keys
        See `recording.arguments.select`.
    has_aux : bool
    engine : str
    check, fit : callable
        See `LinearCall`.

    Returns
    -------
    object
        See `LinearEngine.ask`.
    """
    call = LinearCall(args, kwargs, keys, check, fit)
    made = None if engine == "tape" else engine_for(f, way, has_aux, engine == "sct")
    if made is not None:
        return made.ask(call)
    if engine == "sct" and innermost_run() is None:
        raise UnsupportedError(message(
            f"{name_of(f)} cannot be specialized: it cannot be held weakly.",
            'Leave engine="sct" away: the tape answers such calls.'))
    target, aux = f, has_aux
    if way == "hvp":
        target, aux = gradient_of(f, call.keys, has_aux, check), True
    return answer_by_tape(way, name_of(f), call, run(target, args, kwargs, list(keys), aux))


def _code_of(function):
    return function.__code__ if type(function) is types.FunctionType else None


def _forget(key):
    """Called when a function dies."""
    with _lock:
        place = _known.pop(key, None)
    for siblings in () if place is None else place.engines.values():
        siblings.clear()        # which they refer to: now they die at once


def _renew():
    """In a child process: the lock may be held by a thread that is not there."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
