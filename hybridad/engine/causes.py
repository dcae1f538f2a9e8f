"""Why the tape answered a call and not specialized code, in words: for `hybridad.explain`."""

import itertools
import linecache
import os
import re

from hybridad._dispatch import NAN
from hybridad.sct.load import Exit

__all__ = ["cause_of", "conditions_of", "shown_place"]


def cause_of(call, reason=None):
    """Why specialized code has not answered a call.

    Parameters
    ----------
    call : Call
    reason : str, optional
        Why new signatures stay on the tape.

    Returns
    -------
    str
    """
    if call.signature is None:
        return "the call was part of another run"
    if call.entry is not None and call.entry.reason is not None:
        return f"such calls stay on the tape: {call.entry.reason}"
    if call.outcome is NAN:
        return "the gradient by specialized code held NaN"
    if call.function is None:
        if reason is not None:
            return f"new arguments stay on the tape: {reason}"
        return "it was the first call with such arguments"
    if type(call.outcome) is Exit:
        return f"specialized code took an exit{_exit(call)}"
    if isinstance(call.outcome, Exception):
        return f"specialized code raised {type(call.outcome).__name__}"
    return "specialized code gave up"


def _exit(call):
    source, number = call.entry.trace.code.source, call.outcome.number
    place = shown_place(source.exits[number].place)
    return f": {conditions_of(source)[number]}" + (f"  (at {place})" if place else "")


def conditions_of(source):
    """Under which conditions emitted code gives up, as they stand there: a list, by number."""
    found = [point.reason for point in source.exits]
    for before, row in itertools.pairwise(source.text.split("\n")):
        number = re.fullmatch(r"\s*return Exit\((\d+)\)", row)
        if number and before.strip().startswith("if "):
            found[int(number[1])] = before.strip().removeprefix("if ").removesuffix(":")
    return found


def shown_place(place):
    """``"file:line  source"`` of a `Place`, the file without its folder; empty if there is none."""
    if place is None or not place.line:
        return ""
    text = linecache.getline(place.file, place.line).strip()
    return f"{os.path.basename(place.file)}:{place.line}  {text}".rstrip()
