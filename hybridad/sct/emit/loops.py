"""Loops: heads, what is carried from one iteration to the next, what is kept for mirrors."""

from hybridad.sct.emit.lifetimes import protect, protect_copy
from hybridad.sct.emit.memory import copied
from hybridad.sct.emit.mirrors import again_in, load_name, mirror_head, range_text
from hybridad.sct.emit.names import readable
from hybridad.sct.emit.static import ATOM
from hybridad.trace.ir import HOLE, Leave, Ref

__all__ = ["Loops"]


class Loops:
    """Writes loops.

    Parameters
    ----------
    statements : Statements
    write_part : callable
        ``write_part(state, part, depth)`` writes a body.
    """

    def __init__(self, statements, write_part):
        self.statements, self.write_part = statements, write_part
        self.outline, self.memories = statements.outline, statements.memories
        self.page = statements.page
        self._again = {}  # id of a loop -> variable: it has begun
        self._carried = {}  # id of a loop -> variables of its phis, None where nobody needs it
        self._steps = {}  # id of a mirror -> pairs (loop, what is taken apart in each leaf)

    def write(self, state, depth, part, k):
        """Write a loop of a part."""
        loop = part.block.nodes[k]
        scope = self.outline.scopes[loop.id]
        statements = self.statements
        statements.flush(state, depth)
        self._prepare(state, depth, scope)
        owned = {phi.id for phi in loop.phis if self._is_owned(state, phi, scope)}
        variables = self._begin(state, depth, loop, scope, owned)
        self._carried[loop.id] = variables
        inner = state.copy()
        for phi, variable in zip(loop.phis, variables):
            if variable is not None:
                statements.hold(inner, self.outline.values[phi.id], variable)
        inner.owned |= owned
        inner.targets = self._targets(loop, scope, variables)
        if loop.kind == "mirror":
            head, self._steps[loop.id] = mirror_head(statements, inner, loop, scope)
        else:
            head = self._head(state, inner, loop)
        statements.write(state, depth, head, loop.place, loop.part)
        inner.line = state.line
        row = len(self.page.rows)
        if loop.once and loop.kind != "while":
            self._only_once(depth + 1, loop)
        self.write_part(inner, scope.body, depth + 1)
        if len(self.page.rows) == row:
            self.page.write(depth + 1, "pass")
        if loop.kind == "while":
            self.page.shorten_test(row, depth)
        state.names = inner.names
        for phi, variable in zip(loop.phis, variables):
            if variable is not None:
                statements.hold(state, self.outline.values[phi.out], variable)
                if phi.id in owned:
                    state.owned.add(phi.out)

    # -- before the first iteration ----------------------------------------------------------

    def _prepare(self, state, depth, scope):
        """Make the list, the counter and the marks of a loop that has them."""
        values, id = self.outline.values, scope.loop.id
        kept = self.statements.kept.get(id)
        if kept is not None and (kept.numbered or any(kept.leaves.values())):
            names = {values[x].name for ids in kept.leaves.values() for x in ids}
            single = len(names) == 1 and None not in names
            self._keep(state, depth, ("saved", id),
                       f"saved_{readable(names.pop())}" if single else "saved", "[]")
        if values["count", id].uses:
            self._keep(state, depth, ("count", id), "count", "0")
        if values["left", id].uses:
            self._keep(state, depth, ("left", id), "left", "0")
        if scope.loop.once:
            self._again[id] = state.names.new("again")
            self.page.write(depth, f"{self._again[id]} = False")

    def _keep(self, state, depth, id, stem, start):
        variable = state.names.new(stem)
        self.page.write(depth, f"{variable} = {start}")
        self.statements.hold(state, self.outline.values[id], variable)

    def _begin(self, state, depth, loop, scope, owned):
        """Give what is carried its variables and first values; None for what nobody uses."""
        values = self.outline.values
        inits = [phi.init for phi in loop.phis]
        firsts = [state.env.get(x.id) if type(x) is Ref else None for x in inits]
        changed = {phi.id for phi in loop.phis if phi.id in owned or self._is_written(phi)}
        for phi, first in zip(loop.phis, firsts):
            if phi.id in changed:
                self._protect(state, depth, phi, first, scope)
        variables, moves = [], []
        for phi, first in zip(loop.phis, firsts):
            if not values[phi.id].uses and not values[phi.out].uses:
                variables.append(None)
                continue
            base = readable(phi.name, "t" if loop.part == "forward" else "g")
            shared = type(phi.init) is Ref and inits.count(phi.init) > 1
            variable = None
            if first is not None and not shared:
                variable = self._take(state, first, phi, base, scope, variables)
            if variable is None:
                variable = state.names.new(base)
                if phi.init is not HOLE:
                    speller = self.statements.speller(state, loop.part)
                    text = speller.text(phi.init) if first is None else first.text
                    copy = shared and phi.id in changed
                    moves.append(f"{variable} = {copied(text, phi.aval) if copy else text}")
            variables.append(variable)
        for text in moves:
            self.statements.write(state, depth, text, loop.place, loop.part)
        return variables

    def _is_written(self, phi):
        return (phi.aval is not None and phi.aval.kind == "array"
                and (phi.memory is None
                     or self.memories.root(phi.memory) in self.memories.written))

    def _protect(self, state, depth, phi, first, scope):
        """Copy what is used later of the memory that the loop changes."""
        init = self.outline.values[phi.init.id] if type(phi.init) is Ref else None
        for memory in {phi.memory, None if init is None else init.memory} - {None}:
            protect(self.statements, state, depth, memory, scope.start, scope.part)
        if first is not None:
            protect_copy(self.statements, state, depth, init, first.text, scope.start, scope.part)

    def _take(self, state, first, phi, base, scope, variables):
        """The variable of the first value, if the loop can go on with it."""
        variable = first.text
        holders = state.holders.get(variable)
        value = self.outline.values[phi.init.id]
        if (holders is None or first.rank != ATOM or value.scope != scope.part.scope
                or variable in variables or variable in state.closed
                or (phi.name is not None and _stem(variable) != _stem(base))):
            return None
        if self.statements.is_used(state, variable, scope.start, scope.part):
            return None
        return variable

    def _is_owned(self, state, phi, scope):
        """Whether all values of a carried array are in memory that nobody else sees."""
        values, statements = self.outline.values, self.statements
        if type(phi.init) is not Ref or phi.memory is None or loop_is_forward(scope):
            return False
        first = values[phi.init.id]
        if (first.memory is None or not statements.is_owned(state, first)
                or first.scope != scope.part.scope
                or self.memories.root(phi.memory) in statements.saved_memories):
            return False
        if any(self.outline.is_live(value, scope.start, scope.part)
               for value in state.residents.get(first.memory, ())):
            return False
        k = scope.loop.phis.index(phi)
        for part in scope.leaves:
            ends = part.block.end.values
            if type(ends[k]) is not Ref or ends.count(ends[k]) > 1:
                return False
            last = values[ends[k].id]
            while last.node is not None and last.node.op == "write":
                last = values[last.node.args[0].id]
            if last.id != phi.id and not (
                    last.scope == scope.loop.id
                    and (self.memories.is_fresh(last) or last.kind == "out")):
                return False
        return True

    def _targets(self, loop, scope, variables):
        """Where the values at the ends of the iterations are to go."""
        targets = {}
        for part in scope.leaves:
            for phi, variable, x in zip(loop.phis, variables, part.block.end.values):
                if variable is not None and type(x) is Ref and x.id != phi.id:
                    pair = variable, self.outline.values[phi.id]
                    known = targets.setdefault(x.id, [])
                    if pair not in known:
                        known.append(pair)
        return targets

    def _head(self, state, inner, loop):
        if loop.kind == "while":
            return "while True:"
        spell = self.statements.speller(state, loop.part)
        item = "_"
        if loop.item is not None and self.outline.values[loop.item].uses:
            item = inner.names.new(readable(loop.item_name, "i" if loop.kind == "range" else "t"))
            self.statements.hold(inner, self.outline.values[loop.item], item)
        over = (range_text(spell, loop.spec) if loop.kind == "range"
                else spell.text(loop.spec[0]))
        return f"for {item} in {over}:"

    def _only_once(self, depth, loop):
        again = self._again[loop.id]
        self.page.write(depth, f"if {again}:")
        self.page.write(depth + 1, self.page.leave(loop.place, "a second iteration"))
        self.page.write(depth, f"{again} = True")

    # -- in an iteration ---------------------------------------------------------------------

    def enter(self, state, depth, part):
        """Bring back what the mirror's part needs of the iteration."""
        scope = self.outline.scopes[part.scope]
        if part is scope.body and part.sides:
            return
        statements, values = self.statements, self.outline.values
        for owner, step in self._steps.get(scope.loop.id, ()):
            if step is None:
                continue
            kept = statements.kept[owner]
            number = part.leaf
            ids = kept.leaves.get(number, ())
            if ids:
                names = [load_name(statements, state, values[id], scope) for id in ids]
                tuple_ = ["_"] * kept.numbered + names
                if len(tuple_) > 1:
                    self.page.write(depth, f"{', '.join(tuple_)} = {step}")
                else:
                    self.page.write(depth, f"{tuple_[0]} = {step}")
        again_in(statements, state, depth, part, scope)

    def step_of(self, loop):
        """The variable that holds the number of the leaf, in a mirror."""
        for owner, step in self._steps[loop.id]:
            if self.statements.kept[owner].numbered:
                return f"{step}[0]"
        raise NameError("a mirror with leaves that does not know which were taken")

    def save(self, state, depth, part):
        """Keep what the mirrors need of the iteration."""
        ids = part.save[1]
        scope = self.outline.scopes[part.scope]
        kept = self.statements.kept[scope.loop.id]
        if not kept.numbered and not any(kept.leaves.values()):
            return
        self.statements.flush(state, depth)
        number = part.block.end.number
        texts = [self._kept_text(state, id) for id in ids]
        texts = [str(number)] * kept.numbered + texts
        if len(texts) == 1 and not kept.numbered:
            text = texts[0]
        else:
            text = f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
        saved = state.env["saved", scope.loop.id].text
        self.page.write(depth, f"{saved}.append({text})")

    def _kept_text(self, state, id):
        value = self.outline.values[id]
        text = state.late.get(id, state.env[id]).text
        if value.is_array and (self.memories.is_written(value)
                               or (self.statements.pullback and self.memories.is_outside(value))):
            return copied(text, value.aval)
        return text

    def leave(self, state, depth, part, tail):
        """Write the end of an iteration, or of the loop."""
        self.statements.flush(state, depth)
        end, scope = part.block.end, self.outline.scopes[part.scope]
        loop = scope.loop
        if end is None:
            self.page.write(depth, self.page.leave(loop.place, "a first iteration"))
            return
        if type(end) is not Leave or end.counts:
            if loop.once and loop.kind == "while":
                self._only_once(depth, loop)
            if self.outline.values["count", loop.id].uses:
                self.page.write(depth, f"{state.env['count', loop.id].text} += 1")
        self._move(state, depth, loop, end)
        if type(end) is Leave:
            if self.outline.values["left", loop.id].uses and end.label:
                self.page.write(depth, f"{state.env['left', loop.id].text} = {end.label}")
            self.page.write(depth, "break")
        elif not tail:
            self.page.write(depth, "continue")

    def _move(self, state, depth, loop, end):
        """Bind the variables of what is carried to its next values, all at once."""
        spell = self.statements.speller(state, loop.part)
        moves = {}
        for phi, variable, x in zip(loop.phis, self._carried[loop.id], end.values):
            if variable is None or x is HOLE:
                continue
            text = spell.text(x)
            if text == variable:
                continue
            if type(x) is Ref and self._is_written(phi) and self._is_shared(x, phi, loop, end):
                text = copied(text, phi.aval)
            moves[variable] = text
        while moves:
            free = [variable for variable in moves
                    if not any(variable == text.split(".")[0] for other, text in moves.items()
                               if other != variable)]
            if not free:  # they change places
                self.page.write(depth, f"{', '.join(moves)} = {', '.join(moves.values())}")
                return
            for variable in free:
                self.page.write(depth, f"{variable} = {moves.pop(variable)}")

    def _is_shared(self, x, phi, loop, end):
        """Whether an array goes to two phis that are thought to show different memory."""
        return any(y == x and other.memory != phi.memory
                   for other, y in zip(loop.phis, end.values) if other is not phi)


def loop_is_forward(scope):
    """Whether a loop is the program's, where nothing is added up in place by itself."""
    return scope.loop.part == "forward" and scope.loop.kind != "mirror"


def _stem(variable):
    return variable.rstrip("0123456789").rstrip("_")
