"""Plain arrays that a call may write to: integers, booleans and objects, which are no wrappers.

Code in C tells nobody what it writes to, so all arrays that it is given are noted before.
"""

import numpy as np

from hybridad.recording.ownership import self_of

__all__ = ["note_writes"]

_VIEWS = (memoryview, np.flatiter)


def note_writes(journal, f, args, kwargs):
    """Tell the journal of the plain arrays that ``f(*args, **kwargs)`` may write to.

    Parameters
    ----------
    journal : Journal
    f : callable
    args : tuple
    kwargs : dict
    """
    if type(f) is np.ufunc:  # which writes nowhere else
        args = args[f.nin:]
    else:
        own = self_of(f)
        if own is not None:
            _note(journal, own)
            if issubclass(type(own), np.ndarray) and f.__name__ == "setflags":
                journal.set_attribute(own.flags, "writeable")
    for x in args:
        _note(journal, x)
    for x in kwargs.values():
        for part in x if type(x) is tuple else (x,):
            _note(journal, part)


def _note(journal, x):
    if issubclass(type(x), np.ndarray):  # `isinstance` might ask the object
        if x.flags.writeable:
            journal.write_array(x)
    elif type(x) in _VIEWS:
        journal.touch(x)
