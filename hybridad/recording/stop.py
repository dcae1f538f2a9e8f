"""`stop_gradient`: say that a derivative is not wanted."""

import numpy as np

from hybridad import tree
from hybridad._record import inactive, is_wrapper, raw_of
from hybridad._run import run_in_progress

__all__ = ["stop_gradient"]


def stop_gradient(x):
    """The value of `x`, through which no derivative flows.

    Parameters
    ----------
    x : pytree
        Numbers and arrays, also in containers, which keep their structure. What is no number is
        left as it is.

    Returns
    -------
    pytree
        Arrays are copies, so that a write into them is none into `x`.

    Notes
    -----
    In a gradient within a gradient, it stops both. Outside of differentiated code it just copies.

    Examples
    --------
    >>> import hybridad
    >>> hybridad.grad(lambda x: x * hybridad.stop_gradient(x))(3.0)
    3.0
    """
    leaves, treedef = tree.flatten(x)
    return tree.unflatten(treedef, map(_stopped, leaves))


def _stopped(x):
    raw = raw_of(x)
    if not isinstance(raw, np.ndarray):
        return raw
    copy = raw.copy(order="K")
    if is_wrapper(x):
        return inactive(x, copy)  # not plain: active values may be written into it
    run = run_in_progress()
    return copy if run is None else run.wrap_fresh(copy)
