"""A whole function: its head, its tree of parts, its results."""

import numpy as np

from hybridad.sct.emit.branches import conversion, is_not_taken, is_taken
from hybridad.sct.emit.lifetimes import free, protect
from hybridad.sct.emit.loops import Loops
from hybridad.sct.emit.memory import Memories, copied
from hybridad.sct.emit.names import Names, readable
from hybridad.sct.emit.outline import Outline
from hybridad.sct.emit.returns import Returned
from hybridad.sct.emit.saves import plan_saves
from hybridad.sct.emit.source import Page, Source
from hybridad.sct.emit.state import State, line_of
from hybridad.sct.emit.statements import Statements
from hybridad.sct.emit.static import Expression, Statics
from hybridad.sct.emit.warnings import may_warn
from hybridad.trace.ir import Branch, Loop, Node, Ref, Return, refs_of

__all__ = ["emit", "needs_run"]

_WITH_RUN = frozenset(("read", "effect", "note", "foreign"))
_WITH_JOURNAL = frozenset(("effect", "note"))


def needs_run(block):
    """Whether the function emitted for a block has the parameter ``_run``.

    Parameters
    ----------
    block : Block

    Returns
    -------
    bool
    """
    return any(node.op in _WITH_RUN for node in _nodes(block))


def emit(block, name="f", *, has_aux=False, pullback=False, arity=None):
    """Print a trace as a Python function.

    Its parameters are the inputs in order, then ``_run`` if `needs_run`. It returns
    ``(value, *cotangents)`` (with an auxiliary result ``(value, aux, *cotangents)``; with tangents
    these come last) or ``Exit(number)``.

    Parameters
    ----------
    block : Block
        A whole trace, its leaves are `Return`.
    name : str
        Of the function.
    has_aux : bool
        There is an auxiliary result, which may be None.
    pullback : bool
        Return ``(value, pullback)`` instead, or ``(value, aux, pullback)``:
        ``pullback(g_value)`` gives the tuple of cotangents and may be called any number of times,
        from any thread, also when the arguments and the value have been overwritten. With several
        seeds it has one parameter for each.
    arity : int, optional
        How many inputs the function has, if the trace lacks the last ones.

    Returns
    -------
    Source
    """
    made = _Function(block, has_aux, pullback)
    try:
        return made.source(readable(name, "f"), arity)
    finally:
        vars(made).clear()      # its parts refer to it: nothing of the program is to live on


def _nodes(block):
    waiting = [block]
    while waiting:
        block = waiting.pop()
        for node in block.nodes:
            if type(node) is Loop:
                waiting.append(node.body)
            else:
                yield node
        if type(block.end) is Branch:
            waiting.extend(block.end.sides.values())


def _results(block):
    """Ids of the values of all paths, where they are single."""
    waiting = [block]
    while waiting:
        end = waiting.pop().end
        if type(end) is Branch:
            waiting.extend(end.sides.values())
        elif type(end) is Return and type(end.value) is Ref:
            yield end.value.id


class _Function:
    """What is being written."""

    def __init__(self, block, has_aux, pullback):
        self.block, self.has_aux, self.pullback = block, has_aux, pullback
        self.outline = Outline(block)
        self.memories = Memories(self.outline)
        kept, readings = plan_saves(self.outline, self.memories)
        self.statics, self.page = Statics(), Page()
        self.statements = Statements(self.outline, self.memories, self.statics, self.page, kept,
                                     readings)
        self.statements.pullback = pullback
        self.statements.results = frozenset(_results(block))
        self.loops = Loops(self.statements, self.write_parts)
        self.needs_run = needs_run(block)

    # -- head --------------------------------------------------------------------------------

    def source(self, name, arity):
        """Everything that `emit` gives."""
        state = State(Names(("_run",)))
        parameters = self._parameters(state, arity)
        header = list(self._header(state))
        self._begin(state)
        self.write_parts(state, self.outline.root, 1)
        first = ["import numpy as np", *sorted(self.statics.modules), "", ""]
        constants = list(self.statics.comments())
        first += [*constants, ""] if constants else []
        first.append(f"def {name}({', '.join(parameters)}):")
        first += header
        return Source(name, "\n".join([*first, *self.page.rows]) + "\n",
                      dict(self.statics.constants), self.page.shift(len(first)),
                      tuple(self.page.exits), self.needs_run)

    def _parameters(self, state, arity):
        """Names of the parameters; those that the trace does not use have none of their own."""
        self.inputs = {node.target: self.outline.values[node.id]
                       for node in self.block.nodes if getattr(node, "op", "") == "input"}
        count = max([arity or 0, *[number + 1 for number in self.inputs]])
        parameters = []
        for number in range(count):
            value = self.inputs.get(number)
            base = readable(value.name if value else None, f"x{number}")
            parameters.append(state.names.new(base))
            if value is not None:
                self.statements.hold(state, value, parameters[-1])
        return [*parameters, "_run"] if self.needs_run else parameters

    def _header(self, state):
        for value in self.inputs.values():
            if value.aval is not None:
                known = f"{state.env[value.id].text}: {_shown(value.aval)}"
                yield f"    # {known}"

    def _begin(self, state):
        """Copies of differentiated arguments that are written into; the journal."""
        if any(node.op in _WITH_JOURNAL for node in _nodes(self.block)):
            self.page.write(1, "journal = _run.journal")
        done = {}
        for value in self.inputs.values():
            if not value.node.kwargs.get("differentiated") or value.memory is None:
                continue
            if not self.memories.is_written(value):
                continue
            text = state.env[value.id].text
            if value.memory in done:  # the very same array
                self.page.write(1, f"{text} = {done[value.memory]}")
            else:
                done[value.memory] = text
                self.page.write(1, f"{text} = {copied(text, value.aval)}")

    # -- the tree ----------------------------------------------------------------------------

    def write_parts(self, state, root, depth):
        """Write a part and everything below it."""
        waiting = [(None, state, root, depth, True)]
        while waiting:  # a tree may be as deep as a path has decisions
            head, state, part, depth, tail = waiting.pop()
            if head is not None:
                self.page.write(depth - 1, *head)
            row = len(self.page.rows)
            self._part(state, part, depth, tail, waiting)
            if head is not None and len(self.page.rows) == row:
                self.page.write(depth, "pass")

    def _part(self, state, part, depth, tail, waiting):
        if self._is_leaf_of_mirror(part):
            self.loops.enter(state, depth, part)
        end = part.block.end
        order = range(len(part.block.nodes))
        split = self._split(part) if type(end) is Return else None
        if split is not None:
            forward, adjoint = split
            self._nodes(state, depth, part, forward)
            self._return_split(state, depth, part, adjoint)
            return
        self._nodes(state, depth, part, order)
        if type(end) is Branch:
            self._branch(state, depth, part, tail, waiting)
        elif type(end) is Return:
            text = self._returned(state, depth, part)
            if end.cotangents is None and end.tangents is None:
                self.statements.comment(state, depth, end.place)
            self.page.write(depth, text, end.place)
        else:
            self.loops.leave(state, depth, part, tail)

    def _is_leaf_of_mirror(self, part):
        if part.scope is None:
            return False
        scope = self.outline.scopes[part.scope]
        if scope.loop.of is None:
            return False
        return part is scope.body if not scope.body.sides else part.parent is scope.body

    def _nodes(self, state, depth, part, order):
        for k in order:
            if part.save is not None and part.save[0] == k:
                self.loops.save(state, depth, part)
            node = part.block.nodes[k]
            if type(node) is Loop:
                self.loops.write(state, depth, part, k)
            else:
                self.statements.node(state, depth, part, k)
                free(self.statements, state, depth, part, part.positions[k], node)
        if part.save is not None and part.save[0] == len(part.block.nodes):
            self.loops.save(state, depth, part)

    # -- decisions ---------------------------------------------------------------------------

    def _branch(self, state, depth, part, tail, waiting):
        branch = part.block.end
        statements = self.statements
        sides = dict(part.sides)
        if branch.kind == "leaf":
            self._leaves(state, depth, part, tail, waiting)
            return
        if branch.kind == "left" and not self.outline.values["left", branch.test.id].uses:
            (side,) = sides.values()  # it can end in no other way
            waiting.append((None, state, side, depth, tail))
            return
        spell = statements.speller(state)
        ids = [ref.id for ref in refs_of(branch.test)] if branch.kind != "left" else []
        test = statements.compose(state, depth, ids, lambda: conversion(spell, branch, state),
                                  line_of(branch.place, "forward"), 12)
        complete = branch.kind == "bool" and len(sides) == 2
        if len(sides) > 1 and not complete and test.depth:
            variable = state.names.new("outcome")
            statements.write(state, depth, f"{variable} = {test.text}", branch.place)
            test = Expression(variable)
        flat = max(sides, key=lambda outcome: sides[outcome].exit - sides[outcome].start)
        below = sides.pop(flat)
        nested = [(is_taken(spell, branch, test, outcome), side)
                  for outcome, side in sides.items()]
        if not complete:
            condition = is_not_taken(spell, branch, test, flat)
            if nested:
                condition = " and ".join([condition, *[
                    is_not_taken(spell, branch, test, outcome) for outcome in sides]])
            statements.exit(state, depth, condition, branch.place, f"{branch.kind} of a decision")
        if nested:
            statements.comment(state, depth, branch.place)
        waiting.append((None, state, below, depth, tail))
        waiting += [((f"if {condition}:", branch.place), state.copy(), side, depth + 1, False)
                    for condition, side in reversed(nested)]

    def _leaves(self, state, depth, part, tail, waiting):
        """In a mirror: what belongs to the leaf that the iteration has taken."""
        scope = self.outline.scopes[part.scope]
        number = self.loops.step_of(scope.loop)
        sides = list(part.sides.items())
        if len(sides) > 2:
            self.page.write(depth, f"leaf = {number}")
            number = "leaf"
        tasks = []
        for k, (outcome, side) in enumerate(sides):
            word = "if" if k == 0 else "elif"
            head = f"{word} {number} == {outcome}:" if k + 1 < len(sides) or k == 0 else "else:"
            tasks.append(((head,), state.copy(), side, depth + 1, True))
        waiting += reversed(tasks)

    # -- results -----------------------------------------------------------------------------

    def _split(self, part):
        """Operations before and in the adjoint, if it is written apart; else None."""
        nodes = part.block.nodes
        adjoint = [k for k, node in enumerate(nodes) if node.part == "adjoint"]
        if not self.pullback and not any(may_warn(nodes[k]) for k in adjoint):
            return None
        if self.pullback:
            return [k for k in range(len(nodes)) if nodes[k].part != "adjoint"], adjoint
        first = adjoint[0]
        return list(range(first)), list(range(first, len(nodes)))

    def _return_split(self, state, depth, part, adjoint):
        end = part.block.end
        nodes = part.block.nodes
        self.statements.flush(state, depth)
        self.page.write(depth, "")
        if not self.pullback:
            self.page.write(depth, 'with np.errstate(all="ignore"):')
            self._nodes(state, depth + 1, part, adjoint)
            self.statements.flush(state, depth + 1)
            self.page.write(depth, self._returned(state, depth, part), end.place)
            return
        first = self._pullback_values(state, depth, part)
        position = part.positions[adjoint[0]] - 1 if adjoint else part.end - 1
        self._protect_all(state, depth, part, position)
        inner = state.copy()
        inner.closed = set(state.holders) | state.closed
        parameters = self._seed_names(inner, [nodes[k] for k in adjoint])
        name = state.names.new("pullback")
        self.page.write(depth, f"def {name}({', '.join(parameters)}):")
        quiet = any(may_warn(nodes[k]) for k in adjoint)
        if quiet:
            self.page.write(depth + 1, 'with np.errstate(all="ignore"):')
        self._nodes(inner, depth + 1 + quiet, part, adjoint)
        self.statements.flush(inner, depth + 1 + quiet)
        returned = Returned(self.statements, self.statements.speller(inner, "adjoint"), True)
        self.page.write(depth + 1, f"return {returned.text(tuple(end.cotangents or ()))}")
        self.page.write(depth, "")
        self.page.write(depth, f"return {', '.join([*first, name])}", end.place)

    def _pullback_values(self, state, depth, part):
        """Texts of the value and the auxiliary result; what they show may be overwritten."""
        end = part.block.end
        returned = Returned(self.statements, self.statements.speller(state))
        texts = [returned.text(end.value)]
        if self.has_aux or end.aux is not None:
            texts.append(returned.text(end.aux, True))
        self._given = self.memories.roots([*refs_of(end.value), *refs_of(end.aux)])
        return texts

    def _protect_all(self, state, depth, part, position):
        """Copy what the pullback reads and others may overwrite before it is called."""
        for memory, residents in list(state.residents.items()):
            root = self.memories.root(memory)
            if root in self._given or root in self.memories.outside or any(
                    self.memories.is_outside(value) for value in residents):
                protect(self.statements, state, depth, memory, position, part)

    def _seed_names(self, state, nodes):
        seeds = {node.target: node for node in nodes
                 if type(node) is Node and node.op == "seed"}
        names = {}
        for target in sorted(seeds, key=lambda target: -1 if target is None else target):
            base = "g_value" if len(seeds) == 1 else f"g_value_{target}"
            names[target] = state.names.new(base)
        self.statements.seeds = names
        return names.values() or [state.names.new("g_value")]

    def _returned(self, state, depth, part):
        """The statement that returns the results of a path."""
        end = part.block.end
        cotangents = end.cotangents or ()
        ids = [ref.id for x in (end.value, end.aux, tuple(cotangents), end.tangents)
               for ref in refs_of(x)]
        spell = self.statements.speller(state)
        late = self.statements.speller(state, "adjoint")

        def build():
            returned = Returned(self.statements, spell)
            texts = [returned.text(end.value)]
            if self.has_aux or end.aux is not None:
                texts.append(returned.text(end.aux, True))
            returned.spell = late
            texts += [returned.text(x) for x in cotangents]
            if end.tangents is not None:
                texts.append(returned.text(end.tangents))
            result = f"({texts[0]},)" if len(texts) == 1 else ", ".join(texts)
            return Expression(f"return {result}", 0)

        return self.statements.compose(state, depth, ids, build, line_of(end.place, "forward")).text


def _shown(aval):
    name = aval.dtype
    if aval.kind != "object" and name not in ("float", "complex", "int", "bool"):
        name = np.dtype(name).name
    if aval.kind != "array":
        return name
    layout = "" if aval.layout == "C" else f", layout {aval.layout}"
    return f"{name}[{', '.join(map(str, aval.shape))}]{layout}"

