"""Derivatives inside of a trace: each "pull" becomes the adjoint of what led to its values.

The adjoint is written where the derivative was computed, of the straight line that led there, by
the same `reverse` as every other one; its operations are then ordinary ones (part "inner"), of
which an outer derivative is taken as of others. Loops get mirrors as ever. Inner ones come first.
A variable is a value of its own for the pulls by it, and what it was made of for all others.
"""

import itertools

from hybridad.sct.differentiate import reverse
from hybridad.sct.differentiate.numbering import by_number
from hybridad.sct.differentiate.program import Program
from hybridad.sct.differentiate.writer import Writer, ids_and_memories
from hybridad.sct.passes.walk import unwind, used_by_end, uses, walk
from hybridad.trace.ir import Block, Branch, Loop, Node, Ref, Return, refs_of, replace
from hybridad.trace.rewriting import Rewriting

__all__ = ["expand_pulls"]


def expand_pulls(tree):
    """A tree in which no operation is a pull or a variable.

    Parameters
    ----------
    tree : Block
        With examples.

    Returns
    -------
    Block

    Raises
    ------
    Unsupported
        For what only the tape can differentiate.
    """
    if not any(type(node) is Node and node.op in ("variable", "pull") for node, _ in walk(tree)):
        return tree
    tree = by_number(tree)
    expanding = _Expanding(tree)
    made = unwind(expanding.block(tree, []))
    return expanding.without_variables().block(made)


class _Settled(Rewriting):
    """Puts in place what stands for an id, be it by way of others, and for a memory."""

    def __init__(self, values, memories):
        super().__init__(values)
        self.memories = memories

    def shaped(self, block):
        """A block without the variables that something stands for."""
        nodes = tuple([x for x in block.nodes
                       if getattr(x, "op", None) != "variable" or x.id not in self.values])
        return block if len(nodes) == len(block.nodes) else Block(nodes, block.end)

    def ref(self, ref):
        """What stands for a use."""
        found = ref
        while type(found) is Ref and found.id in self.values:
            found = self.values[found.id]
        return found

    def memory(self, number):
        """The number of a memory."""
        while number in self.memories:
            number = self.memories[number]
        return number


class _Expanding:
    """Goes through a tree, along each path.

    Attributes
    ----------
    variables : list of Node
    settled : _Settled
        Puts what they are in place of pulls.
    """

    def __init__(self, tree):
        program = Program(tree, ())
        self.examples, self.memory_of, self.made_by = (
            program.examples, program.memories, program.made_by)
        self.variables, self.settled = [], _Settled({}, {})
        ids, memories = ids_and_memories(tree)
        self.writer = Writer("inner", itertools.count(ids), itertools.count(memories), "singular")

    def block(self, block, line):
        """A generator for `unwind`: the block anew; `line` is what came before it in its scope."""
        line, nodes, number = list(line), [], 0
        while number < len(block.nodes):
            node = block.nodes[number]
            number += 1
            if type(node) is Loop:
                body = yield self.block(node.body, [])
                node = replace(node, body=body)
            elif node.op == "pull":
                group = [node]
                while number < len(block.nodes) and _goes_with(group, block.nodes[number]):
                    group.append(block.nodes[number])
                    number += 1
                made, line = self._expanded(group, line)
                nodes += made
                continue
            elif node.op == "variable":
                self.variables.append(node)
            nodes.append(node)
            line.append(self.settled.node(node))
        end = block.end
        if type(end) is Branch:
            sides = {}
            for outcome, side in end.sides.items():
                sides[outcome] = yield self.block(side, line)
            end = replace(end, sides=sides)
        return Block(tuple(nodes), end)

    def _expanded(self, group, line):
        """The adjoint in place of pulls of the same values, and the line as it then goes on."""
        values, cotangents, _ = self.settled.value(group[0].args)
        wanted = [node.args[2].id for node in group]
        is_one = len(values) == 1 and type(cotangents[0]) is float and cotangents[0] == 1.0
        value = values[0] if is_one else values
        end = Return(value, place=group[0].place)
        whole = Block((*self._outside(line, end), *line), end)
        made = reverse(whole, wanted, "one" if is_one else "given", "singular", self.writer)
        adjoint = made.nodes[len(whole.nodes):]
        nodes = []
        for node in adjoint:
            if type(node) is Node and node.op == "seed":
                self._stands_for(self.settled, node,
                                 node.example if is_one else cotangents[node.target])
                continue
            nodes.append(node)
            self._know(node)
        for node, cotangent in zip(group, made.end.cotangents):
            self._stands_for(self.settled, node, cotangent)
        return nodes, [*line, *map(self.settled.node, nodes)]

    def without_variables(self):
        """Puts what they are in place of pulls and variables."""
        for node in self.variables:
            self._stands_for(self.settled, node, node.args[0])
        return self.settled

    def _stands_for(self, settled, node, other):
        settled.values[node.id] = other
        if node.memory is not None and type(other) is Ref:
            settled.memories[node.memory] = self.memory_of[other.id]

    def _know(self, node):
        if type(node) is Loop:
            for phi in node.phis:
                self._note(phi.out, phi, phi.example, phi.memory)
        else:
            self._note(node.id, node, node.example, node.memory)

    def _note(self, id, by, example, memory):
        self.made_by[id], self.examples[id], self.memory_of[id] = by, example, memory

    def _outside(self, line, end):
        """What a line uses that it does not make, as operations without arguments."""
        made, used = set(), {}
        for node, _ in walk(Block(tuple(line), end)):
            made.update(_ids_of(node))
            used.update(dict.fromkeys(_uses_of(node)))
        found = []
        for id in used:
            if id in made:
                continue
            by = self.made_by[id]
            if getattr(by, "op", None) != "const":
                by = Node(id, "input", -1, aval=getattr(by, "aval", None),
                          memory=self.memory_of[id], example=self.examples[id],
                          name=getattr(by, "name", None))
            found.append(by)
        return found


def _goes_with(group, other):
    """Whether an operation is a pull of the same values, by a variable that is none of theirs."""
    return (type(other) is Node and other.op == "pull" and other.args[:2] == group[0].args[:2]
            and all(other.args[2] != node.args[2] for node in group))


def _ids_of(node):
    if type(node) is Loop:
        ids = [node.id] + [id for phi in node.phis for id in (phi.id, phi.out)]
        return ids if node.item is None else [*ids, node.item]
    return [node.id] if type(node) is Node else []


def _uses_of(node):
    if type(node) is Loop:
        return [ref.id for ref in refs_of((node.spec, [phi.init for phi in node.phis]))]
    return uses(node) if type(node) is Node else used_by_end(node)
