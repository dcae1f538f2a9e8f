"""Traces with other ids: what stands for an id is put in its place, everywhere."""

import operator

from hybridad.trace.ir import Block, Branch, Leave, Loop, Next, Node, Phi, Ref, Return, map_refs

__all__ = ["Rewriting", "convert", "leaves_of", "parts_of", "renumber"]

_CONVERSIONS = {"bool": bool, "int": int, "index": operator.index, "str": str}


def convert(kind, value):
    """What a static `value` decides in a `Branch` of this kind."""
    return _CONVERSIONS[kind](value) if kind in _CONVERSIONS else value


def parts_of(block):
    """All blocks of a tree, outer ones first; not those of loops in it."""
    todo = [block]
    while todo:
        block = todo.pop()
        yield block
        if type(block.end) is Branch:
            todo.extend(block.end.sides.values())


def leaves_of(block):
    """The ends of a tree: `Next` and `Leave` of a loop's body, `Return` of a whole trace."""
    for part in parts_of(block):
        if type(part.end) is not Branch and part.end is not None:
            yield part.end


class Rewriting:
    """Puts something else in place of ids.

    Parameters
    ----------
    values : dict
        Id -> what stands for it, a `Ref` or a static value. Other uses stay.
    """

    def __init__(self, values):
        self.values = values

    # -- what a subclass may do otherwise --------------------------------------------------------

    def ref(self, ref):
        """What stands in place of a use."""
        return self.values.get(ref.id, ref)

    def define(self, id):
        """The id under which an operation, a phi or an item is made."""
        return id

    def memory(self, number):
        """The number of a memory."""
        return number

    def leaf(self, end):
        """The end of an iteration of the loop whose body is rewritten."""
        return self.inner_leaf(end)

    def shaped(self, block):
        """A block that does the same, with the old ids; it is what is rewritten."""
        return block

    # -- the walk --------------------------------------------------------------------------------

    def value(self, x):
        """`x` with what stands for its uses."""
        return map_refs(self.ref, x)

    def inner_leaf(self, end):
        """The end of an iteration of a loop within what is rewritten."""
        values = self.value(end.values)
        if type(end) is Next:
            return Next(values, end.number)
        return Leave(values, end.number, end.label, end.counts)

    def node(self, node):
        """An operation; a loop with its body."""
        if type(node) is Loop:
            return self.loop(node)
        args, kwargs = self.value(node.args), node.kwargs and self.value(node.kwargs)
        return Node(
            self.define(node.id), node.op, node.target, args, kwargs, node.aval,
            None if node.memory is None else self.memory(node.memory), node.place, node.name,
            node.part, self._of(node.of), node.example)

    def _of(self, id):
        return None if id is None else self.ref(Ref(id)).id

    def phi(self, phi, init):
        """A phi whose value before the loop is `init`; its `out` is not defined yet."""
        return Phi(
            self.define(phi.id), init, phi.out, phi.name, phi.aval,
            None if phi.memory is None else self.memory(phi.memory), phi.example)

    def loop(self, loop):
        """A loop, its body and what it gives."""
        spec, inits = self.value(loop.spec), [self.value(phi.init) for phi in loop.phis]
        of = self._of(loop.of)
        id = self.define(loop.id)
        phis = [self.phi(phi, init) for phi, init in zip(loop.phis, inits)]
        item = None if loop.item is None else self.define(loop.item)
        item_memory = None if loop.item_memory is None else self.memory(loop.item_memory)
        body = self.block(loop.body, self.inner_leaf)
        phis = tuple([Phi(phi.id, phi.init, self.define(phi.out), phi.name, phi.aval, phi.memory,
                          phi.example) for phi in phis])
        return Loop(
            id, loop.kind, spec, item, phis, body, loop.once, of, loop.order, loop.place,
            loop.part, loop.item_aval, loop.item_example, loop.item_name, item_memory)

    def block(self, root, leaf=None):
        """A tree. A decision that has become static is one no more."""
        leaf = leaf or self.leaf
        todo, done = [((), root)], []
        while todo:
            head, item = todo.pop()
            if type(item) is not Block:
                sides = done[len(done) - len(item.sides):]
                del done[len(done) - len(sides):]
                done.append(Block(head, Branch(
                    item.test, item.kind, dict(zip(item.sides, sides)), item.place)))
                continue
            item = self.shaped(item)
            nodes = head + tuple([self.node(node) for node in item.nodes])
            end = item.end
            if type(end) is not Branch:
                done.append(Block(nodes, self.end(end, leaf)))
                continue
            test = self.value(end.test)
            if type(test) is not Ref:
                todo.append((nodes, _taken(end, test)))
                continue
            todo.append((nodes, Branch(test, end.kind, end.sides, end.place)))
            todo += [((), side) for side in reversed(end.sides.values())]
        return done[0]

    def end(self, end, leaf):
        """The end of a path."""
        if type(end) is Return:
            value = self.value
            return Return(value(end.value), value(end.aux), value(end.cotangents),
                          value(end.tangents), end.place)
        return None if end is None else leaf(end)


def _taken(branch, test):
    """The side that a static test takes; where it is none that was seen, an exit for ever."""
    return branch.sides.get(convert(branch.kind, test), Block((), None))


class _Numbering(Rewriting):
    """Gives every id a number of its own, in the order of the text."""

    def __init__(self, start):
        super().__init__({})
        self.count = start

    def define(self, id):
        new = self.count
        self.count += 1
        self.values[id] = Ref(new)
        return new


def renumber(block, start=0):
    """The same trace with ids `start`, `start` + 1, ... in the order of the text."""
    return _Numbering(start).block(block)
