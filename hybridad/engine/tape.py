"""Answers of the tape: run and record, then sweep or push."""

from hybridad.recording.run import record
from hybridad.tape.push import push
from hybridad.tape.sweep import sweep

__all__ = ["pull_back", "push_forward", "run", "value_and_cotangents"]


def run(f, args, kwargs, keys, has_aux=False, history=None):
    """Run and record `f`; see `hybridad.recording.run.record`.

    The first run of a function with a history is watched for what is outside its recording form.
    """
    first = history is not None and not history.calls
    recording = record(f, args, kwargs, keys, has_aux, first)
    if history is not None:
        frames = recording.frames if first else history.frames
        history.frames = frames
        history.add("tape", recording.reasons, frames, recording.end - recording.start,
                    recording.guards)
    return recording


def value_and_cotangents(recording, seed):
    """Sweep a recording once, from one scalar output, and free it."""
    cotangents = sweep(recording, [seed], keeps=False)
    recording.dispose()
    return cotangents


def pull_back(recording, cotangents):
    """Sweep a recording that is kept."""
    return sweep(recording, cotangents)


def push_forward(recording, tangents):
    """Push tangents along a recording once, and free it."""
    out = push(recording, tangents)
    recording.dispose()
    return out
