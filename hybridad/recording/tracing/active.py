"""The trace run in progress in a thread."""

import threading

__all__ = ["begin", "end", "here"]

_RUNS = {}


def here():
    """The trace run in progress in this thread, or None; also None below a foreign call."""
    run = _RUNS.get(threading.get_ident())
    return None if run is None or run.suspended else run


def begin(run):
    """`run` is in progress from now on; returns what `end` needs."""
    thread = threading.get_ident()
    before = _RUNS.get(thread)
    _RUNS[thread] = run
    return before


def end(before):
    """It is over."""
    if before is None:
        _RUNS.pop(threading.get_ident(), None)
    else:
        _RUNS[threading.get_ident()] = before
