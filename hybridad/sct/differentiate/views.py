"""The transposes of reads: what arrives at a view belongs to the same part of its array."""

import operator

import numpy as np

from hybridad.rules.indexing import last_writes
from hybridad.sct.differentiate.traced import Traced
from hybridad.trace.ir import HOLE, Method, Ref, Step

__all__ = ["indexed_write", "is_basic", "is_window", "step_of"]

# Views that are views of an array of zeros of the same layout, too.
_WINDOWS = {
    operator.getitem, np.transpose, np.swapaxes, np.moveaxis, np.expand_dims,
    *map(Method, ("T", "mT", "transpose", "swapaxes")),
}


def is_window(node, examples):
    """Whether an operation gives a view whose cotangent is a window of that of its array.

    Parameters
    ----------
    node : Node
    examples : dict
        Id -> example.
    """
    if node.op != "apply" or node.target not in _WINDOWS or type(node.args[0]) is not Ref:
        return False
    array = examples.get(node.args[0].id)
    return (isinstance(array, np.ndarray) and isinstance(node.example, np.ndarray)
            and (node.target is not operator.getitem or is_basic(node.args[1], examples)))


def step_of(node):
    """The step from an array to the view that `node` makes of it."""
    return Step(node.target, (HOLE, *node.args[1:]), node.kwargs)


def is_basic(index, examples):
    """Whether an index takes a view (or one element) out of an array."""
    for part in index if type(index) is tuple else (index,):
        if type(part) is Ref:
            part = examples[part.id]
        if isinstance(part, (bool, np.bool_)):
            return False
        if not (part is None or part is Ellipsis or isinstance(part, (int, np.integer, slice))):
            return False
    return True


def indexed_write(index, plain_index, shape, g):
    """How `g` is added at an index: ``(path, target, rest)`` of a write.

    Parameters
    ----------
    index : object
        Of Traced and static values.
    plain_index : object
        The same in examples.
    shape : tuple of int
        Of the indexed array.
    g : Traced or number
    """
    if not _may_repeat(index, plain_index, shape):
        return (Step(operator.getitem, (HOLE, index)),), operator.iadd, (g,)
    return (), np.add.at, (index, g)


def _may_repeat(index, plain_index, shape):
    """Whether an index may name an element twice."""
    for part in plain_index if type(plain_index) is tuple else (plain_index,):
        if isinstance(part, (list, tuple)):
            part = np.asarray(part)
        if isinstance(part, np.ndarray) and part.size > 1 and part.dtype.kind != "b":
            break
    else:
        return False
    if _has_traced(index):
        return True
    return last_writes(shape, plain_index) is not None


def _has_traced(x):
    if type(x) in (tuple, list):
        return any(map(_has_traced, x))
    return type(x) is Traced
