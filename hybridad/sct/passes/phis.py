"""Phis that always carry the value they began with stand for nothing: it takes their place."""

from hybridad.sct.passes.walk import Rewriter, walk
from hybridad.trace.ir import Leave, Loop, Next, Ref, Return, replace

__all__ = ["remove_constant_phis"]


def remove_constant_phis(block, survey=None):
    """A tree in which no phi is just ``phi = phi``.

    Only phis that begin with an earlier value or with a plain number go, as the cotangent of a sum
    does; one that begins with nothing (`HOLE`) stays.

    Parameters
    ----------
    block : Block
    survey : Survey, optional
        Of `block`; not needed.

    Returns
    -------
    Block
    """
    while True:  # one that goes may have been what made another one look as if it changed
        changing, constant = set(), False
        for x, loop in walk(block):
            if type(x) in (Next, Leave):
                changing.update([phi.id for phi, value in zip(loop.phis, x.values)
                                 if not _stays(phi, value)])
            elif type(x) is Loop:
                constant = constant or bool(x.phis)
                changing.update([phi.id for phi in x.phis
                                 if type(phi.init) is not Ref and not _is_number(phi)])
        changed = _Removal(changing).run(block) if constant else block
        if changed is block:
            return block
        block = changed


def _stays(phi, value):
    """Whether `value` in the next iteration is what the phi has been all the time."""
    if type(value) is not Ref:
        return _is_number(phi) and type(value) is type(phi.init) and repr(value) == repr(phi.init)
    return value.id == phi.id or (type(phi.init) is Ref and value.id == phi.init.id)


def _is_number(phi):
    """Whether a phi begins with a plain number."""
    return type(phi.init) in (float, complex) and phi.aval is not None and (
        phi.aval.kind == "number")


class _Static:
    """What stands for a phi that is always the same number."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class _Removal(Rewriter):
    """Lets the initial value stand for each phi that is not in `changing`."""

    def __init__(self, changing):
        super().__init__()
        self.changing = changing
        self._kept = []
        self.shown = {}  # id -> memory

    def enter_loop(self, loop, out):
        self._kept.append([phi.id in self.changing for phi in loop.phis])
        for phi in loop.phis:
            if phi.id not in self.changing:
                init = self.renamed(phi.init)
                if type(init) is Ref:
                    self.stand_for(init.id, self.shown.get(init.id), phi)
                    self.alias[phi.out] = init.id
                else:
                    self.alias[phi.id] = self.alias[phi.out] = _Static(init)
            else:
                self.shown[phi.id] = self.shown[phi.out] = phi.memory
        if loop.item is not None:
            self.shown[loop.item] = loop.item_memory

    def _ref(self, ref):
        found = self.alias.get(ref.id)
        return found.value if type(found) is _Static else super()._ref(ref)

    def node(self, node, out):
        self.shown[node.id] = node.memory
        out.append(node)

    def leave_loop(self, loop, out):
        kept = self._kept.pop()
        if not all(kept):
            loop = replace(loop, phis=tuple([p for p, keep in zip(loop.phis, kept) if keep]))
        out.append(loop)

    def leaf(self, end):
        if type(end) is Return or all(self._kept[-1]):
            return end
        kept = self._kept[-1]
        return replace(end, values=tuple([x for x, keep in zip(end.values, kept) if keep]))
