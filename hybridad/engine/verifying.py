"""Comparing the answer of specialized code with that of the tape."""

import numpy as np

from hybridad import tree
from hybridad.errors import HybridadError

__all__ = ["Disagreement", "compare"]


class Disagreement(HybridadError, AssertionError):
    """Specialized code and the tape have given different answers."""


def compare(name, result, expected):
    """Raise `Disagreement` unless two results of a gradient function are the same.

    Values must be the same bit for bit, gradients up to rounding.
    """
    (found, structure), (wanted, other) = tree.flatten(result), tree.flatten(expected)
    if structure != other:
        raise Disagreement(f"{name}: specialized code gave {structure}, the tape {other}")
    for k, (a, b) in enumerate(zip(found, wanted)):
        if type(a) is not type(b) or np.shape(a) != np.shape(b) or (
                isinstance(a, np.ndarray) and a.dtype != b.dtype):
            raise Disagreement(f"{name}: part {k} is {a!r}, by the tape {b!r}")
        if isinstance(a, (np.ndarray, np.generic, float, complex)) and not _agree(a, b):
            raise Disagreement(f"{name}: part {k} is {a!r}, by the tape {b!r}")


def _agree(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind not in "fc":
        return np.array_equal(a, b)
    eps = np.finfo(a.dtype).eps
    if a.dtype.char == "e":     # in which the tolerances would overflow
        a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.abs(b[np.isfinite(b)])
    scale = finite.max() if finite.size else 0.0
    return np.allclose(a, b, rtol=1e4 * eps, atol=1e4 * eps * scale, equal_nan=True)
