"""Broadcasts that need not be made: their consumers broadcast anyway, or sum them up again."""

import math
import operator

import numpy as np

from hybridad.trace.ir import Method, Ref, replace

__all__ = ["sum_of_broadcast", "without_broadcasts"]


def without_broadcasts(node, known):
    """An elementwise operation on what its operands were broadcast from, or None.

    Parameters
    ----------
    node : Node
        An elementwise "apply".
    known : Known

    Returns
    -------
    Node or None
    """
    args = list(node.args)
    changed = False
    for k, x in enumerate(args):
        maker = known.maker(x)
        if maker is None or maker.target is not np.broadcast_to or type(maker.args[0]) is not Ref:
            continue
        narrow = args[:k] + [maker.args[0]] + args[k + 1:]
        if _result(narrow, known) == _result(args, known) == node.aval.shape:
            args, changed = narrow, True
    return replace(node, args=tuple(args)) if changed else None


def _result(args, known):
    """The shape of an elementwise result if all shapes hold in every run, else None."""
    shapes = []
    for x in args:
        aval = known.aval(x)
        if type(x) is Ref:
            if aval is None or aval.kind == "object" or not known.is_steady(x):
                return None
            if aval.dtype in ("int", "float", "complex"):
                return None  # a broadcast number has a type of its own, a plain one has not
            shapes.append(aval.shape)
        elif isinstance(x, np.ndarray):
            shapes.append(x.shape)
        elif isinstance(x, (tuple, list)):
            return None
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def sum_of_broadcast(node, known):
    """``np.sum(np.broadcast_to(x, shape))`` as a product, or None."""
    args, kwargs = node.args, node.kwargs
    maker = known.maker(args[0])
    if (maker is None or maker.target is not np.broadcast_to or len(args) > 2
            or not kwargs.keys() <= {"axis", "keepdims"} or not known.is_steady(args[0])):
        return None
    source, wide = maker.args[0], maker.aval.shape
    narrow = known.aval(source)
    axis = args[1] if len(args) == 2 else kwargs.get("axis", 0 if _is_reduce(node) else None)
    axes = _axes(axis, len(wide))
    if narrow is None or narrow.dtype != node.aval.dtype or axes is None:
        return None
    lengths = (1,) * (len(wide) - len(narrow.shape)) + narrow.shape
    if any((k in axes) != (n != m) and m != 1 for k, (n, m) in enumerate(zip(lengths, wide))):
        return None  # an axis that is really summed, or one that stays broadcast
    count = math.prod(wide[k] for k in axes)
    if narrow.shape != node.aval.shape:
        return None
    return replace(node, target=operator.mul, args=(float(count), source), kwargs={})


def _is_reduce(node):
    return type(node.target) is not Method and node.target is not np.sum


def _axes(axis, ndim):
    if axis is None:
        return range(ndim)
    axes = axis if type(axis) is tuple else (axis,)
    if not all(type(k) is int for k in axes):
        return None
    return tuple([k % ndim for k in axes])
