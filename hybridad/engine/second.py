"""A gradient as a function that the tape can run: for derivatives of gradients."""

import numpy as np

from hybridad.engine.tape import run, value_and_cotangents
from hybridad.recording.results import owned

__all__ = ["gradient_of"]


def gradient_of(f, keys, has_aux, check):
    """A function that gives ``(gradients, (value, aux))``.

    Parameters
    ----------
    f : callable
    keys : tuple of (int or str)
        Of the differentiated arguments.
    has_aux : bool
    check : callable
        ``check(recording)`` raises where the result is no scalar.

    Returns
    -------
    callable
    """
    def gradient(*args, **kwargs):
        recording = run(f, args, kwargs, list(keys), has_aux)
        check(recording)
        (value,) = recording.values
        cotangents = value_and_cotangents(recording, np.float64(1.0))
        return tuple(cotangents), (owned(value), recording.aux)

    return gradient
