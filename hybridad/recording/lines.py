"""Plain calls as from the user's own line, so that warnings name it.

NumPy's compiled code attributes a warning to the innermost Python frame, which here would be one of
hybridad's. So the call is made from a frame that has the file, the line and the globals of the
user's innermost frame; a warning is then counted and filtered where plain code would have it.
"""

import functools
import os
import sys
from types import FunctionType

__all__ = ["at_users_line"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


_CALL = (lambda function, args, kwargs: function(*args, **kwargs)).__code__  # on one line


@functools.lru_cache(maxsize=4096)
def _code(filename, line, name):
    return _CALL.replace(co_filename=filename, co_firstlineno=line, co_name=name)


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
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    code = frame.f_code
    made = _code(code.co_filename, frame.f_lineno, code.co_name)
    return FunctionType(made, frame.f_globals)(function, args, kwargs)
