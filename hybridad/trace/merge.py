"""The tree of a signature grows by the path of one more run."""

from itertools import count

from hybridad.trace.ir import Block, Loop
from hybridad.trace.matching import Matching, Unmergeable
from hybridad.trace.rewriting import parts_of
from hybridad.trace.weaving import Weaving

__all__ = ["Unmergeable", "merge"]


def merge(tree: Block, path: Block) -> tuple[Block, bool]:
    """Add the path of a run to the tree of its signature.

    Parameters
    ----------
    tree, path : Block
        As `trace.fold` made them (not simplified, without adjoint); they have nothing in common.

    Returns
    -------
    tree : Block
        With the examples of the path along it. Ids, and numbers of leaves, are what they were; what
        is new has new ones.
    changed : bool
        Whether there was anything new in the path.

    Raises
    ------
    Unmergeable
        Where they differ in something that no decision explains. The path alone is right then.
    """
    known, other = _Survey(), _Survey()
    known.block(tree)
    other.block(path)
    matching = Matching(written=known.written, path_written=other.written)
    ids, memories = count(known.last_id + 1), count(known.last_memory + 1)
    weaving = Weaving(matching, lambda id: next(ids), lambda memory: next(memories), examples=True)
    new = weaving.weave(tree, path)
    return new, weaving.changed


class _Survey:
    """The largest numbers of a trace, and the memories that are written to."""

    def __init__(self):
        self.last_id = self.last_memory = -1
        self.written = set()

    def block(self, root):
        """Look at a tree, with the loops in it."""
        for part in parts_of(root):
            for node in part.nodes:
                if type(node) is Loop:
                    self.loop(node)
                    continue
                self.see(node.id, node.memory)
                if node.op == "write":
                    self.written.add(node.memory)

    def loop(self, loop):
        """Look at a loop."""
        self.see(loop.id, None)
        if loop.item is not None:
            self.see(loop.item, loop.item_memory)
        for phi in loop.phis:
            self.see(max(phi.id, phi.out), phi.memory)
        self.block(loop.body)

    def see(self, id, memory):
        """Note an id and a memory."""
        if id > self.last_id:
            self.last_id = id
        if memory is not None and memory > self.last_memory:
            self.last_memory = memory
