"""Reverse mode on a recording: cotangents of the outputs in, cotangents of the arguments out."""

import numpy as np

from hybridad import tree
from hybridad._record import active, constant_value, is_wrapper, raw_of, tape_of
from hybridad._sweep import Sweep

__all__ = ["member_of", "recording_tape", "sweep"]


def sweep(recording, cotangents, keeps=True):
    """Sweep a recording.

    Parameters
    ----------
    recording : Recording
    cotangents : list
        One for each output, of its shape; None is zero.
    keeps : bool
        The recording will be swept again.

    Returns
    -------
    list of pytree
        For each differentiated argument its cotangent, in its structure, dtypes and types.
    """
    into = recording_tape(recording, cotangents)
    targets = [leaf.node for leaves in recording.leaves for leaf in leaves]
    keeps = keeps or not recording.is_disposable()
    passing = Sweep(recording.tape, recording.start, recording.end, targets, into, keeps)
    with np.errstate(all="ignore"):
        try:
            for output, g in zip(recording.outputs, cotangents):
                if output.node >= 0 and g is not None:
                    if isinstance(output.raw, np.ndarray):
                        passing.seed_view(output.node, output.raw, g)
                    else:
                        passing.seed(output.node, g)
            passing.run()
            found = [[member_of(passing.cotangent(leaf.node), leaf.raw, into) for leaf in leaves]
                     for leaves in recording.leaves]
        finally:
            passing.restore()
    return [tree.unflatten(treedef, values) for treedef, values in zip(recording.treedefs, found)]


def recording_tape(recording, values):
    """The tape on which the pass has to be recorded, or None for a pass over plain numbers."""
    if recording.linked:
        return recording.tape
    for v in values:
        if active(v):
            return tape_of(v)
    return None


def member_of(value, like, into):
    """A cotangent or tangent as the caller gets it: of the type of `like`, memory of its own.

    Parameters
    ----------
    value : array, scalar, wrapper or None
        None is zero.
    like : array or scalar
        The plain value it belongs to.
    into : Tape or None
        The tape that is being recorded on.
    """
    kind = type(like)
    if value is None:
        if kind is np.ndarray:
            zeros = np.zeros_like(like)
            return zeros if into is None else constant_value(into, zeros)
        return kind(0)
    if is_wrapper(value):
        return value if active(value) else _plain_member(raw_of(value), like, kind)
    return _plain_member(value, like, kind)


def _plain_member(value, like, kind):
    if kind is np.ndarray:
        value = np.asarray(value)
        return value if value.flags.owndata and value.flags.writeable else value.copy(order="K")
    return kind(value)
