"""Views that depend on how an array lies in memory.

A cotangent or a tangent need not lie in memory as its primal does. Most views are views of every
array; a reshape may copy, and "K" and "A" name another order for every layout. What is written
through such a step must be written into an array with the layout of the primal.
"""

import operator

import numpy as np

from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.traced import raw_of
from hybridad.trace.ir import HOLE, Loop, Method, Ref, Step, replace

__all__ = ["applied", "in_plain_order", "laid_out", "plain_path"]

# Functions that take elements in an order -> the number of the argument that tells it.
_ORDERED = {np.ravel: 1, np.reshape: 2, Method("ravel"): 1, Method("flatten"): 1,
            Method("reshape"): None}
_RESHAPING = {np.ravel, np.reshape, Method("ravel"), Method("reshape")}
# Views of any array.
_ANYWHERE = {
    operator.getitem, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.matrix_transpose,
    np.expand_dims, np.squeeze, np.flip, np.fliplr, np.flipud, np.rot90, np.diagonal, np.real,
    np.imag, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.broadcast_to,
    getattr(np, "unstack", None), *map(Method, (
        "T", "mT", "transpose", "swapaxes", "squeeze", "diagonal", "real", "imag")),
}


def in_plain_order(node, program):
    """An operation without the orders "K" and "A", which mean the layout of its array.

    Parameters
    ----------
    node : Node
        An "apply".
    program : Program

    Returns
    -------
    Node

    Raises
    ------
    Unsupported
        If the layout does not tell the order.
    """
    if node.target not in _ORDERED or not node.args or type(node.args[0]) is not Ref:
        return node
    id = node.args[0].id
    args, kwargs = _in_plain_order(node, np.shape(program.examples[id]),
                                   _layout_of(program.made_by[id]), node.place)
    return node if args is node.args and kwargs is node.kwargs else replace(
        node, args=args, kwargs=kwargs)


def plain_path(path, array, made, place):
    """The way to a region, such that it leads there in arrays of other layouts, too.

    Parameters
    ----------
    path : tuple of Step
        Of Traced and static values.
    array : ndarray
        An example of the array.
    made : Node or Phi or Loop
        What gives the array.
    place : Place

    Returns
    -------
    path : tuple of Step
    layout : {"C", "F"} or None
        The layout that an array must have if the steps are to give a view; None: any.

    Raises
    ------
    Unsupported
        If the layout of the array tells too little.
    """
    found, matters, raw = [], False, array
    known = own = _layout_of(made)
    for step in path:
        if step.target in _ORDERED:
            args, kwargs = _in_plain_order(step, raw.shape, known, place)
            step = Step(step.target, args, kwargs)
        fresh = applied(step, raw)
        if step.target in _RESHAPING:
            matters |= _joins(raw.shape, fresh.shape)
        else:
            matters |= step.target not in _ANYWHERE
        found.append(step)
        raw = fresh
        # The example of an array that is contiguous in no way may have other strides.
        known = None if own is None or type(raw) is not np.ndarray else _layout(raw)
    if matters and own is None:
        raise Unsupported("a write through a view that other strides would make a copy", place)
    return tuple(found), own if matters else None


def laid_out(writer, g, layout):
    """A cotangent or tangent in an array of its own that has a layout.

    Parameters
    ----------
    writer : Writer
    g : Traced
        An array of the writer's own.
    layout : {"C", "F"} or None
        None: as it is.

    Returns
    -------
    Traced
    """
    if layout is None or writer.layouts.get(g.ref.id) == layout:
        return g
    node = writer.node_of(g)
    # Only as long as nothing has been written: what fills zeros may stand in their place later.
    if node is None or node.target is not np.zeros_like or _layout(g.raw) != layout:
        g = writer.apply(Method("copy"), (g, layout))
    writer.layouts[g.ref.id] = layout
    return g


def applied(step, raw):
    """A step taken on an example."""
    args = tuple([raw if x is HOLE else raw_of(x) for x in step.args])
    if type(step.target) is Method:
        found = getattr(args[0], step.target.name)
        return found(*args[1:], **raw_of(step.kwargs)) if callable(found) else found
    return step.target(*args, **raw_of(step.kwargs))


def _in_plain_order(call, shape, layout, place):
    """The arguments of a node or step of `_ORDERED`, with the order for an array's layout."""
    position = _ORDERED[call.target]
    args, kwargs = call.args, call.kwargs
    order = kwargs.get("order", args[position] if position and len(args) > position else None)
    if type(order) is not str or order in "CF":
        return args, kwargs
    if order in "cf":
        plain = order.upper()
    elif order in "aA" and layout is None:
        plain = None
    elif sum(n != 1 for n in shape) < 2 or order in "aA":
        plain = "F" if layout == "F" else "C"
    else:
        plain = layout
    if plain is None:
        raise Unsupported(f"the order {order!r} of an array that is not contiguous", place)
    if "order" in kwargs:
        return args, {**kwargs, "order": plain}
    return (*args[:position], plain, *args[position + 1:]), kwargs


def _joins(shape, new):
    """Whether a reshape makes one axis of several."""
    rest = [n for n in new if n != 1]
    if 0 in shape:
        return False
    for n in shape:
        product = 1
        while product < n and rest:
            product *= rest.pop(0)
        if product != n:
            return True
    return False


def _layout(array):
    flags = array.flags
    return "C" if flags.c_contiguous else "F" if flags.f_contiguous else None


def _layout_of(made):
    """The layout of what a node, phi or loop (its item) gives; None if it is not contiguous."""
    aval = made.item_aval if type(made) is Loop else made.aval
    if aval is None or aval.kind != "array" or aval.layout == "A":
        return None
    return aval.layout
