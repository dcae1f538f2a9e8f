"""Plain calls as from the user's own line, so that warnings name it.

NumPy's compiled code attributes a warning to the innermost Python frame, which here would be one of
hybridad's. So the call is made from a frame that has the file, the line and the globals of the
user's innermost frame; a warning is then counted and filtered where plain code would have it.
"""

import functools
import sys
from types import FunctionType

from hybridad.errors import is_own

__all__ = ["at_users_line", "is_call"]

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
    frame = sys._getframe(1)
    while is_own(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    code = frame.f_code
    made = _code(code.co_filename, frame.f_lineno, code.co_name)
    return FunctionType(made, frame.f_globals)(function, args, kwargs)
