"""Sums of an adjoint, added to their first operand in place where nobody else sees it."""

import operator

import numpy as np

from hybridad.sct.emit.state import line_of
from hybridad.trace.ir import Ref, refs_of

__all__ = ["accumulate"]

_ADDING = (operator.add, np.add)


def accumulate(statements, state, depth, node):
    """Write a sum as ``g += more``, if it may take the place of one of its operands.

    Parameters
    ----------
    statements : Statements
    state : State
    depth : int
    node : Node
        An "apply".

    Returns
    -------
    bool
        Whether it is written.
    """
    if node.target not in _ADDING or node.kwargs or len(node.args) != 2:
        return False
    value = statements.outline.values[node.id]
    if statements.can_wait(value):
        return False
    for k, x in enumerate(node.args):
        other = node.args[1 - k]
        if type(x) is not Ref or x.id not in state.env or x == other:
            continue
        old = statements.outline.values[x.id]
        variable = state.env[x.id].text
        in_place = value.is_array and _can_change(statements, state, old, value)
        number = k == 0 and value.aval is not None and value.aval.kind == "number"
        wanted = state.targets.get(node.id)
        if ((in_place or number) and _is_spent(statements, state, old, variable, value)
                and (not wanted or variable in [name for name, _ in wanted])):
            _add(statements, state, depth, node, variable, other)
            if in_place:
                state.owned.add(node.id)
            return True
    return False


def _add(statements, state, depth, node, variable, other):
    spell = statements.speller(state, node.part)
    ids = [ref.id for ref in refs_of(other)]
    made = statements.compose(state, depth, ids, lambda: spell.value(other),
                              line_of(node.place, node.part), len(variable) + 4)
    statements.write(state, depth, f"{variable} += {made.text}", node.place, node.part)
    statements.hold(state, statements.outline.values[node.id], variable)


def _is_spent(statements, state, old, variable, value):
    """Whether a sum may take the variable of one of its operands."""
    holders = state.holders.get(variable)
    if not holders or variable in state.closed or old.scope != value.scope:
        return False
    if holders[-1] is not old or (old.node is not None and old.node.part == "forward"):
        return False
    return not statements.is_used(state, variable, value.position, value.part)


def _can_change(statements, state, old, value):
    """Whether nobody else sees the memory of an array, which has the type of the sum."""
    a, b = old.aval, value.aval
    if a is None or (a.dtype, a.shape, a.kind) != (b.dtype, b.shape, b.kind):
        return False
    if (not statements.is_owned(state, old)
            or statements.memories.root(old.memory) in statements.saved_memories):
        return False
    return not any(statements.outline.is_live(other, value.position, value.part)
                   for other in state.residents.get(old.memory, ()))
