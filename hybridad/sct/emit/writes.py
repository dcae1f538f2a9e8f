"""Writes into arrays, in place; what is still needed of the old content is copied before."""

import operator

from hybridad.sct.emit.expressions import AUGMENTED, Speller, operands
from hybridad.sct.emit.lifetimes import protect, protect_copy
from hybridad.sct.emit.state import line_of
from hybridad.sct.emit.static import Expression
from hybridad.trace.ir import HOLE, Method

__all__ = ["write"]


def write(statements, state, depth, part, position, node):
    """Write a "write".

    Parameters
    ----------
    statements : Statements
    state : State
    depth : int
    part : Part
    position : int
        Where the operation stands.
    node : Node
    """
    array = node.args[0]
    value, new = statements.outline.values[array.id], statements.outline.values[node.id]
    statements.settle(state, depth, value)
    variable = state.env[array.id]
    owned = array.id in state.owned
    spell = statements.speller(state, node.part)
    made = statements.compose(state, depth, operands(node),
                              lambda: _statement(statements, state, spell, node, variable),
                              line_of(node.place, node.part))
    protect(statements, state, depth, node.memory, position, part)
    protect_copy(statements, state, depth, value, variable.text, position, part)
    for text in made.text.split("\n"):
        statements.write(state, depth, text, node.place, node.part)
    statements.hold(state, new, variable.text)
    if owned:
        state.owned.add(node.id)


def _statement(statements, state, spell, node, variable):
    """The statement of a write; if it needs a name for a window, two lines."""
    array, path, *rest = node.args
    target = node.target
    plain = Speller(statements.statics,
                    lambda id: variable if id == array.id else spell.look(id))
    region = plain.region(array, path)
    values = [spell.value(x) for x in rest]
    if target is operator.setitem:
        text = f"{region}[{spell.index(rest[0]).text}] = {values[1].text}"
    elif (sign := _sign(target)) is not None:
        step = path[-1] if path else None
        if step is not None and not (step.target is operator.getitem and step.args[0] is HOLE):
            # Python would assign the attribute or the call, too
            window = state.names.new("window")
            text = f"{window} = {region}\n{window} {sign} {values[0].text}"
        else:
            text = f"{region} {sign} {values[0].text}"
    elif type(target) is Method:
        text = f"{region}.{target.name}({spell.arguments(rest, node.kwargs)[0]})"
    else:
        more = spell.arguments(rest, node.kwargs)[0]
        text = f"{spell.called(target)}({region}{', ' if more else ''}{more})"
    return Expression(text, 0, max([value.depth for value in values], default=0))


def _sign(target):
    try:
        return AUGMENTED.get(target)
    except TypeError:  # it need not be hashable
        return None
