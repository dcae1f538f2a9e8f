"""Goes through a tree and a path side by side; what only the path has becomes a new side.

The same walk adds an iteration to the body of its loop, and a whole run to the tree of its
signature. Nothing is changed in place: a part of the tree in which there was nothing new comes back
as the very same object.
"""

from hybridad.trace.carrying import LoopWeaving
from hybridad.trace.grafting import Grafting, equal, is_empty
from hybridad.trace.ir import HOLE, Block, Branch, Leave, Loop, Next, Node, Return
from hybridad.trace.matching import Unmergeable, described, same_static

__all__ = ["Weaving"]


class Weaving(LoopWeaving):
    """Adds a path to a tree.

    Parameters
    ----------
    matching : Matching
    new_id, new_memory : callable
        Give the number in the tree of what only the path has.
    examples : bool
        Whether the tree shall have the examples of the path.
    """

    def __init__(self, matching, new_id, new_memory, examples=False):
        self.matching, self.new_id, self.new_memory = matching, new_id, new_memory
        self.examples, self.changed = examples, False

    def weave(self, tree, path, leaves=None):
        """The tree with the path in it; the same object if there was nothing new."""
        todo, done = [(tree, path)], []
        while todo:
            item = todo.pop()
            if len(item) == 3:
                done.append(_with_sides(*item, done))
                continue
            t, p = item
            if t is not None and is_empty(p):
                done.append(t)
                continue
            if t is None or is_empty(t):
                self.changed = True
                done.append(self._graft(p, leaves))
                continue
            nodes = self._nodes(t.nodes, p.nodes)
            if type(t.end) is Branch:
                pairs = self._sides(t.end, p.end)
                todo.append((t, nodes, [key for key, _, _ in pairs]))
                todo += [(side, new) for _, side, new in reversed(pairs)]
                continue
            end = self._leaf(t.end, p.end, leaves)
            done.append(t if end is t.end and nodes is t.nodes else Block(nodes, end))
        return done[0]

    # -- operations ------------------------------------------------------------------------------

    def _nodes(self, tree, path):
        if len(tree) != len(path):
            k = min(len(tree), len(path))
            longer = tree if len(tree) > k else path
            for a, b in zip(tree, path):
                if type(a) is type(b) is Node:
                    self.matching.node(a, b)
            raise Unmergeable(f"{described(longer[k])} is not always there")
        changed = None
        for k, (a, b) in enumerate(zip(tree, path)):
            if type(a) is Node and type(b) is Node:
                self.matching.node(a, b)
                new = _with_example(a, b.example) if self.examples else a
            elif type(a) is Loop and type(b) is Loop:
                new = self.loop(a, b)
            else:
                raise Unmergeable(f"there is {described(a)} and then {described(b)}")
            if new is not a:
                if changed is None:
                    changed = list(tree)
                changed[k] = new
        return tree if changed is None else tuple(changed)

    def _sides(self, tree, path):
        """Triples (outcome, side of the tree or None, side of the path)."""
        if type(path) is not Branch:
            raise Unmergeable(f"{_decided(tree)} is not always decided")
        if tree.kind != path.kind or tree.place != path.place \
                or not self.matching.same(tree.test, path.test):
            raise Unmergeable(f"{_decided(tree)} is decided and then {_decided(path)}")
        pairs = []
        for outcome, side in path.sides.items():
            known = outcome in tree.sides
            if known and not any(same_static(outcome, x) for x in tree.sides):
                raise Unmergeable(f"{_decided(tree)} is {outcome!r} of another type")
            pairs.append((outcome, tree.sides[outcome] if known else None, side))
        return pairs

    # -- ends ------------------------------------------------------------------------------------

    def _leaf(self, t, p, leaves):
        if type(t) is not type(p):
            raise Unmergeable("one goes on where another one ends")
        if type(t) is Return:
            if not (self.matching.same(t.value, p.value) and self.matching.same(t.aux, p.aux)):
                raise Unmergeable("something else is returned")
            return t
        leaves.last = t.number
        if type(t) is Leave and t.label != p.label:
            raise Unmergeable("one loop is left in two ways")
        values, filled = [], False
        for mine, its in zip(t.values, leaves.arrange(p.values)):
            if mine is HOLE and its is not HOLE:
                values.append(its)
                filled = True
                continue
            if its is not HOLE and not equal(mine, its):
                raise Unmergeable("a name gets another value")
            values.append(mine)
        counts = type(t) is Leave and p.counts and not t.counts
        if not (filled or counts):
            return t
        self.changed = True
        if type(t) is Next:
            return Next(tuple(values), t.number)
        return Leave(tuple(values), t.number, t.label, t.counts or p.counts)

    def _graft(self, path, leaves):
        def leaf(end):
            values, number = tuple(leaves.arrange(end.values)), leaves.number()
            new = Next(values, number) if type(end) is Next else \
                Leave(values, number, end.label, end.counts)
            leaves.added.append(new)
            leaves.last = number
            return new
        return Grafting(self).block(path, leaf)

def _with_sides(block, nodes, keys, done):
    """`block` with the sides that stand at the end of `done` in place of its own."""
    new = done[len(done) - len(keys):]
    del done[len(done) - len(keys):]
    end = block.end
    if nodes is block.nodes and all(end.sides.get(k) is side for k, side in zip(keys, new)):
        return block
    return Block(nodes, Branch(end.test, end.kind, {**end.sides, **dict(zip(keys, new))},
                               end.place))


def _with_example(node, example):
    if example is None:
        return node
    return Node(node.id, node.op, node.target, node.args, node.kwargs, node.aval, node.memory,
                node.place, node.name, node.part, node.of, example)


def _decided(branch):
    place = branch.place
    return f"a {branch.kind}" if place is None else f"a {branch.kind} ({place.file}:{place.line})"
