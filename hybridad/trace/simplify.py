"""Takes away what only later runs might have needed.

Trees carry, for all loops, whatever may change, and ask after each by which way it was left; so
that the paths of other runs can be merged into them. Code is made of the simplified tree.
"""

import operator
from itertools import count

from hybridad.trace.ir import HOLE, Aval, Block, Branch, Leave, Loop, Next, Node, Phi, Ref, refs_of
from hybridad.trace.rewriting import Rewriting, leaves_of, parts_of

__all__ = ["simplify"]

_INT = Aval("number", "int")
_ARITHMETIC = frozenset((
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne))


def simplify(tree: Block) -> Block:
    """A tree without phis that never change, and without decisions that have one outcome.

    What is carried by a loop and is in no iteration anything else is what it was before the loop. A
    loop of which no iteration was seen becomes a decision that there is none.
    """
    survey = _Survey()
    survey.block(tree)
    return _Simplifying(survey).block(tree)


class _Survey:
    """Finds the phis that never change, in inner loops first.

    `same`: id of a phi, or of what it gives -> what it always is. `arrays`: ids of arrays.
    """

    def __init__(self):
        self.same, self.last_id, self.arrays = {}, 0, set()
        self._written = [set()]  # memories that are written to in loops, the outer ones first

    def find(self, x):
        """What a value of a phi always is."""
        while type(x) is Ref and x.id in self.same:
            x = self.same[x.id]
        return x

    def block(self, root):
        """Look at all loops in a tree."""
        for part in parts_of(root):
            for node in part.nodes:
                if type(node) is Loop:
                    self.loop(node)
                    continue
                self.last_id = max(self.last_id, node.id)
                self._note(node.aval, node.id)
                if node.op == "write":
                    self._written[-1].add(node.memory)

    def _note(self, aval, *ids):
        if aval is not None and aval.kind == "array":
            self.arrays.update(ids)

    def loop(self, loop):
        """Look at a loop."""
        self._note(loop.item_aval, loop.item)
        self.last_id = max(self.last_id, loop.id, -1 if loop.item is None else loop.item)
        self._written.append(set())
        self.block(loop.body)
        written = self._written.pop()
        self._written[-1] |= written
        leaves = list(leaves_of(loop.body))
        for k, phi in enumerate(loop.phis):
            self.last_id = max(self.last_id, phi.id, phi.out)
            self._note(phi.aval, phi.id, phi.out)
            if phi.init is HOLE:
                continue
            init = self.find(phi.init)
            values = [self.find(leaf.values[k]) for leaf in leaves]
            if phi.memory in written and any(x is HOLE for x in values):
                continue
            if all(x is HOLE or (type(x) is Ref and (x.id == phi.id or x == init))
                   for x in values):
                self.same[phi.id] = self.same[phi.out] = init


def _is_arithmetic(target):
    return type(target) is type(operator.add) and target in _ARITHMETIC


def _is_settled(last, end, value, arrays):
    """Whether a branch decides a shape that cannot be another one: the index is static."""
    if type(last) is not Node or last.target is not operator.getitem or type(end) is not Branch:
        return False
    array, index = last.args
    return (end.kind == "shape" and len(end.sides) == 1 and last.id == end.test.id
            and type(array) is Ref and array.id in arrays and not any(refs_of(value(index))))


class _Simplifying(Rewriting):
    """Writes the tree without what the survey has found."""

    def __init__(self, survey):
        super().__init__(survey.same)
        self.find, self.ids = survey.find, count(survey.last_id + 1)
        self.arrays = survey.arrays
        self.kept = []

    def ref(self, ref):
        return self.find(ref)

    def shaped(self, block):
        """A block that goes on behind what has one outcome only: loops, shapes, static integers."""
        block = self._without_static(block)
        while True:
            loop = block.nodes[-1] if block.nodes else None
            end = block.end
            if _is_settled(loop, end, self.value, self.arrays):
                (side,) = end.sides.values()
                side = self._without_static(side)
                block = Block(block.nodes + side.nodes, side.end)
                continue
            if type(loop) is not Loop or type(end) is not Branch or end.kind != "left" \
                    or end.test.id != loop.id:
                return block
            if loop.body.end is None and not loop.body.nodes:
                return self._never(block, loop)
            labels = {leaf.label for leaf in leaves_of(loop.body) if type(leaf) is Leave}
            if loop.kind != "while":
                labels.add(0)
            if labels != set(end.sides) or len(labels) > 1:
                return block
            side = end.sides[min(labels)]
            block = Block(block.nodes + side.nodes, side.end)

    def _without_static(self, block):
        """A block without the arithmetic of integers that a loop has counted when written out."""
        kept = []
        for node in block.nodes:
            if type(node) is Node and node.op == "apply" and _is_arithmetic(node.target):
                args = self.value(node.args)
                if all(type(x) in (int, bool) for x in args):
                    try:
                        self.values[node.id] = node.target(*args)
                    except ArithmeticError:     # it will be raised where it stands
                        kept.append(node)
                    continue
            kept.append(node)
        return block if len(kept) == len(block.nodes) else Block(tuple(kept), block.end)

    def _never(self, block, loop):
        """No iteration of this loop was seen, so there must be none."""
        for phi in loop.phis:
            self.values[phi.out] = phi.init
        nodes, over = block.nodes[:-1], loop.spec[0]
        if loop.kind == "range":
            if not any(type(x) is Ref for x in loop.spec):
                side = block.end.sides[0]
                return self.shaped(Block(nodes + side.nodes, side.end))
            over = Ref(next(self.ids))
            nodes += (Node(over.id, "apply", range, loop.spec, aval=Aval("object", "range"),
                           place=loop.place, example=range(0)),)
        nodes += (Node(loop.id, "apply", len, (over,), aval=_INT, place=loop.place, example=0),)
        return Block(nodes, Branch(Ref(loop.id), "value", block.end.sides, loop.place))

    def loop(self, loop):
        kept = [k for k, phi in enumerate(loop.phis) if phi.id not in self.values]
        spec = self.value(loop.spec)
        phis = tuple([
            Phi(phi.id, self.value(phi.init), phi.out, phi.name, phi.aval, phi.memory, phi.example)
            for phi in [loop.phis[k] for k in kept]])

        def leaf(end):
            values = tuple([self.value(end.values[k]) for k in kept])
            if type(end) is Next:
                return Next(values, end.number)
            return Leave(values, end.number, end.label, end.counts)
        body = self.block(loop.body, leaf)
        return Loop(
            loop.id, loop.kind, spec, loop.item, phis, body, loop.once, loop.of, loop.order,
            loop.place, loop.part, loop.item_aval, loop.item_example, loop.item_name,
            loop.item_memory)
