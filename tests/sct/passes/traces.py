"""Random traces, and two ways to run a trace: by its text, and with writes done in place."""

import operator
import random
import re

import numpy as np

from hybridad.trace.ir import (
    HOLE,
    Aval,
    Block,
    Branch,
    Loop,
    Method,
    Next,
    Node,
    Phi,
    Ref,
    Return,
    Step,
    map_refs,
)
from hybridad.trace.text import parse, show
from tests.trace import interpret

__all__ = ["Writer", "cleaned", "inputs_of", "random_trace", "run_in_place"]


def _layout(x):
    return "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else "A"


def aval_of(x):
    if isinstance(x, np.ndarray):
        return Aval("array", x.dtype.str, x.shape, _layout(x))
    if isinstance(x, np.generic):
        return Aval("number", x.dtype.str)
    return Aval("number", type(x).__name__)


class Writer:
    """Writes operations down while it does them."""

    def __init__(self, numbers=None):
        self.nodes = []
        self.numbers = {"id": 0, "memory": 0} if numbers is None else numbers
        self.values, self.memories = {}, {}

    def inside(self):
        """A writer of the body of a loop or of a side."""
        inner = Writer(self.numbers)
        inner.values, inner.memories = self.values, self.memories
        return inner

    def id(self):
        self.numbers["id"] += 1
        return self.numbers["id"]

    def new_memory(self):
        self.numbers["memory"] += 1
        return self.numbers["memory"]

    def define(self, value, memory=None):
        id = self.id()
        self.values[id] = value
        if isinstance(value, np.ndarray):
            self.memories[id] = self.new_memory() if memory is None else memory
        return id

    def value(self, x):
        return map_refs(lambda ref: self.values[ref.id], x)

    def put(self, op, target, args, value, part, memory=None, **kwargs):
        id = self.define(value, memory)
        self.nodes.append(Node(id, op, target, args, kwargs, aval_of(value), self.memories.get(id),
                               part=part, example=value))
        return Ref(id)

    def input(self, value, differentiated=True):
        kwargs = {"differentiated": True} if differentiated else {}
        return self.put("input", len(self.nodes), (), value, "forward", **kwargs)

    def apply(self, target, *args, part="adjoint", **kwargs):
        with np.errstate(all="ignore"):
            value = interpret._call(target, self.value(args), kwargs)
        memory = None
        for x in args:
            if type(x) is Ref and isinstance(value, np.ndarray) and isinstance(
                    self.values[x.id], np.ndarray) and np.may_share_memory(value, self.value(x)):
                memory = self.memories[x.id]
        return self.put("apply", target, args, value, part, memory, **kwargs)

    def write(self, target, array, path, *rest, part="adjoint"):
        value = interpret._written(target, self.value(array), path, self.value(rest), {})
        return self.put("write", target, (array, path, *rest), value, part,
                        self.memories[array.id])

    def phi(self, init):
        value = self.value(init)
        return Phi(self.define(value), init, self.define(value), aval=aval_of(value),
                   memory=self.memories.get(self.numbers["id"] - 1), example=value)


def phi_of(writer, init):
    phi = writer.phi(init)
    if phi.memory is not None:
        writer.memories[phi.out] = phi.memory
    return phi


SHAPES = ((3, 4), (4,), (3, 1), ())


class _Random:
    """Random operations on values that are at hand."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, pool, w, shape=None):
        fitting = [x for x in pool if shape is None or np.shape(w.value(x)) == shape]
        return self.random.choice(fitting) if fitting else None

    def operand(self, pool, w):
        if self.random.random() < 0.25:
            return self.random.choice([0.0, 1.0, -1.0, 2.0, -0.5, 3.0])
        return self.pick(pool, w)

    def forward(self, pool, w):
        kind = self.random.choice(["+", "*", "-", "tanh", "T", "getitem"])
        x, y = self.pick(pool, w), self.pick(pool, w)
        if kind in ("T", "getitem") and np.ndim(w.value(x)) == 2:
            if kind == "T" and np.shape(w.value(x)) == (3, 1):
                return
            new = (w.apply(operator.getitem, x, (slice(None), slice(0, 4)), part="forward")
                   if kind == "getitem" else
                   w.apply(np.tanh, w.apply(Method("T"), w.apply(
                       Method("T"), x, part="forward"), part="forward"), part="forward"))
        elif kind in "+-*" and self.broadcast(x, y, w):
            target = {"+": operator.add, "*": operator.mul, "-": operator.sub}[kind]
            new = w.apply(target, x, y, part="forward")
        else:
            new = w.apply(np.tanh, x, part="forward")
        pool.append(new)

    def broadcast(self, x, y, w):
        shape = np.broadcast_shapes(np.shape(w.value(x)), np.shape(w.value(y)))
        return shape in SHAPES

    def adjoint(self, pool, w):
        choose = self.random.choice(
            [self._arithmetic] * 8 + [self._sign, self._power, self._turn, self._shape,
             self._spread, self._sum, self._where, self._product, self._scatter, self._scatter,
             self._add])
        new = choose(pool, w)
        if new is not None and np.shape(w.value(new)) in SHAPES:
            pool.append(new)

    def _arithmetic(self, pool, w):
        x, y = self.operand(pool, w), self.operand(pool, w)
        target = self.random.choice([operator.add, operator.sub, operator.mul, np.add, np.multiply,
                                     operator.truediv])
        if not self.broadcast(x, y, w) or type(x) is type(y) is float:
            return None
        if target is operator.truediv:
            y = self.random.choice([1.0, -1.0, 2.0, 3.0])
            if type(x) is float:
                return None
        return w.apply(target, x, y)

    def _add(self, pool, w):
        x = self.pick(pool, w, (3, 4))
        y = self.pick(pool, w, (3, 4))
        return None if x is None else w.apply(operator.add, x, y)

    def _sign(self, pool, w):
        return w.apply(operator.neg, self.pick(pool, w))

    def _power(self, pool, w):
        return w.apply(operator.pow, self.pick(pool, w), self.random.choice([0, 1, 2]))

    def _turn(self, pool, w):
        x = self.pick(pool, w, (3, 4))
        if x is None:
            return None
        turned = w.apply(self.random.choice([Method("T"), np.transpose]), x)
        if self.random.random() < 0.5:
            turned = w.apply(np.multiply, turned, 2.0)
        return w.apply(np.swapaxes, turned, 0, 1)

    def _shape(self, pool, w):
        x = self.pick(pool, w, (3, 4))
        return None if x is None else w.apply(
            np.reshape, w.apply(np.reshape, x, (2, 6)), self.random.choice([(3, 4), (4, 3)]))

    def _spread(self, pool, w):
        x = self.pick(pool, w)
        shape = self.random.choice([s for s in SHAPES if len(s) >= np.ndim(w.value(x))] or [()])
        if np.broadcast_shapes(np.shape(w.value(x)), shape) != shape:
            shape = (3, 4)
        if np.shape(w.value(x)) == () or shape == (3, 4):
            return w.apply(np.broadcast_to, x, shape)
        return None

    def _sum(self, pool, w):
        x = self.pick(pool, w, (3, 4))
        axis = self.random.choice([None, 0, 1])
        return None if x is None else w.apply(np.sum, x, axis=axis, keepdims=axis == 1)

    def _where(self, pool, w):
        x, y = self.pick(pool, w), self.pick(pool, w)
        if not self.broadcast(x, y, w):
            return None
        condition = w.apply(np.logical_or, x, w.apply(operator.gt, w.apply(np.abs, y), 0))
        return w.apply(np.where, condition, y, self.random.choice([1.0, 0.0]))

    def _product(self, pool, w):
        x, y = self.pick(pool, w, (3, 4)), self.pick(pool, w, (3, 4))
        if x is None:
            return None
        square = self.random.choice([
            lambda: w.apply(np.tensordot, x, y, ([0], [0])),
            lambda: w.apply(np.einsum, "ij,ik->kj", x, y),
            lambda: w.apply(np.einsum, "ij,ik->jk", x, y, optimize=True)])()
        return w.apply(operator.matmul, x, square)

    def _scatter(self, pool, w):
        z = w.apply(np.zeros_like, self.pick(pool, w, (3, 4)) or self.pick(pool, w))
        shape = np.shape(w.value(z))
        if shape == ():
            return None
        indices = {
            (3, 4): [slice(None), 0, 1, 2, (slice(None), slice(0, 2)), (slice(None), slice(2, 4)),
                     slice(0, 1), slice(1, 3), (1, 2), (..., 1), slice(None, None, 2)],
            (4,): [0, 1, 2, 3, slice(0, 2), slice(2, None), slice(None)],
            (3, 1): [slice(0, 2), slice(2, 3), (slice(None), 0), 1],
        }[shape]
        count = self.random.randint(1, 4)
        chosen = self.random.sample(indices, count)
        if self.random.random() < 0.4:
            chosen = self.random.choice({
                (3, 4): [[(slice(None), slice(2, 4)), (slice(None), slice(0, 2))],
                         [slice(0, 1), slice(1, 3)], [0, 2, 1], [slice(None)]],
                (4,): [[0, 1, 2, 3], [slice(2, None), slice(0, 2)], [3, 1, 0, 2, slice(None)]],
                (3, 1): [[slice(0, 2), 2], [slice(0, 2), slice(2, 3)]]}[shape])
        one = self.pick(pool, w, shape)
        for index in chosen:
            if self.random.random() < 0.5:
                g = w.apply(operator.getitem, one, index)
            else:
                region = np.shape(w.value(z)[index])
                g = self.pick(pool, w, region) or self.pick(pool, w, ())
            if g is None:
                continue
            step = Step(operator.getitem, (HOLE, index))
            z = w.write(operator.iadd, z, (step,), g)
        return z


def cleaned(one_pass, text):
    """The lines that a pass makes of a trace in text, without what stands behind two blanks."""
    lines = show(one_pass(parse(text))).splitlines()
    return [re.sub(r"(?<=\S)  (?!cotangents|leaf).*?(?=  cotangents|  leaf|$)", "", line)
            for line in lines]


def inputs_of(seed):
    random = np.random.default_rng(seed)
    return [random.normal(size=(3, 4)), random.normal(size=4), random.normal(size=(3, 1)), 0.5]


def random_trace(seed, loops=True):
    """A trace with an adjoint part that means nothing, but has values."""
    make = _Random(seed)
    w = Writer()
    pool = [w.input(np.array(x) if np.ndim(x) else np.float64(x)) for x in inputs_of(0)]
    for _ in range(make.random.randint(1, 6)):
        make.forward(pool, w)
    seed_ref = w.put("seed", None, (), np.float64(1.0), "adjoint")
    wide = w.apply(np.broadcast_to, seed_ref, (3, 4))
    loop = None
    if loops and make.random.random() < 0.6:
        loop = _forward_loop(make, w, pool)
    value = w.apply(np.sum, make.pick(pool, w), part="forward")
    adjoint = [*pool, seed_ref, wide, wide]
    for _ in range(make.random.randint(1, 8)):
        make.adjoint(adjoint, w)
    if loop is not None:
        adjoint += _mirror(make, w, adjoint, *loop)
        if make.random.random() < 0.5:
            adjoint += _mirror(make, w, adjoint, *loop)
        for _ in range(make.random.randint(1, 8)):
            make.adjoint(adjoint, w)
    fresh = adjoint[len(pool):] or [seed_ref]
    results = tuple(make.random.choices(fresh, k=3)) + (fresh[-1],)
    return Block(tuple(w.nodes), Return(value, cotangents=results))


def _forward_loop(make, w, pool):
    """A loop that carries one array; its body may branch by the number of the iteration."""
    phi = phi_of(w, make.pick(pool, w, (3, 4)))
    same = phi_of(w, make.pick(pool, w))
    id, item = w.id(), w.define(0)
    inner = w.inside()
    local = [*pool, Ref(phi.id), Ref(same.id)]
    for _ in range(2):
        make.forward(local, inner)
    test = inner.apply(operator.lt, Ref(item), 2, part="forward")
    sides, paths = {}, {}
    for number, outcome in enumerate((True, False)):
        side, own = w.inside(), list(local)
        for _ in range(2):
            make.forward(own, side)
        last = make.pick(own[len(pool):], w, (3, 4)) or Ref(phi.id)
        sides[outcome] = Block(tuple(side.nodes), Next((last, Ref(same.id)), number))
        paths[number] = own[len(pool):]
    body = Block(tuple(inner.nodes), Branch(test, "bool", sides))
    w.nodes.append(Loop(id, "range", (0, 4, 1), item, (phi, same), body,
                        item_aval=Aval("number", "int"), item_example=0))
    pool += [Ref(phi.out), Ref(same.out)]
    return id, paths


def _mirror(make, w, pool, family, paths):
    zeros = w.apply(np.zeros_like, make.pick(pool, w, (3, 4)))
    phis = tuple([phi_of(w, x) for x in (
        make.pick(pool, w, (3, 4)), make.random.choice([zeros, make.pick(pool, w, (3, 4))]),
        make.random.choice([zeros, make.pick(pool, w, (3, 4))]))])
    sides = {}
    for number, known in paths.items():
        side = w.inside()
        own = [*pool, *known, Ref(phis[0].id)]
        for _ in range(make.random.randint(1, 5)):
            make.adjoint(own, side)
        sums = []
        for phi in phis[1:]:
            h = make.pick(own, w, (3, 4))
            target = make.random.choice([operator.add, operator.sub, np.add])
            total = side.apply(target, Ref(phi.id), h)
            if make.random.random() < 0.5:
                make.adjoint(own, side)
                total = side.apply(operator.add, h, total)
            sums.append(total)
        bounded = side.apply(np.tanh, make.pick(own, w, (3, 4)))
        sides[number] = Block(tuple(side.nodes), Next((bounded, *sums), number))
    body = Block((), Branch(Ref(family), "leaf", sides))
    w.nodes.append(Loop(w.id(), "mirror", (), None, phis, body, of=family,
                        order=make.random.choice([1, -1]), part="adjoint"))
    return [Ref(phi.out) for phi in phis]


def run_in_place(block, inputs, monkeypatch):
    """Run a trace with each write done in the memory that it names."""
    def open_again(array):
        array.flags.writeable = True
        return array

    with monkeypatch.context() as patch:
        patch.setattr(interpret, "_copy", open_again)
        patch.setattr(interpret, "_frozen", lambda result, args: result)
        return interpret.run(block, [np.array(x) if np.ndim(x) else np.float64(x)
                                     for x in inputs])
