"""Which operations may warn: those of an adjoint must not."""

import math
import operator

import numpy as np

from hybridad.trace.ir import Branch, Loop, Method

__all__ = ["may_warn"]

_SILENT = frozenset((
    operator.getitem, operator.setitem, operator.neg, np.negative, np.zeros, np.zeros_like,
    np.ones, np.ones_like, np.empty_like, np.copy, np.reshape, np.transpose, np.broadcast_to,
    np.swapaxes, np.moveaxis, np.expand_dims, np.squeeze, np.concatenate, np.where, np.full_like,
    np.conj, np.real, np.imag, np.less, np.greater, np.equal, np.not_equal, np.logical_not,
))
_SILENT_METHODS = frozenset((
    "T", "mT", "real", "imag", "reshape", "transpose", "copy", "swapaxes", "ravel", "conj",
    "conjugate", "squeeze", "fill"))
_PYTHON = ("float", "int", "bool", "complex")


def may_warn(node):
    """Whether an operation (or one in a loop) may give a warning of floating point.

    Parameters
    ----------
    node : Node or Loop

    Returns
    -------
    bool
    """
    if type(node) is Loop:
        return _any_in(node.body)
    if node.op not in ("apply", "write"):
        return False
    target = node.target
    if type(target) is Method:
        return target.name not in _SILENT_METHODS
    if node.op == "apply" and node.aval is not None and node.aval.kind == "number" and (
            node.aval.dtype in _PYTHON and getattr(target, "__module__", "") != "numpy"):
        return getattr(target, "__module__", "") not in (math.__name__, "_operator")
    try:
        return target not in _SILENT
    except TypeError:
        return True


def _any_in(block):
    waiting = [block]
    while waiting:
        block = waiting.pop()
        if any(map(may_warn, block.nodes)):
            return True
        if type(block.end) is Branch:
            waiting.extend(block.end.sides.values())
    return False
