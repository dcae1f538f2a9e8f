"""What a call of a function does: value or exception, lines of the traceback, output, warnings."""

import contextlib
import io
import re
import sys
import traceback
import types
import warnings

from hybridad.recording.instrument import bind, make_form
from tests.recording.instrument.plain import NotedSite

_ADDRESS = re.compile(r"0x[0-9a-f]+")
_COMPREHENSION = re.compile(r"<(list|set|dict)comp>")  # made of a list in the recording form


def outcome(function, *args):
    """The outcome of a call as plain data that can be compared.

    Attributes of the recording form that an exception does not show are not part of it.
    """
    text = io.StringIO()
    with contextlib.redirect_stdout(text), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = "value", _ADDRESS.sub("0x", repr(function(*args)))
        except Exception as error:
            result = "error", type(error), str(error), _frames(error, function)
    return result, text.getvalue(), [(w.category, str(w.message), w.lineno) for w in warned]


def _frames(error, function):
    """The frames of the user's file in a traceback: names and lines."""
    file = function.__code__.co_filename
    return [(_COMPREHENSION.sub("<comp>", frame.f_code.co_name), line)
            for frame, line in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename == file]


def carets_of(function, *args):
    """Where an exception of a call was raised in the user's file: lines and columns."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            function(*args)
        except Exception as error:
            tb, places = error.__traceback__, []
            while tb is not None:
                code = tb.tb_frame.f_code
                if code.co_filename == function.__code__.co_filename:
                    places.append(list(code.co_positions())[tb.tb_lasti // 2])
                tb = tb.tb_next
            return places
    return None


def lines_of(function, *args):
    """The lines of the user's file that a call executes, as `coverage` would see them."""
    lines = set()
    file = function.__code__.co_filename

    def trace(frame, event, _):
        if frame.f_code.co_filename != file:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    old = sys.gettrace()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        sys.settrace(trace)
        try:
            function(*args)
        finally:
            sys.settrace(old)
    return lines


def events_of(function, *args, blocks=frozenset()):
    """What a call tells its sites, in order, as text: ``method``, and what the site knows.

    ``add:y`` is a sum that is assigned to ``y``, ``read(g)`` has the detail ``g``.
    """
    form = make_form(function, blocks, site=NotedSite)
    NotedSite.events.clear()
    with contextlib.redirect_stdout(io.StringIO()):
        bind(form, function)(*args)
    return " ".join(map(_event, NotedSite.events))


def _event(event):
    method, site = event
    detail = "" if site.detail is None else f"({site.detail})"
    return method + detail + (f":{site.name}" if site.name else "") + "!" * site.discarded


def functions_of(module):
    """The functions of a module that are cases, by name."""
    return {name: value for name, value in vars(module).items()
            if isinstance(value, types.FunctionType) and not name.startswith("_")
            and value.__module__ == module.__name__}
