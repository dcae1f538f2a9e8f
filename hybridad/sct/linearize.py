"""From a trace to linear functions: pullbacks, tangents, and tangents of gradients.

All of them put what `f` returns into the auxiliary result: arrays from outside that `f` only hands
on stay what they are there.
"""

from hybridad import tree as pytrees
from hybridad.sct.differentiate import forward, reverse
from hybridad.sct.differentiate.program import rebuilt
from hybridad.sct.emit import emit
from hybridad.sct.load import load
from hybridad.sct.nested import expand_pulls
from hybridad.sct.passes import run as clean
from hybridad.sct.specialize import Code, NotSpecialized, derived, inputs_of
from hybridad.trace.examples import make_examples
from hybridad.trace.ir import Block, Branch, Loop, Node, Ref, map_refs, refs_of, replace
from hybridad.trace.simplify import simplify

__all__ = ["Plan", "pullback_code", "push_code", "second_push_code"]

_EXIT = "return Exit("
_EFFECTS = frozenset(("effect", "foreign", "note"))


class Plan:
    """How the leaves of the value of one path belong to the parameters of its pullback.

    Attributes
    ----------
    order : list of (int or None)
        For each leaf of the value, in the order of `tree.flatten`, the number of its seed.
    parameters : tuple of int
        The seeds that the pullback takes; without any it takes one argument, which is ignored.
    """

    __slots__ = ("order", "parameters")

    def __init__(self, order):
        self.order, self.parameters = order, ()


class _Mark:
    """Stands for a use in a value."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


def pullback_code(tree, wanted, name, arity):
    """Make the function that gives the value and its pullback.

    Parameters
    ----------
    tree : Block
        All paths seen.
    wanted : tuple of int
        The numbers of the differentiated leaves.
    name : str
        Of the function that is differentiated.
    arity : int
        How many leaves the arguments have.

    Returns
    -------
    Code
        Its function returns ``(None, (number, value, aux), pullback)``. ``plans[number]`` is the
        `Plan` of the path.

    Raises
    ------
    NotSpecialized
    """
    tree = _prepared(tree)
    _check_values(tree)
    plans = []

    def planned(block):
        plans.append(Plan(_order_of(block)))
        return _with_end(block, value=None, aux=(len(plans) - 1, block.end.value, block.end.aux))

    block = derived(lambda: reverse(tree, inputs_of(tree, wanted), "given", "zero"))
    block = clean(rebuilt(block, lambda blocks: planned(blocks[-1])))
    for leaf in _leaves(block):
        plans[leaf.end.aux[0]].parameters = tuple(sorted(
            node.target for node in leaf.nodes if type(node) is Node and node.op == "seed"))
    source = emit(block, name, has_aux=True, pullback=True, arity=arity)
    if _may_exit_late(source.text):
        raise NotSpecialized("its derivative has to be checked when it is computed")
    code = _code(source, tree)
    code.plans = plans
    return code


def push_code(tree, wanted, name, arity):
    """Make the function that gives the value and its tangent.

    Parameters and errors are those of `pullback_code`.

    Returns
    -------
    Code
        Its function takes the tangents of the leaves `wanted` behind the leaves, and returns
        ``(None, (value, aux), tangent)``.
    """
    def without_value(block):
        end = block.end
        return _with_end(block, value=None, aux=(end.value, end.aux),
                         tangents=_tangent_of(end.value, end.tangents))

    tree = _prepared(tree)
    _check_values(tree)
    block = derived(lambda: forward(tree, inputs_of(tree, wanted)))
    return _pushed(block, without_value, tree, wanted, name, arity)


def second_push_code(tree, wanted, name, arity):
    """Make the function that gives the value and the tangent of its gradient.

    Parameters and errors are those of `pullback_code`.

    Returns
    -------
    Code
        As of `push_code`; the tangent is the tuple of those of the gradients of the leaves.
    """
    def without_value(block):
        end = block.end
        return _with_end(block, value=None, aux=(end.value, end.aux), cotangents=None,
                         tangents=tuple(end.tangents[1]))

    tree = _prepared(tree)

    def tangent_of_gradient():
        adjoint = reverse(tree, inputs_of(tree, wanted), guards="singular")
        return forward(adjoint, inputs_of(adjoint, wanted))

    return _pushed(derived(tangent_of_gradient), without_value, tree, wanted, name, arity)


def _pushed(block, changed, tree, wanted, name, arity):
    block = rebuilt(_with_inputs(block, arity), lambda blocks: changed(blocks[-1]))
    source = emit(clean(block), name, has_aux=True, arity=arity + len(wanted))
    return _code(source, tree)


def _code(source, tree):
    code = Code(load(source), source, tree)
    code.repeats = not any(node.op in _EFFECTS for node in _operations(tree)
                           if type(node) is Node)
    return code


def _prepared(tree):
    """A trace as derivatives are made of it, with the inputs first, where `forward` looks."""
    block = derived(lambda: expand_pulls(make_examples(simplify(tree))))
    inputs = [node for node in block.nodes if getattr(node, "op", None) == "input"]
    others = [node for node in block.nodes if getattr(node, "op", None) != "input"]
    return Block((*inputs, *others), block.end)


# -- what a path returns -----------------------------------------------------------------------


def _leaves(block):
    waiting = [block]
    while waiting:
        block = waiting.pop()
        if type(block.end) is Branch:
            waiting.extend(block.end.sides.values())
        else:
            yield block


def _check_values(tree):
    """Raise NotSpecialized unless the values of all paths are numbers and arrays in containers."""
    kinds = {}
    for node in _operations(tree):
        if type(node) is Loop:
            kinds.update((phi.out, phi.aval) for phi in node.phis)
        else:
            kinds[node.id] = node.aval
    for leaf in _leaves(tree):
        for ref in refs_of(leaf.end.value):
            aval = kinds.get(ref.id)
            if aval is None or aval.kind == "object":
                raise NotSpecialized("it returns an object")


def _operations(block):
    """All operations of a tree, also those in loops."""
    waiting = [block]
    while waiting:
        block = waiting.pop()
        for node in block.nodes:
            yield node
            if type(node) is Loop:
                waiting.append(node.body)
        if type(block.end) is Branch:
            waiting.extend(block.end.sides.values())


def _with_end(block, **parts):
    return Block(block.nodes, replace(block.end, **parts))


def _with_inputs(block, arity):
    """The tangents that come from outside as inputs, behind all others."""
    nodes = [replace(node, op="input", target=arity + node.target, part="forward", of=None)
             if type(node) is Node and node.op == "seed" and node.target is not None
             and node.part == "tangent" else node for node in block.nodes]
    return Block(tuple(nodes), block.end)


def _order_of(block):
    """For each leaf of the value of a path the number of its use, None for a constant."""
    numbers = iter(range(sum(1 for _ in refs_of(block.end.value))))
    marked = map_refs(lambda ref: _Mark(next(numbers)), block.end.value)
    leaves, _ = pytrees.flatten(marked)
    return [leaf.number if type(leaf) is _Mark else None for leaf in leaves]


def _tangent_of(value, tangent):
    """A tangent without the constants of the value, which are in their places."""
    kind = type(value)
    if kind is Ref or value is None:
        return tangent
    if kind in (tuple, list):
        return kind([_tangent_of(x, t) for x, t in zip(value, tangent)])
    if kind is dict:
        return {key: _tangent_of(x, tangent[key]) for key, x in value.items()}
    return kind(0)


def _may_exit_late(text):
    """Whether emitted text has an exit in a pullback."""
    depth = None
    for row in text.split("\n"):
        stripped = row.lstrip()
        indent = len(row) - len(stripped)
        if depth is not None and stripped and indent <= depth:
            depth = None
        if depth is None and indent and stripped.startswith("def "):
            depth = indent
        elif depth is not None and stripped.startswith(_EXIT):
            return True
    return False
