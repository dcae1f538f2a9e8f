"""All that has a meaning of its own in a trace run; much of it is what it means on the tape."""

from hybridad.recording.effects import copies
from hybridad.recording.runtime import folding, iterators, operators
from hybridad.recording.tracing import builtin, collecting, ordering, shuffling, vectorized
from hybridad.recording.tracing.values import Dynamic, is_a

__all__ = ["BOUND", "INSTANCES", "OF_CLASSES", "meaning_of"]


def _same(meaning):
    """What it means on the tape, where that goes through the site alone."""
    def serve(site, run, *args, **kwargs):
        return meaning(site, *args, **kwargs)

    return serve


def _counted(meaning):
    """The same, of what counts natively: how far is decided."""
    def serve(site, run, *args, **kwargs):
        args = [run.settled(site, x) if type(x) is Dynamic else x for x in args]
        kwargs = {name: run.settled(site, x) if type(x) is Dynamic else x
                  for name, x in kwargs.items()}
        return meaning(site, *args, **kwargs)

    return serve


_TABLE = {
    **{f: _same(meaning) for f, meaning in operators.MEANINGS.items()},
    **{f: _same(meaning) for f, meaning in copies.MEANINGS.items()},
    **{f: _same(meaning) for f, meaning in folding.MEANINGS.items()},
    **{f: _counted(meaning) for f, meaning in iterators.MEANINGS.items()},
    **builtin.MEANINGS, **collecting.MEANINGS, **ordering.MEANINGS, **vectorized.MEANINGS,
}

_BY_ID = {id(function): (function, handler) for function, handler in _TABLE.items()}

BOUND = {id(function): handler for function, handler in shuffling.MEANINGS.items()}
"""Id of a function -> ``handler(site, run, method, *args, **kwargs)`` of a call of its methods."""

OF_CLASSES = {function: handler for function, handler in _TABLE.items()
              if is_a(getattr(function, "__self__", None), type)}
"""Class methods, which are other objects at each access, as `meaning_of`."""

INSTANCES = {**{kind: _same(meaning) for kind, meaning in operators.INSTANCES.items()},
             **vectorized.CALL_MEANINGS}
"""Class -> ``handler(site, run, instance, *args, **kwargs)`` of a call of its instances."""


def meaning_of(f):
    """``handler(site, run, *args, **kwargs)`` of a callable that has a meaning of its own, or None.

    Examples
    --------
    >>> meaning_of(len) is not None, meaning_of(lambda: 1)
    (True, None)
    """
    found = _BY_ID.get(id(f))
    return None if found is None else found[1]
