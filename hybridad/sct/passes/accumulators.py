"""Sums that loops carry: phis that each iteration only adds to, so that they may be one array.

``g_w = g_w + h`` in a mirror is such a sum if nothing else looks at `g_w` on its way through an
iteration. It may go through loops inside.
"""

from dataclasses import dataclass, field

from hybridad.sct.passes.facts import SYMBOLS
from hybridad.sct.passes.walk import used_by_end, uses
from hybridad.trace.ir import Branch, Leave, Loop, Next, Node, Ref, refs_of

__all__ = ["Sum", "carried_sums"]


@dataclass(slots=True)
class Sum:
    """A phi that is only added to.

    Attributes
    ----------
    phis : list of Phi
        The phi of the outermost loop, and those of the loops inside that the sum goes through.
    links : dict
        Id of an addition (or subtraction) -> number of the operand that is the sum so far.
    """

    phis: list
    links: dict = field(default_factory=dict)


def carried_sums(block, survey):
    """The sums that the loops of a tree carry.

    Parameters
    ----------
    block : Block
    survey : Survey
        Of `block`.

    Returns
    -------
    dict
        Id of the phi of the outermost loop -> Sum.
    """
    users = _Users(block)
    found, inner = {}, set()
    for loop in survey.loops.values():  # outer ones come first
        for k, phi in enumerate(loop.phis):
            if phi.id in inner or type(phi.init) is not Ref or phi.id in survey.unsteady:
                continue
            if phi.aval is None or phi.aval.kind != "array" or not phi.aval.shape:
                continue
            total = Sum([])
            if _is_sum(loop, k, users, total, phi.aval) and total.links:
                found[phi.id] = total
                inner.update([p.id for p in total.phis])
    return found


class _Users:
    """Who uses a value, in which block, and how the iterations of each loop end."""

    def __init__(self, block):
        self.of, self.ends = {}, {}
        todo = [(block, None)]
        while todo:
            block, loop = todo.pop()
            for x in block.nodes:
                if type(x) is Loop:
                    todo.append((x.body, x))
                    used = [ref.id for ref in refs_of((x.spec, [p.init for p in x.phis]))]
                else:
                    used = uses(x)
                self._add(used, x, block)
            end = block.end
            self._add(used_by_end(end), end, block)
            if type(end) is Branch:
                todo += [(side, loop) for side in end.sides.values()]
            elif type(end) in (Next, Leave):
                self.ends.setdefault(loop.id, []).append(end)

    def _add(self, used, x, block):
        for id in used:
            self.of.setdefault(id, []).append((x, block))


def _is_sum(loop, k, users, total, aval):
    """Whether phi `k` of `loop` is a sum; notes in `total` what it goes through."""
    phi = loop.phis[k]
    total.phis.append(phi)
    reached, ends = [], users.ends.get(loop.id, ())
    for user, block in users.of.get(phi.id, ()):
        x, end = _follow(Ref(phi.id), user, block, users, total, aval)
        # The sum comes to the end of each iteration once, and in its own place.
        if x is None or not any(end is other for other in ends) or end.values[k] != x:
            return False  # a mirror may use the phi, too, and come to an end of its own
        if any(end is other for other in reached):
            return False
        reached.append(end)
    return len(reached) == len(ends)


def _follow(x, user, block, users, total, aval):
    """What the sum `x` is at the end of an iteration, by way of `user`, and that end."""
    home = block
    while block is home:
        if type(user) in (Next, Leave):
            return x, user
        x = _step(x, user, users, total, aval)
        following = users.of.get(x.id, ()) if x is not None else ()
        if len(following) != 1:
            break
        ((user, block),) = following
    return None, None


def _step(x, user, users, total, aval):
    """The sum after `user` has added to `x`, or None if it does something else with it."""
    if type(user) is Loop:
        places = [k for k, phi in enumerate(user.phis) if phi.init == x]
        used = [ref for ref in refs_of((user.spec, [phi.init for phi in user.phis])) if ref == x]
        if len(places) != 1 or len(used) != 1 or user.phis[places[0]].aval != aval:
            return None
        inner = _is_sum(user, places[0], users, total, aval)
        return Ref(user.phis[places[0]].out) if inner else None
    if type(user) is not Node or user.part == "forward" or uses(user).count(x.id) != 1:
        return None
    if user.op == "write":
        return Ref(user.id) if user.args[0] == x else None
    if user.op != "apply" or user.kwargs or user.aval is None or (
            (user.aval.kind, user.aval.dtype, user.aval.shape)
            != (aval.kind, aval.dtype, aval.shape)):
        return None
    symbol = SYMBOLS.get(user.target)
    for k in {"+": (0, 1), "-": (0,)}.get(symbol, ()):
        if type(user.args[k]) is Ref and user.args[k] == x:
            total.links[user.id] = k
            return Ref(user.id)
    return None
