"""Mirrors: the sweep over a loop is a loop that goes through its iterations backwards.

The mirror carries the cotangents of what the loop carries, and an accumulator for every value from
outside that the body uses. It has one block for each leaf of the body, which is the straight-line
sweep over the path to that leaf, and refers directly to what the same iteration has computed.
"""

import numpy as np

from hybridad.sct.differentiate.program import paths
from hybridad.sct.differentiate.slots import Slots, settled
from hybridad.sct.differentiate.spaces import expanded
from hybridad.sct.differentiate.sweeping import Sweep
from hybridad.sct.differentiate.traced import Traced, is_number, raw_of
from hybridad.sct.differentiate.writer import aval_of
from hybridad.trace.ir import HOLE, Block, Branch, Loop, Next, Phi, Ref

__all__ = ["mirror"]


def mirror(sweep, loop):
    """Sweep over a loop: write its mirror.

    Parameters
    ----------
    sweep : Sweep
        Over the block in which the loop stands.
    loop : Loop
    """
    outs = {}
    for phi in loop.phis:
        if phi.id in sweep.program.active:
            g = sweep.slots.take(phi.out)
            if g is not None:
                outs[phi.id] = g
    if not any(getattr(end, "counts", True) for _, end in paths(loop.body)):
        # Nobody has seen an iteration, so there is none: what comes out is what went in.
        for phi in loop.phis:
            if phi.id in outs and sweep.is_active(phi.init):
                sweep.slots.add(phi.init.id, outs[phi.id])
    elif outs or _is_waited_for(sweep, loop):
        sweep.writer.at(loop)
        _Mirror(sweep, loop, outs).write()


def _is_waited_for(sweep, loop):
    """Whether a mirror of the same family has given cotangents to values of the body."""
    inside, waiting = {loop.id}, [loop]
    while waiting:
        for blocks, _ in paths(waiting.pop().body):
            for block in blocks:
                for node in block.nodes:
                    if type(node) is Loop and node.id not in inside:
                        inside.add(node.id)
                        waiting.append(node)
    here = len(sweep.context)
    return any(sweep.program.home[id] in inside
               for context, by in sweep.program.pending.items()
               if context[:here] == sweep.context
               for given in by.values() for id in given)


class _Mirror:
    """The mirror of a loop while it is written.

    Attributes
    ----------
    started : dict
        Id of a phi of the loop -> its cotangent before the mirror, as a Traced or static value.
    carried : dict
        Id of a phi of the loop -> the phi's value in the mirror, for those of `started`.
    sums : dict
        Id of a value from outside -> (accumulator at the head of the body, its init).
    widened : set
        Ids of numbers whose cotangents do not stay Python's numbers.
    """

    def __init__(self, sweep, loop, outs):
        self.sweep = sweep
        self.program = sweep.program
        self.writer = sweep.writer
        self.loop = loop
        self.id = next(self.writer.ids)
        self.family = loop.id if loop.of is None else loop.of
        self.outside = self.writer.nodes
        self.started = {}
        self.phis = {phi.id: phi for phi in loop.phis}
        self.sums = {}
        self.widened = set()
        for id, g in outs.items():
            self._start(id, g)

    # -- what is carried ---------------------------------------------------------------------

    def _start(self, id, g):
        """The mirror carries the cotangent of a phi, which is `g` before it."""
        phi = self.phis[id]
        example = self.program.examples[id]
        like = self.writer.value(phi.out, example, phi.memory)
        if isinstance(example, np.ndarray):
            g = self._zeros(phi, like) if g is None else settled(
                expanded(self.writer, g, like, owned=True))
        elif g is None:
            g = 0.0
        else:
            g = expanded(self.writer, g, like)
        self.started[id] = g

    def _head(self, id, init, example):
        """The value of a phi of the mirror at the head of its body."""
        memory = self.writer.memory_of(init) if type(init) is Traced else None
        if isinstance(example, np.ndarray):
            example = np.zeros_like(example)    # never the memory of the program
        elif id in self.widened or isinstance(raw_of(init), np.generic):
            example = np.result_type(type(example)).type(example)
        return self.writer.new(example, memory)[0]

    def _sum(self, id):
        """The accumulator of a value from outside, None for a value of the family's bodies."""
        home = self.program.home[id]
        if home is not None and self.program.family(home) == self.family:
            return None
        if id not in self.sums:
            example = self.program.examples[id]
            with self.writer.block(self.outside):
                if isinstance(example, np.ndarray):
                    init = settled(self.sweep.slots.own(id))
                else:
                    init = self.sweep.slots.number(id)
            self.sums[id] = (self._head(id, init, example), init)
        return settled(self.sums[id][0])

    # -- writing -----------------------------------------------------------------------------

    def write(self):
        """Write the mirror into the block that is being written."""
        while True:
            carried = {id: self._head(id, g, self.program.examples[id])
                       for id, g in self.started.items()}
            leaves = [self._leaf(blocks, end, carried) for blocks, end in paths(self.loop.body)
                      if getattr(end, "counts", True)]
            late = set().union(*[found for *_, found in leaves]) - set(self.started)
            for id in late:
                self._start(id, None)
            if not late and not self._widens(carried, leaves):
                break
        self._finish(carried, leaves)

    def _widens(self, carried, leaves):
        """Whether something that begins as Python's number goes on as one of NumPy's."""
        heads = {**carried, **{id: head for id, (head, _) in self.sums.items()}}
        found = {id for *_, values, sums, _ in leaves for id, x in (*values.items(), *sums.items())
                 if is_number(heads[id]) and isinstance(raw_of(x), np.generic)}
        self.widened |= found
        for id in found & set(self.sums):
            init = self.sums[id][1]
            self.sums[id] = (self._head(id, init, self.program.examples[id]), init)
        return bool(found)

    def _leaf(self, blocks, end, carried):
        """The block for one leaf: its operations, and what is carried to the next iteration."""
        writer, program = self.writer, self.program
        strangers = set()

        def foreign(id):
            found = self._sum(id)
            if found is None and program.home[id] != self.loop.id:
                strangers.add(id)
            return found

        slots = Slots(writer, self.sweep.slots.value_of, self.sweep.slots.is_view, foreign)
        context = (*self.sweep.context, (self.family, end.number))
        sweep = Sweep(program, writer, slots, mirror, context)
        waiting = program.pending.setdefault(context, {})
        waiting[self.loop.id] = given = {}
        with writer.block() as nodes:
            for phi, value in zip(self.loop.phis, end.values):
                if phi.id in carried and sweep.is_active(value):
                    slots.add(value.id, carried[phi.id])
            for values in waiting.values():
                for id, g in values.items():
                    if program.home[id] == self.loop.id:
                        slots.add(id, g)
            for block in reversed(blocks):
                sweep.run(block.nodes)
            writer.at(self.loop)
            heads, found = {}, set()
            for id, phi in self.phis.items():
                if id in slots:
                    found.add(id)
                g = slots.take(id)
                if id in carried:
                    heads[id] = self._carried(phi, g)
            self._give(slots, strangers, given)
            sums = {id: slots.take(id) for id in list(slots.ids()) if id in self.sums}
        return end.number, nodes, heads, sums, found

    def _carried(self, phi, g):
        example = self.program.examples[phi.id]
        like = self.writer.value(phi.id, example, phi.memory)
        if g is None:
            return self._zeros(phi, like) if isinstance(example, np.ndarray) else 0.0
        return expanded(self.writer, g, like)

    def _zeros(self, phi, like):
        if phi.init is HOLE:        # there may be nothing yet that they could be like
            return self.writer.apply(np.zeros, (like.raw.shape, like.raw.dtype))
        return self.writer.apply(np.zeros_like, (like,))

    def _give(self, slots, strangers, given):
        """Leave cotangents for values of the family's other bodies until these are swept over."""
        for id in strangers:
            g = slots.take(id)
            if g is not None:
                like = self.sweep.slots.value_of(id)
                given[id] = settled(expanded(self.writer, g, like))

    def _finish(self, carried, leaves):
        writer, loop = self.writer, self.loop
        writer.at(loop)
        phis, outs = [], []
        for id, head in carried.items():
            phi = self.phis[id]
            phis.append(self._phi(head, self.started[id], phi.name, outs))
        for id, (head, init) in self.sums.items():
            phis.append(self._phi(head, init, getattr(self.program.made_by[id], "name", None),
                                  outs))
        sides = {}
        for number, nodes, heads, sums, _ in leaves:
            values = [heads[id] for id in carried]
            values += [sums.get(id, head) for id, (head, _) in self.sums.items()]
            sides[number] = Block(tuple(nodes), Next(
                tuple([x.ref if type(x) is Traced else x for x in values]), number))
        if len(sides) == 1:
            (body,) = sides.values()
        else:
            body = Block((), Branch(Ref(self.family), "leaf", sides, loop.place))
        order = -1 if loop.of is None else -loop.order
        self.outside.append(Loop(
            self.id, "mirror", (), None, tuple(phis), body, of=self.family, order=order,
            place=loop.place, part=writer.part))
        for id, out in zip(self.sums, outs[len(carried):]):
            self.sweep.slots.give(id, out, isinstance(out.raw, np.ndarray))
        for id, out in zip(carried, outs):
            init = self.phis[id].init
            if self.sweep.is_active(init):
                self.sweep.slots.add(init.id, out)

    def _phi(self, head, init, name, outs):
        memory = self.writer.memory_of(head) if isinstance(head.raw, np.ndarray) else None
        out, _ = self.writer.new(head.raw, memory)
        outs.append(out)
        return Phi(head.ref.id, init.ref if type(init) is Traced else init, out.ref.id,
                   None if name is None else f"g_{name}", aval_of(head.raw), memory, head.raw)
