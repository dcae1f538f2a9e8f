"""A loop of a path is merged into the loop of a tree: what they carry, and their bodies."""

from hybridad.trace.grafting import Adopting, Grafting, Leaves, Widening, equal, is_empty
from hybridad.trace.ir import HOLE, Leave, Loop, Next, Phi, Ref
from hybridad.trace.matching import Unmergeable, described
from hybridad.trace.rewriting import leaves_of

__all__ = ["LoopWeaving"]


class LoopWeaving:
    """The part of `weaving.Weaving` that is about loops."""

    def loop(self, t, p):
        """Loop `t` of the tree with loop `p` of the path in it."""
        same = self.matching.same
        if (t.kind != p.kind or t.place != p.place or t.part != p.part or t.order != p.order
                or t.of is not None or p.of is not None):
            raise Unmergeable(f"there is {described(t)} and then {described(p)}")
        if not same(t.spec, p.spec):
            raise Unmergeable(f"{described(t)} goes through something else")
        self.matching.pair(t.id, p.id)
        if is_empty(p.body):
            return self._unseen(t, p)
        if is_empty(t.body):
            return self._seen(t, p)
        if t.item_aval != p.item_aval or (t.item is None) != (p.item is None):
            raise Unmergeable(f"{described(t)} goes through values of another type")
        tree, order = self._phis(t, p)
        if t.item is not None:
            self.matching.pair(t.item, p.item)
            self.matching.pair_memory(t.item_memory, p.item_memory)

        def arrange(values):
            return [default if k is None else self._see(values[k]) for k, default in order]
        leaves = Leaves(lambda: 1 + max(leaf.number for leaf in leaves_of(tree.body)), arrange)
        body = self.weave(tree.body, p.body, leaves)
        once = tree.once and p.once
        if not once:
            _check_complete(tree, leaves.added)
        self._outs(tree.phis, p.phis, [k for k, _ in order])
        if body is tree.body and once == t.once and not self.examples:
            return tree
        self.changed |= once != t.once
        return _with_body(tree, body, once, p if self.examples else tree,
                          [None if k is None else p.phis[k] for k, _ in order])

    def _see(self, x):
        return Grafting(self).value(x)

    def _phis(self, t, p):
        """The loop with phis for all that the path carries, and where to find them there.

        The latter are pairs of an index (None: the path lacks it) and what then is the value.
        """
        inits = [self._see(phi.init) for phi in p.phis]
        keys = {key: k for k, key in enumerate(_keys(p.phis, inits, p.body))}
        order = []
        for phi, key in zip(t.phis, _keys(t.phis, [phi.init for phi in t.phis], t.body)):
            k = keys.pop(key, None)
            if k is None:
                order.append(self._without(phi))
                continue
            other = p.phis[k]
            if phi.aval != other.aval or not equal(phi.init, inits[k]):
                raise Unmergeable(f"{phi.name} is something else in {described(t)}")
            self.matching.pair(phi.id, other.id)
            self.matching.pair_memory(phi.memory, other.memory, carried=True)
            order.append((k, HOLE))
        if not keys:
            return t, order
        new = []
        for k in keys.values():
            other = p.phis[k]
            if other.init is not HOLE:
                raise Unmergeable(f"{other.name or 'an array'} is carried by {described(t)}")
            phi = Grafting(self).phi(other, HOLE)
            new.append(Phi(phi.id, HOLE, self.new_id(other.out), phi.name, phi.aval, phi.memory,
                           phi.example))
            order.append((k, HOLE))
        self.changed = True
        body = Widening(len(new)).block(t.body)
        return _with_body(t, body, t.once, t, None, t.phis + tuple(new)), order

    def _without(self, phi):
        """A phi that the path lacks: nothing that it stands for changed there."""
        if phi.init is HOLE:
            return None, HOLE
        if phi.name is not None or type(phi.init) is not Ref:
            raise Unmergeable(f"{phi.name or 'an array'} is not always carried")
        outer = self.matching.taken.get(phi.init.id)
        if outer is None:
            outer = phi.init.id
        self.matching.ids[outer] = phi.id
        self.matching.taken[phi.id] = outer
        return None, Ref(phi.id)

    def _outs(self, tree, path, order):
        for phi, k in zip(tree, order):
            if k is not None:
                self.matching.pair(phi.out, path[k].out)
            elif phi.init is not HOLE:
                outer = self.matching.taken[phi.id]
                self.matching.ids[outer] = phi.out
                self.matching.taken[phi.out] = outer

    def _unseen(self, t, p):
        """The path went through no iteration."""
        named = {phi.name: phi for phi in p.phis}
        for phi in t.phis:
            other = named.pop(phi.name, None) if phi.name is not None else None
            if other is not None:
                if phi.init is HOLE or not equal(phi.init, self._see(other.init)):
                    raise Unmergeable(f"{phi.name} is something else in {described(t)}")
                if phi.aval != other.aval:
                    raise Unmergeable(f"{phi.name} is of another type behind {described(t)}")
                self.matching.pair(phi.out, other.out)
                self.matching.pair_memory(phi.memory, other.memory, carried=True)
            elif phi.init is not HOLE and type(phi.init) is Ref and phi.name is None:
                outer = self.matching.taken.get(phi.init.id, phi.init.id)
                self.matching.ids[outer] = phi.out
                self.matching.taken[phi.out] = outer
        for other in named.values():
            if type(other.init) is not Ref:
                raise Unmergeable(f"{other.name} is carried by {described(t)}")
            self.matching.ids[other.out] = self.matching.find(other.init.id)
        return t

    def _seen(self, t, p):
        """The tree knew no iteration of the loop."""
        known = {phi.name: phi for phi in t.phis}
        outs = {}
        for phi in p.phis:
            other = known.pop(phi.name, None) if phi.init is not HOLE else None
            if other is not None:
                if not equal(other.init, self._see(phi.init)) or other.aval != phi.aval:
                    raise Unmergeable(f"{phi.name} is something else in {described(t)}")
                outs[phi.out] = other.out
                self.matching.pair_memory(other.memory, phi.memory, carried=True)
        if known:
            raise Unmergeable(f"{next(iter(known))} is not carried by {described(t)}")
        self.changed = True
        self.matching.ids.pop(p.id)
        self.matching.taken.pop(t.id)
        return Adopting(self, {p.id: t.id, **outs}).loop(p)


def _keys(phis, inits, body):
    """By what each phi is found in another run's loop; `inits` as the tree sees them."""
    keys, counts = [], {}
    for j, (phi, init) in enumerate(zip(phis, inits)):
        if phi.name is not None:
            key = "name", phi.name, init is HOLE
        elif init is not HOLE:
            key = "version", init
        else:
            key = "left", min([leaf.label for leaf in leaves_of(body)
                               if type(leaf) is Leave and leaf.values[j] is not HOLE], default=-1)
        counts[key] = counts.get(key, -1) + 1
        keys.append((key, counts[key]))
    return keys


def _check_complete(loop, added):
    """A new way to the next iteration must carry all; the last iteration of a run may not."""
    for leaf in added:
        if type(leaf) is Next and any(value is HOLE and phi.init is not HOLE
                                      for value, phi in zip(leaf.values, loop.phis)):
            raise Unmergeable("what the last iteration would hand on is not known")


def _with_body(loop, body, once, example, others, phis=None):
    """A loop with another body; `others`: the phis whose examples it shall have."""
    if phis is None:
        phis = loop.phis
    if others is not None:
        phis = tuple([
            phi if other is None or other.example is None else
            Phi(phi.id, phi.init, phi.out, phi.name, phi.aval, phi.memory, other.example)
            for phi, other in zip(phis, others)])
    return Loop(loop.id, loop.kind, loop.spec, loop.item, phis, body, once, loop.of, loop.order,
                loop.place, loop.part, loop.item_aval, example.item_example, loop.item_name,
                loop.item_memory)
