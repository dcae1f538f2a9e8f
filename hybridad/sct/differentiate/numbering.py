"""Loops over the elements of an array as loops over their numbers.

What arrives at an element must be added at its place, so its number must be there.
"""

import itertools
import operator

from hybridad.sct.differentiate.calls import is_differentiable
from hybridad.sct.differentiate.program import rebuilt
from hybridad.sct.differentiate.writer import aval_of, ids_and_memories
from hybridad.trace.ir import Block, Loop, Node, Ref, replace

__all__ = ["by_number"]


def by_number(block):
    """Loops over elements that may be active, as loops over numbers.

    Parameters
    ----------
    block : Block

    Returns
    -------
    Block
        The same object if there is no such loop.
    """
    if not _has_one(block):
        return block
    ids = itertools.count(ids_and_memories(block)[0])
    return _changed(block, ids)


def _changed(block, ids):
    def nodes(block):
        for node in block.nodes:
            if type(node) is not Loop:
                yield node
                continue
            node = replace(node, body=_changed(node.body, ids))
            if _is_one(node):
                yield from _numbered(node, ids)
            else:
                yield node

    return rebuilt(block, lambda blocks: blocks[-1], nodes)


def _numbered(loop, ids):
    (array,) = loop.spec
    length = Node(next(ids), "apply", len, (array,), aval=aval_of(1), place=loop.place, example=1,
                  part=loop.part)
    number = next(ids)
    element = Node(
        loop.item, "apply", operator.getitem, (array, Ref(number)), aval=loop.item_aval,
        memory=loop.item_memory, place=loop.place, name=loop.item_name, part=loop.part,
        example=loop.item_example)
    body = Block((element, *loop.body.nodes), loop.body.end)
    yield length
    yield replace(loop, kind="range", spec=(0, Ref(length.id), 1), item=number, body=body,
                  item_aval=aval_of(0), item_example=0, item_name=None, item_memory=None)


def _is_one(loop):
    return loop.kind == "items" and is_differentiable(loop.item_example)


def _has_one(block):
    waiting = [block]
    while waiting:
        block = waiting.pop()
        for node in block.nodes:
            if type(node) is Loop:
                if _is_one(node):
                    return True
                waiting.append(node.body)
        waiting.extend(getattr(block.end, "sides", {}).values())
    return False
