"""A straight line that is being built: operations and decisions in order."""

from hybridad.trace.ir import Block, Branch, Ref, refs_of

__all__ = ["Line"]


class Line:
    """Operations and decisions, one after the other."""

    __slots__ = ("nodes", "turns")

    def __init__(self):
        self.nodes, self.turns = [], []

    def decide(self, test, kind, outcome, place):
        """`test` decided; nothing is noted if it has become static."""
        if type(test) is Ref:
            self.turns.append((self.nodes, test, kind, outcome, place))
            self.nodes = []

    def block(self, end):
        """All of it as nested blocks with one side each."""
        block = Block(tuple(self.nodes), end)
        for nodes, test, kind, outcome, place in reversed(self.turns):
            block = Block(tuple(nodes), Branch(test, kind, {outcome: block}, place))
        return block

    def extend(self, other, rewriting):
        """Append another line, with what stands for its ids."""
        for nodes, test, kind, outcome, place in other.turns:
            self._append(nodes, rewriting)
            self.decide(rewriting.value(test), kind, outcome, place)
        self._append(other.nodes, rewriting)

    def _append(self, nodes, rewriting):
        for node in nodes:
            new = rewriting.node(node)
            if getattr(new, "op", None) != "check" or _has_refs(new.args):
                self.nodes.append(new)


def _has_refs(args):
    return bool(refs_of(args))
