"""Whose memory an array shows, and who writes into it.

Numbers of memories that a loop carries from one variable to another make one class: inside the body
two numbers never overlap, but seen from outside any of them may be any other.
"""

import operator
import types

import numpy as np

from hybridad.trace.ir import Leave, Method, Next, Ref, Return, refs_of

__all__ = ["Memories", "copied"]

_WHOLE_VIEWS = {np.transpose, np.swapaxes, np.moveaxis, np.reshape, np.expand_dims, np.squeeze}
_WHOLE_METHODS = {"T", "mT", "reshape", "transpose", "swapaxes", "squeeze", "ravel"}
_OUTSIDE = frozenset(("input", "read", "foreign", "seed", "effect", "build", "const"))
_SHOWING = {print, repr, str, format}
_RANDOM = (np.random.Generator, np.random.RandomState)


class Memories:
    """What is known of the memories of a trace.

    Parameters
    ----------
    outline : Outline

    Attributes
    ----------
    written : set
        Classes into which the trace writes.
    outside : set
        Classes that others see, too: the caller, outer objects, foreign code.
    forward : set
        Classes that are not the adjoint's alone.
    """

    def __init__(self, outline):
        self._values = outline.values
        self._above = {}
        self.origins = {}
        self.written, self.outside, self.forward = set(), set(), set()
        self._whole = {}
        self._carried = {}
        for value in outline.values.values():
            if value.memory is not None:
                self.origins.setdefault(value.memory, value)
        self._join(outline)
        for value in outline.values.values():
            node = value.node
            if value.memory is not None and (value.part_name == "forward"):
                self.forward.add(self.root(value.memory))
            if node is None:
                continue
            if node.op in _OUTSIDE and value.memory is not None:
                self.outside.add(self.root(value.memory))
            if node.op == "write" and node.memory is not None:
                self.written.add(self.root(node.memory))
            elif node.op == "foreign":
                self.written |= self.roots(self.changed(node))
            if node.op in ("effect", "build", "foreign"):
                self.outside |= self.roots(refs_of(node.args))

    def _join(self, outline):
        for scope in outline.scopes.values():
            ends = [part.block.end.values for part in scope.leaves]
            for k, phi in enumerate(scope.loop.phis):
                values = [phi.init, *[end[k] for end in ends]]
                self._carried[phi.id] = self._carried[phi.out] = values
                if phi.memory is None:
                    continue
                for x in values:
                    memory = self._values[x.id].memory if type(x) is Ref else None
                    if memory is not None:
                        self._above[self.root(memory)] = self.root(phi.memory)

    def root(self, memory):
        """The class of a memory."""
        path = []
        while (above := self._above.get(memory, memory)) != memory:
            path.append(memory)
            memory = above
        for passed in path:
            self._above[passed] = memory
        return memory

    def roots(self, refs):
        """The classes of the arrays among uses."""
        memories = [self._values[ref.id].memory for ref in refs]
        return {self.root(memory) for memory in memories if memory is not None}

    def changed(self, node):
        """Uses of arrays that a foreign call may write into."""
        if "writes" in node.kwargs:
            return list(refs_of(node.kwargs["writes"]))
        function = node.args[0]
        if isinstance(function, types.BuiltinFunctionType) and function in _SHOWING:
            return []
        if isinstance(getattr(function, "__self__", None), _RANDOM) and (
                function.__name__ not in ("shuffle",) and "out" not in str(node.args[2:])):
            return []
        return [ref for ref in refs_of(node.args) if self._values[ref.id].is_array]

    def is_written(self, value):
        """Whether the memory of an array is written into somewhere, or nobody knows."""
        return value.memory is None or self.root(value.memory) in self.written

    def is_outside(self, value):
        """Whether others see the memory of an array, or nobody knows."""
        if value.memory is None:
            return True
        if self.root(value.memory) in self.outside:
            return True
        origin = self.origins[value.memory]
        return origin.node is None and origin.id not in self._carried

    def is_fresh(self, value):
        """Whether an operation of the trace has made the memory of an array with this value."""
        return (value.node is not None and value.node.op == "apply" and value.memory is not None
                and self.origins[value.memory] is value and not self.is_outside(value))

    def is_whole(self, value):
        """Whether an array shows all of its memory, so that it can be given away."""
        known = self._whole.get(value.id)
        if known is None:
            self._whole[value.id] = True  # what a loop carries: as long as nothing speaks against
            known = self._whole[value.id] = self._is_whole(value)
        return known

    def _is_whole(self, value):
        if value.id in self._carried:
            return all(type(x) is Ref and self.is_whole(self._values[x.id])
                       for x in self._carried[value.id])
        node = value.node
        if node is None or self.is_outside(value):
            return False
        if node.op == "write":
            return self.is_whole(self._values[node.args[0].id])
        if self.is_fresh(value):
            return True
        target = node.target
        known = (target.name in _WHOLE_METHODS if type(target) is Method
                 else target in _WHOLE_VIEWS if callable(target) and target is not operator.getitem
                 else False)
        return (known and type(node.args[0]) is Ref
                and self.is_whole(self._values[node.args[0].id]))

    @staticmethod
    def leaves(x):
        """The values that the end of a block hands on."""
        if type(x) is Next or type(x) is Leave:
            return x.values
        if type(x) is Return:
            return (x.value, x.aux, x.cotangents, x.tangents)
        return ()


def copied(text, aval):
    """The text of a copy of an array."""
    return f"{text}.copy()" if aval is None or aval.layout == "C" else f'{text}.copy(order="K")'
