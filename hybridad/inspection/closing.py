"""A trace that needs nothing from outside: what `export` can write down, or why there is none.

Reads of modules, classes and functions are left out: what they gave is code, and that is in the
trace. Defaults of functions belong to the code, too; they become what they are now.
"""

import numpy as np

from hybridad.engine.causes import shown_place
from hybridad.sct.passes.walk import unwind, used_by_end, uses, walk
from hybridad.trace.ir import Block, Branch, Loop, Node, Ref, refs_of, replace
from hybridad.trace.rewriting import Rewriting

__all__ = ["closed", "obstacle"]

_OF_CODE = ("is", "code", "type", "bound", "builtin")
_NONE = object()
_WRITABLE = (bool, str, int, float, complex, type(None))


def closed(tree, function):
    """`tree` without the reads of what is code, and with the defaults of functions.

    Parameters
    ----------
    tree : Block
    function : function
        Where reads of outside state start.

    Returns
    -------
    Block
    """
    nodes = [node for node, _ in walk(tree) if type(node) is Node]
    known = {node.id: node for node in nodes}
    values = {}
    for node in nodes:
        if node.op == "read" and node.target == "default":
            found = _default(node, known, function)
            if found is not None:
                values[node.id] = found[0]
    gone = _dispensable(tree, known, values)
    tree = unwind(_without(tree, gone))
    numbers = {id: value for id, value in values.items() if id in gone}
    return Rewriting(numbers).block(tree) if numbers else tree


def obstacle(tree):
    """Why a trace cannot do without what is outside: ``(what, where)``; None if it can.

    Parameters
    ----------
    tree : Block
    """
    known = {}
    for node, _ in walk(tree):
        if type(node) is not Node:
            continue
        known[node.id] = node
        if node.op in _SAID and not _is_root(node) and not _is_of_argument(node, known):
            return _SAID[node.op](node, known), shown_place(node.place)
    return None


def _is_root(node):
    return node.op == "read" and node.target == "function"


def _is_of_argument(node, known):
    """Whether a "read" looks into an argument: a container, an object."""
    while node is not None and node.op == "read" and node.args and type(node.args[0]) is Ref:
        node = known.get(node.args[0].id)
    return node is not None and node.op == "input"


def _read(node, known):
    if node.target == "cell":
        return f"it reads {node.args[1]!r} of an enclosing function"
    return f"it reads the {node.target} {node.args[1]!r}"


def _foreign(node, known):
    called = node.args[0]
    if type(called) is Ref and called.id in known:
        called = known[called.id].example
    name = getattr(called, "__name__", None)
    return f"it calls {name or 'code'}, which is not followed"


_SAID = {
    "read": _read,
    "effect": lambda node, known: "it changes what is outside",
    "note": lambda node, known: "it writes into an array from outside",
    "foreign": _foreign,
}


def _default(node, known, function):
    """The default that a "read" gives, in a tuple; None if it cannot be written down."""
    holder = node.args[0]
    if type(holder) is Ref:
        source = known.get(holder.id)
        holder = function if source is None or _is_root(source) else source.example
    code = getattr(holder, "__code__", None)
    if code is None:
        return None
    found = dict(holder.__kwdefaults__ or {})
    defaults = holder.__defaults__ or ()
    names = code.co_varnames[:code.co_argcount]
    found.update(zip(names[len(names) - len(defaults):], defaults))
    if node.args[1] not in found:
        return None
    value = found[node.args[1]]
    plain = type(value) in _WRITABLE or isinstance(value, np.number | np.bool_)
    return (value,) if plain else None


def _dispensable(tree, known, values):
    """Ids of reads that the trace can do without, and of the checks of what they give."""
    needed, users = set(), {}
    for item, _ in walk(tree):
        if type(item) is Node and item.op in ("read", "check"):
            for id in uses(item):
                users.setdefault(id, []).append(item)
        else:
            needed.update(_used(item))
    reads = {id for id, node in known.items() if node.op == "read"}
    gone = {id for id in reads if id in values or id not in needed}
    while True:
        kept = {id for id in gone if any(
            not _can_go(user, gone, values.get(id, _NONE)) for user in users.get(id, ()))}
        if not kept:
            break
        gone -= kept
    checks = {node.id for id in gone for node in users.get(id, ()) if node.op == "check"}
    return gone | checks


def _can_go(user, gone, value):
    """Whether a read or a check of what a read has given can be left out with it.

    `value` is what it gives now, if it is a default.
    """
    if user.op == "read":
        return user.id in gone
    if value is not _NONE and user.target in ("equal", "type", "number"):
        expected = user.args[1]
        if user.target == "equal":
            return type(value) is type(expected) and value == expected
        return type(value) is expected
    return user.target in _OF_CODE and all(
        type(x) is not Ref or x.id in gone for x in user.args)


def _used(item):
    if type(item) is Node:
        return uses(item)
    if type(item) is Loop:
        return [ref.id for x in (item.spec, *[phi.init for phi in item.phis])
                for ref in refs_of(x)]
    return [] if item is None else used_by_end(item)


def _without(block, gone):
    nodes = []
    for node in block.nodes:
        if type(node) is Loop:
            body = yield _without(node.body, gone)
            nodes.append(node if body is node.body else replace(node, body=body))
        elif node.id not in gone:
            nodes.append(node)
    end = block.end
    if type(end) is Branch:
        sides = {}
        for outcome, side in end.sides.items():
            sides[outcome] = yield _without(side, gone)
        end = replace(end, sides=sides)
    return Block(tuple(nodes), end)
