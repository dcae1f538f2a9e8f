"""What a run is told of derivatives that are computed inside it: of what, and what they were."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hybridad import tree
from hybridad._record import is_wrapper, raw_of
from hybridad._run import innermost_run

__all__ = ["DIRECT", "MAKERS", "Nested", "note_derivative"]

MAKERS = set()
"""Functions that make functions with a `Nested`; registered by those who define them."""

DIRECT = {}
"""Function that gives a derivative at once -> its kind: "vjp" or "jvp"."""


class Nested(NamedTuple):
    """What a function that differentiates another one does.

    Attributes
    ----------
    kind : {"gradient", "hvp", "hessian", "jacobian"}
    f : callable
        What it differentiates.
    argnums : tuple of (int or str)
    single, has_aux, returns_value : bool
        Whether it is asked for one argument; whether `f` gives an auxiliary result; whether the
        value is returned, too.
    """

    kind: str
    f: Callable
    argnums: tuple
    single: bool
    has_aux: bool
    returns_value: bool = False

    def shape(self, value, aux, derivative):
        """The result of a call; `derivative` is a list, of one for each argument."""
        derivative = derivative[0] if self.single else tuple(derivative)
        if not self.returns_value:
            return (derivative, aux) if self.has_aux else derivative
        return ((value, aux) if self.has_aux else value), derivative


def note_derivative(derivative):
    """Tell the run in which a derivative was computed, if there is one.

    Parameters
    ----------
    derivative : pytree
    """
    run = innermost_run()
    if run is not None and run.journal.keeps:
        run.journal.derivatives.append([_plain_copy(x) for x in tree.flatten(derivative)[0]])


def _plain_copy(x):
    x = raw_of(x) if is_wrapper(x) else x
    return x.copy(order="K") if isinstance(x, np.ndarray) else x
