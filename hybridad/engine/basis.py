"""A linear function known by what it gives for unit vectors."""

import numpy as np

from hybridad._record import raw_of
from hybridad.engine.fitting import is_recorded

__all__ = ["as_matrices", "units"]


def units(shape, dtype):
    """All arrays of a shape with one element that is 1, and for complex types those with 1j.

    Parameters
    ----------
    shape : tuple of int
    dtype : dtype

    Yields
    ------
    ndarray
        A new one each time; the elements in C order, first all of 1.

    Examples
    --------
    >>> [unit.tolist() for unit in units((2,), float)]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    dtype = np.dtype(dtype)
    for one in (1.0, 1.0j) if dtype.kind == "c" else (1.0,):
        for place in np.ndindex(*shape):
            unit = np.zeros(shape, dtype)
            unit[place] = one
            yield unit


def as_matrices(function, arguments):
    """Call a linear function with values that are being recorded, which itself cannot be recorded.

    Specialized code guards zeros, so what it computes says nothing of derivatives there.

    Parameters
    ----------
    function : callable
        Linear over the real numbers in all arguments together; gives a tuple.
    arguments : list
        Numbers and arrays, some of which are being recorded.

    Returns
    -------
    list
    """
    plain = [np.zeros_like(raw_of(x))[()] if is_recorded(x) else x for x in arguments]
    found = list(function(*plain))
    nothing = [np.zeros_like(raw_of(x))[()] for x in arguments]
    for k, x in enumerate(arguments):
        if not is_recorded(x):
            continue
        raw = raw_of(x)
        shape, dtype = np.shape(raw), np.result_type(raw)
        rows = [function(*nothing[:k], _like(unit, raw), *nothing[k + 1:])
                for unit in units(shape, dtype)]
        factors = (x.real, x.imag) if dtype.kind == "c" else (x,)
        size = len(rows) // len(factors)
        for number, factor in enumerate(factors):
            part = rows[number * size:(number + 1) * size]
            for j, y in enumerate(found):
                found[j] = y + _product(factor, [row[j] for row in part], shape, y)
    return found


def _like(unit, raw):
    return unit if isinstance(raw, np.ndarray) else type(raw)(unit[()])


def _product(factor, rows, shape, like):
    """The sum of rows, each times the element of `factor` that it belongs to, in a dtype."""
    if not rows:
        return np.zeros_like(raw_of(like))
    matrix = np.stack([np.asarray(row) for row in rows]).reshape(shape + np.shape(rows[0]))
    made = np.tensordot(factor, matrix, len(shape)) if shape else factor * matrix[()]
    return made if made.dtype == matrix.dtype else made.astype(matrix.dtype)
