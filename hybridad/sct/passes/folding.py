"""Constant folding: what is computed of static values alone is computed once, now.

Folded is what `facts.is_deterministic` lists, if nobody writes into the result and no other code
sees it, and if computing it neither raises nor warns (none of these functions warns in Python).
"""

import numpy as np

from hybridad.sct.passes.facts import is_deterministic
from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter, uses
from hybridad.trace.ir import map_refs, replace

__all__ = ["fold_constants"]

_LARGEST = 1 << 20  # bytes: a larger array is made anew rather than kept for ever


def fold_constants(block, survey=None):
    """A tree in which operations on static values are "const".

    Parameters
    ----------
    block : Block
    survey : Survey, optional
        Of `block`, if it has been made already.

    Returns
    -------
    Block
    """
    return _Folding(Survey(block) if survey is None else survey).run(block)


class _Folding(Rewriter):
    """Knows the constants so far."""

    def __init__(self, survey):
        super().__init__()
        self.survey = survey
        self.constants = {}

    def node(self, node, out):
        if node.op == "const":
            self.constants[node.id] = node.args[0]
        elif node.op == "apply":
            used = uses(node)
            if all(id in self.constants for id in used) and self._may_be_kept(node):
                node = self._folded(node)
        out.append(node)

    def _may_be_kept(self, node):
        survey = self.survey
        if not is_deterministic(node.target):
            return False
        if node.aval is None or node.aval.kind == "object":
            return False
        return node.aval.kind == "number" or (survey.is_free(node.id) and not (
            survey.is_returned(node.id)))

    def _folded(self, node):
        args, kwargs = map_refs(self._value, (node.args, node.kwargs))
        with np.errstate(all="raise"):
            try:
                value = _called(node.target, args, kwargs)
            except Exception:
                return node  # it raises or warns when it runs, as it should
        if isinstance(value, np.ndarray) != (node.aval.kind == "array"):
            return node
        if isinstance(value, np.ndarray) and (value.nbytes > _LARGEST or value.dtype.hasobject):
            return node
        self.constants[node.id] = value
        return replace(node, op="const", target=None, args=(value,), kwargs={}, example=value)

    def _value(self, ref):
        return self.constants[ref.id]


def _called(target, args, kwargs):
    if callable(target):
        return target(*args, **kwargs)
    found = getattr(args[0], target.name)
    return found(*args[1:], **kwargs) if callable(found) else found
