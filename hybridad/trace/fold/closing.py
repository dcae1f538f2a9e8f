"""A loop is over: what its iterations have in common becomes a `Loop`, the others are written out.
"""

from hybridad.trace.fold.folding import fold_group
from hybridad.trace.fold.heads import same_but_refs, same_type
from hybridad.trace.fold.known import LIMIT, NotFolded, Unproven
from hybridad.trace.fold.unrolling import Unrolling
from hybridad.trace.ir import HOLE, Leave, Ref, map_refs
from hybridad.trace.matching import Unmergeable

__all__ = ["close"]


def close(walk, loop, event, following):
    """Put a loop that is over into the line that it stands in.

    Parameters
    ----------
    walk : walk.Walk
    loop : iterations.OpenLoop
    event : Exit or None
        None: the names were not told; the loop ended at its jump.
    following : object
        The event that came then instead.
    """
    names = {name.name: name for name in loop.left}
    if event is not None:
        names.update({name.name: name for name in walk.seen_names(event.names)})
    label = 0 if loop.jump is None else loop.jump.label
    exhausted = label == 0 and loop.kind != "while"
    way = 0 if exhausted else _way(loop, names, event is None, label, following)
    loop.be_strict(names.values())
    if loop.count:
        _end_last(loop, names, way, exhausted, walk.index - (event is None))
    walk.line = loop.outer
    _note(walk, loop)
    _settle(walk, loop, event, names, way, exhausted)
    loop.known.closed = True


def _settle(walk, loop, event, names, way, exhausted):
    ids = () if event is None else tuple([name.id for name in event.names if name.id is not None])
    if not loop.folds or (loop.group is None and not exhausted):
        _write_out(walk, loop, event, names)
    else:
        try:
            fold_group(walk, loop, event, names, way, exhausted)
        except Unmergeable as difference:
            _give_up(walk, loop, str(difference))
            _write_out(walk, loop, event, names)
        except Unproven as reason:
            loop.reason = loop.reason or str(reason)
            _write_out(walk, loop, event, names, exactly=exhausted)
    walk.made(ids)


def _way(loop, names, silent, label, following):
    """The number of the way by which the loop was left.

    Behind it, it must be known what is static, and what has become something else than is carried.
    """
    other = _names_apart(loop, names) if loop.count else ()
    if label == 0:
        return loop.known.way(label, other) if other else 0
    return loop.known.way(label, _static_names(names, silent, label, following) + other)


def _names_apart(loop, names):
    slots = {slot.name: slot for slot in loop.front.slots if slot.named}
    apart = []
    for name in names.values():
        slot = slots.get(name.name)
        aval = loop.walk.aval_of_name(name)
        if aval is not None and slot is not None and not loop.fits(slot, names):
            apart.append((name.name, f"{aval.kind} {aval.dtype} {len(aval.shape)}"))
    return tuple(apart)


def _static_names(names, silent, label, following):
    """What is static behind the loop; where nothing was told, also where it went on.

    Of containers with values of the run it is how many there are, and where.
    """
    static = [(name.name, map_refs(lambda ref: HOLE, name.before)) for name in names.values()
              if (silent or name.id is None) and type(name.before) is not Ref]
    if silent and label >= 2:
        static.append(("", getattr(following, "place", None)))
    return tuple(static)


def _end_last(loop, names, way, exhausted, until):
    """The last iteration ends, by the loop's own end or by a jump."""
    values = tuple(loop.last_values(names, exhausted))
    if not exhausted:
        loop.finish(Leave(values, 0, way, way != 0), until)
        return
    try:
        if loop.group is not None:
            _must_fit(loop, names)
    except Unmergeable as difference:
        loop.break_off(difference)
    loop.end_iteration(None, values, until)


def _must_fit(loop, names):
    """A further iteration could have begun with these names as the others did."""
    front = loop.group.front
    found = [names.get(name.name) for name in front.names]
    for mine, its in zip(front.names, found):
        if its is None:
            continue
        if mine.id is None and not same_but_refs(mine.before, its.before):
            raise Unmergeable(f"{mine.name} is something else after the loop")
        aval = loop.walk.aval_of_name(its)
        if mine.id is not None and not same_type(mine.name, mine.aval, aval, loop.mixes):
            raise Unmergeable(f"{mine.name} is of another type after the loop")
    for k, mine in enumerate(front.names):
        other = loop.shares_as_before(k, names)
        if other is not None:
            raise Unmergeable(f"{mine.name} shares its memory with {other}, and then not")


def _note(walk, loop):
    """What this loop has shown of all loops at its place."""
    known = loop.known
    first = loop.count if loop.group is None else loop.group.first
    if not loop.folds or loop.count <= known.peeled:
        return
    few = loop.group is None or loop.group.counted <= 1
    if loop.breaks >= 2 and few and not known.long:
        _give_up(walk, loop, loop.reason or "no two iterations are alike")
    elif first > known.peeled:
        if first > LIMIT:
            raise NotFolded(loop.why("too many iterations differ from the others"))
        known.peeled = first
        walk.again |= known.closed
        walk.reasons.append(loop.why(f"{first} iterations stand by themselves"))


def _give_up(walk, loop, reason):
    loop.reason = loop.reason or reason
    if loop.count > LIMIT:
        raise NotFolded(loop.why("it cannot be folded and is too long to be written out"))
    loop.known.unrolled = True
    walk.again |= loop.known.closed


def _write_out(walk, loop, event, names, exactly=False):
    if loop.kind == "other":
        walk.reasons.append(loop.why("it goes through something else than a range"))
    elif not loop.folds:
        walk.reasons.append(loop.why("it is written out"))
    unrolling = Unrolling(walk, loop)
    unrolling.guard(exactly)
    for k in range(loop.count):
        unrolling.iteration(k)
    unrolling.leave(event, names)
    walk.made(unrolling.ids)
