"""Errors of hybridad: what happened, where in the user's source, what to write instead.

Every refusal derives from `HybridadError` and from the builtin that a user would expect.
"""

import linecache
import os
import sys

__all__ = [
    "ArgumentError",
    "GradientCheckError",
    "HybridadError",
    "LostDerivativeError",
    "MissingRuleError",
    "NotBuiltError",
    "ResultError",
    "ScopeError",
    "SpecializationWarning",
    "UnsupportedError",
    "is_own",
    "is_users",
    "message",
]


class HybridadError(Exception):
    """Base of all errors that hybridad raises itself."""


class MissingRuleError(HybridadError, NotImplementedError):
    """A function was called on an active value and has no derivative rule."""


class UnsupportedError(HybridadError, NotImplementedError):
    """An operation cannot be followed on active values (`tobytes`, `resize`, ...)."""


class LostDerivativeError(HybridadError, TypeError):
    """An active value was about to become plain data, and its derivative to be lost."""


class ArgumentError(HybridadError, TypeError):
    """An argument cannot be differentiated: integer, object array, wrong type, unknown name."""


class ResultError(HybridadError, TypeError):
    """The function returned something that has no gradient: not scalar, or not floating."""


class ScopeError(HybridadError, ValueError):
    """A value of one run was used in another run or in another thread."""


class SpecializationWarning(UserWarning):
    """A function stays on the tape, and would be faster if it did not."""


class NotBuiltError(HybridadError, ImportError):
    """The extension modules have not been compiled."""


class GradientCheckError(HybridadError, AssertionError):
    """A derivative disagrees with the independent answer."""


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_GUESTS = os.path.join(_PACKAGE, "comparison", "problems") + os.sep  # plain programs
_STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_BELOW = ("numpy", "scipy", "optree", "pyrsistent")


def is_own(filename):
    """Whether a code file is hybridad's; the plain programs that it compares are not."""
    if filename.startswith(_PACKAGE):
        return not filename.startswith(_GUESTS)
    return filename.startswith("_ext")  # Cython names its sources


def is_users(filename):
    """Whether a code file is the user's: not hybridad's, of what it is built on, or of Python."""
    if is_own(filename) or filename.startswith("<frozen "):
        return False
    if filename.startswith(_STANDARD_LIBRARY):
        return filename.startswith(
            tuple(_STANDARD_LIBRARY + folder for folder in ("site-packages", "dist-packages")))
    for name in _BELOW:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None and filename.startswith(os.path.dirname(file) + os.sep):
            return False
    return True


def user_frame():
    """The innermost frame whose code is the user's own, or None."""
    frame = sys._getframe(1)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def user_line():
    """The innermost line that is the user's own.

    Returns
    -------
    str
        ``"file:line  source text"``, or an empty string if there is no such frame.
    """
    frame = user_frame()
    if frame is None:
        return ""
    filename, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(filename, line, frame.f_globals).strip()
    return f"{filename}:{line}  {text}"


def message(what, remedy="", where=None):
    """Compose an error text of three parts.

    Parameters
    ----------
    what : str
        What happened.
    remedy : str
        What to write instead.
    where : str, optional
        ``"file:line  source"``; by default the innermost line of the user's.

    Returns
    -------
    str

    Examples
    --------
    >>> print(message("x is an integer.", "Pass a float.", where="fit.py:3  g(1)"))
    x is an integer.
      at fit.py:3  g(1)
    Pass a float.
    """
    where = user_line() if where is None else where
    lines = [what] + ([f"  at {where}"] if where else []) + ([remedy] if remedy else [])
    return "\n".join(lines)
