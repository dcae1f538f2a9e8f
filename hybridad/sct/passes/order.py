"""The order of the passes, and which a tree has no need of."""

from hybridad.sct.passes.algebra import simplify
from hybridad.sct.passes.contractions import lower_contractions
from hybridad.sct.passes.dead import remove_dead
from hybridad.sct.passes.distinct import assign_where_distinct
from hybridad.sct.passes.folding import fold_constants
from hybridad.sct.passes.hoisting import hoist_invariants
from hybridad.sct.passes.in_place import accumulate_in_place
from hybridad.sct.passes.phis import remove_constant_phis
from hybridad.sct.passes.restoring import leave_in_place
from hybridad.sct.passes.scatter import gather_scatters
from hybridad.sct.passes.subexpressions import merge_subexpressions
from hybridad.sct.passes.survey import Survey

__all__ = ["PASSES", "run"]

PASSES = (
    (leave_in_place, lambda survey: survey.parts and "write" in survey.operations),
    (remove_constant_phis, lambda survey: survey.loops),
    (fold_constants, lambda survey: survey.static),
    (merge_subexpressions, lambda survey: not survey.parts),
    (simplify, lambda survey: survey.parts),
    (gather_scatters, lambda survey: "write" in survey.operations),
    (lower_contractions, lambda survey: survey.parts),
    (remove_dead, lambda survey: True),
    (hoist_invariants, lambda survey: survey.loops),
    (accumulate_in_place, lambda survey: survey.parts),
    (assign_where_distinct, lambda survey: survey.loops and survey.parts),
)
"""The passes, each with what tells from a `Survey` whether it may find anything to do."""


def run(block):
    """Clean up a tree: all passes, in order.

    Parameters
    ----------
    block : Block
        A whole trace, with its adjoint or tangents.

    Returns
    -------
    Block
    """
    survey = Survey(block)
    for clean, has_work in PASSES:
        if has_work(survey):
            cleaned = clean(block, survey)
            if cleaned is not block:
                block, survey = cleaned, Survey(cleaned)
    return block
