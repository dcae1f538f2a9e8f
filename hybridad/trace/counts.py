"""How large a trace is."""

from hybridad.trace.ir import Block, Branch, Loop
from hybridad.trace.rewriting import parts_of

__all__ = ["sides", "statements"]


def sides(tree: Block) -> int:
    """The sides of all decisions that have been seen, those in loops too."""
    return sum([len(part.end.sides) if type(part.end) is Branch else 0 for part in _all(tree)])


def statements(tree: Block) -> int:
    """The operations, those in loops once, and the loops themselves; arguments are none."""
    return sum([type(node) is Loop or node.op != "input"
                for part in _all(tree) for node in part.nodes])


def _all(tree):
    todo = [tree]
    while todo:
        for part in parts_of(todo.pop()):
            yield part
            todo += [node.body for node in part.nodes if type(node) is Loop]
