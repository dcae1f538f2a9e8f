"""The adjoint source of a differentiated function: `source`."""

from collections.abc import Callable

from hybridad.errors import ArgumentError, message
from hybridad.inspection.highlighting import Source
from hybridad.inspection.paths import taken
from hybridad.inspection.subject import Subject

__all__ = ["source"]


def source(vg: Callable, /, *args, path: bool = False, **kwargs) -> Source:
    """The Python source that answers such calls of a differentiated function.

    Parameters
    ----------
    vg : callable
        What `value_and_grad`, `grad`, `hvp`, `hessian` or `jacobian` has returned.
    *args, **kwargs
        Those of a call: they tell for which types and shapes. If there is no source for them yet,
        `vg` is called with them once. They may be left out if there is one source only.
    path : bool
        Only the straight line that these arguments take, in place of all paths that have been
        seen; loops stay loops. To find it, the code runs once: what it does besides computing is
        undone, but code that cannot be followed (a random draw, a print) is called again.

    Returns
    -------
    Source
        A str; a prompt or a notebook shows it highlighted. ``return Exit(k)`` is where the code
        gives up; `explain` lists these places.

    Raises
    ------
    ArgumentError
        If `vg` was not returned by hybridad or was made with ``engine="tape"``; if the arguments
        were left out and there is none or more than one source.
    UnsupportedError
        If the tape answers such calls; it says why.

    Examples
    --------
    >>> import hybridad
    >>> vg = hybridad.value_and_grad(lambda x: x * x)
    >>> print(hybridad.source(vg, 3.0))  # doctest: +ELLIPSIS
    import numpy as np
    ...
        # x: float
    ...
        value = x * x
    ...
    """
    subject = Subject(vg, "source(vg)")
    if path and not (args or kwargs):
        subject.check_engine()
        raise ArgumentError(message(
            "path=True asks for the path that arguments take, and there are none.",
            "Give them: source(vg, x, path=True)."))
    if path:
        subject.check_gradient("path=True", "Leave path=True away.")
    entry = subject.entry(args, kwargs)
    if not path:
        return Source(entry.trace.code.source.text)
    return Source(taken(subject, args, kwargs).source.text)
