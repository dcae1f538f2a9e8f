"""The errors by which recording refuses what it cannot follow."""

import linecache
import opcode
import sys
import types

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
from hybridad.recording.ownership import self_of

__all__ = ["check_kind", "lost", "missing", "name_of", "unsupported"]


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
            "Convert it first: np.asarray(a) (for a masked array, fill it: a.filled(0.0))."
            if isinstance(x, np.ndarray) else
            "Compute with the array that it holds (a.to_numpy(), a.values, a.magnitude, ...)."))


_STORE_SUBSCR = opcode.opmap["STORE_SUBSCR"]
_NUMBERS = (float, int, complex, bool, type(None))


_MEANT = " If no derivative is wanted there, say so: hybridad.stop_gradient(x)."


def lost(value, how):
    """Raise: an active value was about to become plain data."""
    what = f"A differentiated value was about to become {how}: its derivative would be lost."
    if how in ("float()", "int()", "complex()") and _is_stored():
        what = ("A differentiated value was about to be written into a plain array: its "
                "derivative would be lost.")
        remedy = ("Create the array from a differentiated one (np.zeros_like(x)), or put it "
                  "together at the end (np.stack([...])).")
    elif how == "hash()":
        remedy = "Do not use differentiated values as keys or cached arguments."
    elif how == "a pickle":
        remedy = "Pickle the result of the differentiated function instead."
    elif how.startswith("a plain array"):
        remedy = ("Create the array from a differentiated one (np.zeros_like(x), np.stack([...])), "
                  "and use functions of NumPy that have a rule.")
    elif how.startswith("an integer"):
        remedy = "Compute indices from values that are not differentiated."
    else:
        remedy = "Keep it a NumPy value: np.exp(x) in place of math.exp(x), x in place of float(x)."
    raise LostDerivativeError(message(what, remedy + _without_source() + _MEANT))


def _without_source():
    """What to say where the user's line could not be followed since its source is not known."""
    frame = user_frame()
    if frame is None or linecache.getline(frame.f_code.co_filename, frame.f_lineno,
                                          frame.f_globals):
        return ""
    return (f" (The source of {frame.f_code.co_name} is not known, so only NumPy's functions are "
            "followed in it: write it in a file.)")


def _is_stored():
    """Whether the user's line is just storing into an item: NumPy asks the value for a float."""
    frame = user_frame()
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == _STORE_SUBSCR


def missing(name):
    """Raise: a function without a rule met an active value."""
    raise MissingRuleError(
        message(f"{name} has no derivative rule.",
                "Write it with functions of NumPy that have one." + _MEANT))


def name_of(function):
    """The name of a function or class as a user would import it: ``scipy.optimize.brentq``."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if not isinstance(name, str):
        function = type(function)
        name = function.__qualname__
    module = getattr(function, "__module__", None)
    own = self_of(function)
    if own is not None and not isinstance(own, (type, types.ModuleType)):
        module = type(own).__module__       # a method: its name has that of the class
    if not isinstance(module, str) or module in ("builtins", "__main__"):
        return name
    parts = module.split(".")
    for k in range(1, len(parts)):          # where it can be imported from
        public = ".".join(parts[:k])
        if getattr(sys.modules.get(public), name, None) is function:
            return f"{public}.{name}"
    parts[0] = parts[0].lstrip("_")         # modules in C that stand behind those in Python
    return ".".join([*[part for part in parts if not part.startswith("_")], name])


def unsupported(what, remedy):
    """Raise: an operation that cannot be followed on active values."""
    raise UnsupportedError(message(f"{what} cannot be followed on a differentiated value.", remedy))
