"""What several passes ask of a tree: who defines a value, who uses it, who else sees its memory."""

from functools import cached_property

from hybridad.sct.passes.facts import SYMBOLS
from hybridad.sct.passes.steady import unsteady_ids
from hybridad.sct.passes.walk import uses, walk
from hybridad.trace.ir import Branch, Leave, Loop, Next, Node, Ref, Return, refs_of

__all__ = ["Survey"]


class Survey:
    """Facts about one tree, found in one walk.

    Parameters
    ----------
    block : Block

    Attributes
    ----------
    made_by : dict
        Id -> the Node, Phi or Loop (of its item or its own id) that defines it.
    counts : dict
        Id -> number of uses.
    home : dict
        Id -> id of the innermost loop in which it is defined; None outside of loops.
    shown : dict
        Id of an array -> number of the memory that it shows, as it stands in the tree.
    loops : dict
        Id -> Loop.
    parents : dict
        Id of a loop -> id of the loop around it, or None.
    next_id : int
        The first id that is free.
    next_memory : int
        The first number of a memory that is free.
    parts : bool
        Whether there is anything but forward operations.
    static : bool
        Whether an operation computes something of static values alone.
    operations : set
        The targets of all "apply", and the names of the other operations.
    """

    def __init__(self, block):
        self.block = block
        self.made_by, self.counts, self.home = {}, {}, {}
        self.loops, self.parents = {}, {}
        self.operations = set()
        self.parts = self.static = False
        self.shown = {}
        self._same = {}  # parents of a forest: memory that a phi carries under another number
        written, exposed, returned = [], [], []
        flows = []
        for x, loop in walk(block):
            inside = None if loop is None else loop.id
            kind = type(x)
            if kind is Node:
                self._define(x.id, x, inside, x.memory)
                used = uses(x)
                if x.part != "forward":
                    self.parts = True
                if x.op == "apply":
                    self.operations.add(x.target)
                    if not used:
                        self.static = True
                else:
                    self.operations.add(x.op)
                    if x.op == "const":
                        self.static = True
                    if x.op == "write":
                        written += (x.id, used[0])
                    elif x.op in ("effect", "foreign", "build"):
                        exposed += used
                        exposed.append(x.id)
                    elif x.op == "read" or (x.op == "input" and not x.kwargs):
                        exposed.append(x.id)
                self._count(used)
            elif kind is Loop:
                self._loop(x, inside, flows)
            elif kind is Branch:
                self._count((x.test.id,))
            elif kind is Return:
                seen = [ref.id for ref in refs_of((x.value, x.aux))]
                made = [ref.id for ref in refs_of((x.cotangents, x.tangents))]
                self._count(seen)
                self._count(made)
                exposed += seen
                returned += made
            elif kind in (Next, Leave):
                self._count([ref.id for ref in refs_of(x.values)])
                flows += zip([phi.id for phi in loop.phis], x.values)
        for id, source in flows:
            if type(source) is Ref:
                self._join(id, source.id)
        self._written = {self.memory(id) for id in written}
        self._exposed = {self.memory(id) for id in exposed}
        self._returned = {self.memory(id) for id in returned}
        self.next_id = max(self.made_by, default=0) + 1
        self.next_memory = max(self.shown.values(), default=0) + 1

    @cached_property
    def unsteady(self):
        """The ids of arrays whose shape may be another one in another run."""
        return unsteady_ids(self.block, self)

    @cached_property
    def denominators(self):
        """The ids that are used as the denominators of adjoint quotients and as nothing else."""
        quotients = {}
        for node in self.made_by.values():
            if (type(node) is Node and node.part != "forward" and len(node.args) == 2
                    and SYMBOLS.get(node.target) == "/" and type(node.args[1]) is Ref):
                id = node.args[1].id
                quotients[id] = quotients.get(id, 0) + 1
        return {id for id, count in quotients.items() if count == self.counts[id]}

    def memory(self, id):
        """A number for the memory of a value; what phis carry around has one number."""
        same, key = self._same, self.shown.get(id)
        if key is None:
            key = (id,)
        while key in same:
            key = same[key]
        return key

    def is_written(self, id):
        """Whether somebody writes into the memory of this value, at any time."""
        return self.memory(id) in self._written

    def is_exposed(self, id):
        """Whether code that is not in the trace may see the very object."""
        return self.memory(id) in self._exposed

    def is_returned(self, id):
        """Whether the memory is that of a cotangent or tangent that is returned."""
        return self.memory(id) in self._returned

    def is_free(self, id):
        """Whether another value of the same content can stand for this one, unseen."""
        memory = self.memory(id)
        return memory not in self._written and memory not in self._exposed

    def aval(self, x):
        """The `Aval` of a use, or None."""
        if type(x) is not Ref:
            return None
        maker = self.made_by.get(x.id)
        if type(maker) is Loop:
            return maker.item_aval if x.id == maker.item else None
        return None if maker is None else maker.aval

    def around(self, id):
        """The loops around the definition of `id`, from the inside out."""
        loop = self.home[id]
        while loop is not None:
            yield loop
            loop = self.parents[loop]

    def add(self, node, like):
        """Take up a node that a pass has made, defined beside `like`."""
        self.made_by[node.id] = node
        self.home[node.id] = self.home[like]
        self.next_id = max(self.next_id, node.id + 1)
        if node.memory is not None:
            self.shown[node.id] = node.memory
            self.next_memory = max(self.next_memory, node.memory + 1)
        self._count(uses(node))

    def change(self, old, new):
        """Take up that an operation uses other values now; `new` may be None."""
        for id in uses(old):
            self.counts[id] -= 1
        if new is not None:
            self._count(uses(new))

    def _define(self, id, maker, inside, memory):
        self.made_by[id] = maker
        self.home[id] = inside
        if memory is not None:
            self.shown[id] = memory

    def _count(self, ids):
        counts = self.counts
        for id in ids:
            counts[id] = counts.get(id, 0) + 1

    def _loop(self, loop, inside, flows):
        self.loops[loop.id] = loop
        self.parents[loop.id] = inside
        self.operations.add("loop")
        self._define(loop.id, loop, inside, None)
        if loop.item is not None:
            self._define(loop.item, loop, loop.id, loop.item_memory)
        for phi in loop.phis:
            self._define(phi.id, phi, loop.id, phi.memory)
            self._define(phi.out, phi, inside, phi.memory)
            flows += ((phi.id, phi.init), (phi.id, Ref(phi.out)))
        self._count([ref.id for ref in refs_of((loop.spec, [phi.init for phi in loop.phis]))])
        if loop.of is not None:
            self._count((loop.of,))

    def _join(self, a, b):
        a, b = self.memory(a), self.memory(b)
        if a != b:
            self._same[a] = b
