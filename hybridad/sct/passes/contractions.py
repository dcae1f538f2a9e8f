"""Adjoint contractions by `np.tensordot` and `np.einsum` that are one matrix product become one.

``np.tensordot(g, b, ([1], [1]))`` of matrices is ``g @ b.T``. `np.einsum` of two operands is a
product of matrices, of stacks of matrices, or a `np.tensordot`, by which letters it sums over.
"""

import operator

import numpy as np

from hybridad.sct.passes.subexpressions import merge_subexpressions
from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter
from hybridad.trace.ir import Aval, Method, Ref, replace

__all__ = ["lower_contractions"]


def lower_contractions(block, survey=None):
    """A tree whose adjoint contractions are products of matrices where that is the same.

    Parameters
    ----------
    block : Block
    survey : Survey, optional
        Of `block`, if it has been made already. It is used up.

    Returns
    -------
    Block
    """
    survey = Survey(block) if survey is None else survey
    if not {np.einsum, np.tensordot} & survey.operations:
        return block
    lowered = _Lowering(survey).run(block)
    # A transpose may be there already.
    return block if lowered is block else merge_subexpressions(lowered)


class _Lowering(Rewriter):
    """Writes each contraction as a product of transposes."""

    def __init__(self, survey):
        super().__init__()
        self.survey = survey

    def node(self, node, out):
        if node.part != "forward" and node.op == "apply" and node.aval is not None:
            if node.target is np.tensordot:
                self._tensordot(node, out)
                return
            if node.target is np.einsum:
                self._einsum(node, out)
                return
        out.append(node)

    # ---- tensordot

    def _tensordot(self, node, out):
        sums = _summed(node, self._shapes(node.args[:2]))
        if sums is None or self._product(node, *node.args[:2], *sums, out) is None:
            out.append(node)

    def _product(self, node, a, b, of_a, of_b, out):
        """``a @ b`` of matrices or vectors that are summed over one axis; None if it is none."""
        shapes = self._shapes((a, b))
        if len(of_a) != 1 or max(map(len, shapes)) > 2 or node.aval.kind != "array":
            return None
        if len(shapes[0]) == len(shapes[1]) == 1:
            return None  # `tensordot` gives an array without axes, `@` a number
        a = a if of_a[0] == len(shapes[0]) - 1 else self._transposed(a, node, out)
        b = b if of_b[0] == 0 else self._transposed(b, node, out)
        out.append(replace(node, target=operator.matmul, args=(a, b), kwargs={}))
        return node

    def _shapes(self, operands):
        avals = [self.survey.aval(x) for x in operands]
        if any(aval is None or aval.kind != "array" or aval.dtype[1:2] not in ("f", "c")
               for aval in avals):
            return None
        return [aval.shape for aval in avals]

    def _transposed(self, x, node, out):
        return self._added(node, x, Method("T"), (x,), self.survey.aval(x).shape[::-1], out)

    def _added(self, node, x, target, args, shape, out):
        """A use of a new view of `x`."""
        survey = self.survey
        aval = Aval("array", survey.aval(x).dtype, shape, "A")
        made = replace(node, id=survey.next_id, target=target, args=args, kwargs={}, aval=aval,
                       memory=survey.made_by[x.id].memory, name=None, example=None)
        survey.add(made, node.id)
        out.append(made)
        return Ref(made.id)

    # ---- einsum

    def _einsum(self, node, out):
        operands = node.args[1:]
        shapes = self._shapes(operands)
        terms = None if shapes is None else _terms(node.args[0], shapes)
        if terms is None or node.kwargs.keys() - {"optimize"} or self.survey.is_written(node.id):
            out.append(node)
            return
        (s, t), result = terms
        summed = [c for c in s if c in t and c not in result]
        stacked = "".join([c for c in result if c in s and c in t])
        if not summed:
            out.append(node)
        elif not stacked:
            self._flat(node, operands, s, t, result, summed, out)
        elif len(summed) == 1 and not self._stacks(node, operands, s, t, result, stacked, out):
            out.append(node)
        elif len(summed) != 1:
            out.append(node)

    def _flat(self, node, operands, s, t, result, summed, out):
        """No letter is common to both operands and the result: a product, or a `tensordot`."""
        free = [c for c in s if c not in summed], [c for c in t if c not in summed]
        (a, b), order = operands, "".join(free[0] + free[1])
        if len(s) <= 2 and len(t) <= 2 and order != result:
            # (a @ b).T is b.T @ a.T.
            (a, b), (s, t), order = (b, a), (t, s), "".join(free[1] + free[0])
        of_a, of_b = [s.index(c) for c in summed], [t.index(c) for c in summed]
        if order == result and self._product(node, a, b, of_a, of_b, out) is not None:
            return
        if max(len(s), len(t)) < 3 or not result:
            out.append(node)
            return
        axes = (tuple(of_a), tuple(of_b))
        if order == result:
            out.append(replace(node, target=np.tensordot, args=(a, b, axes), kwargs={}))
            return
        survey, sizes = self.survey, dict(zip(result, node.aval.shape))
        shape = tuple([sizes[c] for c in order])
        made = replace(node, id=survey.next_id, target=np.tensordot, args=(a, b, axes), kwargs={},
                       aval=replace(node.aval, shape=shape), name=None, example=None)
        survey.add(made, node.id)
        turned = tuple([order.index(c) for c in result])
        out += (made, replace(node, target=np.transpose, args=(Ref(made.id), turned), kwargs={}))

    def _stacks(self, node, operands, s, t, result, stacked, out):
        """Products of matrices in stacks, whose letters come first in all terms."""
        n = len(stacked)
        rows, columns = result[n:n + 1], result[n + 1:]
        if not (s[:n] == t[:n] == result[:n] == stacked and len(s) == len(t) == n + 2
                and len(result) == n + 2):
            return False
        a, b = operands
        if rows not in s:
            (a, b), (s, t) = (b, a), (t, s)
        if rows not in s or columns not in t:
            return False
        a = a if s[n] == rows else self._swapped(a, node, out)
        b = b if t[-1] == columns else self._swapped(b, node, out)
        out.append(replace(node, target=operator.matmul, args=(a, b), kwargs={}))
        return True

    def _swapped(self, x, node, out):
        *lead, rows, columns = self.survey.aval(x).shape
        return self._added(node, x, np.swapaxes, (x, -1, -2), (*lead, columns, rows), out)


def _summed(node, shapes):
    """The axes that a `tensordot` sums over, as two lists of nonnegative numbers."""
    if shapes is None or node.kwargs.keys() - {"axes"}:
        return None
    axes = node.args[2] if len(node.args) == 3 else node.kwargs.get("axes", 2)
    n, m = map(len, shapes)
    if type(axes) is int:
        return list(range(n - axes, n)), list(range(axes))
    of_a, of_b = [x if type(x) in (tuple, list) else [x] for x in axes]
    if not all(type(k) is int for k in (*of_a, *of_b)):
        return None
    return [k % n for k in of_a], [k % m for k in of_b]


def _terms(subscripts, shapes):
    """``("ij", "jk"), "ik"`` of subscripts that name each axis once and sum no axis alone."""
    if type(subscripts) is not str or len(shapes) != 2:
        return None
    inputs, arrow, result = subscripts.replace(" ", "").partition("->")
    s, comma, t = inputs.partition(",")
    if not arrow or not comma or "." in subscripts or "," in t:
        return None
    if len(set(s)) != len(s) or len(set(t)) != len(t):
        return None
    alone = (set(s) ^ set(t)) - set(result)
    if alone or len(s) != len(shapes[0]) or len(t) != len(shapes[1]):
        return None
    # An axis of length 1 broadcasts in `einsum`, but not in a product.
    sizes = dict(zip(s, shapes[0]))
    if any(sizes.get(c, n) != n for c, n in zip(t, shapes[1])):
        return None
    return (s, t), result
