"""The errors by which recording refuses what it cannot follow."""

import opcode

import numpy as np

from hybridad._record import is_wrapper
from hybridad.errors import (
    ArgumentError,
    LostDerivativeError,
    MissingRuleError,
    UnsupportedError,
    message,
    user_frame,
)

__all__ = ["check_kind", "lost", "missing", "unsupported"]


def check_kind(x):
    """Raise ArgumentError for kinds of arrays that may not meet differentiated values.

    Those are subclasses of ndarray (masked arrays, matrices), object arrays, and classes with a
    NumPy protocol of their own (pandas).
    """
    kind = type(x)
    if kind is np.ndarray:
        if x.dtype.hasobject:
            raise ArgumentError(message(
                "An object array cannot take part in differentiated arithmetic.",
                "Make it a floating array: a.astype(float)."))
    elif not is_wrapper(x) and kind not in _NUMBERS and (
            isinstance(x, np.ndarray)
            or (not issubclass(kind, np.generic)
                and (hasattr(kind, "__array_ufunc__") or hasattr(kind, "__array_function__")))):
        raise ArgumentError(message(
            f"{kind.__module__}.{kind.__name__} cannot take part in differentiated arithmetic.",
            "Convert it first: np.asarray(a) (for a masked array, fill it: a.filled(0.0))."))


_STORE_SUBSCR = opcode.opmap["STORE_SUBSCR"]
_NUMBERS = (float, int, complex, bool, type(None))


def lost(value, how):
    """Raise: an active value was about to become plain data."""
    remedies = {
        "hash()": "Do not use differentiated values as keys or cached arguments.",
        "a pickle": "Pickle the result of the differentiated function instead.",
    }
    if how in ("float()", "int()", "complex()") and _is_stored():
        raise LostDerivativeError(message(
            "A differentiated value was about to be written into a plain array: its derivative "
            "would be lost.",
            "Create the array from a differentiated one (np.zeros_like(x)), or put it together at "
            "the end (np.stack([...]))."))
    if how.startswith("a plain array"):
        remedy = ("Create the array from a differentiated one (np.zeros_like(x), np.stack([...])), "
                  "and use functions of NumPy that have a rule.")
    elif how.startswith("an integer"):
        remedy = "Compute indices from values that are not differentiated."
    else:
        remedy = "Keep it a NumPy value: np.exp(x) in place of math.exp(x), x in place of float(x)."
    raise LostDerivativeError(
        message(f"A differentiated value was about to become {how}: its derivative would be lost.",
                remedies.get(how, remedy)))


def _is_stored():
    """Whether the user's line is just storing into an item: NumPy asks the value for a float."""
    frame = user_frame()
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == _STORE_SUBSCR


def missing(name):
    """Raise: a function without a rule met an active value."""
    raise MissingRuleError(
        message(f"{name} has no derivative rule.",
                "Write it with functions that have one, or declare a rule "
                "(hybridad.rules.declare)."))


def unsupported(what, remedy):
    """Raise: an operation that cannot be followed on active values."""
    raise UnsupportedError(message(f"{what} cannot be followed on a differentiated value.", remedy))
