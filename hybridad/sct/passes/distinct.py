"""Sums to which each iteration adds in a place of its own: it may assign there instead.

``g_x[i] += g`` in a loop over `i` is ``g_x[i] = g`` if `g_x` was full of zeros before the loop.
"""

import operator

import numpy as np

from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter, used_by_end, uses, walk
from hybridad.trace.ir import HOLE, Loop, Next, Node, Ref, refs_of, replace

__all__ = ["assign_where_distinct"]


def assign_where_distinct(block, survey=None):
    """A tree whose mirrors assign where they would add to zeros.

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
    candidates = {}
    for loop in survey.loops.values():
        family = survey.loops.get(loop.of)
        if family is not None and family.kind == "range":
            candidates.update({phi.id: (loop, k, family) for k, phi in enumerate(loop.phis)
                               if _is_zero(phi.init, loop, survey)})
    if not candidates:
        return block
    found, bad, last = {}, set(), set()
    for x, _ in walk(block):
        _look(x, candidates, survey, found, bad)
        if type(x) is Next:
            last.update([value.id for value in x.values if type(value) is Ref])
    # Nothing else is added in an iteration, perhaps in the place of another one.
    ends = {id for id in found if id not in bad and last.issuperset(found[id])}
    plain = {write for id in ends for write in found[id]}
    return _Assigning(plain).run(block) if plain else block


def _is_zero(init, loop, survey):
    """Whether a phi begins with zeros that nobody else has."""
    node = survey.made_by.get(init.id) if type(init) is Ref else None
    return (type(node) is Node and node.op == "apply" and node.target in (np.zeros_like, np.zeros)
            and survey.counts[node.id] == 1 and survey.home[node.id] == survey.home[loop.id])


def _look(x, candidates, survey, found, bad):
    """Note what is done with the candidates: `bad` are those with which it is something else."""
    if type(x) is Next:
        for k, value in enumerate(x.values):
            for ref in refs_of(value):
                if ref.id in candidates and candidates[ref.id][1] != k:
                    bad.add(ref.id)
        return
    if type(x) is Loop:
        used = [ref.id for ref in refs_of((x.spec, [phi.init for phi in x.phis]))]
    else:
        used = uses(x) if type(x) is Node else used_by_end(x)
    for id in used:
        if id not in candidates or id in bad:
            continue
        loop, k, family = candidates[id]
        if type(x) is Node and used.count(id) == 1 and _is_own_place(x, id, loop, family, survey):
            found.setdefault(id, []).append(x.id)
        else:
            bad.add(id)


def _is_own_place(write, id, loop, family, survey):
    """Whether a write adds where no other iteration does, and the end of the iteration follows."""
    if (write.op != "write" or write.part == "forward" or write.target is not operator.iadd
            or write.args[0] != Ref(id) or len(write.args) != 3 or not write.args[1]
            or survey.counts.get(write.id) != 1 or survey.home[write.id] != loop.id):
        return False
    step = write.args[1][-1]
    if step.target is not operator.getitem or step.args[0] is not HOLE or len(write.args[1]) > 1:
        return False
    index = step.args[1]
    return any(_is_distinct(part, family, survey)
               for part in (index if type(index) is tuple else (index,)))


def _is_distinct(part, family, survey):
    """Whether an int index is another place in each iteration of a loop over a range."""
    start, stop, step = family.spec
    if type(part) is not Ref or type(step) is not int:
        return False
    # No negative ones beside others: they count from the end.
    low = start if step > 0 else stop + 1 if type(stop) is int else None
    if type(low) is not int or low < 0:
        return False
    if part.id == family.item:
        return True
    node = survey.made_by.get(part.id)
    if type(node) is not Node or node.op != "apply" or len(node.args) != 2:
        return False
    a, b = node.args
    item = Ref(family.item)
    if node.target is operator.add and item in (a, b):
        other = b if a == item else a
        return type(other) is int and low + other >= 0
    if node.target is not operator.sub:
        return False
    if a == item:
        return type(b) is int and low - b >= 0
    return b == item and type(a) is int and a - low < 0


class _Assigning(Rewriter):
    """Writes ``a[i] = v`` for ``a[i] += v``."""

    def __init__(self, plain):
        super().__init__()
        self.plain = plain

    def node(self, node, out):
        if node.id in self.plain:
            array, path, value = node.args
            node = replace(node, target=operator.setitem,
                           args=(array, path[:-1], path[-1].args[1], value))
        out.append(node)
