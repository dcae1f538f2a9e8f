"""Loading emitted code: compile it so that tracebacks, `pdb` and profilers show its lines."""

import itertools
import linecache
import os
import weakref
from collections import deque

import numpy as np

__all__ = ["Exit", "annotate", "load"]

_dead = deque()     # names of files of functions that have died
_numbers = itertools.count(1)  # of everything that was loaded: file names have to be unique


class Exit:
    """What a function returns that cannot go on: nobody has seen this path yet.

    Parameters
    ----------
    number : int
        Of the `ExitPoint` in its `Source`.
    """

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return f"Exit({self.number})"


def load(source, title=None, place=None):
    """Make a function of emitted text.

    Parameters
    ----------
    source : Source
    title : str, optional
        Of the user's function.
    place : Place, optional
        Where that is defined.

    Returns
    -------
    function
        With the attribute ``source``. When it has died, the next call lets go of the lines that
        debuggers show: a function may die at any time, also while `linecache` goes through them.
    """
    while _dead:
        linecache.cache.pop(_dead.popleft(), None)
    title = source.name if title is None else title
    where = "" if place is None else f" {os.path.basename(place.file)}:{place.line}"
    filename = f"<hybridad {title}{where} #{next(_numbers)}>"
    space = {"np": np, "Exit": Exit, "__name__": "hybridad.specialized", "__source__": source,
             **source.constants}
    exec(compile(source.text, filename, "exec", dont_inherit=True), space)
    function = space.pop(source.name)  # else it would hold itself alive
    # No time of a file: `linecache.checkcache` lets such an entry alone.
    linecache.cache[filename] = (
        len(source.text), None, source.text.splitlines(keepends=True), filename)
    weakref.finalize(function, _dead.append, filename)
    function.source = source
    return function


def annotate(error, function):
    """Add to an exception which line of the user's it comes from.

    Parameters
    ----------
    error : BaseException
        With a traceback that leads through `function`, or through a pullback that it made.
    function : function
        From `load`.
    """
    filename, lines = function.__code__.co_filename, function.source.lines
    found = None
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            found = lines.get(traceback.tb_lineno, found)
        traceback = traceback.tb_next
    if found is None:
        return
    text = linecache.getline(found.file, found.line).strip()
    note = f"at {found.file}:{found.line}  {text}".rstrip()
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


