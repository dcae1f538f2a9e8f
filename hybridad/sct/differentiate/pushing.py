"""The push along one straight line of operations: the tangent of each result behind it."""

import operator

import numpy as np

from hybridad.rules.declare import PRIMITIVES
from hybridad.sct.differentiate.application import is_elementwise, push
from hybridad.sct.differentiate.calls import CREATIONS, call_of
from hybridad.sct.differentiate.decompose import decomposed
from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.layouts import in_plain_order, laid_out, plain_path
from hybridad.sct.differentiate.program import Values, part_of
from hybridad.sct.differentiate.slots import settled
from hybridad.sct.differentiate.spaces import cast, expanded
from hybridad.sct.differentiate.traced import Traced, call, raw_of, shape_of
from hybridad.sct.differentiate.vectors import with_arrays
from hybridad.sct.differentiate.writes import SCATTERS, scattered, taken_apart, way, written
from hybridad.trace.ir import Loop, Ref

__all__ = ["Push"]

_AVERAGES = {np.mean, np.var, np.std, np.median}


class Push(Values):
    """The state of a push.

    Parameters
    ----------
    program : Program
    writer : Writer
    loop : callable
        ``loop(push, loop)`` pushes through a loop.

    Attributes
    ----------
    tangents : dict
        Id -> tangent, perhaps of a smaller shape that broadcasts; missing if it is zero.
    """

    def __init__(self, program, writer, loop):
        super().__init__(program, writer)
        self.loop = loop
        self.tangents = {}

    def tangent(self, x):
        """The tangent of an argument; None if it is zero."""
        return self.tangents.get(x.id) if type(x) is Ref else None

    def whole(self, x):
        """The tangent of an argument in its full shape; None if it is zero."""
        t = self.tangent(x)
        return None if t is None else expanded(self.writer, t, self.value(x.id))

    def run(self, nodes):
        """Write operations down anew, each with its tangent behind it."""
        for node in nodes:
            self.operation(node)

    def operation(self, node):
        """Write an operation down, and the tangent of its result."""
        if type(node) is Loop:
            self.loop(self, node)
            return
        self.writer.nodes.append(node)
        self.tangents.pop(node.id, None)
        if node.id not in self.program.active or node.op == "build":
            return
        self.writer.at(node)
        if node.op == "read":
            t = self._result(node.args[0], part_of(node, self.program.examples))
        else:
            t = self._write(node) if node.op == "write" else self._apply(node)
        if t is None:
            return
        if type(t) is not tuple:
            t = settled(cast(self.writer, t, node.example))
            if node.name:
                self.writer.name(t, f"t_{node.name}")
        self.tangents[node.id] = t

    # -- pure operations ---------------------------------------------------------------------

    def _apply(self, node):
        if node.target is operator.getitem and type(node.args[0]) is Ref:
            return self._getitem(node)
        if node.target in CREATIONS and type(node.args[0]) in (list, tuple):
            return self._items(node)
        if isinstance(self.program.examples[node.id], (tuple, list)):
            return self._several(node)
        node = in_plain_order(node, self.program)
        arrays, found = with_arrays(node, call_of(node, self.program.active),
                                    self.program.examples, self.writer.ids, self.writer.part)
        if found is None:
            return self._decomposed(node)
        for array in arrays:
            self.program.include(array, node)
        self.run(arrays)
        return self._primitive(found, found.primitive, self.value(node.id))

    def _primitive(self, found, primitive, ans):
        sources = found.args[0] if primitive.sequence else found.args
        of = self.tangent if not primitive.sequence and is_elementwise(primitive) else self.whole
        tangents = {k: t for k, t in ((k, of(x)) for k, x in enumerate(sources)) if t is not None}
        if not tangents:
            return None
        if primitive.sequence:
            tangents = {k: tangents[k] if k in tangents else np.zeros(np.shape(raw))
                        for k, raw in enumerate(map(raw_of, self.filled(sources)))}
        args, kwargs = self.filled(found.args), self.filled(found.kwargs)
        if primitive.func in _AVERAGES and _may_be_of_nothing(primitive, ans, args, kwargs):
            raise Unsupported(f"{primitive.name} of nothing, which warns", self.writer.place)
        return push(self.writer, primitive, ans, args, kwargs, tangents)

    def _getitem(self, node):
        array, index = node.args
        example = self.program.examples[array.id]
        if not isinstance(example, np.ndarray):
            return self._result(array, index)
        t = self.tangent(array)
        if t is None or not shape_of(t):
            return t
        return self.whole(array)[self.filled(index)]

    def _items(self, node):
        """The tangent of an array that is made of nested sequences."""
        def item(x):
            if type(x) in (list, tuple):
                return type(x)([item(y) for y in x])
            t = self.whole(x)
            if t is not None:
                return t
            raw = self.program.examples[x.id] if type(x) is Ref else x
            return np.zeros(np.shape(raw)) if np.shape(raw) else 0.0

        items = item(node.args[0])
        return self.writer.apply(node.target, (items,)) if _has_tangent(items) else None

    # -- several results ---------------------------------------------------------------------

    def _several(self, node):
        """What is known of the tangents of a tuple: the call, for the items to ask."""
        found = call_of(node, self.program.active)
        if found is not None and found.primitive.kind == "views":
            t = self.whole(node.args[0])
            return None if t is None else tuple(
                call(self.writer, node.target, (t, *self.filled(node.args[1:])),
                     self.filled(node.kwargs)))
        if found is not None and found.primitive.outs:
            ans, outs = self.value(node.id), found.primitive.outs
            return tuple([self._primitive(found, outs[k], ans) if k in outs else None
                          for k in range(len(ans))])
        nodes, results = self._made_of(node)
        self.run(nodes)
        return tuple([self.tangents.get(ref.id) for ref in results])

    def _result(self, source, index):
        found = self.tangents.get(source.id)
        if found is None:
            return None
        if not isinstance(index, int):
            raise Unsupported("an item of a tuple whose number comes from data", self.writer.place)
        return found[index]

    def _made_of(self, node):
        nodes, results = decomposed(node, self.program.examples, self.writer.ids,
                                    self.writer.part)
        for made in nodes:
            self.program.include(made, node)
        return nodes, results

    def _decomposed(self, node):
        nodes, result = self._made_of(node)
        self.run(nodes)
        return self.tangents.get(result.id)

    # -- writes ------------------------------------------------------------------------------

    def _write(self, node):
        writer, array = self.writer, node.args[0]
        path, operation, index, values = written(node)
        before, of_value = self.tangent(array), self.tangent(values[0]) if values else None
        if before is None and of_value is None:
            return None
        like = self.value(array.id)
        t = writer.apply(np.zeros_like, (like,)) if before is None else expanded(
            writer, before, like, owned=True)
        path, layout = plain_path(self.filled(path), self.program.examples[array.id],
                                  self.program.made_by[array.id], node.place)
        t, index = settled(laid_out(writer, t, layout)), self.filled(index)
        if operation is None:
            t.write(path, operator.setitem, (index, _or_zero(of_value)))
        elif operation == "mask":
            t.write(path, np.copyto, (_or_zero(of_value),), {"where": index})
        elif operation in SCATTERS:
            t.write(path, operation, scattered(operation, index, _or_zero(of_value)))
        elif operation in ("add", "subtract"):
            if of_value is not None:
                t.write(path, np.add.at if operation == "add" else np.subtract.at,
                        (index, of_value))
        elif operation in (np.add, np.subtract):
            if of_value is not None:
                t.write(path, operator.iadd if operation is np.add else operator.isub,
                        (of_value,))
        else:
            self._operation(node, t, path, operation, values)
        return t

    def _operation(self, node, t, path, operation, values):
        """A region was replaced by a function of itself (and of values)."""
        before = way(self.value(node.args[0].id), path)
        after = way(self.value(node.id), path)
        args = (before, *self.filled(tuple(values)))
        tangents = {0: settled(way(t, path))}
        of_value = self.tangent(values[0]) if values else None
        if of_value is not None:
            tangents[1] = of_value
        kwargs = dict(node.kwargs) if operation is np.sort else {}
        primitive = PRIMITIVES[operation]
        found = None if primitive.kind == "constant" else push(
            self.writer, primitive, after, args, kwargs, tangents)
        path, index = taken_apart(path)
        t.write(path, operator.setitem, (index, _or_zero(found)))


def _may_be_of_nothing(primitive, ans, args, kwargs):
    """Whether a mean (or variance) may have nothing to average.

    NumPy then warns at a line of its own, before the tangent's division by zero ends the code; the
    tape would warn once more.
    """
    given = {**dict(zip(primitive.params, args)), **kwargs}
    if given.get("where", True) is not True:
        return True
    count = np.size(raw_of(args[0])) // max(np.size(raw_of(ans)), 1)
    return count <= raw_of(given.get("ddof", 0) or given.get("correction", 0) or 0)


def _or_zero(t):
    return 0.0 if t is None else t


def _has_tangent(x):
    if type(x) in (list, tuple):
        return any(map(_has_tangent, x))
    return type(x) is Traced
