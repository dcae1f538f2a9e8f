"""The path that arguments take: a trace without the sides that a call does not enter.

The trace is emitted once more without its adjoint, with a note at the end of each path (and of each
iteration of a loop) that it was there, and run on the arguments.
"""

import itertools

import numpy as np

from hybridad.engine.code_run import CodeRun
from hybridad.errors import UnsupportedError, message
from hybridad.sct.emit import emit
from hybridad.sct.load import Exit, load
from hybridad.sct.nested import expand_pulls
from hybridad.sct.passes.walk import unwind
from hybridad.trace.examples import make_examples
from hybridad.trace.ir import Aval, Block, Branch, Loop, Next, Node, replace
from hybridad.trace.rewriting import parts_of

__all__ = ["pruned", "taken"]


def taken(subject, args, kwargs):
    """The code of the one path that a call takes.

    Parameters
    ----------
    subject : Subject
    args, kwargs
        Of the call.

    Returns
    -------
    Code
    """
    seen = _seen(subject, args, kwargs)
    if seen is None:
        subject.call(args, kwargs)  # which teaches it
        seen = _seen(subject, args, kwargs)
    if seen is None:
        raise UnsupportedError(message(
            f"The path that {subject.name} takes for these arguments is another one in each call.",
            "Leave path=True away."))
    entry = subject.entry(args, kwargs)
    return subject.engine.code_for(entry, pruned(entry.trace.tree, seen))


def _seen(subject, args, kwargs):
    """The numbers of the leaves that a call comes to; None if it is not known in full."""
    entry, seen = subject.entry(args, kwargs), set()
    leaves = subject.engine.leaves_for(*subject.arguments(args, kwargs))
    tree = expand_pulls(make_examples(entry.trace.tree))
    source = emit(_noting(tree, seen.add), subject.name)
    run = CodeRun(subject.engine.f) if source.needs_run else None
    try:
        with np.errstate(all="ignore"):  # the user has been warned by calls
            outcome = load(source)(*leaves, *(() if run is None else (run,)))
    except Exception:
        return None
    finally:
        if run is not None:
            run.undo()
    return None if type(outcome) is Exit else seen


def _noting(tree, note):
    """`tree` with ``note(number)`` at each of its leaves, which have numbers in order."""
    def noted(number):  # a function of Python's: it has no public name, so it is bound
        note(number)

    first = 1 + max(_ids(tree), default=0)

    def leaf(block, number):
        node = Node(first + number, "apply", noted, (number,), {}, Aval("object", "NoneType"),
                    place=getattr(block.end, "place", None))
        return Block((*block.nodes, node), block.end)

    return unwind(_rebuilt(tree, leaf, itertools.count()))


def pruned(tree, seen):
    """`tree` without the sides that lead to other leaves than those seen.

    Parameters
    ----------
    tree : Block
    seen : set of int
        Numbers of leaves, in order.

    Returns
    -------
    Block
        A loop in which no iteration was followed by another one is as it was.
    """
    return unwind(_rebuilt(tree, lambda block, number: block if number in seen else None,
                           itertools.count()))


def _rebuilt(block, leaf, numbers):
    """The tree with ``leaf(block, number)`` for the blocks at its ends; those that are None go."""
    nodes = []
    for node in block.nodes:
        if type(node) is Loop:
            body = yield _rebuilt(node.body, leaf, numbers)
            if body is not None and any(type(part.end) is Next for part in parts_of(body)):
                node = replace(node, body=body)
        nodes.append(node)
    end = block.end
    if end is None:  # a body of which nothing has been seen
        return block
    if type(end) is not Branch:
        return leaf(Block(tuple(nodes), end), next(numbers))
    sides = {}
    for outcome, side in end.sides.items():
        sides[outcome] = yield _rebuilt(side, leaf, numbers)
    sides = {outcome: side for outcome, side in sides.items() if side is not None}
    return Block(tuple(nodes), replace(end, sides=sides)) if sides else None


def _ids(tree):
    """All ids of a tree."""
    todo = [tree]
    while todo:
        for part in parts_of(todo.pop()):
            for node in part.nodes:
                yield node.id
                if type(node) is Loop:
                    todo.append(node.body)
                    yield from (node.item or 0, *[id for phi in node.phis for id in
                                                  (phi.id, phi.out)])
