"""A slow interpreter of traces, written from the text of `hybridad.trace.ir` alone.

It is the independent answer for everything that is made of a trace. Nothing is ever changed in
place: a write copies the whole array, so every version stays readable under its own id. Arrays
from outside are therefore not written through; `run(..., written={})` tells what would be.
"""

import operator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hybridad.trace.ir import (
    HOLE,
    Branch,
    Leave,
    Loop,
    Method,
    Next,
    Node,
    Ref,
    Return,
    Step,
    map_refs,
)
from tests.trace.outside import change, holds, outcome_of, read

__all__ = ["Exit", "Result", "Undefined", "run"]

IN_PLACE = {
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
    operator.imod, operator.ipow, operator.imatmul, operator.iand, operator.ior, operator.ixor,
    operator.ilshift, operator.irshift,
}


class Undefined(NameError):
    """A trace uses an id that has no value there."""


@dataclass(frozen=True)
class Exit:
    """Why a run left the trace: a `Branch`, a check (`Node`), or a `Loop` seen only once."""

    where: object
    seen: object = None


class Result(NamedTuple):
    """What `run` returns. With an `exit` everything else is None."""

    value: object = None
    aux: object = None
    cotangents: object = None
    tangents: object = None
    exit: Exit | None = None


@dataclass
class _Iteration:
    """One counted iteration: the leaf it took, and what the family computed in it."""

    number: int
    tables: list


@dataclass
class _Record:
    """One execution of a loop that is no mirror: what ``Ref(loop.id)`` is."""

    iterations: list = field(default_factory=list)
    label: int = 0

    def __repr__(self):
        return f"<a loop of {len(self.iterations)} iterations>"


class _Scope:
    """Where ids are looked up: own values, those of the same iteration, what stands outside."""

    def __init__(self, parent=None, family=(), leaf=None):
        self.own = {}
        self.tables = [self.own, *family]
        self.parent = parent
        self.leaf = leaf  # (id of a loop, number of the leaf its iteration took)

    def find(self, id):
        scope = self
        while scope is not None:
            for table in scope.tables:
                if id in table:
                    return table[id]
            scope = scope.parent
        raise Undefined(f"%{id} has no value here")

    def leaf_of(self, id):
        scope = self
        while scope is not None:
            if scope.leaf is not None and scope.leaf[0] == id:
                return scope.leaf[1]
            scope = scope.parent
        raise Undefined(f"no mirror of loop %{id} goes on here")

    def define(self, id, value):
        if id in self.own:
            raise Undefined(f"%{id} is given a value twice")
        self.own[id] = value


class _Left(Exception):
    def __init__(self, exit):
        self.exit = exit


def run(block, inputs=(), *, function=None, reads=None, seeds=None, written=None):
    """Run a trace.

    Parameters
    ----------
    block : Block
        A whole trace, its leaves are `Return`.
    inputs : sequence or dict
        By number of the leaf (`Node.target` of "input").
    function : callable, optional
        What ``read "function"`` gives.
    reads : dict, optional
        Id of a node -> value, for nodes ("read", "foreign", "build", "effect") that shall not be
        done for real.
    seeds : dict, optional
        Target or id of a "seed" -> value; others are 1.0 of the node's dtype.
    written : dict, optional
        Filled with memory -> newest version of the array, for all memory that was written.

    Returns
    -------
    Result
        ``(value, aux, cotangents, tangents, exit)``.
    """
    world = _World(inputs, function, reads or {}, seeds or {}, {} if written is None else written)
    try:
        end = world.block(block, scope := _Scope())
    except _Left as left:
        return Result(exit=left.exit)
    if type(end) is not Return:
        raise TypeError(f"a trace ended in {end!r}")
    return Result(*[_value(x, scope) for x in (end.value, end.aux, end.cotangents, end.tangents)])


class _World:
    """What a run needs besides values."""

    def __init__(self, inputs, function, reads, seeds, written):
        self.inputs, self.function = inputs, function
        self.reads, self.seeds, self.written = reads, seeds, written

    def block(self, block, scope):
        """Run a block and the sides it takes; gives the leaf."""
        while True:
            for node in block.nodes:
                try:
                    if type(node) is Loop:
                        self.loop(node, scope)
                    else:
                        self.node(node, scope)
                except _Left:
                    raise
                except Exception as error:
                    error.add_note(f"in {_describe(node)}")
                    raise
            end = block.end
            if type(end) is not Branch:
                return end
            block = self.side(end, scope)

    def side(self, branch, scope):
        if branch.kind == "leaf":
            outcome = scope.leaf_of(branch.test.id)
        else:
            outcome = outcome_of(branch.kind, _value(branch.test, scope))
        for known, side in branch.sides.items():
            if type(known) is type(outcome) and known == outcome:
                return side
        raise _Left(Exit(branch, outcome))

    def loop(self, loop, scope):
        record = _Record()
        values = [_carried(phi.init, scope) for phi in loop.phis]
        for count, (item, iteration) in enumerate(_iterations(loop, scope)):
            if loop.once and count:
                raise _Left(Exit(loop))
            if iteration is None:
                inner = _Scope(scope)
            else:
                inner = _Scope(scope, iteration.tables, (loop.of, iteration.number))
            for phi, value in zip(loop.phis, values, strict=True):
                inner.define(phi.id, value)
            if loop.item is not None:
                inner.define(loop.item, item)
            leaf = self.block(loop.body, inner)
            if type(leaf) not in (Next, Leave):
                raise TypeError(f"an iteration ended in {leaf!r}")
            values = [_carried(x, inner) for x in leaf.values]
            if iteration is not None:
                iteration.tables.append(inner.own)
            elif type(leaf) is Next or leaf.counts:
                record.iterations.append(_Iteration(leaf.number, [inner.own]))
            if type(leaf) is Leave:
                record.label = leaf.label
                break
        for phi, value in zip(loop.phis, values, strict=True):
            scope.define(phi.out, value)
        if loop.kind != "mirror":
            scope.define(loop.id, record)

    def node(self, node, scope):
        if node.id in self.reads:
            result = self.reads[node.id]
        elif node.part == "forward":
            result = self.result(node, scope)
        else:
            with np.errstate(all="ignore"):
                result = self.result(node, scope)
        scope.define(node.id, result)

    def result(self, node, scope):
        op, target = node.op, node.target
        if op == "input":
            return self.inputs[target]
        if op == "seed":
            return self.seed(node)
        if op == "const":
            return node.args[0]
        given_away = op in ("effect", "foreign", "build")
        args, kwargs = [_value(x, scope, given_away) for x in (node.args, node.kwargs)]
        if op == "apply":
            return _frozen(_call(target, args, kwargs), args)
        if op == "write":
            new = _written(target, args[0], args[1], args[2:], kwargs)
            self.written[node.memory] = new
            return new
        if op == "check":
            if not holds(target, *args):
                raise _Left(Exit(node, args[0]))
            return None
        if op == "read":
            return self.function if target == "function" else read(target, *args)
        if op == "note":
            return None
        if op == "effect":
            return change(target, *args)
        if op == "foreign":
            called, positional, named = args
            return called(*positional, **named)
        if op == "build":
            return target(*args, **kwargs)
        raise TypeError(f"unknown operation {op!r}")

    def seed(self, node):
        for key in (node.target, node.id):
            if key in self.seeds:
                return self.seeds[key]
        aval = node.aval
        if aval is None:
            return 1.0 if node.example is None else np.ones_like(node.example)[()]
        if aval.kind == "array":
            return np.ones(aval.shape, aval.dtype)
        if aval.dtype in ("float", "complex"):
            return {"float": 1.0, "complex": 1.0 + 0.0j}[aval.dtype]
        return np.dtype(aval.dtype).type(1)


def _iterations(loop, scope):
    """Pairs of the item and, of a mirror, the iteration that is gone through again."""
    if loop.kind == "mirror":
        record = scope.find(loop.of)
        if type(record) is not _Record:
            raise Undefined(f"%{loop.of} is no loop")
        for iteration in list(record.iterations)[:: loop.order]:
            yield None, iteration
        return
    spec = _value(loop.spec, scope)
    if loop.kind == "while":
        while True:
            yield None, None
    elif loop.kind == "range":
        for item in range(*spec):
            yield item, None
    elif loop.kind == "items":
        for item in spec[0]:
            yield item, None
    else:
        raise TypeError(f"unknown kind of loop {loop.kind!r}")


def _value(x, scope, given_away=False):
    """`x` with values in place of uses; others may change what is given away to them."""
    def find(ref):
        value = scope.find(ref.id)
        if value is HOLE:
            raise Undefined(f"%{ref.id} is not bound here")
        if given_away and isinstance(value, np.ndarray) and not value.flags.writeable:
            return _copy(value)
        return value
    return map_refs(find, x)


def _carried(x, scope):
    """A value of a phi; it may be unbound as long as nobody uses it."""
    return scope.find(x.id) if type(x) is Ref else map_refs(lambda ref: scope.find(ref.id), x)


def _call(target, args, kwargs):
    if type(target) is not Method:
        return target(*args, **kwargs)
    found = getattr(args[0], target.name)
    if callable(found):
        return found(*args[1:], **kwargs)
    if len(args) > 1 or kwargs:
        raise TypeError(f".{target.name} is an attribute, and was called with {args[1:]}")
    return found


def _written(target, array, path, rest, kwargs):
    """The next version of `array`: a copy that has been written into."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"a write into {type(array).__name__}")
    new = _copy(array)
    region, parent, index = new, None, None
    for step in path:
        assert type(step) is Step, step
        fill = [region if x is HOLE else x for x in step.args]
        parent, index = None, None
        if step.target is operator.getitem:
            parent, index = fill
        region = _call(step.target, fill, step.kwargs)
    if target in IN_PLACE and parent is not None:  # a[i] += v, where a[i] may be a number
        parent[index] = target(region, *rest)
    else:
        if path and not (isinstance(region, np.ndarray) and np.may_share_memory(region, new)):
            raise ValueError("the path of a write does not lead to a view")
        _call(target, (region, *rest), kwargs)
    new.flags.writeable = False
    return new


def _copy(array):
    """A copy with the very strides of `array`, which can change the bits of a product."""
    new = np.array(array, copy=True, order="K", subok=True)
    if new.strides == array.strides or not array.size:
        return new
    if any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape)):
        raise ValueError("a write into an array that repeats memory")
    low = sum((n - 1) * s for n, s in zip(array.shape, array.strides) if s < 0)
    high = sum((n - 1) * s for n, s in zip(array.shape, array.strides) if s > 0)
    buffer = np.zeros(high - low + array.itemsize, np.uint8)
    first = buffer[-low: -low + array.itemsize].view(array.dtype)
    new = as_strided(first, array.shape, array.strides, writeable=True)
    new[...] = array
    return new


def _frozen(result, args):
    """A result that nobody can change any more; one that is an argument may be the caller's."""
    if isinstance(result, np.ndarray) and not any(result is x for x in _leaves(args)):
        result.flags.writeable = False
    elif type(result) is tuple:
        return tuple([_frozen(x, args) for x in result])
    return result


def _leaves(x):
    if type(x) in (tuple, list):
        for item in x:
            yield from _leaves(item)
    else:
        yield x


def _describe(x):
    if type(x) is Node:
        target = x.target
        name = target.name if type(target) is Method else getattr(target, "__name__", target)
        return f"%{x.id} = {x.op} {name}{x.args}"
    return f"{x.kind} loop %{x.id}"
