"""Goes through the events of a path and builds its block."""

import numpy as np

from hybridad.trace.fold.closing import close
from hybridad.trace.fold.iterations import OpenLoop
from hybridad.trace.fold.known import FoldAgain, Known
from hybridad.trace.fold.line import Line
from hybridad.trace.fold.survey import Survey
from hybridad.trace.ir import Aval, Block, Node, Ref, Return, map_refs, refs_of, replace
from hybridad.trace.path import Decision, Enter, Exit, Head, Jump
from hybridad.trace.rewriting import Rewriting

__all__ = ["fold"]

_ROUNDS = 12


def fold(events, known=None) -> Block:
    """Make a block of a path: one line, with loops that carry all that may change.

    Parameters
    ----------
    events : list
        As in `trace.path`, with a `Return` at the end.
    known : Known, optional
        Added to; tells afterwards what happened.

    Raises
    ------
    NotFolded
        A loop that cannot be folded has more than 64 iterations.
    """
    known = Known() if known is None else known
    before = known.state()
    for _ in range(_ROUNDS):
        for loop in known.loops.values():
            loop.closed = False
        walk = _Walk(events, Survey(events), known)
        try:
            block = walk.run()
        except FoldAgain:
            continue
        if not walk.again:
            break
    after = known.state()
    known.grown = any(after[place] != state for place, state in before.items())
    known.reasons = tuple(dict.fromkeys(walk.reasons))
    return block


class _Standing(Rewriting):
    """Puts in place what stands for an id by now, be it by way of others."""

    def ref(self, ref):
        """What stands for a use."""
        values, found = self.values, ref
        while type(found) is Ref and found.id in values:
            found = values[found.id]
        return found


class _Walk:
    """The state of the walk.

    Attributes
    ----------
    stands : dict
        Id of the path -> what stands for it in the tree from here on.
    memories : dict
        Memory of the path -> its number in the tree from here on.
    versions : dict
        Memory of the path -> ids that stand for its newest version.
    """

    def __init__(self, events, survey, known):
        self.events, self.survey, self.known = events, survey, known
        self.order = dict(survey.order)
        self.first_memory, self.written = survey.first_memory, set(survey.written)
        self.stands, self.memories = {}, {}
        self.versions = {memory: [id] for memory, id in survey.roots.items()}
        self.rewriting = _Standing(self.stands)
        self.line, self.loops = Line(), []
        self.reasons, self.again = [], False
        self.index, self.count = 0, survey.last_id + 1

    # -- for those who build ---------------------------------------------------------------------

    def new_id(self):
        """An id that the path has not."""
        self.count += 1
        self.order[self.count] = self.index
        return self.count

    def stand(self, id, value):
        """`value` stands for an id of the path from here on."""
        self.stands.pop(id, None)
        if type(value) is Ref and self.rewriting.ref(value) == Ref(id):
            if self.stands.pop(value.id, None) is None:
                return  # for itself
        self.stands[id] = value
        last_use = self.survey.last_use
        used = last_use.get(id)
        if used is not None:
            for ref in refs_of(value):
                last_use[ref.id] = max(used, last_use.get(ref.id, -1))

    def know(self, id, aval, memory, example):
        """A new id is of this kind; `memory` as the path calls it."""
        self.survey.kinds[id] = aval, memory, None
        if example is not None:
            self.survey.examples[id] = example

    def see(self, x):
        """`x` of the path, in terms of the tree."""
        if not self.stands:
            return x
        return map_refs(self.rewriting.ref, x)

    def versions_of(self, memory):
        """The ids that stand for the newest version of a memory, the best one to use first."""
        return [self.rewriting.ref(Ref(id)).id for id in reversed(self.versions.get(memory, ()))]

    def rename_versions(self, names):
        """Names that are bound to a newest version are called otherwise from here on."""
        for name in names:
            if name.id is not None and name.memory in self.versions and type(name.before) is Ref:
                if name.before.id in self.versions[name.memory]:
                    self.add_version(name.memory, name.id)

    def add_version(self, memory, id):
        """`id`, too, stands for the newest version of a memory, and is the best one to use."""
        known = self.versions[memory]
        known.append(id)
        if len(known) > 16:  # ids of long past heads; nobody is known by them
            del known[4:-8]

    def memory_of(self, id):
        """The memory of an array, as the path calls it."""
        kind = self.survey.kinds.get(id)
        return None if kind is None else kind[1]

    def aval_of_name(self, name):
        """The type of what a name is bound to, as far as it is known."""
        before = name.before
        if name.aval is not None:
            return name.aval
        if type(before) is Ref:
            return self.survey.kinds.get(before.id, (None,))[0]
        if type(before) in (int, float, complex):
            return Aval("number", type(before).__name__)
        return Aval("number", before.dtype.str) if isinstance(before, np.generic) else None

    def memory_of_name(self, name):
        """The memory of the array that a name is bound to, as the tree calls it."""
        if name.memory is not None or type(name.before) is not Ref:
            return name.memory
        memory = self.memory_of(name.before.id)
        return self.memories.get(memory, memory)

    def seen_names(self, names):
        """Names in terms of the tree."""
        seen, here = [], {}
        for name in names:
            memory = None if name.memory is None else self.memories.get(name.memory, name.memory)
            before = name.before
            if here:  # two names of one array
                before = map_refs(lambda ref, here=here: here.get(ref.id, ref), before)
            if name.id is not None:
                here[name.id] = before
            before = self.see(before)
            if before is not name.before or memory != name.memory:
                name = replace(name, before=before, memory=memory)
            seen.append(name)
        return tuple(seen)

    def made(self, ids):
        """Ids of the path that the innermost open loop makes in this iteration."""
        if self.loops:
            self.loops[-1].made.extend(ids)

    # -- the walk --------------------------------------------------------------------------------

    def run(self):
        """The block of all events."""
        end = None
        for index, event in enumerate(self.events):
            self.index = index
            kind = type(event)
            if self.loops and self.loops[-1].jump is not None and not (
                    kind in (Jump, Exit) and event.number == self.loops[-1].number):
                close(self, self.loops.pop(), None, event)
            if kind is Node:
                self._node(event)
            elif kind is Return:
                end = replace(event, value=self.see(event.value), aux=self.see(event.aux))
            else:
                _STEPS[kind](self, event)
        return self.line.block(end)

    def _node(self, node):
        id = node.id
        if self.stands or self.memories:
            memory = node.memory
            node = self.rewriting.node(node)
            if memory is not None and self.memories.get(memory, memory) != memory:
                node = replace(node, memory=self.memories[memory])
                if memory in self.written:
                    self.written.add(node.memory)
        if node.op == "write":
            memory = self.events[self.index].memory
            newest = self.versions_of(memory)
            if newest and newest[0] != node.args[0].id:
                node = replace(node, args=(Ref(newest[0]), *node.args[1:]))
            self.versions[memory] = [id]
        self.line.nodes.append(node)
        if self.loops:
            self.loops[-1].made.append(id)

    def _decision(self, event):
        self.line.decide(self.see(event.test), event.kind, event.outcome, event.place)

    def _enter(self, event):
        self.loops.append(OpenLoop(self, event, self.known.loop(event.place)))

    def _head(self, event):
        self.loops[-1].head(event)

    def _jump(self, event):
        loop = self.loops[-1]
        loop.jump = event
        loop.left = self.seen_names(event.names)

    def _exit(self, event):
        if self.loops and self.loops[-1].number == event.number:
            close(self, self.loops.pop(), event, None)
        else:  # the loop ended at its jump, before its ``else``
            for name in event.names:
                if name.id is not None:
                    self.stand(name.id, self.see(name.before))
                    self.made([name.id])
        self.rename_versions(event.names)


_STEPS = {Decision: _Walk._decision, Enter: _Walk._enter, Head: _Walk._head, Jump: _Walk._jump,
          Exit: _Walk._exit}
