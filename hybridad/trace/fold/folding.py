"""Iterations that are one body become a `Loop`."""

import numpy as np

from hybridad.trace.fold.heads import FLOATS
from hybridad.trace.fold.known import Unproven
from hybridad.trace.fold.unrolling import Unrolling
from hybridad.trace.ir import (
    HOLE,
    Block,
    Leave,
    Loop,
    Next,
    Phi,
    Ref,
    map_refs,
    refs_of,
)
from hybridad.trace.matching import Unmergeable
from hybridad.trace.rewriting import Rewriting, leaves_of

__all__ = ["fold_group"]


def fold_group(walk, loop, event, names, way, exhausted):
    """Write the loop into the line that it stands in: first iterations, `Loop`, what then comes.

    Raises
    ------
    Unmergeable
        It cannot be folded after all; nothing has been written then.
    Unproven
        Not by this run.
    """
    group = loop.group
    first = loop.count if group is None else group.first
    least = max(first, loop.known.least)
    total = _total(loop, walk)
    if (total is not None and total < least) or (first >= loop.count > 0 and not exhausted):
        folded = None
    elif group is None and first and any(map(_tells, names.values())):
        raise Unproven("what is behind the first iterations may be something else in others")
    else:
        folded = _Folding(walk, loop, event, names, way)
        folded.check()
    unrolling = Unrolling(walk, loop)
    if least:
        unrolling.guard()
    for k in range(first):
        unrolling.iteration(k)
    walk.made(unrolling.ids)
    if folded is None or (total is not None and not unrolling.dynamic and total == first):
        unrolling.leave(event, names)
        return
    folded.write(unrolling)


_UNKNOWN = None, None, None


def _tells(name):
    """Whether a name stands for a container with values or numbers in it."""
    return name.id is None and type(name.before) in (tuple, list, dict) and _holds(name.before)


def _holds(x):
    if type(x) in (tuple, list, dict):
        return any(map(_holds, x.values() if type(x) is dict else x))
    return type(x) in (Ref, int, float, complex)


def _total(loop, walk):
    """The number of iterations that the loop would go through by itself."""
    return None if loop.kind == "while" else Unrolling(walk, loop).total()


class _Folding:
    """One loop on its way into the tree."""

    def __init__(self, walk, loop, event, names, way):
        self.walk, self.loop, self.event, self.names, self.way = walk, loop, event, names, way
        self.group = loop.group
        self.outs = {} if event is None else {
            name.name: name for name in event.names if name.id is not None}
        self.slots = () if self.group is None else self.group.front.slots
        self.leaves = () if self.group is None else list(leaves_of(self.group.body))
        self.last = None
        for leaf in self.leaves:
            if leaf.number == self.group.leaf:
                self.last = leaf

    # -- what is carried -------------------------------------------------------------------------

    def check(self):
        """Raise `Unmergeable` if something travels unseen."""
        if self.group is None:
            return
        self.carried = self._carried()
        self._check_floats()
        self._check_nameless()
        self.extra = self._extra()
        if type(self.last) is Next and self.group.new and self.group.counted > 1:
            for k in self.carried:
                if self.last.values[k] is HOLE:
                    raise Unmergeable(f"{self.slots[k].name} after the last iteration is not told")

    def _carried(self):
        """The slots that become phis: names, and what is not always the same."""
        carried, seen = [], set()
        for k, slot in enumerate(self.slots):
            if not slot.named:
                if slot.id in seen or all(
                        leaf.values[k] is HOLE or leaf.values[k] == Ref(slot.id)
                        for leaf in self.leaves):
                    continue
                seen.add(slot.id)
            carried.append(k)
        return carried

    def _check_floats(self):
        """What was a number of Python's is one of NumPy's behind each iteration."""
        known, kinds = self.loop.known, self.walk.survey.kinds
        for k in self.carried:
            slot = self.slots[k]
            if not slot.named or slot.name not in known.floats or slot.aval != FLOATS[0]:
                continue
            for leaf in self.leaves:
                value = leaf.values[k]
                if value is not HOLE and not (
                        type(value) is Ref and kinds[value.id][0] == FLOATS[1]):
                    known.keep_apart(slot.name)

    def _check_nameless(self):
        """What travels by what it is must not be known otherwise: as a name that stays, say."""
        walk, loop, kinds = self.walk, self.loop, self.walk.survey.kinds
        # An array that is written to and has a name is the newest version of its memory.
        whole = {name.name for name in self.group.front.names if type(name.before) is Ref}
        loose = [k for k, slot in enumerate(self.slots) if not slot.named and (
            slot.name is not None and not (slot.root and slot.name in whole))]
        ids = [self.slots[k].id for k in loose]
        moving = [k for k in loose if any(
            leaf.values[k] is not HOLE and leaf.values[k] != Ref(self.slots[k].id)
            for leaf in self.leaves)]
        last = self._last_values() if moving else None
        for k in moving:
            slot = self.slots[k]
            if self.group.counted < 2:  # in a second one it would show
                raise Unproven(f"a value in {slot.name} is told by one iteration only")
            if walk.order[slot.id] < loop.start:    # others may know it, as what stays
                if self.group.first < 2:
                    loop.known.stand_by(self.group.first + 1)
                raise Unmergeable(f"a value in {slot.name} is not always another one")
            if ids.count(slot.id) > 1:
                raise Unmergeable(f"a value in {slot.name} is in two places, and then not")
            values = [leaf.values[k] for leaf in self.leaves if leaf.values[k] is not HOLE]
            aval, memory, _ = kinds.get(slot.id, _UNKNOWN)
            if any(type(x) is not Ref or kinds.get(x.id, _UNKNOWN)[0] != aval for x in values):
                raise Unmergeable(f"a value in {slot.name} is of another type, and then not")
            if memory is not None and walk.survey.written:
                raise Unmergeable(f"an array in {slot.name} may share its memory with others")
            if type(last[k]) is Ref and not self._is_inner(last[k].id):
                raise Unmergeable(f"a value in {slot.name} is one from before the loop")

    def _fits(self, slot):
        return type(self.last) is Next or self.loop.fits(slot, self.names)

    def _extra(self):
        """What is only known behind the loop: triples (id or None, value, name or id)."""
        named = {slot.name: slot for slot in self.slots if slot.named}
        extra = []
        for name in self.outs.values():
            slot = named.get(name.name)
            if slot is not None and self._fits(slot):
                continue
            extra.append((name.id, self.names[name.name].before, name))
        if type(self.last) is Next:
            for _, value, name in extra:
                if any(self._is_inner(ref.id) for ref in refs_of(value)):
                    raise Unmergeable(f"{name.name} is not known at the head")
            self._still = [(id, value) for id, value, _ in extra]
            extra = []
        else:
            self._still = []
        return extra + self._escaping()

    def _is_inner(self, id):
        return self.walk.order[id] >= self.group.start

    def _escaping(self):
        """What the last iteration made and somebody behind the loop uses without a name."""
        walk, loop = self.walk, self.loop
        known = {value.id for value in self._last_values() if type(value) is Ref}
        made = set(loop.made)
        escaping = []
        for last_use, id in loop.late:
            if last_use <= walk.index - (self.event is None):
                continue
            found = walk.see(Ref(id))
            if type(found) is not Ref or not self._is_inner(found.id) \
                    or (walk.order[found.id] == walk.index and found.id != id):
                continue
            if found.id in known and (self.event is None or not self._is_named(found.id)):
                continue
            if id not in made or type(self.last) is Next:
                raise Unmergeable("a value of an iteration is used behind the loop")
            if id not in [x[2] for x in escaping]:
                escaping.append((None, found, id))
        return escaping

    def _last_values(self):
        """The values of the slots at the end, with ids of the path."""
        return self.loop.last_values(self.names, type(self.last) is Next)

    def _is_named(self, id):
        return any(slot.named and value == Ref(id)
                   for slot, value in zip(self.slots, self._last_values()))

    # -- writing ---------------------------------------------------------------------------------

    def write(self, unrolling):
        """Append the `Loop`, and the way by which it was left."""
        walk, loop = self.walk, self.loop
        self.unrolling, self.see = unrolling, unrolling.rewriting.value
        spec = unrolling.rest(loop.count if self.group is None else self.group.first)
        id = walk.new_id()
        if self.group is None:
            phis, body, once = self._unseen(), Block((), None), True
        else:
            phis, body = self._phis(), None
            body = self._body()
            once = self.group.counted < 2
        head = None if self.group is None else self.group.head
        walk.line.nodes.append(Loop(
            id, loop.kind, spec, None if head is None else head.item, phis, body, once,
            place=loop.place, item_aval=None if head is None else head.item_aval,
            item_example=None if head is None else head.item_example,
            item_name=None if head is None else head.item_name,
            item_memory=None if head is None else head.item_memory))
        if self.group is not None:
            self._behind()
        walk.line.decide(Ref(id), "left", self.way, loop.place)

    def _unseen(self):
        walk, phis = self.walk, []
        for name in self.outs.values():
            seen = self.names[name.name]
            phis.append(Phi(walk.new_id(), self.see(seen.before), name.id, name.name, name.aval,
                            seen.memory, name.example))
        return tuple(phis)

    def _phis(self):
        walk, phis = self.walk, []
        self.made, self.inner = [], {}
        for k in self.carried:
            slot = self.slots[k]
            out = self.outs.get(slot.name) if slot.named else None
            if out is not None and not self._fits(slot):
                out = None
            aval, name, id = slot.aval, slot.name, slot.id
            if not slot.named:
                aval = walk.survey.kinds[slot.id][0]
                name = None
                id = walk.new_id()
                self.inner[slot.id] = Ref(id)
            out = walk.new_id() if out is None else out.id
            example = slot.example if slot.named else walk.survey.examples.get(slot.id)
            if slot.named and name in self.loop.known.floats and aval == FLOATS[0]:
                aval, example = FLOATS[1], np.float64(example)
            if not slot.named:
                walk.know(id, aval, slot.source, example)
                walk.know(out, aval, slot.source, example)
            phis.append(Phi(id, self.see(slot.incoming), out, name, aval, slot.memory, example))
        for id, _, about in self.extra:
            if id is None:
                aval, memory, _ = walk.survey.kinds[about]
                name, example, id = None, walk.survey.examples.get(about), walk.new_id()
                walk.know(id, aval, memory, example)
                memory = walk.memories.get(memory, memory)
            else:
                aval, memory, name = about.aval, self.names[about.name].memory, about.name
                example = about.example
            phis.append(Phi(walk.new_id(), HOLE, id, name, aval, memory, example))
        self.phis = tuple(phis)
        return self.phis

    def _body(self):
        group = self.group
        find = None if group.matching is None else group.matching.find
        extra = []
        for _, value, _ in self.extra:
            extra.append(value if find is None or type(value) is not Ref else
                         map_refs(lambda ref: Ref(find(ref.id)), value))
        values = {**self.unrolling.values, **self.inner}
        extra = [map_refs(lambda ref: values.get(ref.id, ref), x) for x in extra]
        return _Arranging(values, self.carried, extra, group.leaf).block(group.body)

    def _behind(self):
        """What stands for the ids of the loop from here on."""
        walk, loop = self.walk, self.loop
        last = self._last_values()
        made = () if self.event is not None else set(loop.made)
        for id, value in loop.same.items():
            if id not in made:
                walk.stand(id, value)
        for name in self.outs.values():
            seen = self.names[name.name]
            mine = [phi for phi in self.phis if phi.out == name.id]
            if not mine:
                walk.stand(name.id, self.see(seen.before))
            elif walk.memories.get(name.memory, name.memory) != mine[0].memory:
                walk.memories[name.memory] = mine[0].memory
                if name.memory in walk.written:
                    walk.written.add(mine[0].memory)
        for k, phi in zip(self.carried, self.phis):
            slot = self.slots[k]
            told = slot.named and slot.name in self.outs
            if type(last[k]) is Ref and not told:
                walk.stand(last[k].id, Ref(phi.out))
                walk.made([last[k].id])
        for (id, _, about), phi in zip(self.extra, self.phis[len(self.carried):]):
            if id is None:
                walk.stand(about, Ref(phi.out))
                walk.made([about])


class _Arranging(Rewriting):
    """The body with values for exactly the phis, in their order."""

    def __init__(self, stands, carried, extra, last):
        super().__init__(stands)
        self.carried, self.extra, self.last = carried, extra, last

    def leaf(self, end):
        """The end of an iteration."""
        values = [self.value(end.values[k]) for k in self.carried]
        values += self.extra if end.number == self.last else [HOLE] * len(self.extra)
        if type(end) is Next:
            return Next(tuple(values), end.number)
        counts = end.counts or any(self._is_made(x) for x in values)
        return Leave(tuple(values), end.number, end.label, counts)

    def node(self, node):
        """An operation; note what the body makes."""
        new = super().node(node)
        self.__dict__.setdefault("made", set()).add(new.id)
        return new

    def _is_made(self, x):
        made = self.__dict__.get("made", ())
        return any(ref.id in made for ref in refs_of(x))
