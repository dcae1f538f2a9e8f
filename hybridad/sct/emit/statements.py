"""Statements: operations one after the other, nested into each other where order allows it."""

import linecache
import os
from bisect import bisect_left

import numpy as np

from hybridad.sct.emit import outside
from hybridad.sct.emit.expressions import Speller, operands
from hybridad.sct.emit.lifetimes import protect
from hybridad.sct.emit.names import readable
from hybridad.sct.emit.state import Pending, line_of
from hybridad.sct.emit.static import Expression
from hybridad.sct.emit.sums import accumulate
from hybridad.sct.emit.writes import write
from hybridad.trace.ir import Leave, Next, Ref, refs_of

__all__ = ["Statements"]

_WIDEST, _DEEPEST = 100, 5


class Statements:
    """Writes operations.

    Parameters
    ----------
    outline : Outline
    memories : Memories
    statics : Statics
    page : Page
    kept, readings : dict
        From `plan_saves`.
    """

    def __init__(self, outline, memories, statics, page, kept, readings):
        self.outline, self.memories, self.statics, self.page = outline, memories, statics, page
        self.kept, self.readings = kept, readings
        self.saved = {id for scope in outline.scopes.values() for part in scope.leaves
                      if part.save is not None for id in part.save[1]}
        self.saved_memories = memories.roots([Ref(id) for id in self.saved if type(id) is int])
        self.begins = {phi.init.id: phi.name for scope in outline.scopes.values()
                       for phi in scope.loop.phis if type(phi.init) is Ref}
        self.assigned = {}  # id -> line, variable, expression, depth of its statement
        self.seeds = {}
        self.pullback = False
        self.results = frozenset()  # ids of what is returned
        self.variables = {}  # id -> the variable it was given first
        self.inlined = {}

    # -- looking up --------------------------------------------------------------------------

    def speller(self, state, part="forward"):
        """A `Speller` of values at this point."""
        inlined, env, late = self.inlined, state.env, state.late

        def look(id):
            found = inlined.get(id)
            if found is None and part != "forward":
                found = late.get(id)
            if found is None:
                found = env.get(id)
            if found is None:
                raise NameError(f"%{id} has no variable here")
            return found

        return Speller(self.statics, look)

    def example_of(self, x):
        """What a use or a static value was in the recorded run."""
        if type(x) is not Ref:
            return x
        node = self.outline.values[x.id].node
        return None if node is None else node.example

    # -- lines -------------------------------------------------------------------------------

    def write(self, state, depth, text, place=None, part="forward"):
        """Add a statement, below a comment with the source line that it belongs to."""
        self.comment(state, depth, place, part)
        self.page.write(depth, text, place)

    def comment(self, state, depth, place, part="forward"):
        """Add a comment with a source line, if it is another one than before."""
        line = line_of(place, part)
        if place is None or not place.file or line == state.line:
            return
        state.line = line
        where = f"{os.path.basename(place.file)}:{place.line}"
        if part == "forward":
            source = linecache.getline(place.file, place.line).strip()
            comment = f"# {where}  {source}".rstrip()
        else:
            comment = f"# {'adjoint' if part == 'inner' else part} of {where}"
        self.page.write(depth, comment[:_WIDEST - 4 * depth])

    def exit(self, state, depth, condition, place, reason, part="forward", recipe=None):
        """Add an exit that is taken under a condition."""
        self.write(state, depth, f"if {condition}:", place, part)
        self.page.write(depth + 1, self.page.leave(place, reason, recipe), place)

    # -- nesting -----------------------------------------------------------------------------

    def compose(self, state, depth, ids, build, line, room=0, alone=True):
        """Build an expression, with values that wait to be computed nested into it.

        Parameters
        ----------
        state : State
        depth : int
        ids : list
            What it uses, in the order of evaluation.
        build : callable
            ``build()`` gives it as an `Expression`, looking values up.
        line : tuple or None
            Of the statement; only values of the same line are nested.
        room : int
            Columns that the rest of the statement takes.
        alone : bool
            It is a statement: whatever else waits is computed before it.
        """
        count = _fitting(state.pending, ids, line)
        used = set(ids)
        below = len(state.pending) - count
        upto = below if alone else max(
            [k + 1 for k in range(below) if state.pending[k].value.id in used], default=0)
        self.flush(state, depth, upto)
        nested = state.pending[len(state.pending) - count:] if count else []
        self.inlined.update({value.id: expression for value, expression, _ in nested})
        try:
            made = build()
            if count and (made.depth > _DEEPEST
                          or len(made.text) + room + 4 * depth > _WIDEST):
                self.inlined.clear()
                self.flush(state, depth, len(state.pending))
                nested = []
                made = build()
        finally:
            self.inlined.clear()
        if nested:
            del state.pending[-len(nested):]
        return made

    def flush(self, state, depth, upto=None):
        """Give variables to the first `upto` of the values that wait."""
        upto = len(state.pending) if upto is None else upto
        ready, state.pending = state.pending[:upto], state.pending[upto:]
        for value, expression, _ in ready:
            self.assign(state, depth, value, expression)

    def can_wait(self, value):
        """Whether a value may be nested into the one expression that uses it."""
        node = value.node
        if node.name is not None or len(value.uses) != 1:
            return False
        position, part = value.uses[0], value.part
        if self.outline.owners[position] is not part or position % 2:
            return False
        if position == part.end:
            end = part.block.end
            return type(end) not in (Next, Leave) and line_of(
                end.place, node.part) == line_of(node.place, node.part)
        k = bisect_left(part.positions, position)
        if k == len(part.positions) or part.positions[k] != position:
            return False
        user = part.block.nodes[k]
        return user.part == node.part and line_of(user.place, 0) == line_of(node.place, 0)

    # -- variables ---------------------------------------------------------------------------

    def assign(self, state, depth, value, expression, variable=None):
        """Write a statement that computes a value."""
        node = value.node
        if not value.uses:
            self.write(state, depth, expression.text, node.place, node.part)
            return
        if variable is None:
            variable = self.variable_for(state, value)
        self.write(state, depth, f"{variable} = {expression.text}", node.place, node.part)
        self.hold(state, value, variable)
        self.assigned[value.id] = len(self.page.rows) - 1, variable, expression, depth

    def variable_for(self, state, value):
        """The variable of a value: that of the loop it goes on to, if it is free by now."""
        for variable, phi in state.targets.get(value.id, ()):
            if self.is_free(state, variable, value, phi):
                return variable
        node = value.node
        name = value.name or self.begins.get(value.id)
        if name is None and node is not None:
            name = _stem(node) or ("value" if value.id in self.results else None)
        return state.names.new(readable(name, "t" if node is None or node.part == "forward"
                                        else "g"))

    def is_free(self, state, variable, value, phi=None):
        """Whether nothing that a variable holds is used after a value has been computed."""
        position, part = value.position, value.part
        if phi is not None and self.outline.is_live(phi, position, part):
            return False
        return not self.is_used(state, variable, position, part)

    def is_used(self, state, variable, position, part):
        """Whether what a variable holds may be used after a position."""
        for value in state.holders.get(variable, ()):
            now = state.env.get(value.id), state.late.get(value.id)
            if (any(found is not None and found.text == variable for found in now)
                    and self.outline.is_live(value, position, part)):
                return True
        return False

    def hold(self, state, value, variable):
        """A variable now holds a value."""
        state.env[value.id] = Expression(variable)
        self.variables.setdefault(value.id, variable)
        holders = state.holders.get(variable)
        if holders is None:
            state.holders[variable] = [value]
        else:
            holders.append(value)
        if value.is_array and value.memory is not None:
            state.residents.setdefault(value.memory, []).append(value)

    # -- memory ------------------------------------------------------------------------------

    def is_owned(self, state, value):
        """Whether nobody but the trace sees the memory of an array."""
        while value.node is not None and value.node.op == "write":
            if value.id in state.owned:
                return True
            value = self.outline.values[value.node.args[0].id]
        return value.id in state.owned or self.memories.is_fresh(value)

    # -- operations --------------------------------------------------------------------------

    def node(self, state, depth, part, k):
        """Write an operation (other than a loop) of a part."""
        node = part.block.nodes[k]
        getattr(self, f"_{node.op}")(state, depth, part, part.positions[k], node)

    def _const(self, state, depth, part, position, node):
        state.env[node.id] = self.statics.spell(node.args[0])

    def _input(self, state, depth, part, position, node):
        pass  # the head of the function

    def _seed(self, state, depth, part, position, node):
        value = self.outline.values[node.id]
        if node.target in self.seeds:
            self.hold(state, value, self.seeds[node.target])
            return
        example = node.example
        if example is None:
            example = _one(node.aval)
        state.env[node.id] = self.statics.spell(example)

    def _value(self, state, depth, node, build, room=0):
        """A value that may wait, or gets a variable."""
        value = self.outline.values[node.id]
        waits = self.can_wait(value)
        line = line_of(node.place, node.part)
        room = room or len(readable(node.name)) + 5
        made = self.compose(state, depth, operands(node), build, line, room, not waits)
        if waits:
            state.pending.append(Pending(value, made, line))
        else:
            self.assign(state, depth, value, made)

    def _apply(self, state, depth, part, position, node):
        if node.part != "forward" and accumulate(self, state, depth, node):
            return
        spell = self.speller(state, node.part)
        self._value(state, depth, node,
                    lambda: spell.operation(node.target, node.args, node.kwargs))

    def _read(self, state, depth, part, position, node):
        value = self.outline.values[node.id]
        if node.target == "function" and len(value.uses) == 1:
            state.env[node.id] = Expression("_run.function")
            return
        spell = self.speller(state, node.part)
        self._value(state, depth, node, lambda: outside.read(spell, node, self.example_of))

    def _build(self, state, depth, part, position, node):
        spell = self.speller(state, node.part)
        if node.target in (list, dict, tuple) and type(node.args[0]) is node.target:
            self._value(state, depth, node, lambda: spell.value(node.args[0]))
        elif type(node.args[0]) is dict:    # an object of the user's, by its attributes
            kind = spell.text(node.target)
            self.assign(state, depth, self.outline.values[node.id],
                        Expression(f"object.__new__({kind})"))
            variable = spell.text(Ref(node.id))
            self.flush(state, depth)
            self.write(state, depth, f"{variable}.__dict__.update({spell.text(node.args[0])})",
                       node.place)
        else:
            self._value(state, depth, node,
                        lambda: spell.operation(node.target, node.args, node.kwargs))

    def _check(self, state, depth, part, position, node):
        spell = self.speller(state, node.part)
        if node.target == "raises":
            self._raises(state, depth, node, spell)
            return
        condition = self.compose(
            state, depth, [ref.id for ref in refs_of(node.args)] * outside.is_nested(node),
            lambda: Expression(outside.failed(spell, node)), line_of(node.place, node.part), 4)
        self.exit(state, depth, condition.text, node.place, f"check {node.target}", node.part,
                  node.kwargs.get("recipe"))

    def _raises(self, state, depth, node, spell):
        kind, target, args, kwargs = node.args
        self.flush(state, depth)
        text = spell.operation(target, args, kwargs).text
        for line, inside in (("try:", text), (f"except {spell.text(kind)}:", "pass")):
            self.write(state, depth, line, node.place)
            self.page.write(depth + 1, inside, node.place)
        self.page.write(depth, "else:")
        self.page.write(depth + 1, self.page.leave(
            node.place, f"{kind.__name__} was raised", None), node.place)

    def _note(self, state, depth, part, position, node):
        self.flush(state, depth)
        text = self.speller(state).text(node.args[0])
        self.write(state, depth, f"journal.write_array({text})", node.place)

    def _effect(self, state, depth, part, position, node):
        self.flush(state, depth)
        spell = self.speller(state)
        note = outside.note_effect(spell, node, self.example_of)
        if note is not None:
            self.write(state, depth, note, node.place)
        text = outside.write_effect(spell, node, self.example_of)
        if node.target in ("method", "call", "errstate"):
            self.assign(state, depth, self.outline.values[node.id], Expression(text))
        else:
            self.write(state, depth, text, node.place)

    def _foreign(self, state, depth, part, position, node):
        self.flush(state, depth)
        for ref in self.memories.changed(node):
            memory = self.outline.values[ref.id].memory
            protect(self, state, depth, memory, position, part, True)
        made = outside.foreign(self.speller(state), node)
        self.assign(state, depth, self.outline.values[node.id], made)

    def _write(self, state, depth, part, position, node):
        write(self, state, depth, part, position, node)

    def settle(self, state, depth, value):
        """Give a value a variable if it waits; so do all before it."""
        for k, pending in enumerate(state.pending):
            if pending.value is value:
                self.flush(state, depth, k + 1)
                return


def _fitting(pending, ids, line):
    """How many of the last values that wait are used in `ids`, in their order, on this line."""
    for count in range(min(len(pending), len(ids)), 0, -1):
        last = pending[-count:]
        if any(waiting.line != line for waiting in last):
            continue
        rest = iter(ids)
        if all(waiting.value.id in rest for waiting in last):
            return count
    return 0


def _stem(node):
    if node.op == "read" and node.target == "asked":
        return getattr(node.args[0], "__name__", "asked")
    if node.op == "read":
        return node.args[1] if len(node.args) > 1 and type(node.args[1]) is str else node.target
    return None


def _one(aval):
    if aval is None or aval.dtype == "float":
        return 1.0
    if aval.dtype == "complex":
        return 1.0 + 0.0j
    if aval.kind == "array":
        return np.ones(aval.shape, aval.dtype)
    return np.dtype(aval.dtype).type(1)
