"""Plain calls as from the user's own line, so that warnings name it.

NumPy's compiled code attributes a warning to the innermost Python frame, which here would be one of
hybridad's. So the call is made from a frame that has the file, the line and the globals of the
user's innermost frame; a warning is then counted and filtered where plain code would have it.
"""

import functools
import sys
import warnings
from types import FunctionType

from hybridad.errors import is_own

__all__ = ["at_line", "at_users_line", "is_call"]

_QUALNAME = "hybridad.at_users_line"

_CALL = (lambda function, args, kwargs: function(*args, **kwargs)).__code__  # on one line


@functools.lru_cache(maxsize=4096)
def _code(filename, line, name):
    return _CALL.replace(co_filename=filename, co_firstlineno=line, co_name=name,
                         co_qualname=_QUALNAME)


def is_call(code):
    """Whether a code object is that of `at_users_line`'s call."""
    return code.co_qualname == _QUALNAME


def at_users_line(function, args, kwargs):
    """``function(*args, **kwargs)``, called as if the user's own line had done so.

    Parameters
    ----------
    function : callable
        On plain values.
    args : tuple
    kwargs : dict
    """
    frame, between = sys._getframe(1), 1
    while is_own(frame.f_code.co_filename) and frame.f_back is not None:
        frame, between = frame.f_back, between + 1
    if function is warnings.warn:
        args, kwargs = _of_frame(args, kwargs, between)
    code = frame.f_code
    made = _code(code.co_filename, frame.f_lineno, code.co_name)
    return FunctionType(made, frame.f_globals)(function, args, kwargs)


def _of_frame(args, kwargs, between):
    """The arguments of ``warnings.warn`` that is to pass over so many frames."""
    level = args[2] if len(args) > 2 else kwargs.get("stacklevel", 1)
    if type(level) is not int or level < 2:
        return args, kwargs
    level += between + 1
    if len(args) > 2:
        return (*args[:2], level, *args[3:]), kwargs
    return args, {**kwargs, "stacklevel": level}


def at_line(place, namespace):
    """A function that calls as if a line of the user's had done so.

    Parameters
    ----------
    place : Place
    namespace : dict
        The globals of the user's module.
    """
    return FunctionType(_code(place.file, place.line, place.function.split(".")[-1]), namespace)
