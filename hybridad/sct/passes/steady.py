"""Which shapes hold in every run, and which only held in the one that was recorded.

The signature fixes the shapes of the arguments; where a slice is bounded by an integer of the run
(``x[:i]``) or a mask selects, what the recorded run saw is an example. Passes that look at shapes
ask here first.
"""

import operator
from collections import defaultdict

import numpy as np

from hybridad.sct.passes.facts import is_elementwise
from hybridad.sct.passes.walk import uses, walk
from hybridad.trace.ir import Leave, Loop, Next, Node, Ref, refs_of

__all__ = ["unsteady_ids"]

_SELECTING = {np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.extract, np.compress,
              np.delete, np.repeat, np.bincount, np.where}
_INTEGER = ("int", "bool")


def unsteady_ids(block, survey):
    """The ids of arrays whose shape may be another one in another run.

    Parameters
    ----------
    block : Block
    survey : Survey
        Of `block`.

    Returns
    -------
    set of int
    """
    unsteady = [x.id for x in survey.made_by.values()
                if type(x) is Node and x.op == "apply" and _begins(x, survey)]
    followers = _followers(block) if unsteady else {}
    found = set()
    while unsteady:
        id = unsteady.pop()
        if id not in found:
            found.add(id)
            unsteady += followers.get(id, ())
    return found


def _followers(block):
    """Id of a value -> ids of the values whose shape follows from its shape."""
    followers = defaultdict(list)
    for x, loop in walk(block):
        kind = type(x)
        if kind is Node:
            if x.aval is None or x.aval.shape or x.aval.kind == "object":
                for id in uses(x):
                    followers[id].append(x.id)
        elif kind is Loop:
            for phi in x.phis:
                followers[phi.id].append(phi.out)
                for ref in refs_of(phi.init):
                    followers[ref.id].append(phi.id)
            if x.item is not None:
                for ref in refs_of(x.spec):
                    followers[ref.id].append(x.item)
        elif kind in (Next, Leave):
            for phi, value in zip(loop.phis, x.values):
                for ref in refs_of(value):
                    followers[ref.id].append(phi.id)
    return followers


def _begins(node, survey):
    """Whether a shape is decided here by a value."""
    target, args = node.target, node.args
    if type(target) is np.ufunc:
        return False
    if target is operator.getitem:
        parts = args[1] if type(args[1]) is tuple else (args[1],)
        return any(_is_open(part, survey) for part in parts)
    if is_elementwise(target) and not (target is np.where and len(args) == 1):
        return False
    if target in _SELECTING:
        return True
    if node.aval is None or not node.aval.shape:
        return False
    return any(_is_integer(survey.aval(Ref(id))) for id in uses(node))


def _is_open(part, survey):
    """Whether a part of an index decides how long the result is."""
    if type(part) is slice:
        return any(True for _ in refs_of(part))
    if type(part) is Ref:
        aval = survey.aval(part)
        return aval is None or aval.kind == "object" or (
            aval.kind == "array" and aval.dtype[1:2] == "b")
    return False


def _is_integer(aval):
    """Whether a value may be a length."""
    if aval is None:
        return True
    if aval.kind == "number":
        return aval.dtype in _INTEGER or aval.dtype[1:2] in "iu"
    return aval.kind == "object"
