"""Common subexpressions: what has been computed is not computed again, across forward and adjoint.

Only pure operations on the same values merge, along one path, and only where nobody can tell: not
where memory is written into or seen by other code, not what creates memory for its own sake
(`np.zeros`, `np.copy`), and a forward operation only if it can neither raise nor warn. A mirror of
a loop finds what the same iteration of its family has computed.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from hybridad.sct.passes.facts import SYMBOLS, is_creation, is_quiet, is_view
from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter
from hybridad.trace.ir import HOLE, Branch, Loop, Ref, Step

__all__ = ["Merging", "merge_subexpressions"]


def merge_subexpressions(block, survey=None):
    """A tree in which nothing is computed twice along a path.

    Parameters
    ----------
    block : Block
    survey : Survey, optional
        Of `block`, if it has been made already.

    Returns
    -------
    Block
    """
    return Merging(Survey(block) if survey is None else survey).run(block)


_ABSENT = object()
_SIMPLE = (int, float, bool, str, type(None), complex, type(Ellipsis), np.float64, np.dtype, type)


def _key(x):
    """Something hashable that is equal for static values only if nobody can tell them apart."""
    kind = type(x)
    if kind is Ref:
        return x.id  # no static value is a plain integer here
    if kind is tuple or kind is list:
        return kind, tuple([_key(item) for item in x])
    if kind is float or kind is np.float64 or kind is complex:
        return kind, x, repr(x)  # 0.0 is not -0.0
    if kind in _SIMPLE:
        return kind, x
    if kind is slice:
        return slice, _key(x.start), _key(x.stop), _key(x.step)
    if kind is dict:
        return dict, tuple([(name, _key(item)) for name, item in x.items()])
    if kind is Step:
        return Step, x.target, _key(x.args), _key(x.kwargs)
    return (HOLE,) if x is HOLE else (kind, id(x))


@dataclass(slots=True)
class _Inside:
    """A loop that is being gone through, where its entries begin, and which leaf it mirrors."""

    loop: Loop
    mark: int
    number: int | None = None


class Merging(Rewriter):
    """Goes along each path with a table of what has been computed on it.

    Parameters
    ----------
    survey : Survey
        Of the tree as it was.
    """

    def __init__(self, survey):
        super().__init__()
        self.survey = survey
        self._table = {}
        self._undo = []  # (key, what stood there before), for leaving a side or a loop
        self._marks = []
        self._paths = defaultdict(dict)  # loop -> number of a leaf -> its entries
        self._around = []  # the loops we are in, from the outside in
        self._remembered = []  # (family, entries, key) by mirrors, for the same side only
        self._sides = []

    # ---- the operations

    def node(self, node, out):
        if node.op != "apply" or is_creation(node.target) or node.aval is None:
            out.append(node)
            return
        args = tuple([x.id if type(x) is Ref else _key(x) for x in node.args])
        key = (node.target, args, _key(node.kwargs) if node.kwargs else None)
        found = self._find(node, key)
        if found is not None:
            self.stand_for(found.id, found.memory, node)
            return
        self._set(key, node)
        out.append(node)

    def _find(self, node, key):
        found = self._table.get(key)
        if found is None:
            if node.part == "forward" or len(node.args) != 2 or (
                    SYMBOLS.get(node.target) not in ("+", "*")):
                return None
            # IEEE's sums and products commute.
            found = self._table.get((key[0], key[1][::-1], key[2]))
        elif node.part == "forward" and not is_quiet(node, self.survey.aval):
            return None
        return found if found is not None and self._may_stand_for(found, node) else None

    def _may_stand_for(self, found, node):
        if found.aval != node.aval:
            return False
        if node.aval.kind == "number":
            return True
        survey = self.survey
        if is_view(node) and node.memory is not None and node.args and type(node.args[0]) is Ref \
                and survey.memory(node.id) == survey.memory(node.args[0].id):
            return node.part != "forward" or not survey.is_exposed(node.id)
        if not survey.is_free(node.id) or survey.is_written(found.id):
            return False
        if found.part == "forward":
            if node.part == "forward":
                return survey.is_free(found.id)
            return not (survey.is_exposed(found.id) and survey.is_returned(node.id))
        return True

    # ---- the table, which forgets what a side or a loop has added

    def _set(self, key, node):
        self._undo.append((key, self._table.get(key, _ABSENT)))
        self._table[key] = node

    def _enter(self):
        self._marks.append(len(self._undo))

    def _leave(self):
        mark = self._marks.pop()
        table, undo = self._table, self._undo
        while len(undo) > mark:
            key, before = undo.pop()
            if before is _ABSENT:
                del table[key]
            else:
                table[key] = before

    def enter_side(self, branch, outcome):
        self._enter()
        self._sides.append(len(self._remembered))
        if branch.kind == "leaf":
            self._around[-1].number = outcome
            self._recall(branch.test.id, outcome)

    def leave_side(self, branch, outcome):
        self._leave()
        mark = self._sides.pop()
        own = branch.test.id if branch.kind == "leaf" else None  # these name the leaf themselves
        kept = []
        for item in self._remembered[mark:]:
            family, entries, key = item
            if family == own:
                kept.append(item)
            else:
                del entries[key]
        self._remembered[mark:] = kept

    def enter_loop(self, loop, out):
        self._enter()
        inside = _Inside(loop, self._marks[-1])
        self._around.append(inside)
        if loop.kind == "mirror":
            end = loop.body.end
            leaves = self._paths[loop.of]
            if len(leaves) == 1 and not (type(end) is Branch and end.kind == "leaf"):
                inside.number = next(iter(leaves))
                self._recall(loop.of, inside.number)

    def leave_loop(self, loop, out):
        self._around.pop()
        self._leave()
        out.append(loop)

    def leaf(self, end):
        if self._around and getattr(end, "counts", True):
            self._remember(self._around[-1], end)
        return end

    def _remember(self, inside, end):
        """Note for later mirrors what has been computed on the way to this leaf."""
        loop, number = inside.loop, inside.number
        if loop.of is None:
            number = end.number
        entries = self._paths[loop.id if loop.of is None else loop.of].setdefault(number, {})
        for key, _ in self._undo[inside.mark:]:
            if key not in entries:
                entries[key] = self._table[key]
                if loop.of is not None:
                    self._remembered.append((loop.of, entries, key))

    def _recall(self, family, number):
        for key, node in self._paths[family].get(number, {}).items():
            if key not in self._table:
                self._set(key, node)
