"""`vjp`."""

import functools

from hybridad import engine as engines
from hybridad.api.checks import check_callable, check_floating
from hybridad.api.matching import match
from hybridad.recording.arguments import normalize_argnums, select
from hybridad.recording.nested import DIRECT, note_derivative

__all__ = ["vjp"]


def vjp(f, /, *args, argnums=None, has_aux=False, engine="auto", **kwargs):
    """The value of `f`, and its pullback.

    Parameters
    ----------
    f : callable
        May return any pytree of floating or complex numbers and arrays.
    *args, **kwargs
        The point.
    argnums : int, str, tuple of them, or None
        The arguments to differentiate by; None: all positional ones.
    has_aux : bool
        `f` returns ``(value, aux)``; the value returned here is then this pair.
    engine : {"auto", "tape"}

    Returns
    -------
    value : pytree
    pullback : callable
        Takes a cotangent of the structure of the value (None for a zero part) and returns a tuple
        of cotangents, one for each argument (for an int or a name as `argnums`, the cotangent
        itself). It may be called any number of times, from any thread, and after the arguments
        have been overwritten. Cotangents pair as Re(sum(g * t)).

    Examples
    --------
    >>> import numpy as np
    >>> import hybridad
    >>> value, pullback = hybridad.vjp(np.multiply, np.array([1.0, 2.0]), 3.0)
    >>> pullback(np.array([1.0, 0.0]))
    (array([3., 0.]), 1.0)
    """
    check_callable(f)
    engines.check_engine(engine)
    single = argnums is not None and not isinstance(argnums, (tuple, list))
    selected = tuple(range(len(args))) if argnums is None else normalize_argnums(argnums)
    args, kwargs, keys = select(f, selected, args, kwargs)
    found = engines.linear("vjp", f, args, kwargs, keys, has_aux, engine,
                           functools.partial(check_floating, f))

    def pullback(cotangent):
        """The cotangents of the arguments for a cotangent of the value."""
        found.check_scope()
        parts = match(cotangent, found.structure, found.likes, "cotangent", f)
        cotangents = found.pull(parts)
        note_derivative(cotangents)
        return cotangents[0] if single else tuple(cotangents)

    return ((found.value, found.aux) if has_aux else found.value), pullback


DIRECT[vjp] = "vjp"
