"""Dead code: what nobody needs goes, if nobody can tell that it has gone.

A forward operation goes only if it can neither raise nor warn (`facts.is_quiet`); an adjoint or
tangent operation whenever it is unused. Loops lose phis that only feed themselves; a mirror that
computes nothing that is used goes as a whole.
"""

from hybridad.sct.passes.facts import is_quiet
from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter, used_by_end, uses, walk
from hybridad.trace.ir import Branch, Leave, Loop, Next, Node, Return, refs_of, replace

__all__ = ["remove_dead"]


def remove_dead(block, survey=None):
    """A tree without what is not needed.

    Parameters
    ----------
    block : Block
    survey : Survey, optional
        Of `block`, if it has been made already.

    Returns
    -------
    Block
    """
    return _Sweep(_Needs(block, survey).live()).run(block)


class _Needs:
    """The graph of who needs whom, and where needs begin."""

    def __init__(self, block, survey):
        self.survey = Survey(block) if survey is None else survey
        self.needs, self.roots = {}, []
        self._branching = set()
        for x, loop in walk(block):
            kind = type(x)
            if kind is Node:
                self._node(x, loop)
            elif kind is Loop:
                self._loop(x, loop)
            elif kind is Branch:
                if loop is None:
                    self.roots.append(x.test.id)
                else:
                    self.needs[loop.id].append(x.test.id)
                    self._branching.add(loop.id)
            elif kind in (Next, Leave):
                if kind is Leave:
                    self._branching.add(loop.id)
                for phi, value in zip(loop.phis, x.values):
                    self.needs[phi.id] += [ref.id for ref in refs_of(value)]
            elif kind is Return:
                self.roots += used_by_end(x)
        for loop in self.survey.loops.values():
            if loop.kind != "mirror" and not self._may_vanish(loop):
                self.roots.append(loop.id)

    def live(self):
        """The ids that are needed."""
        live, todo, needs = set(), self.roots, self.needs
        while todo:
            id = todo.pop()
            if id not in live:
                live.add(id)
                todo += needs.get(id, ())
        return live

    def _node(self, node, loop):
        needs = uses(node)
        if loop is not None:
            needs.append(loop.id)
        self.needs[node.id] = needs
        if self._stays(node):
            self.roots.append(node.id)

    def _stays(self, node):
        op = node.op
        if node.part != "forward":
            return op not in ("apply", "const", "seed", "write")
        if op == "apply":
            return not is_quiet(node, self.survey.aval)
        if op == "write":
            return self.survey.is_exposed(node.id) or not is_quiet(node, self.survey.aval)
        if op == "read":
            return node.target != "function"
        if op == "build":
            return node.target not in (list, tuple)
        return op not in ("const", "seed")

    def _loop(self, loop, around):
        needs = [ref.id for ref in refs_of(loop.spec)]
        if loop.of is not None:
            needs.append(loop.of)
        if around is not None:
            needs.append(around.id)
        self.needs[loop.id] = needs
        if loop.item is not None:
            self.needs[loop.item] = [loop.id]
        for phi in loop.phis:
            self.needs[phi.id] = [loop.id, *[ref.id for ref in refs_of(phi.init)]]
            self.needs[phi.out] = [phi.id]

    def _may_vanish(self, loop):
        """Whether a loop surely ends, and nothing but what its body computes comes of it."""
        if loop.id in self._branching:
            return False
        if loop.kind == "items":
            return True
        return loop.kind == "range" and type(loop.spec[2]) is int and loop.spec[2] != 0


class _Sweep(Rewriter):
    """Leaves out what is not live."""

    def __init__(self, live):
        super().__init__()
        self.live = live
        self._kept = []  # of each loop around: which of its phis stay, None for all

    def node(self, node, out):
        if node.id in self.live:
            out.append(node)

    def enter_loop(self, loop, out):
        kept = [phi.id in self.live for phi in loop.phis]
        self._kept.append(None if all(kept) else kept)

    def leave_loop(self, loop, out):
        kept = self._kept.pop()
        if loop.id in self.live:
            out.append(loop if kept is None else replace(loop, phis=_chosen(loop.phis, kept)))

    def leaf(self, end):
        if type(end) is Return or self._kept[-1] is None:
            return end
        return replace(end, values=_chosen(end.values, self._kept[-1]))


def _chosen(items, kept):
    return tuple([x for x, keep in zip(items, kept) if keep])
