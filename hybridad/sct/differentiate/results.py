"""What the caller gets: cotangents and tangents of the right type, in memory of their own."""

import numpy as np

from hybridad.sct.differentiate.spaces import cast, expanded
from hybridad.sct.differentiate.traced import Traced, raw_of
from hybridad.trace.ir import Method

__all__ = ["given"]


def given(writer, g, like, taken, name=None):
    """The cotangent (or tangent) of a value as the caller gets it.

    Parameters
    ----------
    writer : Writer
    g : Traced or number or None
    like : Traced
        The value.
    taken : set
        Of memories that were given before; changed.
    name : str, optional

    Returns
    -------
    Ref
    """
    raw = like.raw
    if not isinstance(raw, np.ndarray):
        g = _number(writer, 0.0 if g is None else g, raw)
    elif g is None:
        g = writer.apply(np.zeros_like, (like,))
    else:
        g = cast(writer, expanded(writer, g, like, owned=True), raw)
        if writer.memory_of(g) in taken or not writer.owns(g):
            g = writer.apply(Method("copy"), (g, "K"))
    if isinstance(raw, np.ndarray):
        taken.add(writer.memory_of(g))
    if name is not None:
        writer.name(g, name)
    return g.ref


def _number(writer, g, like):
    """A number in the type of the value."""
    if isinstance(raw_of(g), np.ndarray):
        g = g[()]
    if type(raw_of(g)) is type(like) and type(g) is Traced:
        return g
    return writer.apply(type(like), (g,))
