"""What an iteration keeps for the mirrors of its loop, and what they compute again.

A loop that keeps something does so in one list, with one item for each counted iteration: a value,
or a tuple of values, which begins with the number of the leaf if there are several. A mirror goes
through the lists of its family, so they are never consumed. A list of an inner loop is itself a
value of the outer iteration, and kept by it.
"""

import operator
from dataclasses import dataclass, field

from hybridad.trace.ir import Branch, Leave, Ref, refs_of

__all__ = ["Kept", "Reading", "plan_saves"]

_INTEGER = {operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod,
            operator.neg}


@dataclass(slots=True)
class Kept:
    """What a loop keeps.

    Attributes
    ----------
    leaves : dict
        Number of a leaf -> ids.
    numbered : bool
        Each item begins with the number of the leaf.
    """

    leaves: dict = field(default_factory=dict)
    numbered: bool = False


@dataclass(slots=True)
class Reading:
    """How a mirror gets at the iterations of its family.

    Attributes
    ----------
    lists : list
        Ids of the loops whose lists it goes through.
    again : dict
        Number of a leaf -> ids that it computes again, in order.
    item : bool
        It needs the item of a range.
    count : bool
        The number of iterations comes from a counter.
    """

    lists: list = field(default_factory=list)
    again: dict = field(default_factory=dict)
    item: bool = False
    count: bool = False


def plan_saves(outline, memories):
    """Plan what is kept and what is computed again; the uses that result are noted in `outline`.

    Parameters
    ----------
    outline : Outline
    memories : Memories

    Returns
    -------
    kept : dict
        Id of a loop -> Kept.
    readings : dict
        Id of a mirror -> Reading.
    """
    plan = _Plan(outline, memories)
    mirrors = [scope for scope in outline.scopes.values() if scope.loop.of is not None]
    for scope in mirrors:
        if type(scope.loop.body.end) is Branch:
            plan.keep(scope.family).numbered = True
    # What an inner mirror needs of the outer iteration is a need of the outer mirror.
    for scope in sorted(mirrors, key=lambda scope: (-len(scope.chain), scope.start)):
        plan.read(scope)
    for id, kept in plan.kept.items():
        _place(outline, outline.scopes[id], kept)
    return plan.kept, plan.readings


class _Plan:
    def __init__(self, outline, memories):
        self.outline, self.memories = outline, memories
        self.kept, self.readings = {}, {}

    def keep(self, id):
        return self.kept.setdefault(id, Kept())

    def read(self, mirror):
        """Plan how a mirror gets what it needs."""
        outline = self.outline
        family = outline.scopes[mirror.family]
        reading = self.readings[mirror.loop.id] = Reading()
        lists = {}
        if mirror.family in self.kept and self.kept[mirror.family].numbered:
            lists[mirror.family] = True
        for part in _leaf_parts(mirror):
            needs = outline.needs.setdefault(mirror.loop.id, {}).setdefault(part.leaf, {})
            again = reading.again.setdefault(part.leaf, [])
            chosen = set()
            for id in needs:
                chosen |= self._again(id, family, chosen) or set()
            for id in sorted(chosen, key=lambda id: outline.values[id].position):
                value = outline.values[id]
                if value.kind == "item":
                    reading.item = True
                    continue
                again.append(id)
                for ref in refs_of(value.node.args):
                    if ref.id not in chosen:
                        outline.use(ref.id, part.start, part)
            number = family.counted[0].block.end.number if part.leaf is None else part.leaf
            for id in needs:
                if id in chosen:
                    continue
                owner = outline.values[id].scope
                lists[owner] = True
                where = number if owner == mirror.family else part.leaf
                saved = self.keep(owner).leaves.setdefault(where, [])
                if id not in saved:
                    saved.append(id)
        reading.lists = list(lists)
        self._header(mirror, family, reading)

    def _header(self, mirror, family, reading):
        use = self.outline.use
        complete = all(type(part.block.end) is not Leave for part in family.leaves)
        for id in reading.lists:
            use(("saved", id), mirror.start, mirror.part)
        counts = not reading.lists and not (complete and family.loop.kind in ("range", "items"))
        if counts:
            reading.count = True
            use(("count", family.loop.id), mirror.start, mirror.part)
        if reading.item or (not reading.lists and not counts):
            for ref in refs_of(family.loop.spec):
                use(ref.id, mirror.start, mirror.part)

    def _again(self, id, family, chosen):
        """What is computed again for a value: integers and windows, of what is at hand anyway.

        None: the value has to be kept.
        """
        if id in chosen:
            return set()
        value = self.outline.values[id]
        if value.scope != family.loop.id:
            return None
        if value.kind == "item":
            return {id} if family.loop.kind == "range" else None
        node = value.node
        if node is None or node.op != "apply" or node.kwargs or not self._is_cheap(node, value):
            return None
        made = {id}
        for ref in refs_of(node.args):
            other = self.outline.values[ref.id]
            if other.scope == family.loop.id:
                more = self._again(ref.id, family, chosen | made)
                if more is None:
                    return None
                made |= more
            elif other.is_array and self.memories.is_written(other):
                return None
        return made

    def _is_cheap(self, node, value):
        try:
            known = node.target in _INTEGER
        except TypeError:
            return False
        if known:
            return value.aval is not None and value.aval.dtype == "int"
        if node.target is not operator.getitem:
            return False
        array = node.args[0]
        return type(array) is Ref and self.outline.values[array.id].is_array


def _leaf_parts(mirror):
    """The parts of a mirror that belong to one leaf of its family each."""
    if type(mirror.loop.body.end) is Branch and mirror.loop.body.end.kind == "leaf":
        return list(mirror.body.sides.values())
    return [mirror.body]


def _place(outline, scope, kept):
    """Keep what is kept as soon as it is there, in the part that ends the iteration."""
    for part in scope.counted:
        number = part.leaf if scope.loop.of is not None else part.block.end.number
        ids = kept.leaves.setdefault(number, [])
        after = 0
        for id in ids:
            value = outline.values[id]
            if value.part is part and value.kind != "phi" and value.kind != "item":
                after = max(after, 1 + _index(part, value.position))
        part.save = (after, tuple(ids))
        position = part.start if after == 0 else _end_of(outline, part, after - 1) + 1
        for id in ids:
            outline.use(id, position, part)


def _index(part, position):
    """The number of the operation of a part at (or, for a loop, around) a position."""
    return max(k for k, start in enumerate(part.positions) if start <= position)


def _end_of(outline, part, k):
    node = part.block.nodes[k]
    scope = outline.scopes.get(node.id)
    return part.positions[k] if scope is None or k not in part.bodies else scope.after
