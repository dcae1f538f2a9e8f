"""Cotangents and tangents as users pass them, and what they belong to."""

import numpy as np

from hybridad import tree
from hybridad._record import raw_of
from hybridad.errors import ArgumentError, message
from hybridad.recording.arguments import name_of

__all__ = ["match"]


def match(value, treedef, places, what, f):
    """The leaves of a cotangent or tangent, checked against what it belongs to.

    Parameters
    ----------
    value : pytree
        The cotangent or tangent; None is zero, also for a part.
    treedef : PyTreeSpec
        Of what it belongs to.
    places : list of Like
        Its leaves.
    what : str
        What the value is called: "cotangent", "tangent of argument 0".
    f : callable

    Returns
    -------
    list
        A number, an array or None for each leaf.

    Raises
    ------
    ArgumentError
    """
    if value is None:
        return [None] * len(places)
    leaves, structure = tree.flatten(value)
    if treedef.num_nodes == treedef.num_leaves == 1:
        leaves = [value]
    elif structure != treedef:
        try:
            leaves = tree.flatten_prefix(treedef, value)
        except ValueError:
            raise ArgumentError(message(
                f"The {what} of {name_of(f)} has not the structure {treedef}.",
                "Give it the structure of what it belongs to; None for a zero part.")) from None
    for leaf, place in zip(leaves, places):
        if leaf is None:
            continue
        _check_number(leaf, place, what, f)
        if np.shape(leaf) != place.shape:
            raise ArgumentError(message(
                f"The {what} of {name_of(f)} has shape {np.shape(leaf)} where "
                f"{place.shape} was expected.", "Give it the shape of what it belongs to."))
    return list(map(_as_numpy, leaves))


def _as_numpy(leaf):
    """Python's numbers, also those being recorded, as NumPy's."""
    raw = raw_of(leaf)
    if isinstance(raw, int):
        return np.float64(raw)
    return np.positive(leaf) if type(raw) in (float, complex) else leaf


def _check_number(leaf, place, what, f):
    """Raise ArgumentError unless a leaf of a cotangent or tangent can belong to `place`."""
    raw = raw_of(leaf)
    kind = type(raw)
    numeric = isinstance(raw, (int, float, complex, np.generic)) or kind is np.ndarray
    if not numeric or np.result_type(raw).kind not in "biufc":
        dtype = f" of type {raw.dtype}" if kind is np.ndarray else ""
        raise ArgumentError(message(
            f"The {what} of {name_of(f)} holds {kind.__name__}{dtype} where a number or an array "
            "of numbers was expected.", "Write np.array([...]) in place of a list."))
    if what != "cotangent" and np.iscomplexobj(raw) and not place.is_complex:
        raise ArgumentError(message(
            f"The {what} of {name_of(f)} is complex where the argument is real.",
            "Pass its real part, or a complex argument."))
