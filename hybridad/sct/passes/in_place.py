"""Accumulation in place: ``g = g + h`` is ``g += h`` where nobody will ask for the old `g`.

That is so where `g` lies in memory that an adjoint operation of the program has made, in the same
iteration, and no value in that memory is used later. The sums that loops carry (`accumulators`) get
memory of their own before the loop, if they have none.
"""

import operator

import numpy as np

from hybridad.sct.passes.accumulators import carried_sums
from hybridad.sct.passes.facts import SYMBOLS, is_fresh
from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter, used_by_end, uses, walk
from hybridad.trace.ir import Aval, Loop, Node, Ref, refs_of, replace

__all__ = ["accumulate_in_place"]

_IN_PLACE = {"+": operator.iadd, "-": operator.isub}


def accumulate_in_place(block, survey=None):
    """A tree whose adjoint adds into the memory of sums that are not needed any more.

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
    sums = carried_sums(block, survey) if survey.loops else {}
    return _Accumulating(block, survey, sums).run(block)


class _Accumulating(Rewriter):
    """Decides at each sum, in the order in which they run."""

    def __init__(self, block, survey, sums):
        super().__init__()
        self.survey, self.unsteady, self.sums = survey, survey.unsteady, sums
        self._links = {}  # id of a sum in a loop -> number of the operand that it is added to
        self._copies = {}  # id of a phi -> use of the copy with which it begins
        self._owners, self._last, self._times = {}, {}, {}
        self._groups = {}  # a forest of memories that a phi may pass on under another number
        self._whole = set()  # ids of arrays that are all of a memory that the adjoint has made
        self._look(block)
    def _look(self, block):
        """Find who made each memory, and when it is used last."""
        last, shown, owners = self._last, self.survey.shown, self._owners
        for time, (x, _) in enumerate(walk(block)):
            if type(x) is Node:
                self._times[x.id] = time
                used = uses(x)
                if x.memory is not None:
                    owners.setdefault(x.memory, x)
                    last[x.memory] = time
            elif type(x) is Loop:
                self._times[x.id] = time
                for phi in x.phis:
                    owners.setdefault(phi.memory, phi)
                owners.setdefault(x.item_memory, x)
                used = [ref.id for ref in refs_of((x.spec, [phi.init for phi in x.phis]))]
            else:
                used = used_by_end(x)
            for id in used:
                if id in shown:
                    last[shown[id]] = time

    def _memory(self, id):
        """The number of the memory that a value shows now, or None."""
        memory = self.survey.shown.get(id)
        return self.memories.get(memory, memory)

    def _rename(self, old, new):
        """Let memory `old` be `new` from now on."""
        if old != new:
            self.memories[old] = new
            self._join(new, old)

    def _join(self, a, b):
        """From now on values in memory `a` may be values in memory `b`."""
        a, b = self._group(a), self._group(b)
        if a != b:
            self._groups[b] = a
            self._last[a] = max(self._last.get(a, -1), self._last.get(b, -1))

    def _group(self, memory):
        groups = self._groups
        while memory in groups:
            memory = groups[memory]
        return memory

    def _is_dying(self, id, time, home):
        """Whether a value is an array that the adjoint has made and that is not used later."""
        memory = self._memory(id)
        return (id in self._whole and self.survey.home[self._owners[memory].id] == home
                and self._last[self._group(memory)] <= time and id not in self.unsteady
                and not self.survey.is_exposed(id))

    def _is_own(self, node):
        """Whether an operation makes an array in memory that is the program's."""
        return (node.op == "apply" and node.part != "forward" and node.memory is not None
                and is_fresh(node) and node.aval is not None and node.aval.kind == "array"
                and self._owners[node.memory].id == node.id)

    # ---- sums in a straight line

    def node(self, node, out):
        k = self._links.get(node.id)
        if k is None:
            k = self._operand(node)
        if k is not None:
            node = self._added(node, k)
        if node.args[0].id in self._whole if node.op == "write" else self._is_own(node):
            self._whole.add(node.id)
        out.append(node)

    def _operand(self, node):
        """The number of the operand that a sum may be added to, or None."""
        symbol = SYMBOLS.get(node.target) if node.op == "apply" else None
        if (symbol not in _IN_PLACE or node.part == "forward" or node.kwargs
                or node.aval is None or node.aval.kind != "array" or not node.aval.shape
                or node.id in self.unsteady or node.memory is None):
            return None
        time, home = self._times[node.id], self.survey.home[node.id]
        for k in (0, 1) if symbol == "+" else (0,):
            x = node.args[k]
            if type(x) is Ref and _is_same(self.survey.aval(x), node.aval) and (
                    self._is_dying(x.id, time, home)):
                return k
        return None

    def _added(self, node, k):
        """A sum as a write into its operand `k`."""
        x, other = node.args[k], node.args[1 - k]
        memory = self._memory(x.id)
        self._rename(self._memory(node.id), memory)
        aval = self.survey.aval(x)
        new = replace(node, op="write", target=_IN_PLACE[SYMBOLS[node.target]],
                      args=(x, (), other), kwargs={}, memory=memory,
                      aval=replace(node.aval, layout=aval.layout))
        self.survey.made_by[node.id] = new
        return new

    # ---- sums that loops carry

    def enter_loop(self, loop, out):
        for phi in loop.phis:
            total = self.sums.get(phi.id)
            memory = None if total is None else self._begin(phi, loop, out)
            if memory is not None:
                self._links.update(total.links)
                for inner in total.phis:
                    self._whole.update((inner.id, inner.out))
                    self._rename(self._memory(inner.id), memory)
            elif type(phi.init) is Ref and phi.id not in self._whole:
                self._join(self._memory(phi.init.id), self._memory(phi.id))

    def _begin(self, phi, loop, out):
        """The memory in which a sum begins; None if it has to stay as it is."""
        init = phi.init
        aval = self.survey.aval(init)
        if not _is_same(aval, phi.aval) or None in (self._memory(phi.id), self._memory(init.id)):
            return None
        memory = self._memory(init.id)
        shared = sum(self._memory(ref.id) == memory
                     for ref in refs_of([other.init for other in loop.phis]))
        home = self.survey.home[loop.id]
        time = self._times[loop.id]
        if self._memory(phi.id) == memory and self.survey.counts[init.id] == 1:
            # It is one array already, which is used as the sum alone.
            time = self._last[self._group(memory)]
        if shared == 1 and self._is_dying(init.id, time, home):
            return memory
        if self._memory(phi.id) == memory or loop.once:
            return None
        return self._copied(phi, loop, out)

    def _copied(self, phi, loop, out):
        survey = self.survey
        memory = survey.next_memory
        like = survey.made_by[loop.id]
        copy = Node(id=survey.next_id, op="apply", target=np.copy, args=(phi.init,),
                    aval=Aval("array", phi.aval.dtype, phi.aval.shape, phi.aval.layout),
                    memory=memory, place=loop.place, name=phi.name, part="adjoint",
                    example=phi.example)
        survey.add(copy, like.id)
        self._owners[memory], self._last[memory] = copy, self._times[loop.id]
        out.append(self._renamed_node(copy))
        self._copies[phi.id] = Ref(copy.id)
        self._whole.add(copy.id)
        return memory

    def leave_loop(self, loop, out):
        phis = []
        for phi in loop.phis:
            if phi.id in self._copies:
                phi = replace(phi, init=self._copies[phi.id])
            memory = self._memory(phi.id)
            if memory != phi.memory:
                phi = replace(phi, memory=memory)
            phis.append(phi)
        if any(new is not old for new, old in zip(phis, loop.phis)):
            loop = replace(loop, phis=tuple(phis))
        out.append(loop)


def _is_same(a, b):
    return a is not None and b is not None and (
        (a.kind, a.dtype, a.shape) == (b.kind, b.dtype, b.shape))
