"""What is live at the head of a loop: what is carried, and what an iteration depends on besides.

Each value that may travel from one iteration to the next has a *slot*: names that have an id of
their own there; uses within the values of other names (a new version of an array that was written
to, for example); and the versions of arrays that are written to in the loop and have no name there.
"""

from dataclasses import dataclass

from hybridad.trace.ir import HOLE, Aval, Ref, refs_of
from hybridad.trace.matching import Unmergeable, same_static

__all__ = ["FLOATS", "Front", "Slot", "look", "must_agree", "same_but_refs", "same_type"]


FLOATS = Aval("number", "float"), Aval("number", "<f8")


@dataclass(frozen=True, slots=True)
class Slot:
    """A value that may travel.

    `id`: by which the iteration knows it; `incoming`: what it is when it comes there; `named`:
    whether the head made the id; `root`: it is the newest version of memory that the loop writes
    to; `part`: the how-manieth use within the value of the name; `source`: the memory as the path
    calls it.
    """

    id: int
    incoming: object
    named: bool
    name: str | None = None
    aval: object = None
    memory: int | None = None
    example: object = None
    root: bool = False
    part: int = 0
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Front:
    """A head, as iterations are compared by it."""

    names: tuple
    slots: tuple
    versions: tuple
    groups: tuple


def look(names, written, versions_of, memory_of, renamed):
    """Make a `Front` of what is live.

    Parameters
    ----------
    names : tuple of Name
        Their values in terms of the tree.
    written : iterable of int
        The memories that are written to in the loop.
    versions_of : callable
        Memory -> ids that stand for its newest version.
    memory_of : callable
        Id -> memory of an array as the path calls it, or None.
    renamed : dict
        Memory of the path -> what it is called in the tree.
    """
    named, loose, carried, memories = [], [], set(), []
    for name in names:
        memory = name.memory
        if name.id is not None:
            before = name.before.id if type(name.before) is Ref else None
            source = memory_of(name.id)
            named.append(Slot(
                name.id, name.before, True, name.name, name.aval, memory, name.example,
                source is not None and before in versions_of(source), 0, source))
            carried.add(before)
        else:
            for part, ref in enumerate(refs_of(name.before)):
                its = memory_of(ref.id)
                loose.append(Slot(
                    ref.id, ref, False, name.name, None, renamed.get(its, its), None,
                    its is not None and ref.id in versions_of(its), part, its))
            if memory is None and type(name.before) is Ref:
                memory = memory_of(name.before.id)
                memory = renamed.get(memory, memory)
        memories.append(memory)
    kept = tuple(sorted([m for m in written if carried.isdisjoint(versions_of(m))]))
    hidden = [Slot(versions_of(m)[0], Ref(versions_of(m)[0]), False, None, None, renamed.get(m, m),
                   None, True, 0, m) for m in kept]
    first = {}
    groups = tuple([None if m is None else first.setdefault(m, k) for k, m in enumerate(memories)])
    return Front(names, tuple(named + loose + hidden), kept, groups)


def must_agree(a, b, strict, mixes):
    """Raise `Unmergeable` unless iterations with these heads can be one body.

    Parameters
    ----------
    strict : callable
        ``strict(name)``: whether it matters with whom this name shares memory.
    mixes : callable
        See `same_type`.
    """
    if len(a.names) != len(b.names):
        raise Unmergeable("other names are live")
    for x, y in zip(a.names, b.names):
        if x.name != y.name:
            raise Unmergeable(f"{x.name} is live in one iteration, {y.name} in the next one")
        if (x.before is HOLE) != (y.before is HOLE):
            raise Unmergeable(f"{x.name} is not always bound")
        if (x.id is None) != (y.id is None):
            raise Unmergeable(f"{x.name} is {_described(x)} and then {_described(y)}")
        if x.id is None and not same_but_refs(x.before, y.before):
            raise Unmergeable(f"{x.name} is {_described(x)} and then {_described(y)}")
        if not same_type(x.name, x.aval, y.aval, mixes):
            raise Unmergeable(f"{x.name} is {_described(x)} and then {_described(y)}")
    if a.versions != b.versions:
        raise Unmergeable("arrays without a name are written to")
    if a.groups != b.groups:
        _groups_must_agree(a, b, strict)


def same_type(name, before, now, mixes):
    """Whether what a name is bound to is of one type in two iterations.

    Parameters
    ----------
    before, now : Aval
    mixes : callable
        ``mixes(name)``: whether a name may become a number of NumPy's in the first iteration.
    """
    return before == now or ((before, now) == FLOATS and mixes(name))


def _groups_must_agree(a, b, strict):
    mine, others = _partition(a.groups), _partition(b.groups)
    for k, (x, y) in enumerate(zip(a.names, b.names)):
        if mine[k] != others[k] and (strict(x) or strict(y)):
            raise Unmergeable(f"{x.name} shares its memory with others, and then not")


def _partition(groups):
    members = {}
    for k, group in enumerate(groups):
        if group is not None:
            members.setdefault(group, []).append(k)
    return [None if group is None else members[group] for group in groups]


def same_but_refs(a, b):
    """Whether two arguments differ in nothing but the values they refer to.

    Parameters
    ----------
    a, b : object
        Nested tuples, lists and dicts of `Ref` and static values.

    Returns
    -------
    bool
    """
    if type(a) is not type(b):
        return False
    if type(a) is Ref:
        return True
    if type(a) in (tuple, list):
        return len(a) == len(b) and all(same_but_refs(x, y) for x, y in zip(a, b))
    if type(a) is dict:
        return [*a] == [*b] and all(same_but_refs(x, y) for x, y in zip(a.values(), b.values()))
    return same_static(a, b)


def _described(name):
    aval = name.aval
    if name.before is HOLE:
        return "not bound"
    if name.id is None or aval is None:
        return "a value of the run" if type(name.before) is Ref else repr(name.before)[:40]
    return f"{aval.dtype}{list(aval.shape)}" if aval.kind == "array" else aval.dtype
