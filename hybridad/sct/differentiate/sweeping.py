"""The sweep over one straight line of operations, last to first.

Loops among them are the matter of `loops`; where the straight line comes from, of `reverse`.
"""

import operator

import numpy as np

from hybridad.sct.differentiate.application import pull
from hybridad.sct.differentiate.calls import CREATIONS, call_of
from hybridad.sct.differentiate.decompose import decomposed
from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.layouts import in_plain_order
from hybridad.sct.differentiate.program import Values, part_of
from hybridad.sct.differentiate.slots import settled
from hybridad.sct.differentiate.spaces import projected
from hybridad.sct.differentiate.traced import call, raw_of, shape_of
from hybridad.sct.differentiate.vectors import with_arrays
from hybridad.sct.differentiate.views import indexed_write, is_window, step_of
from hybridad.sct.differentiate.writes import pull_write
from hybridad.trace.ir import HOLE, Loop, Ref, Step, refs_of

__all__ = ["Sweep"]

_UNSTACK = getattr(np, "unstack", None)


class Sweep(Values):
    """The state of a sweep over the operations of one block (a path through it).

    Parameters
    ----------
    program : Program
    writer : Writer
    slots : Slots
    mirror : callable
        ``mirror(sweep, loop)`` sweeps over a loop.
    context : tuple
        (loop, number of a leaf) for each of the mirrors around: in which iterations this is.
    """

    def __init__(self, program, writer, slots, mirror, context=()):
        super().__init__(program, writer)
        self.slots = slots
        self.mirror = mirror
        self.context = context
        self._results = {}      # id of what gave a tuple -> {number: cotangent}

    # -- values ------------------------------------------------------------------------------

    def is_active(self, x):
        """Whether a use is of an active value."""
        return type(x) is Ref and x.id in self.program.active

    def add(self, ref, c, logical=None):
        """Add what a rule returned for a use."""
        if self.is_active(ref) and c is not None:
            like = self.program.examples[ref.id]
            self.slots.add(ref.id, projected(self.writer, c, like, logical))

    # -- operations --------------------------------------------------------------------------

    def run(self, nodes):
        """Sweep over operations, the last first."""
        for node in reversed(nodes):
            if type(node) is Loop:
                self.mirror(self, node)
            elif node.op == "apply":
                if node.id in self.program.active:
                    self.writer.at(node)
                    self.pull(node)
            elif node.op == "read":
                if node.id in self.program.active:
                    self.writer.at(node)
                    self._pull_part(node, node.args[0], part_of(node, self.program.examples))
            elif node.op == "variable" and node.id not in self.program.wanted:
                self.add(node.args[0], self.slots.take(node.id))
            elif node.op == "write" and node.id in self.program.active:
                g = self.slots.take(node.id)
                if g is not None:
                    self.writer.at(node)
                    pull_write(self, node, g)

    def pull(self, node):
        """Give the arguments of an operation their share of its cotangent."""
        if node.id in self._results:
            self._pull_results(node, self._results.pop(node.id))
            return
        if is_window(node, self.program.examples):
            parts = self.slots.parts(node.id)
            if parts is not None:
                step = self.filled_step(node)
                for path, target, rest in parts:
                    self.slots.add_part(node.args[0].id, (step, *path), target, rest)
                return
        if node.target is operator.getitem and type(node.args[0]) is Ref:
            self._pull_getitem(node)
            return
        g = self._cotangent(node)
        if g is not None:
            self._pull_call(node, g)

    def _cotangent(self, node):
        g = self.slots.take(node.id)
        if g is not None and node.name:
            self.writer.name(g, f"g_{node.name}")
        return g

    def _pull_call(self, node, g):
        if node.target in CREATIONS and type(node.args[0]) in (list, tuple):
            self._pull_items(g, node.args[0], ())
            return
        node = in_plain_order(node, self.program)
        arrays, found = with_arrays(node, call_of(node, self.program.active),
                                    self.program.examples, self.writer.ids, self.writer.part)
        if found is None:
            self._pull_decomposed(node, {None: g})
            return
        self._include(arrays, node)
        self.pull_primitive(found, found.primitive, g, self.value(node.id))
        self.run(arrays)

    def pull_primitive(self, found, primitive, g, ans):
        """Apply the rule of a call (`Call`) and add what it gives."""
        sources = found.args[0] if primitive.sequence else found.args
        wanted = {k for k, x in enumerate(sources) if self.is_active(x)}
        if not wanted:
            if any(ref.id in self.program.active for ref in refs_of(sources)):
                raise Unsupported(f"{primitive.name} of nested sequences", self.writer.place)
            return
        args, kwargs = self.filled(found.args), self.filled(found.kwargs)
        if primitive.func is np.multiply and len(wanted) == 2 and sources[0] == sources[1]:
            twice = call(self.writer, operator.mul, (2.0, g), {})
            self.add(sources[0], call(self.writer, operator.mul, (twice, args[0]), {}))
            return
        for k, c in pull(self.writer, primitive, g, ans, args, kwargs, wanted):
            if c is not None:
                self.slots.add(sources[k].id, c)

    def _pull_items(self, g, items, place):
        """The transpose of making an array of nested sequences."""
        for k, item in enumerate(items):
            if type(item) in (list, tuple):
                self._pull_items(g, item, (*place, k))
            elif self.is_active(item):
                index = (*place, k)
                share = g if not shape_of(g) else g[index if len(index) > 1 else k]
                self.add(item, share)

    def _pull_decomposed(self, node, cotangents):
        """Sweep over the operations that an operation is made of."""
        program, writer = self.program, self.writer
        nodes, results = decomposed(node, program.examples, writer.ids, writer.part)
        self._include(nodes, node)
        for k, g in cotangents.items():
            self.add(results if k is None else results[k], g)
        self.run(nodes)

    def _include(self, nodes, beside):
        """Write operations down that stand for another one, or for a part of it."""
        for made in nodes:
            self.program.include(made, beside)
        self.writer.nodes.extend(nodes)

    # -- several results ---------------------------------------------------------------------

    def _pull_results(self, node, cotangents):
        found = call_of(node, self.program.active)
        if found is None or (not found.primitive.outs and found.primitive.kind != "views"):
            self._pull_decomposed(node, cotangents)
            return
        ans = self.value(node.id)
        if found.primitive.kind == "views":
            self._pull_views(node, cotangents, ans)
            return
        for k in sorted(cotangents, reverse=True):
            primitive = found.primitive.outs.get(k)
            if primitive is not None:
                self.pull_primitive(found, primitive, cotangents[k], ans)

    def _pull_views(self, node, cotangents, ans):
        """What arrives at the views that `np.split` and its like give."""
        if node.target is np.broadcast_arrays:
            for k, g in sorted(cotangents.items()):
                self.add(node.args[k], g, shape_of(ans[k]))
            return
        array = node.args[0]
        if not self.is_active(array):
            raise Unsupported(f"{node.target.__name__} of this argument", node.place)
        whole = Step(node.target, (HOLE, *self.filled(node.args[1:])), self.filled(node.kwargs))
        if node.target is _UNSTACK:     # a tuple cannot be written into
            whole = Step(np.moveaxis, (HOLE, node.kwargs.get("axis", 0), 0))
        for k, g in sorted(cotangents.items()):
            steps = (whole, Step(operator.getitem, (HOLE, k)))
            self.slots.add_part(array.id, steps, operator.iadd, (g,))

    # -- reads -------------------------------------------------------------------------------

    def filled_step(self, node):
        """The step of a view, with Traced values."""
        step = step_of(node)
        return type(step)(step.target, self.filled(step.args), self.filled(step.kwargs))

    def _pull_getitem(self, node):
        array, index = node.args
        example = self.program.examples[array.id]
        if type(example) is not np.ndarray:
            self._pull_part(node, array, index)
            return
        g = self._cotangent(node)
        if g is None:
            return
        index = self.filled(index)
        self.slots.add_part(array.id, *indexed_write(index, raw_of(index), example.shape, g))

    def _pull_part(self, node, source, index):
        """What arrives at one item of a tuple that an operation gave."""
        g = self._cotangent(node)
        if g is None:
            return
        if not isinstance(index, int):
            raise Unsupported("an item of a tuple whose number comes from data", self.writer.place)
        results = self._results.setdefault(source.id, {})
        k = index % len(self.program.examples[source.id])
        old = results.get(k)
        results[k] = settled(g) if old is None else call(
            self.writer, operator.add, (old, g), {})
