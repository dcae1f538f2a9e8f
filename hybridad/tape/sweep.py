"""Reverse mode on a recording: cotangents of the outputs in, cotangents of the arguments out."""

import numpy as np

from hybridad import tree
from hybridad._record import active, constant_value, is_wrapper, raw_of, storage_node
from hybridad._sweep import Sweep
from hybridad.errors import ScopeError, message
from hybridad.recording.results import check_scope
from hybridad.recording.run import tape_in_progress
from hybridad.recording.runtime.operands import as_complex, as_float

__all__ = ["Members", "recording_tape", "sweep"]


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
    keeps = keeps or recording.tape.visible or not recording.is_disposable()
    passing = Sweep(recording.tape, recording.start, recording.end, targets, into, keeps)
    members = Members(into if into is not None else recording.home())
    with np.errstate(all="ignore"):
        try:
            for output, g in zip(recording.outputs, cotangents):
                if output.node >= 0 and g is not None:
                    if isinstance(output.raw, np.ndarray):
                        passing.seed_view(output.node, output.raw, g)
                    else:
                        passing.seed(output.node, g)
            passing.run()
            found = [[members.of(passing.cotangent(leaf.node), leaf.raw) for leaf in leaves]
                     for leaves in recording.leaves]
        finally:
            passing.restore()
    return [tree.unflatten(treedef, values) for treedef, values in zip(recording.treedefs, found)]


def recording_tape(recording, values):
    """The tape on which the pass has to be recorded, or None for a pass over plain numbers.

    Raises ScopeError if that is not the tape in progress.
    """
    current = tape_in_progress()
    for v in values:
        check_scope(v, current, recording.name)
    if recording.linked and recording.tape.is_open:
        if recording.tape is not current:
            raise ScopeError(message(
                f"The pullback of {recording.name}, which was made in the run of "
                f"{recording.tape.name}, was called in another thread or context.",
                "Call it in the thread and context it was made in."))
        return recording.tape
    return current if any(map(active, values)) else None


class Members:
    """Makes cotangents or tangents what the caller gets: of the type of what they belong to.

    Each has memory of its own: two of them may have come out of a pass as the same array.

    Parameters
    ----------
    into : Tape or None
        The tape that is being recorded on.
    """

    def __init__(self, into):
        self.into = into
        self.begin = 0 if into is None else len(into)
        self.taken = set()  # arrays and nodes that were handed out

    def of(self, value, like):
        """The member for `like`, a plain array or number; None is zero."""
        kind = type(like)
        if value is None:
            if kind is np.ndarray:
                zeros = np.zeros_like(like)
                return zeros if self.into is None else constant_value(self.into, zeros)
            return kind(0)
        if is_wrapper(value):
            if active(value):
                return self._recorded(value, like)
            value = raw_of(value)
        if kind is not np.ndarray:
            return kind(value)
        made = self._plain(value, like)
        # Inside a run active values may be written into it.
        return made if self.into is None else constant_value(self.into, made)

    def _plain(self, value, like):
        value = np.asarray(value)
        flags = value.flags
        if value.dtype != like.dtype:  # the other byte order
            value = value.astype(like.dtype)
        elif not flags.owndata or not flags.writeable or id(value) in self.taken:
            value = value.copy(order="K")
        self.taken.add(id(value))
        return value

    def _recorded(self, value, like):
        if type(like) is not np.ndarray:    # Python's numbers stay Python's
            found = type(raw_of(value))
            if type(like) is float and found is np.float64:
                return as_float(value)
            return as_complex(value) if type(like) is complex and found is np.complex128 else value
        if value.dtype != like.dtype:
            return value.astype(like.dtype)
        if not raw_of(value).flags.writeable:   # numbers that were repeated
            return value.copy("K")
        node = storage_node(value)
        if node < self.begin or node in self.taken:
            return value.copy("K")
        self.taken.add(node)
        return value
