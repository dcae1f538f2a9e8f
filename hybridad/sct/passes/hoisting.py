"""Hoisting: what a loop computes anew each time, though it is the same each time, moves before it.

A forward operation moves only if it can neither raise nor warn, an adjoint operation if its kind
works for any values, for the loop may not run at all. Nothing moves whose memory is written into,
carried to the next iteration or seen by other code.

What is read from outside, and what must hold of it, moves before a loop that changes nothing
outside: at worst the code gives up where it need not. The adjoint's look at an element moves before
a loop that is known to run.
"""

import operator

from hybridad.sct.passes.facts import SYMBOLS, is_creation, is_quiet, is_total
from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter, uses
from hybridad.trace.ir import Loop
from hybridad.trace.rewriting import parts_of

__all__ = ["hoist_invariants"]


def hoist_invariants(block, survey=None):
    """A tree whose loops compute nothing that does not change.

    Parameters
    ----------
    block : Block
    survey : Survey, optional
        Of `block`, if it has been made already.

    Returns
    -------
    Block
    """
    survey = Survey(block) if survey is None else survey
    return _Hoisting(survey).run(block) if survey.loops else block


_NAMES = ("global", "cell", "default", "attribute")
_CHANGING = ("effect", "foreign", "build")
_PYTHONS = ("float", "complex", "int", "bool")


class _Hoisting(Rewriter):
    """Puts what is invariant in a loop into the list of what stands before it."""

    def __init__(self, survey):
        super().__init__()
        self.survey = survey
        self.home = dict(survey.home)
        self._before = []  # pairs: a loop around, the list in which it will stand
        self._effects = {}  # id of a loop -> whether it has any
        self._depth = []  # of branches in each loop around

    def enter_loop(self, loop, out):
        self._before.append((loop, out))
        self._depth.append(0)

    def leave_loop(self, loop, out):
        self._before.pop()
        self._depth.pop()
        out.append(loop)

    def enter_side(self, branch, outcome):
        if self._depth:
            self._depth[-1] += 1

    def leave_side(self, branch, outcome):
        if self._depth:
            self._depth[-1] -= 1

    def node(self, node, out):
        place = out
        if self._before and node.op in ("apply", "const", "read", "check") and self._may_move(node):
            used = uses(node)
            for (loop, before), depth in zip(reversed(self._before), reversed(self._depth)):
                if node.op in ("read", "check") and self._has_effects(loop):
                    break
                if depth and node.part == "forward":
                    break  # on one side only: it may be there for the other side's sake
                if any(self._varies(id, loop) for id in used):
                    break
                if node.target is operator.getitem and (depth or not self._runs(loop)):
                    break
                place = before
                self.home[node.id] = self.survey.parents[loop.id]
        place.append(node)

    def _may_move(self, node):
        if node.op in ("const", "check"):
            return True
        if node.op == "read":
            return node.target in _NAMES
        survey = self.survey
        if node.aval is None or node.aval.kind == "object" or is_creation(node.target):
            return False
        if node.aval.kind == "array" and not survey.is_free(node.id):
            return False
        if node.part == "forward":
            return is_quiet(node, survey.aval)
        if node.aval.dtype in _PYTHONS and SYMBOLS.get(node.target) not in ("+", "-", "*", "neg"):
            return False  # 1.0 / 0.0 raises
        return is_total(node.target) or (
            node.target is operator.getitem and node.aval.kind == "number")

    def _runs(self, loop):
        """Whether a loop has an iteration, whatever the run."""
        family = loop if loop.of is None else self.survey.loops[loop.of]
        return family.kind == "range" and all(type(x) is int for x in family.spec) and len(
            range(*family.spec)) > 0

    def _has_effects(self, loop):
        """Whether something outside may change while a loop runs."""
        found = self._effects.get(loop.id)
        if found is None:
            found = self._effects[loop.id] = any(
                self._has_effects(node) if type(node) is Loop else node.op in _CHANGING
                for part in parts_of(loop.body) for node in part.nodes)
        return found

    def _varies(self, id, loop):
        """Whether a value is computed in the iterations of `loop` or of its family."""
        inside = self.home[id]
        while inside is not None:
            if inside == loop.id or inside == loop.of or self._family(inside) == loop.of:
                return True
            inside = self.survey.parents[inside]
        return False

    def _family(self, id):
        of = self.survey.loops[id].of
        return id if of is None else of
