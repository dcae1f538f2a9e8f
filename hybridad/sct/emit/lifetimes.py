"""How long arrays live: copies before they are overwritten, variables that are deleted."""

import math
import re
from bisect import bisect_right

import numpy as np

from hybridad.sct.emit.expressions import operands
from hybridad.sct.emit.memory import copied
from hybridad.sct.emit.names import readable
from hybridad.sct.emit.static import ATOM, Expression, inside

__all__ = ["free", "protect", "protect_copy"]

_WORD = re.compile(r"\w+")
_LARGE = 1 << 16  # bytes; smaller arrays are not worth a statement that frees them


def protect(statements, state, depth, memory, position, part, late=False):
    """Copy what is used later of a memory that is about to be overwritten.

    Parameters
    ----------
    statements : Statements
    state : State
    depth : int
    memory : int
    position : int
        Of what overwrites it, in `part`.
    part : Part
    late : bool
        Only the adjoint looks at the old content; the program goes on with the array as it is.
    """
    residents = state.residents.get(memory)
    if not residents:
        return
    alive = []
    for value in residents:
        if not statements.outline.is_live(value, position, part):
            continue
        if late:
            alive.append(value)
            if not _is_late(statements, value, position):
                continue
        if not late and _copy_at_once(statements, state, value, position):
            continue
        old = state.late.get(value.id, state.env[value.id]).text
        base = readable(value.name or old)
        copy = state.names.new(base if base != old else base + "_kept")
        statements.write(state, depth, f"{copy} = {copied(old, value.aval)}")
        (state.late if late else state.env)[value.id] = Expression(copy)
        state.holders[copy] = [value]
        if not late:
            state.apart[value.id] = copy
    state.residents[memory] = alive


def protect_copy(statements, state, depth, value, variable, position, part):
    """Copy what has been copied before, if the program goes on with that copy, and changes it.

    Parameters
    ----------
    statements : Statements
    state : State
    depth : int
    value : Value
        What is about to be overwritten.
    variable : str
        By which the program goes on.
    position : int
        Of what overwrites it, in `part`.
    part : Part
    """
    if (state.apart.get(value.id) != variable or state.env[value.id].text != variable
            or not statements.outline.is_live(value, position, part)):
        return
    copy = state.names.new(readable(variable))
    statements.write(state, depth, f"{copy} = {copied(variable, value.aval)}")
    state.env[value.id] = Expression(copy)
    state.holders[copy] = [value]
    state.apart[value.id] = copy


def _copy_at_once(statements, state, value, position):
    """Let the statement that made a view make a copy, if nobody has used it so far."""
    row, variable, expression, depth = statements.assigned.get(value.id, (0, "", "", 0))
    if (not variable or value.uses[0] <= position or statements.memories.is_fresh(value)
            or state.env[value.id].text != variable or value.node.op != "apply"):
        return False
    before = f"{'    ' * depth}{variable} = "
    if statements.page.rows[row:] == [] or statements.page.rows[row] != before + expression.text:
        return False
    text = copied(inside(expression, ATOM), value.aval)
    statements.page.rows[row] = before + text
    return True


def _is_late(statements, value, position):
    """Whether some use behind a position is in the adjoint."""
    for use in value.uses[bisect_right(value.uses, position):]:
        part = statements.outline.owners[use]
        k = bisect_right(part.positions, use) - 1
        nodes = part.block.nodes
        if use == part.end or (nodes and nodes[max(k, 0)].part != "forward"):
            return True
    return False


def free(statements, state, depth, part, position, node):
    """Delete variables of large arrays that an operation was the last to use.

    Parameters
    ----------
    statements : Statements
    state : State
    depth : int
    part : Part
    position : int
    node : Node
    """
    for id in dict.fromkeys(operands(node)):
        value = statements.outline.values[id]
        if not value.is_array or value.kind != "node" or value.node.op != "apply":
            continue
        size = np.dtype(value.aval.dtype).itemsize * math.prod(value.aval.shape)
        expression = state.env.get(id)
        if size < _LARGE or expression is None or value.scope is not None:
            continue
        variable = expression.text
        if variable in state.closed or variable not in state.holders:
            continue
        if not statements.is_used(state, variable, position, part):
            state.doomed.add(variable)
    if state.doomed:
        waiting = set(_WORD.findall(" ".join(x.expression.text for x in state.pending)))
        for variable in sorted(state.doomed - waiting):
            state.doomed.discard(variable)
            if variable in state.holders and not statements.is_used(
                    state, variable, position, part):
                statements.page.write(depth, f"del {variable}")
                del state.holders[variable]
