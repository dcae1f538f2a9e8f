"""Whether something can be differentiated, and whether its result can."""

import inspect

import numpy as np

from hybridad import tree
from hybridad.errors import ArgumentError, ResultError, message
from hybridad.recording.arguments import name_of

__all__ = ["check_callable", "check_floating", "check_scalar"]


def check_callable(f):
    """Raise ArgumentError unless `f` is a function that can be differentiated."""
    if isinstance(f, (classmethod, staticmethod)):
        kind = type(f).__name__
        raise ArgumentError(message(
            f"{name_of(f)} is a {kind}, which can only be differentiated once it is bound.",
            f"Write @{kind} above the decorator of hybridad."))
    if inspect.iscoroutinefunction(f):
        raise ArgumentError(message(
            f"{name_of(f)} is an async function: what it returns is no number.",
            "Differentiate an ordinary function, and await outside of it."))
    if not callable(f):
        raise ArgumentError(message(
            f"{f!r} is not a function.", "Pass the function itself: value_and_grad(f)(x)."))


def check_scalar(f, recording):
    """Raise ResultError unless the result is one real floating-point number."""
    remedy = ("Return a scalar, for example np.sum(...); for other results there are "
              "hybridad.vjp and hybridad.jvp.")
    if recording.out_treedef.num_nodes != 1 or len(recording.outputs) != 1:
        kind = recording.out_treedef.type
        what = "None" if kind in (None, type(None)) else f"a {kind.__name__}"
        raise ResultError(message(f"{name_of(f)} returned {what}, not a scalar.", remedy))
    raw = recording.outputs[0].raw
    if np.shape(raw) != ():
        raise ResultError(message(
            f"{name_of(f)} returned an array of shape {np.shape(raw)}, not a scalar.", remedy))
    if not (isinstance(raw, float) or getattr(raw, "dtype", np.dtype(object)).kind == "f"):
        what = f"the type {raw.dtype}" if hasattr(raw, "dtype") else f"type {type(raw).__name__}"
        raise ResultError(message(
            f"{name_of(f)} returned {raw!r} of {what}, not a real floating-point number.",
            "Return a float (for a complex result for example np.abs(z) or z.real)."))


def check_floating(f, recording):
    """Raise ResultError unless every leaf of the result is a floating or complex number."""
    for output in recording.outputs:
        if not tree.is_floating(output.raw):
            raise ResultError(message(
                f"{name_of(f)} returned {type(output.raw).__name__} {output.raw!r}, which has no "
                "derivative.", "Return floating-point numbers and arrays; others with has_aux."))
