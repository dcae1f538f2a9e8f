"""Algebraic clean-up of adjoint and tangent operations; forward operations stay as they are.

``x * 1.0``, ``x + 0``, double negations, transposes that cancel, reshapes of reshapes, broadcasts
whose consumers broadcast anyway. Known to be one number everywhere, and folded, are the seed and
what is made of it by arithmetic and `np.broadcast_to`: the adjoint of ``np.sum(r * r)`` is
``2.0 * r``. Apart from the signs of zeros nothing is rounded another way than before, but for sums
of equal numbers, which become one product.

The rules themselves are in `arithmetic` and `rearrangements`. What has become equal to something
computed before is merged on the way (`subexpressions`): so ``g * r + g * r`` is seen to be
``2.0 * (g * r)``.
"""

from hybridad.sct.passes.arithmetic import ARITHMETIC
from hybridad.sct.passes.broadcasts import without_broadcasts
from hybridad.sct.passes.facts import SYMBOLS, is_elementwise, is_view
from hybridad.sct.passes.known import Known
from hybridad.sct.passes.rearrangements import REARRANGEMENTS
from hybridad.sct.passes.subexpressions import Merging
from hybridad.sct.passes.survey import Survey
from hybridad.trace.ir import Loop, Method, Ref

__all__ = ["simplify"]

_MOST_RULES = 20  # at one operation; each makes it simpler, so that this is never met


def simplify(block, survey=None):
    """A tree whose adjoint operations are as simple as algebra makes them, and done once.

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
    return _Simplifying(survey, survey.unsteady).run(block)


class _Simplifying(Merging):
    """Applies the rules to each operation until none fits."""

    def __init__(self, survey, unsteady):
        super().__init__(survey)
        self.known = Known(survey, unsteady, self.alias)

    def node(self, node, out):
        known = self.known
        if node.part != "forward" and node.op == "apply" and node.aval is not None:
            node = self._simplified(node, out)
            if node is None:
                return
        known.take(node)
        super().node(node, out)

    def _simplified(self, node, out):
        """An operation in place of `node`; None if another value stands for its result."""
        known, old = self.known, node
        for _ in range(_MOST_RULES):
            constant = known.constant(node)
            if constant is not None:
                node = constant
                break
            simpler = _simpler(node, known)
            out += known.new_nodes()
            if type(simpler) is Ref:
                if self._stand_for(simpler, node):
                    known.survey.change(old, None)
                    return None
                break
            if simpler is None:
                break
            node = simpler
        if node is not old:
            known.survey.change(old, node)
        return node

    def _stand_for(self, ref, node):
        survey = self.known.survey
        maker = survey.made_by[ref.id]
        memory = maker.item_memory if type(maker) is Loop else maker.memory
        if node.aval.kind == "array" and memory != node.memory and (
                is_view(node) or not survey.is_free(node.id)):
            return False
        self.stand_for(ref.id, memory, node)
        return True

    def stand_for(self, id, memory, node):
        """The same as ever; who used `node` uses the other value now."""
        super().stand_for(id, memory, node)
        counts = self.known.survey.counts
        counts[id] = counts.get(id, 0) + counts.get(node.id, 0)


def _simpler(node, known):
    """What the first rule that fits makes of an operation, or None."""
    symbol = SYMBOLS.get(node.target)
    if symbol is not None:
        rule = None if node.kwargs else ARITHMETIC[symbol]
    else:
        target = node.target
        rule = REARRANGEMENTS.get(target.name if type(target) is Method else target)
    simpler = None if rule is None else rule(node, known)
    if simpler is None and is_elementwise(node.target) and not node.kwargs:
        return without_broadcasts(node, known)
    return simpler
