"""Traces built by hand: each operation is done on example values and written down.

Arrays are copied before they are written into, so that all examples stay true.
"""

import itertools
import operator

import numpy as np

from hybridad.sct.differentiate.writer import aval_of
from hybridad.trace.ir import (
    HOLE,
    Block,
    Loop,
    Method,
    Node,
    Phi,
    Place,
    Ref,
    Return,
    Step,
    map_refs,
)

__all__ = ["Builder"]


class Builder:
    """Builds one block."""

    def __init__(self, parent=None):
        self.nodes = []
        self.ids = itertools.count() if parent is None else parent.ids
        self.memories = itertools.count(1) if parent is None else parent.memories
        self.examples = {} if parent is None else parent.examples
        self.memory = {} if parent is None else parent.memory
        self.count = 0

    def known(self, id, example, memory=None):
        self.examples[id] = example
        if isinstance(example, np.ndarray):
            self.memory[id] = next(self.memories) if memory is None else memory
        return Ref(id)

    def new(self, example, memory=None):
        return self.known(next(self.ids), example, memory)

    def example(self, x):
        return map_refs(lambda ref: self.examples[ref.id], x)

    def node(self, op, target, args, kwargs, example, memory=None, name=None):
        ref = self.new(example, memory)
        self.nodes.append(Node(ref.id, op, target, args, kwargs, aval_of(example),
                               self.memory.get(ref.id), Place("f.py", len(self.nodes), "f"), name,
                               example=example))
        return ref

    def input(self, example, name=None):
        self.count += 1
        return self.node("input", self.count - 1, (), {"differentiated": True}, example, None, name)

    def apply(self, target, *args, name=None, **kwargs):
        plain, options = self.example(args), self.example(kwargs)
        if type(target) is Method:
            found = getattr(plain[0], target.name)
            value = found(*plain[1:], **options) if callable(found) else found
        else:
            value = target(*plain, **options)
        memory = None
        if isinstance(value, np.ndarray) and args and type(args[0]) is Ref:
            base = plain[0]
            if isinstance(base, np.ndarray) and np.shares_memory(base, value):
                memory = self.memory[args[0].id]
        return self.node("apply", target, args, kwargs, value, memory, name)

    def method(self, x, which, *args, **kwargs):
        return self.apply(Method(which), x, *args, **kwargs)

    def write(self, array, path, target, *rest, **kwargs):
        fresh = self.example(array).copy("K")
        region, parent, index = fresh, None, None
        for step in path:
            args = [region if x is HOLE else x for x in self.example(step.args)]
            parent, index = args if step.target is operator.getitem else (None, None)
            if type(step.target) is Method:
                found = getattr(args[0], step.target.name)
                region = found(*args[1:]) if callable(found) else found
            else:
                region = step.target(*args, **step.kwargs)
        plain = self.example(rest)
        if type(target) is Method:
            getattr(region, target.name)(*plain, **self.example(kwargs))
        elif parent is not None and target is not operator.setitem and target.__name__[0] == "i":
            parent[index] = target(region, *plain)
        else:
            target(region, *plain, **self.example(kwargs))
        return self.node("write", target, (array, path, *rest), kwargs, fresh,
                         self.memory[array.id])

    def set(self, array, index, value):
        return self.write(array, (), operator.setitem, index, value)

    def at(self, index):
        return Step(operator.getitem, (HOLE, index))

    def returns(self, value):
        return Block(tuple(self.nodes), Return(value))

    def loop(self, kind, spec, inits, body, item=None, once=False):
        """A loop; ``body(builder, item, *phis)`` gives the end of the body (or a whole block)."""
        inner = Builder(self)
        item_ref = None if item is None else inner.new(item)
        phis = []
        for init in inits:
            example = self.example(init)
            memory = self.memory.get(init.id) if type(init) is Ref else None
            phis.append((inner.new(example, memory), init))
        end = body(inner, item_ref, *[ref for ref, _ in phis])
        made = end if type(end) is Block else Block(tuple(inner.nodes), end)
        outs, made_phis = [], []
        for ref, init in phis:
            out = self.new(self.examples[ref.id], self.memory.get(ref.id))
            outs.append(out)
            made_phis.append(Phi(ref.id, init, out.id, None, aval_of(self.examples[ref.id]),
                                 self.memory.get(ref.id), self.examples[ref.id]))
        self.nodes.append(Loop(
            next(self.ids), kind, spec, None if item is None else item_ref.id, tuple(made_phis),
            made, once, item_example=item))
        return outs
