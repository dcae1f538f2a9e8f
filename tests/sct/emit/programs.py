"""Random traces, made operation by operation: straight lines, writes, branches, loops, mirrors.

The forward part uses what a program could use: the newest version of each memory. The adjoint uses
anything that was ever computed, old versions too; it is no derivative of anything.
"""

import itertools
import operator
import random

import numpy as np

from hybridad.trace.ir import (
    HOLE,
    Aval,
    Block,
    Branch,
    Leave,
    Loop,
    Method,
    Next,
    Node,
    Phi,
    Place,
    Ref,
    Return,
    Step,
)

__all__ = ["SIZE", "make_inputs", "make_trace"]

SIZE = 4
FLOAT, ARRAY, INT = "float", "array", "int"
AVALS = {
    FLOAT: Aval("number", "<f8"), ARRAY: Aval("array", "<f8", (SIZE,)), INT: Aval("number", "int"),
    "bool": Aval("number", "bool"), "view": Aval("array", "<f8", (2,)),
}


def make_inputs(seed):
    """Two differentiated arrays, one that is not, a number, a number of iterations."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=SIZE), rng.normal(size=SIZE), rng.normal(size=SIZE),
            float(rng.normal()), int(rng.integers(0, 5))]


def make_trace(seed, size=12, loops=2):
    """A random trace.

    Parameters
    ----------
    seed : int
    size : int
        About how many operations are in a block.
    loops : int
        How deep loops nest.

    Returns
    -------
    Block
    """
    return _Maker(seed, size, loops).trace()


class _Known:
    """What a place in the tree knows: values by kind, and which of them are the newest."""

    def __init__(self):
        self.newest = {kind: [] for kind in (FLOAT, ARRAY, INT, "view")}
        self.all = {kind: [] for kind in self.newest}
        self.memory = {}
        self.writable = set()  # memories that are carried by the innermost loop or made in it
        self.loops = []  # (loop, leaves)

    def copy(self):
        other = _Known()
        other.newest = {kind: list(ids) for kind, ids in self.newest.items()}
        other.all = {kind: list(ids) for kind, ids in self.all.items()}
        other.memory = self.memory
        other.writable = set(self.writable)
        other.loops = list(self.loops)
        return other

    def add(self, id, kind, memory=None):
        self.newest[kind].append(id)
        self.all[kind].append(id)
        if memory is not None:
            if memory not in self.memory.values():
                self.writable.add(memory)
            self.memory[id] = memory

    def overwrite(self, memory):
        """What showed a memory is an old version from now on."""
        for ids in (self.newest[ARRAY], self.newest["view"]):
            ids[:] = [id for id in ids if self.memory.get(id) != memory]


class _Maker:
    def __init__(self, seed, size, loops):
        self.random = random.Random(seed)
        self.size, self.depth = size, loops
        self.ids, self.memories = itertools.count(), itertools.count()
        self.line = 1

    def trace(self):
        known = _Known()
        nodes = []
        for number, kind in enumerate((ARRAY, ARRAY, ARRAY, FLOAT, INT)):
            memory = next(self.memories) if kind is ARRAY else None
            aval = Aval("number", "float") if kind is FLOAT else AVALS[kind]
            options = {"differentiated": True} if number < 2 else {}
            id = next(self.ids)
            nodes.append(Node(id, "input", number, (), options, aval, memory,
                              name=("x", "y", "b", "s", "n")[number]))
            known.add(id, kind, memory)
        return self.block(known, nodes, self.depth, 3)

    def block(self, known, nodes, depth, sides):
        """A block that ends in a branch or with the results."""
        self.operations(known, nodes, depth)
        if sides and self.random.random() < 0.5:
            end = self.branch(known, nodes, lambda below: self.block(below, [], 0, sides - 1))
            return Block(tuple(nodes), end)
        value = self.random.choice(known.newest[self.random.choice((FLOAT, ARRAY))])
        self.adjoint(known, nodes, self.size, [])
        cotangents = tuple([Ref(self.random.choice(known.all[ARRAY])) for _ in range(2)])
        return Block(tuple(nodes), Return(Ref(value), cotangents=cotangents, place=self.place()))

    def branch(self, known, nodes, make, both=0.6):
        test = self.node(nodes, operator.gt, (self.use(known, FLOAT), 0.0), "bool", None)
        outcomes = [True, False] if self.random.random() < both else [True]
        return Branch(Ref(test), "bool", {x: make(known.copy()) for x in outcomes}, self.place())

    # -- operations --------------------------------------------------------------------------

    def place(self):
        self.line += self.random.random() < 0.5
        return Place("made.py", self.line, "f")

    def use(self, known, kind, old=False):
        return Ref(self.random.choice((known.all if old else known.newest)[kind]))

    def node(self, nodes, target, args, kind, known, part="forward", memory=None, op="apply"):
        if kind in (ARRAY, "view") and memory is None:
            memory = next(self.memories)
        id = next(self.ids)
        name = self.random.choice((None, None, "r", "t", "u"))
        name = name if name is None or part == "forward" else "g_" + name
        nodes.append(Node(id, op, target, args, {}, AVALS[kind], memory, self.place(), name, part))
        if known is not None:
            known.add(id, kind, memory)
        return id

    def operations(self, known, nodes, depth):
        for _ in range(self.random.randint(2, self.size)):
            self.operation(known, nodes)
            if depth and self.random.random() < 0.2:
                self.loop(known, nodes, depth - 1)

    def operation(self, known, nodes, part="forward"):
        old = part != "forward"
        pick = self.random.random()
        use = lambda kind: self.use(known, kind, old)
        if pick < 0.3:
            target = self.random.choice((operator.add, operator.sub, operator.mul, np.add))
            other = self.random.choice((ARRAY, FLOAT))
            args = (use(ARRAY), use(other))
            self.node(nodes, target, args[::self.random.choice((1, -1))], ARRAY, known, part)
        elif pick < 0.45:
            target = self.random.choice((operator.add, operator.mul, operator.sub))
            self.node(nodes, target, (use(FLOAT), use(FLOAT)), FLOAT, known, part)
        elif pick < 0.55:
            self.node(nodes, np.tanh, (use(ARRAY),), ARRAY, known, part)
        elif pick < 0.65:
            index = self.random.randrange(SIZE)
            self.node(nodes, operator.getitem, (use(ARRAY), index), FLOAT, known, part)
        elif pick < 0.72:
            self.node(nodes, np.sum, (use(ARRAY),), FLOAT, known, part)
        elif pick < 0.82:
            array = use(ARRAY)
            self.node(nodes, operator.getitem, (array, slice(1, 3)), "view", known, part,
                      known.memory[array.id])
        elif pick < 0.87 and known.all["view"] and (old or known.newest["view"]):
            self.node(nodes, Method("sum"), (use("view"),), FLOAT, known, part)
        elif part == "forward":
            self.write(known, nodes)
        else:
            self.sum_up(known, nodes, part)

    def sum_up(self, known, nodes, part):
        """An accumulator: zeros, a write or two, a sum."""
        id = self.node(nodes, np.zeros_like, (self.use(known, ARRAY, True),), ARRAY, known, part)
        for _ in range(2):
            id = self.node(nodes, operator.iadd,
                           (Ref(id), (Step(operator.getitem, (HOLE, slice(1, 3))),),
                            self.use(known, FLOAT, True)),
                           ARRAY, known, part, known.memory[id], "write")
        self.node(nodes, operator.add, (Ref(id), self.use(known, ARRAY, True)), ARRAY, known, part)

    def write(self, known, nodes):
        arrays = [id for id in known.newest[ARRAY] if known.memory[id] in known.writable]
        if not arrays:
            return
        array = self.random.choice(arrays)
        memory = known.memory[array]
        value = self.use(known, FLOAT)
        path = ()
        pick = self.random.random()
        if pick < 0.4:
            target, rest = operator.setitem, (self.random.randrange(SIZE), value)
        elif pick < 0.6:
            target, rest = operator.imul, (0.5,)
            path = (Step(operator.getitem, (HOLE, slice(0, 2))),)
        elif pick < 0.8:
            target, rest = operator.iadd, (self.use(known, ARRAY),)
        else:
            path, target, rest = (Step(Method("T"), (HOLE,)),), operator.iadd, (value,)
        known.overwrite(memory)
        self.node(nodes, target, (Ref(array), path, *rest), ARRAY, known, "forward", memory,
                  "write")

    # -- loops -------------------------------------------------------------------------------

    def loop(self, known, nodes, depth):
        kind = self.random.choice(("range", "range", "while", "items"))
        id = next(self.ids)
        phis = self.phis(known, kind)
        inner = known.copy()
        inner.loops = []
        inner.writable = {phi.memory for phi in phis if phi.memory is not None}
        for phi in phis:
            if phi.memory is not None:
                inner.overwrite(phi.memory)
                inner.overwrite(known.memory[phi.init.id])
            inner.add(phi.id, (phi.aval.kind == "array" and ARRAY) or (
                INT if phi.aval.dtype == "int" else FLOAT), phi.memory)
        item, spec, aval = None, (), None
        if kind == "range":
            item, spec, aval = next(self.ids), (0, Ref(4), 1), AVALS[INT]
            inner.add(item, INT)
        elif kind == "items":
            item, aval = next(self.ids), AVALS[FLOAT]
            # Python sees what is written while it goes through an array; a trace does not say so.
            arrays = [x for x in known.newest[ARRAY]
                      if known.memory[x] not in {phi.memory for phi in phis}]
            if not arrays:
                return
            spec = (Ref(self.random.choice(arrays)),)
            inner.add(item, FLOAT)
        leaves = []
        body = self.body(inner, kind, phis, depth, leaves, id)
        loop = Loop(id, kind, spec, item, tuple(phis), body, place=self.place(), item_aval=aval,
                    item_name="i" if kind == "range" else None)
        nodes.append(loop)
        for phi in phis:
            if phi.memory is not None:
                known.overwrite(phi.memory)
                known.overwrite(known.memory[phi.init.id])
            known.add(phi.out, ARRAY if phi.aval.kind == "array" else (
                INT if phi.aval.dtype == "int" else FLOAT), phi.memory)
        known.loops.append((loop, leaves))

    def phis(self, known, kind):
        phis = []
        if kind == "while":
            phis.append(Phi(next(self.ids), 0, next(self.ids), "k", AVALS[INT]))
        for _ in range(self.random.randint(0, 2)):
            phis.append(Phi(next(self.ids), self.use(known, FLOAT), next(self.ids),
                            self.random.choice(("p", "q", "r")), AVALS[FLOAT]))
        taken = set()
        for _ in range(self.random.randint(0, 2)):
            init = self.use(known, ARRAY)
            memory = known.memory[init.id]
            if memory in known.writable and memory not in taken:
                taken.add(memory)
                phis.append(Phi(next(self.ids), init, next(self.ids),
                                self.random.choice(("u", "v")), AVALS[ARRAY], memory))
        return phis

    def body(self, inner, kind, phis, depth, leaves, id):
        numbers = itertools.count()

        def leaf(below, leave=0.0):
            made = []
            if kind == "while":
                k = self.node(made, operator.add, (Ref(phis[0].id), 1), INT, None)
            self.operations(below, made, depth if leave == 0.0 else 0)
            values = [self.next_value(below, phi) for phi in phis]
            if kind == "while":
                values[0] = Ref(k)
            number = next(numbers)
            leaves.append((number, below))
            if self.random.random() < leave:
                end = Leave(tuple(values), number, 1)
            else:
                end = Next(tuple(values), number)
            return Block(tuple(made), end)

        def counted(below):
            nodes = []
            self.operations(below, nodes, 0)
            if self.random.random() < 0.5:
                end = self.branch(below, nodes, lambda deeper: leaf(deeper, 0.3), 1.0)
                return Block(tuple(nodes), end)
            straight = leaf(below)
            return Block((*nodes, *straight.nodes), straight.end)

        if kind != "while":
            return counted(inner)
        nodes = []
        test = self.node(nodes, operator.lt, (Ref(phis[0].id), Ref(4)), "bool", None)
        out = Block((), Leave(tuple([Ref(phi.id) for phi in phis]), 99, 0, False))
        return Block(tuple(nodes), Branch(Ref(test), "bool", {True: counted(inner), False: out},
                                          self.place()))

    def next_value(self, below, phi):
        if phi.aval.kind != "array":
            return self.use(below, INT if phi.aval.dtype == "int" else FLOAT)
        same = [id for id in below.newest[ARRAY] if below.memory[id] == phi.memory]
        return Ref(same[-1])

    # -- the adjoint -------------------------------------------------------------------------

    def adjoint(self, known, nodes, size, family):
        """Operations on anything, and mirrors of all loops."""
        for _ in range(self.random.randint(1, size)):
            self.operation(known, nodes, "adjoint")
        for loop, leaves in reversed(known.loops):
            tables = {number: [] for number, _ in leaves}
            for order in self.random.choice(((-1,), (-1, 1), (-1, -1))):
                self.mirror(known, nodes, loop, leaves, order, tables)
                for _ in range(2):
                    self.operation(known, nodes, "adjoint")

    def mirror(self, known, nodes, loop, leaves, order, tables):
        id = next(self.ids)
        start = self.node(nodes, np.zeros_like, (self.use(known, ARRAY, True),), ARRAY, known,
                          "adjoint")
        start_2 = self.node(nodes, np.zeros_like, (self.use(known, ARRAY, True),), ARRAY, known,
                            "adjoint")
        phis = [
            Phi(next(self.ids), self.use(known, FLOAT, True), next(self.ids), "g_p", AVALS[FLOAT]),
            Phi(next(self.ids), Ref(start), next(self.ids), "g_u", AVALS[ARRAY],
                known.memory[start]),
            Phi(next(self.ids), Ref(start_2), next(self.ids), "g_v", AVALS[ARRAY],
                next(self.memories)),
        ]
        sides = {}
        for number, at_leaf in leaves:
            below = at_leaf.copy()
            below.loops = at_leaf.loops
            for kind in below.all:  # also what stands outside of the loop, and the family's
                below.all[kind] = list(dict.fromkeys(below.all[kind] + known.all[kind]))
            for ids in tables[number]:
                for kind in below.all:
                    below.all[kind] += ids[kind]
            mine = _Known()
            before = {kind: list(ids) for kind, ids in below.all.items()}
            for phi, kind in zip(phis, (FLOAT, ARRAY, ARRAY)):
                below.add(phi.id, kind, phi.memory)
            made = []
            # What is written into is an own memory: nobody reads the phis after that.
            p = self.node(made, operator.add, (Ref(phis[0].id), self.use(below, FLOAT, True)),
                          FLOAT, below, "adjoint")
            self.adjoint(below, made, 5, [])
            v = self.node(made, operator.add, (Ref(phis[2].id), self.use(below, ARRAY, True)),
                          ARRAY, below, "adjoint")
            u = self.node(made, operator.iadd,
                          (Ref(phis[1].id), (), self.use(below, FLOAT, True)), ARRAY, below,
                          "adjoint", phis[1].memory, "write")
            sides[number] = Block(tuple(made), Next((Ref(p), Ref(u), Ref(v)), number))
            mine = {kind: [x for x in ids if x not in before[kind]]
                    for kind, ids in below.all.items()}
            tables[number].append(mine)
        if len(sides) == 1:
            (body,) = sides.values()
        else:
            body = Block((), Branch(Ref(loop.id), "leaf", sides))
        nodes.append(Loop(id, "mirror", (), None, tuple(phis), body, of=loop.id, order=order,
                          part="adjoint"))
        for phi, kind in zip(phis, (FLOAT, ARRAY, ARRAY)):
            known.add(phi.out, kind, phi.memory)
