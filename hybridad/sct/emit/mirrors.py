"""Mirrors: how the iterations of a loop are gone through once more."""

from hybridad.sct.emit.names import readable
from hybridad.trace.ir import Leave, refs_of

__all__ = ["again_in", "load_name", "mirror_head", "range_text"]


def mirror_head(statements, state, loop, scope):
    """The head of a mirror.

    Parameters
    ----------
    statements : Statements
    state : State
        Of the body; what the head itself brings back is known there afterwards.
    loop : Loop
    scope : Scope

    Returns
    -------
    head : str
    steps : list
        Pairs of the id of a loop and the variable that holds what it has kept, to be taken apart
        in each leaf; None if that is done.
    """
    outline, values = statements.outline, statements.outline.values
    reading = statements.readings[loop.id]
    family = outline.scopes[scope.family]
    spell = statements.speller(state, loop.part)
    targets, sources, steps = [], [], []
    bare = type(loop.body.end).__name__ != "Branch"
    for owner in reading.lists:
        saved = state.env["saved", owner].text
        backward = loop.order * (outline.scopes[owner].loop.order if owner != family.loop.id else 1)
        sources.append(saved if backward == 1 else f"reversed({saved})")
        kept = statements.kept[owner]
        if bare and not kept.numbered:
            ids = kept.leaves[None if owner != family.loop.id else _only(family)]
            names = [load_name(statements, state, values[id], scope) for id in ids]
            targets.append(names)
            steps.append((owner, None))
        else:
            step = state.names.new("step")
            targets.append([step])
            steps.append((owner, step))
    if reading.item or not (reading.lists or reading.count):
        over = _over(statements, state, spell, family, reading)
        item = "_"
        if reading.item:
            item = load_name(statements, state, values[family.loop.item], scope)
        sources.insert(0, over if loop.order == 1 or item == "_" else f"reversed({over})")
        targets.insert(0, [item])
    elif reading.count:
        sources.append(f"range({state.env['count', family.loop.id].text})")
        targets.append(["_"])
    if len(sources) == 1:
        return f"for {', '.join(targets[0])} in {sources[0]}:", steps
    texts = [names[0] if len(names) == 1 else f"({', '.join(names)})" for names in targets]
    return f"for {', '.join(texts)} in zip({', '.join(sources)}):", steps


def _only(family):
    return family.counted[0].block.end.number


def _over(statements, state, spell, family, reading):
    """The text of what counts the iterations of a loop again."""
    loop = family.loop
    if loop.kind == "items":
        return f"range(len({spell.text(loop.spec[0])}))"
    over = range_text(spell, loop.spec)
    if any(type(part.block.end) is Leave for part in family.leaves):  # it may have been left early
        count = (f"len({state.env['saved', reading.lists[0]].text})" if reading.lists
                 else state.env["count", loop.id].text)
        over += f"[:{count}]"
    return over


def again_in(statements, state, depth, part, scope):
    """Compute again what is not kept, in a part of a mirror."""
    outline = statements.outline
    reading = statements.readings[scope.loop.id]
    ids = reading.again.get(part.leaf, ())
    counts = dict(outline.needs[scope.loop.id].get(part.leaf, {}))
    for id in ids:
        for ref in refs_of(outline.values[id].node.args):
            counts[ref.id] = counts.get(ref.id, 0) + 1
    for id in ids:
        value = outline.values[id]
        node = value.node
        made = statements.speller(state, "adjoint").operation(node.target, node.args, node.kwargs)
        if counts[id] == 1 and made.depth <= 2:
            state.env[id] = made
            continue
        variable = load_name(statements, state, value, scope)
        statements.write(state, depth, f"{variable} = {made.text}", node.place, scope.loop.part)


def range_text(spell, spec):
    """The text of a range."""
    start, stop, step = spec
    if type(step) is int and step == 1:
        spec = (stop,) if type(start) is int and start == 0 else (start, stop)
    return f"range({', '.join([spell.text(x) for x in spec])})"


def load_name(statements, state, value, scope):
    """A variable for a value that is brought back, best the one it had."""
    variable = statements.variables.get(value.id)
    if variable is not None and variable not in state.closed and variable not in state.loaded:
        if not statements.is_used(state, variable, scope.start, scope.body):
            return _load(statements, state, value, variable)
    return _load(statements, state, value, state.names.new(readable(value.name)))


def _load(statements, state, value, variable):
    state.names.take(variable)
    state.loaded.add(variable)
    statements.hold(state, value, variable)
    return variable
