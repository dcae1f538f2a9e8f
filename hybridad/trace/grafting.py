"""What only a path has is put into a tree, with ids and numbers of the tree."""

from hybridad.trace.ir import HOLE, Leave, Next, Ref
from hybridad.trace.matching import same_static
from hybridad.trace.rewriting import Rewriting

__all__ = ["Adopting", "Grafting", "Leaves", "Widening", "equal", "is_empty"]


class Grafting(Rewriting):
    """What only the path has, with the ids of the tree."""

    def __init__(self, weaving):
        super().__init__({})
        self.weaving, self.matching = weaving, weaving.matching

    def ref(self, ref):
        return Ref(self.matching.find(ref.id))

    def define(self, id):
        new = self.weaving.new_id(id)
        self.matching.pair(new, id)
        return new

    def memory(self, number):
        return self.matching.find_memory(number, self.weaving.new_memory)


class Leaves:
    """The leaves of the loop whose body is woven.

    Parameters
    ----------
    count : int or callable
        How many there are, or a function that counts them.
    arrange : callable, optional
        ``arrange(values)``: the values of a leaf of the path, in the order of the tree's phis and
        with the tree's ids.
    """

    def __init__(self, count, arrange=None):
        self._count, self.arrange = count, arrange
        self.added, self.last = [], None

    def number(self):
        """A number that no leaf has yet."""
        if callable(self._count):
            self._count = self._count()
        self._count += 1
        return self._count - 1


class Adopting(Grafting):
    """A loop of the path in place of one of which no iteration had been seen."""

    def __init__(self, weaving, known):
        super().__init__(weaving)
        self.known = known

    def define(self, id):
        if id not in self.known:
            return super().define(id)
        self.matching.pair(self.known[id], id)
        return self.known[id]


class Widening(Rewriting):
    """Room for more phis in all leaves of a body."""

    def __init__(self, count):
        super().__init__({})
        self.holes = (HOLE,) * count

    def node(self, node):
        return node

    def leaf(self, end):
        values = end.values + self.holes
        if type(end) is Next:
            return Next(values, end.number)
        return Leave(values, end.number, end.label, end.counts)


def is_empty(block):
    """Whether nothing is known of a block, not even how it ends."""
    return block.end is None and not block.nodes


def equal(a, b):
    """Whether two values with ids of the tree are the same."""
    if type(a) is Ref or type(b) is Ref:
        return a == b
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    return same_static(a, b)
