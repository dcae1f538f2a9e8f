"""Functions that sort values into groups: what they count has no derivative, what they pick has."""

import numpy as np

from hybridad._record import active, tape_of
from hybridad.recording.arraylike import as_array, plain
from hybridad.recording.lines import at_users_line
from hybridad.recording.refusals import missing, unsupported

__all__ = ["histogram", "unique"]


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, **options):
    """``np.unique`` of an array being recorded: of equal elements the first is picked."""
    x = as_array(ar)
    if not active(x):
        return at_users_line(np.unique, (plain(ar), return_index, return_inverse, return_counts,
                                         axis), options)
    values, index, *others = at_users_line(
        np.unique, (plain(x), True, return_inverse, return_counts, axis), options)
    tape_of(x).guard("shape", values.shape)
    picked = np.take(np.ravel(x) if axis is None else x, index, 0 if axis is None else axis)
    if not (return_index or others):
        return picked
    return (picked, *((index,) if return_index else ()), *others)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """``np.histogram`` of values being recorded: the counts are plain."""
    x, edges = as_array(a), as_array(bins) if isinstance(bins, (list, tuple)) else bins
    if active(weights) or active(as_array(weights)):
        missing("np.histogram with differentiated weights")
    if active(edges):
        missing("np.histogram with differentiated edges")
    if active(x) and range is None and np.ndim(bins) == 0:
        unsupported("np.histogram with edges from the data",
                    "Give the edges: bins=np.linspace(low, high, n + 1), or range=(low, high).")
    return at_users_line(np.histogram, (plain(x), plain(bins), plain(range), density,
                                        plain(weights)), {})
