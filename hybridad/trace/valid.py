"""What holds of every trace: a pass that breaks it is caught where it broke it.

`check` is for tests and for finding errors of the specializer's own; nothing depends on it.
"""

import operator
from dataclasses import dataclass, field, replace

from hybridad.errors import HybridadError
from hybridad.trace.ir import (
    Aval,
    Block,
    Branch,
    Leave,
    Loop,
    Method,
    Next,
    Node,
    Ref,
    Return,
    refs_of,
)
from hybridad.trace.operations import complaint
from hybridad.trace.text import show

__all__ = ["InvalidTrace", "check"]

_PARTS = ("forward", "inner", "adjoint", "tangent")
_SPEC_LENGTHS = {"while": 0, "range": 3, "items": 1, "mirror": 0}


class InvalidTrace(HybridadError, ValueError):
    """A trace says what no trace can say; the text names the operation."""


def check(block):
    """Raise `InvalidTrace` if a trace is not one.

    Parameters
    ----------
    block : Block
        A whole trace.
    """
    checker = _Checker()
    leaves = checker.block(block, _Scope(None), None)
    first = leaves[0][0] if leaves else None
    for end, _ in leaves:
        if _lengths(end) != _lengths(first):
            checker.refuse("Paths return different numbers of cotangents or tangents.", end)


def _lengths(end):
    counted = end.cotangents if end.cotangents is None else len(end.cotangents)
    return counted, end.tangents is None


@dataclass(slots=True)
class _Known:
    """What defines an id: a value, or a loop as such."""

    owner: object
    aval: Aval | None = None
    memory: int | None = None
    part: str | None = None
    is_loop: bool = False


@dataclass(slots=True)
class _Scope:
    """What can be used in a block.

    Attributes
    ----------
    own : set
        Ids that the block itself defines.
    given : set
        In the mirror of a loop: ids of the family's bodies.
    body_of : Loop or None
        The loop whose body begins here.
    leaf : tuple of int or None
        The loop, and the number of its leaf, of which the block that begins here is the mirror.
    """

    parent: "_Scope | None"
    own: set = field(default_factory=set)
    given: frozenset = frozenset()
    body_of: Loop | None = None
    leaf: tuple | None = None

    def chain(self, only_body=False):
        """This block and those around it, to the head of the loop or to the very outside."""
        scope = self
        while scope is not None:
            yield scope
            scope = None if only_body and scope.body_of is not None else scope.parent

    def __contains__(self, id):
        return any(id in scope.own or id in scope.given for scope in self.chain())

    def in_body(self, id):
        return any(id in scope.own or id in scope.given for scope in self.chain(True))

    def body_ids(self):
        return frozenset().union(*[scope.own for scope in self.chain(True)])


class _Checker:
    """The ids met so far, and of each loop and mirror what its leaves leave behind."""

    def __init__(self):
        self.known = {}  # id -> _Known
        self.left_behind = {}  # id of a loop or a mirror -> {number of a leaf: ids}
        self.family = {}  # id of a loop -> ids of its mirrors
        self.labels = {}  # id of a loop -> labels of its ways out

    def refuse(self, what, culprit):
        if type(culprit) is Loop:
            culprit = replace(culprit, body=Block(), phis=())
        elif type(culprit) is Branch:
            culprit = Block((), replace(culprit, sides={}))
        elif type(culprit) is not Node:
            culprit = Block((), culprit)
        raise InvalidTrace(f"{what}\n  in  {show(culprit).strip()}")

    def block(self, block, scope, loop):
        """Check a tree of blocks; gives its leaves, each with its scope."""
        leaves, todo = [], [(block, scope)]
        while todo:  # blocks nest as deep as a path has decisions
            block, scope = todo.pop()
            for index, x in enumerate(block.nodes):
                if type(x) is Loop:
                    self.loop(x, scope)
                elif type(x) is Node:
                    self.node(x, scope, loop)
                    if x.op == "input" and (scope.parent or not _only_inputs(block, index)):
                        self.refuse("Inputs stand first in the whole trace.", x)
                else:
                    self.refuse(f"{x!r} is no operation.", block.end)
            if type(block.end) is Branch:
                todo += reversed(self.branch(block.end, scope))
            else:
                self.leaf(block.end, scope, loop, block)
                leaves.append((block.end, scope))
        return leaves

    def define(self, id, scope, culprit, **what):
        if type(id) is not int:
            self.refuse(f"{id!r} is no id.", culprit)
        if id in self.known:
            self.refuse(f"%{id} is defined twice.", culprit)
        self.known[id] = _Known(culprit, **what)
        scope.own.add(id)

    def use(self, x, scope, culprit, part=None):
        """All uses in `x` must be of values that are defined there."""
        for ref in refs_of(x):
            if ref.id not in scope:
                where = "in another block" if ref.id in self.known else "nowhere before"
                self.refuse(f"%{ref.id} is not defined here, but {where}.", culprit)
            known = self.known[ref.id]
            if known.is_loop:
                self.refuse(f"%{ref.id} is a loop, not a value.", culprit)
            if part == "forward" and known.part in ("adjoint", "tangent"):
                self.refuse(f"The function itself uses %{ref.id}, of the {known.part}.", culprit)

    def node(self, node, scope, loop):
        self.use((node.args, node.kwargs), scope, node, node.part)
        if node.part not in _PARTS:
            self.refuse(f"There is no part {node.part!r}.", node)
        if what := complaint(node):
            self.refuse(what, node)
        self.aval(node.aval, node.memory, node)
        if node.op == "write":
            self.write(node, scope, loop)
        elif node.memory is not None and self.is_view(node):
            memory = self.known[node.args[0].id].memory
            if memory not in (None, node.memory):
                self.refuse(f"This is a view of memory {memory}.", node)
        self.define(node.id, scope, node, aval=node.aval, memory=node.memory, part=node.part)

    def is_view(self, node):
        """Whether the result surely shows the memory of the first argument."""
        target, args = node.target, node.args
        if node.op != "apply" or not args or type(args[0]) is not Ref:
            return False
        if type(target) is Method:
            return target.name in ("T", "mT", "transpose", "swapaxes")
        return target is operator.getitem and len(args) == 2 and self.is_basic(args[1])

    def is_basic(self, index):
        if type(index) is tuple:
            return all(type(x) is not tuple and self.is_basic(x) for x in index)
        if type(index) is Ref:
            aval = self.known[index.id].aval
            return aval is not None and aval.kind == "number" and aval.dtype == "int"
        return index is None or index is Ellipsis or type(index) in (int, slice)

    def write(self, node, scope, loop):
        array = node.args[0]
        memory = self.known[array.id].memory
        if memory != node.memory:
            self.refuse(f"A write into memory {memory} cannot give memory {node.memory}.", node)
        if loop is not None and node.part == "forward" and not scope.in_body(array.id):
            self.refuse(f"%{array.id} comes from outside the loop that writes into it: the next "
                        "iteration would not see it; it must be a phi.", node)

    def aval(self, aval, memory, culprit):
        if aval is None:
            return
        if aval.kind not in ("array", "number", "object") or aval.layout not in ("C", "F", "A"):
            self.refuse(f"{aval} is not known.", culprit)
        if aval.kind == "number" and (memory is not None or aval.shape != ()):
            self.refuse("A number has no memory and no shape.", culprit)

    def loop(self, loop, scope):
        self.use((loop.spec, [phi.init for phi in loop.phis]), scope, loop)
        self.head(loop, scope)
        body = _Scope(scope, body_of=loop)
        if loop.kind == "mirror":
            body.given = frozenset.intersection(*self.visible(loop.of, scope).values())
        for phi in loop.phis:
            self.aval(phi.aval, phi.memory, loop)
            self.define(phi.id, body, loop, aval=phi.aval, memory=phi.memory)
        if loop.item is not None:
            self.define(loop.item, body, loop, aval=loop.item_aval, memory=loop.item_memory)
        leaves = self.block(loop.body, body, loop)
        self.left_behind[loop.id] = self.behind(loop, leaves)
        self.labels[loop.id] = {end.label for end, _ in leaves if type(end) is Leave} | (
            {0} if loop.kind != "while" else set())
        self.define(loop.id, scope, loop, is_loop=True)
        if loop.kind == "mirror":
            self.family[loop.of].append(loop.id)
        else:
            self.family[loop.id] = []
        for phi in loop.phis:
            self.define(phi.out, scope, loop, aval=phi.aval, memory=phi.memory)

    def head(self, loop, scope):
        if loop.kind not in _SPEC_LENGTHS or loop.part not in _PARTS or loop.order not in (1, -1):
            self.refuse("There is no such loop.", loop)
        if len(loop.spec) != _SPEC_LENGTHS[loop.kind]:
            self.refuse(f"This is no description of a {loop.kind!r} loop: {loop.spec}.", loop)
        if loop.item is not None and loop.kind in ("while", "mirror"):
            self.refuse(f"A {loop.kind!r} loop has no item.", loop)
        if loop.kind != "mirror":
            if loop.of is not None or loop.order != 1:
                self.refuse("Only a mirror belongs to another loop, and has an order.", loop)
        elif loop.of not in scope or loop.of not in self.family:
            self.refuse(f"%{loop.of} is no loop whose iterations are known here.", loop)
        elif not self.left_behind[loop.of]:
            self.refuse(f"Loop %{loop.of} has no iteration that counts.", loop)
        elif loop.once:
            self.refuse("A mirror goes through all iterations.", loop)

    def visible(self, of, scope):
        """Number of a leaf of a loop -> ids of the family's bodies that a mirror there can use."""
        mirrors = [self.left_behind[id] for id in self.family[of] if id in scope]
        return {number: ids.union(*[behind[number] for behind in mirrors])
                for number, ids in self.left_behind[of].items()}

    def behind(self, loop, leaves):
        """Number of a counted leaf -> ids that have values when an iteration has ended there."""
        behind = {}
        if loop.kind != "mirror":
            for end, scope in leaves:
                if type(end) is Next or end.counts:
                    if end.number in behind:
                        self.refuse(f"Two leaves of loop %{loop.id} have one number.", end)
                    behind[end.number] = scope.body_ids()
            return behind
        for number in self.left_behind[loop.of]:
            ends = [scope.body_ids() for _, scope in leaves
                    if _leaf(scope, loop.of) in (None, number)]
            behind[number] = frozenset.intersection(*ends)
        return behind

    def branch(self, branch, scope):
        """Check a branch; gives its sides with their scopes."""
        if type(branch.test) is not Ref:
            self.refuse("A branch tests a value of the trace.", branch)
        id = branch.test.id
        outcomes = list(branch.sides)
        if not outcomes:
            self.refuse("No side of the branch has been seen.", branch)
        if branch.kind == "leaf":
            return self.leaf_branch(branch, scope)
        if branch.kind == "left":
            if id not in scope or id not in self.family:
                self.refuse(f"%{id} is no loop that has ended here.", branch)
            known = self.labels[id].__contains__
        elif branch.kind in _OUTCOMES:
            self.use(branch.test, scope, branch, "forward")
            known = _OUTCOMES[branch.kind]
        else:
            self.refuse(f"There is no kind {branch.kind!r} of branch.", branch)
        for outcome in outcomes:
            if not known(outcome):
                self.refuse(f"{outcome!r} is no outcome of {branch.kind!r}.", branch)
        return [(side, _Scope(scope)) for side in branch.sides.values()]

    def leaf_branch(self, branch, scope):
        of = branch.test.id
        mirrors = [outer for outer in scope.chain()
                   if outer.body_of is not None and outer.body_of.of == of]
        if not mirrors:
            self.refuse(f"This stands in no mirror of loop %{of}.", branch)
        visible = self.visible(of, mirrors[0].parent)
        if set(branch.sides) != set(visible):
            self.refuse(f"The leaves of loop %{of} are {sorted(visible)}.", branch)
        return [(side, _Scope(scope, given=visible[number], leaf=(of, number)))
                for number, side in branch.sides.items()]

    def leaf(self, end, scope, loop, block):
        if type(end) not in (Return, Next, Leave):
            self.refuse(f"A block ends in {end!r}.", block.nodes[-1] if block.nodes else end)
        if (type(end) is Return) != (loop is None):
            self.refuse("Iterations end in next or leave, the trace in return.", end)
        if type(end) is Return:
            self.use((end.value, end.aux), scope, end, "forward")
            self.use((end.cotangents, end.tangents), scope, end)
            return
        self.use(end.values, scope, end)
        if type(end) is Leave and loop.kind == "mirror":
            self.refuse("A mirror goes through all iterations, and is never left.", end)
        if len(end.values) != len(loop.phis):
            self.refuse(f"Loop %{loop.id} carries {len(loop.phis)} values.", end)
        for phi, x in zip(loop.phis, end.values):
            self.carried(phi, x, end)

    def carried(self, phi, x, end):
        """The type of what a loop carries belongs to the key of its body; lengths do not."""
        aval = self.known[x.id].aval if type(x) is Ref else None
        if aval is None or phi.aval is None:
            return
        if ((aval.kind, aval.dtype, len(aval.shape))
                != (phi.aval.kind, phi.aval.dtype, len(phi.aval.shape))):
            self.refuse(f"{x} is not of the type that %{phi.id} has at the head of the loop.", end)


_OUTCOMES = {
    "bool": lambda x: type(x) is bool,
    "int": lambda x: type(x) is int,
    "index": lambda x: type(x) is int,
    "str": lambda x: type(x) is str,
    "shape": lambda x: type(x) is tuple and all(type(n) is int for n in x),
    "value": lambda x: True,
}


def _leaf(scope, of):
    """The number of the leaf of loop `of` in whose mirror block this stands."""
    for outer in scope.chain(True):
        if outer.leaf is not None and outer.leaf[0] == of:
            return outer.leaf[1]
    return None


def _only_inputs(block, index):
    return all(type(x) is Node and x.op == "input" for x in block.nodes[:index])
