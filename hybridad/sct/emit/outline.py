"""The outline of a trace: parts and values, numbered in the order in which they are written.

Every operation gets an even position, depth first, so that what is below a place in the tree is an
interval of positions. Then "is this value used after that?" is a search in a sorted list. What a
mirror uses of an iteration of its family is no use there, but a `needs` of the mirror; it is
brought back by `saves`.
"""

from bisect import bisect_right, insort
from dataclasses import dataclass, field

from hybridad.trace.ir import Branch, Leave, Loop, Next, Return, refs_of

__all__ = ["Outline", "Part", "Scope", "Value"]


@dataclass(slots=True, eq=False)
class Value:
    """A value of the trace.

    Attributes
    ----------
    id : int or tuple
        The tuples ``("saved", loop)`` and ``("count", loop)`` stand for what a loop keeps.
    kind : {"node", "phi", "out", "item", "kept"}
    node : Node or None
    scope : int or None
        The innermost loop in whose body it is computed.
    uses : list of int
        Positions, sorted.
    """

    id: object
    kind: str
    node: object
    aval: object
    memory: int | None
    name: str | None
    position: int
    part: "Part"
    uses: list = field(default_factory=list)
    made_in: str = "forward"

    @property
    def scope(self):
        return self.part.scope

    @property
    def part_name(self):
        """"forward", "adjoint" or "tangent"; what a loop carries belongs to the loop's."""
        return self.made_in if self.node is None else self.node.part

    @property
    def is_array(self):
        return self.aval is not None and self.aval.kind == "array"


@dataclass(slots=True, eq=False)
class Part:
    """A block of the tree in its place.

    Attributes
    ----------
    start, end, exit : int
        Positions before its first operation, of its end, and of the last thing below it.
    positions : list of int
        Of its operations.
    bodies : dict
        Number of an operation that is a loop -> Part of its body.
    scope : int or None
        The loop in whose body it stands.
    leaf : int or None
        In the body of a mirror: the leaf that the iteration has taken.
    save : tuple or None
        (number of operations after which, list of ids) of what an iteration that ends here keeps.
    """

    block: object
    scope: int | None
    leaf: int | None = None
    parent: "Part | None" = None
    start: int = 0
    end: int = 0
    exit: int = 0
    positions: list = field(default_factory=list)
    bodies: dict = field(default_factory=dict)
    sides: dict = field(default_factory=dict)
    save: tuple | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """A loop in its place: `part` is where it stands, `leaves` the parts that end an iteration."""

    loop: Loop
    start: int
    part: Part
    body: Part | None = None
    after: int = 0
    leaves: list = field(default_factory=list)
    chain: frozenset = frozenset()

    @property
    def family(self):
        return self.loop.id if self.loop.of is None else self.loop.of

    @property
    def labels(self):
        """The labels by which the loop can end; 0 is its regular end."""
        labels = {part.block.end.label for part in self.leaves if type(part.block.end) is Leave}
        return labels if self.loop.kind == "while" else labels | {0}

    @property
    def counted(self):
        """The parts that end counted iterations."""
        return [part for part in self.leaves
                if type(part.block.end) is Next or part.block.end.counts]


class Outline:
    """What is known of a trace before it is written.

    Parameters
    ----------
    block : Block

    Attributes
    ----------
    values : dict
        Id -> Value.
    scopes : dict
        Id of a loop -> Scope.
    owners : list of Part
        By position.
    needs : dict
        Id of a mirror -> {leaf: {id: number of uses}}, of the iterations of its family.
    """

    def __init__(self, block):
        self.values, self.scopes, self.owners, self.needs = {}, {}, [], {}
        self.root = self._outline(block, None)

    # -- numbering ---------------------------------------------------------------------------

    def _outline(self, block, scope):
        root = Part(block, scope)
        order, waiting = [], [root]
        while waiting:  # blocks nest as deep as a path has decisions
            part = waiting.pop()
            order.append(part)
            part.start = self._next(part)
            for k, node in enumerate(part.block.nodes):
                part.positions.append(position := self._next(part))
                if type(node) is Loop:
                    self._loop(node, position, part, k)
                else:
                    self._use(node.args, position, part)
                    if node.op != "check":
                        self._use(node.kwargs, position, part)
                    self.define(Value(node.id, "node", node, node.aval, node.memory, node.name,
                                      position, part))
            part.end = self._next(part)
            self._end(part, waiting)
        for part in reversed(order):
            part.exit = max([part.end, *[side.exit for side in part.sides.values()]])
        return root

    def _next(self, part):
        self.owners += (part, part)
        return len(self.owners) - 2

    def define(self, value):
        """Make a value known."""
        self.values[value.id] = value

    def _loop(self, loop, position, part, k):
        above = self.scopes[part.scope].chain if part.scope is not None else frozenset()
        scope = self.scopes[loop.id] = Scope(loop, position, part, chain=above | {loop.id})
        self._use(loop.spec, position, part)
        for phi in loop.phis:
            self._use(phi.init, position, part)
        inner = Part(loop.body, loop.id)
        for phi in loop.phis:
            self.define(Value(phi.id, "phi", None, phi.aval, phi.memory, phi.name, position, inner,
                              made_in=loop.part))
        if loop.item is not None:
            self.define(Value(loop.item, "item", None, loop.item_aval, loop.item_memory,
                              loop.item_name, position, inner))
        body = self._outline(loop.body, loop.id)
        part.bodies[k] = scope.body = body
        for phi in loop.phis:  # the values at the head belong to the body
            self.values[phi.id].part = body
        if loop.item is not None:
            self.values[loop.item].part = body
        scope.after = self._next(part)
        for phi in loop.phis:
            self.define(Value(phi.out, "out", None, phi.aval, phi.memory, phi.name, scope.after,
                              part, made_in=loop.part))
        for kind in ("saved", "count", "left"):
            self.define(Value((kind, loop.id), "kept", None, None, None, None, scope.after, part))

    def _end(self, part, waiting):
        end, position = part.block.end, part.end
        kind = type(end)
        if kind is Branch:
            if end.kind == "left":
                if len(end.sides) > 1 or self.scopes[end.test.id].labels != set(end.sides):
                    self.use(("left", end.test.id), position, part)
            elif end.kind != "leaf":
                self._use(end.test, position, part)
            for outcome, side in end.sides.items():
                leaf = outcome if end.kind == "leaf" else part.leaf
                below = part.sides[outcome] = Part(side, part.scope, leaf, part)
                waiting.append(below)
        elif kind is Next or kind is Leave:
            self._use(end.values, position, part)
            self.scopes[part.scope].leaves.append(part)
        elif kind is Return:
            for x in (end.value, end.aux, end.cotangents, end.tangents):
                self._use(x, position, part)

    # -- uses --------------------------------------------------------------------------------

    def _use(self, x, position, part):
        for ref in refs_of(x):
            self.use(ref.id, position, part)

    def use(self, id, position, part):
        """Note a use; of an iteration of the family of a mirror it is a need of the mirror."""
        value = self.values.get(id)
        if value is None:
            raise NameError(f"%{id} is used before it is defined")
        if value.scope is None or value.scope in self._chain(part):
            insort(value.uses, position)
            return
        family = self.scopes[value.scope].family
        while part.scope is not None:
            scope = self.scopes[part.scope]
            if scope.loop.of is not None and scope.family == family:
                needs = self.needs.setdefault(scope.loop.id, {}).setdefault(part.leaf, {})
                needs[id] = needs.get(id, 0) + 1
                return
            part = scope.part
        raise NameError(f"%{id} of a loop's body is used where there is no such iteration")

    def _chain(self, part):
        return self.scopes[part.scope].chain if part.scope is not None else ()

    def is_live(self, value, position, part):
        """Whether a value may be used after `position`, which is in `part`, on some path."""
        begin, end, scope = position, part.exit, part.scope
        while scope != value.scope:
            if scope is None:
                return False
            # What comes from outside of a loop is used again in its next iteration.
            info = self.scopes[scope]
            begin, end, scope = info.start, info.part.exit, info.part.scope
        k = bisect_right(value.uses, begin)
        return k < len(value.uses) and value.uses[k] <= end

    def is_single(self, value, position, part):
        """Whether the only use of a value is at `position` in `part`, where it was computed."""
        return value.uses == [position] and value.part is part and self.owners[position] is part
