"""Iterations of a loop are written out one after the other."""

import operator

from hybridad.trace.fold.known import LIMIT, NotFolded
from hybridad.trace.ir import Aval, Node, Ref
from hybridad.trace.rewriting import Rewriting

__all__ = ["Unrolling"]

_INT = Aval("number", "int")


class Unrolling:
    """Writes iterations into the line that their loop stands in.

    Attributes
    ----------
    ids : list of int
        Of the path, what is now visible there.
    values : dict
        Id of a name at a head, or of an item -> what it stood for.
    """

    def __init__(self, walk, loop):
        self.walk, self.loop, self.ids = walk, loop, []
        self.dynamic = loop.kind in ("range", "items") and any(type(x) is Ref for x in loop.spec)
        self._range = None
        self.values = {}
        self.rewriting = Rewriting(self.values)

    def stand(self, id, value):
        """`value` stands for an id of an iteration, and does from here on."""
        self.values[id] = value
        self.walk.stand(id, value)

    def _node(self, target, args, example, aval=_INT, memory=None, id=None):
        walk = self.walk
        id = walk.new_id() if id is None else id
        walk.line.nodes.append(Node(
            id, "apply", target, args, {}, aval, memory, self.loop.place, example=example))
        walk.survey.examples[id] = example
        return Ref(id)

    def _value(self, x):
        return self.walk.survey.examples.get(x.id) if type(x) is Ref else x

    # -- guards ----------------------------------------------------------------------------------

    def _length(self):
        """The number of iterations that the loop would go through by itself, as a value."""
        spec = self.loop.spec
        if self.loop.kind == "range":
            values = [self._value(x) for x in spec]
            known = range(*values) if all(type(x) is not None for x in values) else None
            self._range = self._node(range, _short(spec), known, Aval("object", "range"))
            return self._node(len, (self._range,), len(known))
        self._range = spec[0]
        return self._node(len, spec, len(self._value(spec[0])))

    def total(self):
        """The number of iterations that the loop would go through by itself, in this run."""
        spec = [self._value(x) for x in self.loop.spec]
        return len(range(*spec)) if self.loop.kind == "range" else len(spec[0])

    def guard(self, exactly=False):
        """Whether there are at least those that stand by themselves, or exactly as many as here."""
        if not self.dynamic:
            return
        length, total, walk = self._length(), self.total(), self.walk
        least = self.loop.known.least if not self.loop.known.unrolled else 0
        if least:
            enough = self._node(operator.ge, (length, least), total >= least,
                                Aval("number", "bool"))
            walk.line.decide(enough, "bool", total >= least, self.loop.place)
            if total >= least and not exactly:
                return
        walk.line.decide(length, "value", total, self.loop.place)

    def leave(self, event, names):
        """The loop ended behind the iterations that are written out."""
        if event is None:
            return
        for name in event.names:
            if name.id is not None:
                self.walk.stand(name.id, self.rewriting.value(names[name.name].before))

    # -- iterations ------------------------------------------------------------------------------

    def iteration(self, k):
        """Write out iteration `k`, with what its names stood for."""
        if k >= len(self.loop.kept):
            raise NotFolded(self.loop.why(f"it has more than {LIMIT} iterations"))
        walk, kept = self.walk, self.loop.kept[k]
        for slot in kept.front.slots:
            if slot.named:
                self.stand(slot.id, self.rewriting.value(slot.incoming))
        if kept.head.item is not None:
            self._item(k, kept.head)
        walk.line.extend(kept.line, self.rewriting)
        for nodes in [*[turn[0] for turn in kept.line.turns], kept.line.nodes]:
            self.ids += [node.id for node in nodes]

    def _item(self, k, head):
        if not self.dynamic:
            start, _, step = self.loop.spec
            self.stand(head.item, start + k * step)
            return
        self._node(operator.getitem, (self._range, k), head.item_example, head.item_aval,
                   head.item_memory, head.item)
        self.ids.append(head.item)

    def rest(self, first):
        """What is left of the loop's spec behind its first iterations."""
        if not first:
            return self.loop.spec
        if self.loop.kind == "while":
            return ()
        if self.loop.kind == "items":
            array = self.loop.spec[0]
            aval = self.walk.survey.kinds[array.id][0]
            shape = (aval.shape[0] - first, *aval.shape[1:])
            return (self._node(
                operator.getitem, (array, slice(first, None, None)), self._value(array)[first:],
                Aval(aval.kind, aval.dtype, shape, aval.layout), self.walk.memory_of(array.id)),)
        start, stop, step = self.loop.spec
        if type(step) is Ref:
            ahead = self._node(operator.mul, (step, first), self._value(step) * first)
        else:
            ahead = step * first
        if type(start) is Ref or type(ahead) is Ref:
            start = self._node(operator.add, (start, ahead),
                               self._value(start) + self._value(ahead))
        else:
            start = start + ahead
        return start, stop, step


def _short(spec):
    """The arguments of a range, as few as there have to be."""
    start, stop, step = spec
    if type(step) is not int or step != 1:
        return spec
    return (stop,) if type(start) is int and start == 0 else (start, stop)
