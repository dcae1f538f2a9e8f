"""What a standalone module takes and gives: the arguments and the result as users have them."""

import numpy as np

from hybridad.inspection.arguments import Leaf, names_of_arguments, structure_of_arguments
from hybridad.inspection.literals import NotWritable, write_literal
from hybridad.sct.emit.memory import Memories
from hybridad.sct.emit.names import Names, readable
from hybridad.sct.emit.outline import Outline
from hybridad.trace.ir import Node

__all__ = ["Interface"]


_RESERVED = ("UnknownPath", "_expect", "_adjoint")


class Interface:
    """The public function of a module that calls specialized code.

    Parameters
    ----------
    engine : Engine
    entry : Entry
    tree : Block
        The trace that the code was made of.

    Attributes
    ----------
    parameters : list of str
        As they stand in its ``def``.
    lines : list of str
        What is said of them.
    result : str
        What it returns, in words.

    Raises
    ------
    NotWritable
    """

    def __init__(self, engine, entry, tree):
        self.engine, self.signature = engine, entry.signature
        nodes = [node for node in tree.nodes if type(node) is Node and node.op == "input"]
        self.inputs = {node.target: node for node in nodes}
        if entry.trace.shares:
            raise NotWritable("arguments are one object or share memory")
        structure = structure_of_arguments(entry.signature)
        if structure is None:
            raise NotWritable("an argument is a container of a class of its own")
        positional = len(entry.signature.arguments) - len(entry.signature.names)
        taken = Names(_RESERVED)
        names = [taken.new(readable(name, "x"))
                 for name in names_of_arguments(engine.f, entry.signature)]
        self.parameters = list(names)
        if entry.signature.names:
            self.parameters.insert(positional, "*")
        self.wanted = [structure[key] if type(key) is int else
                       structure[positional + entry.signature.names.index(key)]
                       for key in entry.signature.keys]
        self.lines, self.checks, self.places = [], [], {}
        chosen = {id(x) for x in self.wanted}
        for name, x in zip(names, structure):
            self.lines.append(f"{name}: {x!r}" + (", differentiated" if id(x) in chosen else ""))
            self._take(name, x)
        self._keep_apart(tree, nodes)
        self.result = self._shaped("gradient" if engine.single else "gradients")

    def _take(self, place, x):
        """Note where the leaves of an argument are, and what must hold of it."""
        kind = type(x)
        if kind is Leaf:
            self.places[x.number] = place
            self._check_leaf(place, x)
        elif kind is tuple or kind is list:
            self._expect(f"type({place}) is {kind.__name__} and len({place}) == {len(x)}",
                         f"{place}: a {kind.__name__} of {len(x)}")
            for k, item in enumerate(x):
                self._take(f"{place}[{k}]", item)
        elif kind is dict:
            keys = write_literal(list(x))
            self._expect(f"type({place}) is dict and list({place}) == {keys}",
                         f"{place}: a dict with the keys {keys}")
            for key, item in x.items():
                self._take(f"{place}[{write_literal(key)}]", item)
        else:
            self._check_static(place, x)

    def _check_static(self, place, x):
        try:
            text = write_literal(x)
        except NotWritable as reason:
            raise NotWritable(f"the argument {place} is {reason}") from None
        sign = "is" if x is None or x is Ellipsis or type(x) is bool else "=="
        known = "" if sign == "is" else f"type({place}) is {type(x).__name__} and "
        self._expect(f"{known}{place} {sign} {text}", f"{place} {sign} {text}")

    def _check_leaf(self, place, leaf):
        node = self.inputs.get(leaf.number)
        if node is None or node.aval is None:
            raise NotWritable(f"the argument {place} is {leaf.text}, which it does not use")
        aval = node.aval
        if aval.kind == "object":
            return  # the code looks at it itself
        if aval.kind == "number":
            kind = _type_of_number(aval.dtype)
            self._expect(f"type({place}) is {kind}", f"{place}: {kind}")
            return
        if aval.layout == "A":
            raise NotWritable(f"the argument {place} is an array in neither C nor Fortran order")
        dtype = write_literal(np.dtype(aval.dtype))
        flag = "c_contiguous" if aval.layout == "C" else "f_contiguous"
        self._expect(f"type({place}) is np.ndarray and {place}.dtype == {dtype}",
                     f"{place}: {leaf.text}")
        self._expect(f"{place}.shape == {aval.shape!r} and {place}.flags.{flag}",
                     f"{place}: {leaf.text}")

    def _keep_apart(self, tree, nodes):
        """No two arrays are one; those that are written into share memory with no other one."""
        arrays = [node for node in nodes if node.memory is not None]
        if len(arrays) > 1:
            found = ", ".join([f"id({self.places[node.target]})" for node in arrays])
            self._expect(f"len({{{found}}}) == {len(arrays)}", "arrays that are not the same")
        outline = Outline(tree)
        memories = Memories(outline)
        for written in arrays:
            if not memories.is_written(outline.values[written.id]):
                continue
            for other in arrays:
                if other is not written:
                    a, b = self.places[written.target], self.places[other.target]
                    self._expect(f"not np.shares_memory({a}, {b})",
                                 f"{a} and {b} that share no memory")

    def _expect(self, condition, what):
        self.checks.append(f"_expect({condition}, {what!r})")

    def statements(self, names, inner):
        """The body of the function.

        Parameters
        ----------
        names : list of str
            Of the parameters of the specialized code: leaves.
        inner : str
            Its name.

        Returns
        -------
        list of str
        """
        wanted = list(self.signature.wanted)
        gradients = {number: f"g_{names[number]}" for number in wanted}
        arguments = ", ".join([self.places[number] for number in range(len(names))])
        parts = ["value", *(["aux"] if self.engine.has_aux else []),
                 *[gradients[number] for number in wanted]]
        built = [self._build(x, gradients) for x in self.wanted]
        gradient = built[0] if self.engine.single else \
            f"({', '.join(built)}{',' if len(built) == 1 else ''})"
        return [*self.checks, f"{', '.join(parts)} = {inner}({arguments})",
                f"return {self._shaped(gradient)}"]

    def _shaped(self, gradient):
        """The result of a call."""
        if not self.engine.has_aux:
            return f"value, {gradient}" if self.engine.returns_value else gradient
        return f"(value, aux), {gradient}" if self.engine.returns_value else f"{gradient}, aux"

    def _build(self, x, gradients):
        """The gradient by an argument, as text."""
        kind = type(x)
        if kind is Leaf:
            aval = self.inputs[x.number].aval
            text = gradients[x.number]
            return f"{_type_of_number(aval.dtype)}({text})" if aval.kind == "number" else text
        if kind is tuple or kind is list:
            items = ", ".join([self._build(item, gradients) for item in x])
            if kind is list:
                return f"[{items}]"
            return f"({items}{',' if len(x) == 1 else ''})"
        if kind is dict:
            pairs = [(write_literal(key), self._build(item, gradients)) for key, item in x.items()]
            return f"{{{', '.join([f'{key}: {item}' for key, item in pairs])}}}"
        return write_literal(x)


def _type_of_number(dtype):
    """The name of the type of a number, as in `Aval`."""
    if dtype in ("float", "complex", "int", "bool"):
        return dtype
    return f"np.{np.dtype(dtype).type.__name__}"
