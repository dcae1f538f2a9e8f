"""Forward mode on a recording: tangents of the arguments in, tangents of the outputs out."""

import numpy as np

from hybridad._push import Push
from hybridad.tape.sweep import Members, recording_tape

__all__ = ["push"]


def push(recording, tangents):
    """Push tangents along a recording.

    Parameters
    ----------
    recording : Recording
    tangents : list of list
        For each differentiated argument, one for each of its leaves; None is zero.

    Returns
    -------
    list
        The tangent of each output, in its dtype and type.
    """
    into = recording_tape(recording, [t for ts in tangents for t in ts])
    targets = [leaf.node for leaves in recording.leaves for leaf in leaves]
    passing = Push(recording.tape, recording.start, recording.end, targets, into)
    members = Members(into if into is not None else recording.home())
    with np.errstate(all="ignore"):
        try:
            for leaves, ts in zip(recording.leaves, tangents):
                for leaf, t in zip(leaves, ts):
                    if t is not None:
                        passing.seed(leaf.node, t)
            passing.run()
        finally:
            passing.restore()
    return [members.of(_tangent(passing, output), output.raw) for output in recording.outputs]


def _tangent(passing, output):
    if output.node < 0:
        return None
    if isinstance(output.raw, np.ndarray):
        return passing.tangent_view(output.node, output.raw)
    return passing.tangent(output.node)
