"""A loop that is being gone through: each iteration is added to the body as it ends."""

from hybridad.trace.fold.heads import look, must_agree, same_type
from hybridad.trace.fold.known import LIMIT, NotFolded
from hybridad.trace.fold.line import Line
from hybridad.trace.grafting import Leaves
from hybridad.trace.ir import HOLE, Leave, Next, Ref, map_refs, refs_of
from hybridad.trace.matching import Matching, Unmergeable
from hybridad.trace.weaving import Weaving

__all__ = ["Group", "Iteration", "OpenLoop"]

_MOST_LEAVES = 256


class Iteration:
    """An iteration that may have to be written out."""

    __slots__ = ("front", "head", "line")

    def __init__(self, front, head, line):
        self.front, self.head, self.line = front, head, line


class Group:
    """Iterations in a row that are one body so far.

    `first`: number of the first one; `start`: where in the path it began; `counted`: how many there
    are, but for a false test; `leaf`: the number of the leaf of the last one; `matching`: how its
    ids are related to those of the body.
    """

    __slots__ = ("body", "counted", "first", "front", "head", "leaf", "leaves", "matching", "new",
                 "start")

    def __init__(self, first, front, head, start):
        self.first, self.front, self.head, self.start = first, front, head, start
        self.body, self.leaves, self.counted, self.leaf = None, 1, 0, 0
        self.matching, self.new = None, True


class OpenLoop:
    """A loop that is being gone through.

    Attributes
    ----------
    outer : Line
        What the loop stands in.
    group : Group or None
        None: no iteration is to be folded so far.
    kept : list of Iteration
        The first ones, in full.
    made : list of int
        Ids that the current iteration made.
    late : list
        Pairs (last use, id) of what was made in an iteration and is used after the next head.
    same : dict
        Id of a phi -> what it has been since before the loop.
    breaks : int
        How often iterations did not fit the ones before.
    """

    def __init__(self, walk, enter, known):
        self.walk, self.known = walk, known
        self.number, self.kind, self.place = enter.number, enter.kind, enter.place
        self.spec = walk.see(enter.spec)
        self.start = walk.index
        self.outer, self.group, self.count = walk.line, None, 0
        self.front = self.event = self.began = None
        self.kept, self.made, self.late, self.same = [], [], [], {}
        self.breaks, self.reason = 0, None
        self.jump, self.left = None, ()
        inside = walk.survey.written_in.get(enter.number, ())
        if self.kind == "items" and walk.memory_of(self.spec[0].id) in inside:
            raise NotFolded(self.why("it goes through an array that it writes into"))
        self.written = tuple([m for m in inside if m in walk.survey.roots
                              and walk.survey.first_memory.get(m, self.start) < self.start])

    @property
    def folds(self):
        """Whether iterations of this loop may be folded at all."""
        return self.kind != "other" and not self.known.unrolled

    # -- heads -----------------------------------------------------------------------------------

    def look(self, names):
        """The `Front` of what is live now."""
        walk = self.walk
        return look(names, self.written, walk.versions_of, walk.memory_of, walk.memories)

    def strict(self, name):
        """Whether it matters with whom a name shares its memory."""
        return name.name in self.known.strict or (
            name.memory is not None and name.memory in self.walk.written)

    def be_strict(self, names):
        """From now on it matters with whom those share memory that are written to."""
        walk, strict = self.walk, self.known.strict
        for name in names:
            if name.name not in strict and walk.memory_of_name(name) in walk.written:
                strict.add(name.name)
                walk.again |= self.known.closed or self.count > 0

    def mixes(self, name):
        """Let a number be Python's before the loop and NumPy's from then on, if that can be."""
        if self.kind == "while" or name in self.known.apart:    # there may be no iteration
            return False
        if name not in self.known.floats:
            self.known.floats.add(name)
            self.walk.again |= self.known.closed
        return True

    def head(self, event):
        """An iteration begins."""
        walk = self.walk
        front = self.look(walk.seen_names(event.names))
        self.be_strict(front.names)
        if self.count:
            self.end_iteration(front, [slot.incoming for slot in front.slots], walk.index)
        for name in front.names:
            if name.id is not None:
                self._is_same(name.id, name.before)
        for slot in front.slots:
            if slot.root and not slot.named and slot.source in self.written:
                walk.add_version(slot.source, slot.id)
        walk.rename_versions(event.names)
        if self.folds and self.group is None and self.count >= self.known.peeled:
            self.group = Group(self.count, front, event, walk.index)
        self.count += 1
        if self.count > LIMIT and (not self.folds or self.group is None):
            self.known.must_fold()
            raise NotFolded(self.why("it cannot be folded and is too long to be written out"))
        self.front, self.event, self.began, walk.line = front, event, walk.index, Line()
        self.made = [name.id for name in event.names if name.id is not None]
        if event.item is not None:
            self.made.append(event.item)

    def _is_same(self, id, before):
        if type(before) is Ref:
            known = self.same.get(before.id)
            if known is not None:
                self.same[id] = known
            elif self.walk.order[before.id] < self.start:
                self.same[id] = before

    # -- ends ------------------------------------------------------------------------------------

    def end_iteration(self, front, values, until):
        """The iteration that is under way leads to the next one.

        `front`: what is live then, or None; `until`: the last event that belongs to it.
        """
        if self.group is not None and front is not None:
            try:
                must_agree(self.group.front, front, self.strict, self.mixes)
            except Unmergeable as difference:
                self.break_off(difference)
        self.finish(Next(tuple(values)), until)

    def finish(self, end, until):
        """The iteration under way is over, with this end; event `until` was the last one in it."""
        walk, line = self.walk, self.walk.line
        if len(self.kept) <= LIMIT:
            self.kept.append(Iteration(self.front, self.event, line))
        if self.group is not None:
            self._absorb(line, end)
        last_use = walk.survey.last_use
        told = until == walk.index  # else names go by the ids that they had at the last head
        self.late += [(last_use[id], id) for id in self.made
                      if last_use.get(id, -1) > until and not (told and id in self.same)]

    def _absorb(self, line, end):
        group = self.group
        block = line.block(end)
        if group.body is None:
            group.body = block
        else:
            try:
                self._weave(group, block)
            except Unmergeable as difference:
                self.break_off(difference)
                group = self.group = Group(self.count - 1, self.front, self.event, self.began)
                group.body = block
        group.counted += not (type(end) is Leave and end.label == 0)

    def _weave(self, group, block):
        walk, start = self.walk, group.start
        order, first = walk.order, walk.first_memory
        matching = Matching(
            lambda id: order[id] < start, lambda m: first.get(m, start) < start,
            walk.written, walk.written)
        group.matching = matching
        for mine, its in zip(group.front.slots, self.front.slots, strict=True):
            matching.pair(mine.id, its.id)
            if mine.memory is not None and its.memory is not None:
                matching.pair_memory(mine.memory, its.memory, carried=True)
        if self.event.item is not None:
            matching.pair(group.head.item, self.event.item)
            if self.event.item_memory is not None:
                matching.pair_memory(group.head.item_memory, self.event.item_memory)

        def arrange(values):
            return [map_refs(lambda ref: Ref(matching.find(ref.id)), x) for x in values]
        leaves = Leaves(group.leaves, arrange)
        group.body = Weaving(matching, _itself, _itself).weave(group.body, block, leaves)
        group.leaves += len(leaves.added)
        group.leaf, group.new = leaves.last, bool(leaves.added)
        if group.leaves > _MOST_LEAVES:
            raise NotFolded(self.why(f"there are more than {_MOST_LEAVES} ways through it"))

    def break_off(self, difference):
        """What was one body so far is written out: the next iteration is another one."""
        self.breaks += 1
        self.reason = self.reason or str(difference)
        self.group = None
        if self.count > LIMIT:
            raise NotFolded(self.why("it cannot be folded and is too long to be written out"))

    # -- what is known when the loop is left -----------------------------------------------------

    def last_values(self, names, exhausted):
        """The values of all slots when the loop is left; `HOLE` where nobody needs them.

        So it is of a name that has become something else than its slot carries.

        Parameters
        ----------
        names : dict
            Name -> `Name`, of what is live behind the loop.
        exhausted : bool
            There could have been another iteration.
        """
        return [HOLE if not exhausted and slot.named and slot.name in names
                and not self.fits(slot, names) else
                self._last_value(slot, names.get(slot.name), exhausted)
                for slot in self.front.slots]

    def _last_value(self, slot, name, exhausted):
        if slot.name is not None and name is not None:
            if slot.named:
                return name.before
            refs = list(refs_of(name.before))
            return refs[slot.part] if slot.part < len(refs) else HOLE
        if slot.root and not (slot.named and exhausted):
            return Ref(self.walk.versions_of(slot.source)[0])
        return HOLE

    def fits(self, slot, names):
        """Whether a name behind the loop is what its slot carries: of that type, and as shared."""
        aval = self.walk.aval_of_name(names[slot.name])
        if not same_type(slot.name, slot.aval, aval, self.mixes):
            return False
        mine = next(k for k, x in enumerate(self.front.names) if x.name == slot.name)
        return self.shares_as_before(mine, names) is None

    def shares_as_before(self, k, names):
        """Whether name `k` of the head shares memory behind the loop with whom it did there.

        Gives the name of one that speaks against it, or None.
        """
        front, walk = self.front, self.walk
        name = names.get(front.names[k].name)
        if name is None:
            return None
        memory = walk.memory_of_name(name)
        if memory is None or not (self.strict(front.names[k]) or memory in walk.written):
            return None
        for j, other in enumerate(front.names):
            its = names.get(other.name)
            its = None if its is None else walk.memory_of_name(its)
            if its is not None and (front.groups[j] == front.groups[k]) != (its == memory):
                return other.name
        return None

    def why(self, text):
        """A reason, with the place."""
        place = self.place
        where = "a loop" if place is None else f"{place.file}:{place.line}"
        return f"{where}: {text}" if self.reason in (None, text) else \
            f"{where}: {text} ({self.reason})"


def _itself(number):
    return number
