"""The intermediate representation of a trace: operations, blocks, loops.

A trace is a *tree of paths*. A block is a list of operations and an end; where a decision came from
data the end is a `Branch`, whose sides are blocks of their own (straight-line along each path: what
follows a branch stands in each of its sides). A side that has not been seen yet is missing and
means *exit*. A loop that was folded is one operation, whose body is again such a tree. All values
are in static single assignment form: a write into an array gives a new version of it.

Nothing here is changed after it was made; passes build anew (`replace`). What there are many of,
`Ref` and `Node`, is not frozen, since that makes objects four times as slow to make.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from dataclasses import replace as _replace

__all__ = [
    "HOLE", "Aval", "Block", "Branch", "Leave", "Loop", "Method", "Next", "Node", "Phi", "Place",
    "Ref", "Return", "Step", "map_refs", "refs_of", "replace",
]


@dataclass(slots=True, eq=False)
class Ref:
    """A use of the value that the operation (input, phi) `id` gave."""

    id: int

    __array_ufunc__ = None  # ``array == ref`` is False, no comparison of elements

    def __eq__(self, other):
        return type(other) is Ref and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"%{self.id}"


class _Hole:
    """The type of `HOLE`."""

    __slots__ = ()

    def __repr__(self):
        return "_"


HOLE = _Hole()
"""Stands for the array that a `Step` is applied to."""


@dataclass(frozen=True, slots=True)
class Method:
    """The target of an operation that is a method of its first argument: ``x.sum(axis=0)``."""

    name: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step from an array to a view of it: ``target(*args, **kwargs)``, `HOLE` is the array."""

    target: object
    args: tuple
    kwargs: dict = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Aval:
    """What is known of a value before it is computed.

    Attributes
    ----------
    kind : {"array", "number", "object"}
        "number" is a Python number or a NumPy scalar.
    dtype : str
        Of arrays and of NumPy's scalars as in ``dtype.str`` ("<f8"); of Python's numbers the name
        of the type ("float", "complex", "int", "bool"); of objects the name of the class.
    shape : tuple of int
    layout : {"C", "F", "A"}
        C-contiguous (also what is both), Fortran-contiguous, or neither.
    """

    kind: str
    dtype: str
    shape: tuple = ()
    layout: str = "C"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the user's source."""

    file: str
    line: int
    function: str
    col: int = 0
    kind: str = ""


@dataclass(slots=True, unsafe_hash=True)
class Node:
    """An operation.

    Attributes
    ----------
    id : int
        Of its result; unique in a trace.
    op : str
        "input"    a leaf of the arguments; target: its number
        "const"    args: (value,), a static array or number that nobody writes into
        "variable" a number or array (args: (value,)) by which is differentiated inside; it is a
                   value of its own then
        "pull"     what arrives at a variable if values have these cotangents; args: (values,
                   cotangents, variable). These two are replaced when code is made, see `sct.nested`
        "seed"     the cotangent of the result (1.0); args: ()
        "apply"    a pure function, ``target(*args, **kwargs)``: a function of NumPy, `math`,
                   `operator` (``operator.add``, ``operator.getitem``) or builtins, or a `Method`
        "write"    changes the memory of an array; args: (array, path, *rest): with `region` = the
                   `Step`s of `path` applied to `array` one after the other,
                   ``target(region, *rest, **kwargs)`` (``operator.setitem``, ``operator.iadd``,
                   ``np.copyto``, ``np.add.at``, ``Method("fill")``, ...). Gives the next version
                   of `array`, in the same memory.
        "read"     outside state as it is at this moment; target: "global", "cell", "default"
                   (args: function, name), "attribute" (object, name), "item" (container, key),
                   "contains" (container, key), "has attribute" (object, name), "length"
                   (container,), "asked" (function, args, kwargs): what native code says of objects
        "check"    what must hold of a value, else exit; target: kind, args: (value, expected), see
                   `sct.emit`
        "effect"   changes outside state; target: "attribute" (object, name, value), "item"
                   (container, key, value), "global" (function, name, value), "cell" (function,
                   name, value), "delete attribute", "delete item", "method" (container, name,
                   args, kwargs), "call" (container, function, args, kwargs)
        "note"     tells the journal of memory that is about to be written to; args: (array,)
        "foreign"  code that is not followed, called once and in order; args: (function, args,
                   kwargs)
        "build"    a list, dict, set or object that others will see: target(args[0])
    target : object
    args : tuple
        Nested tuples, lists, dicts and slices of `Ref` and static values.
    kwargs : dict
    aval : Aval or None
    memory : int or None
        Of arrays: the number of the memory they show. Views and versions of one array have the
        same; two numbers never overlap.
    place : Place or None
    name : str or None
        The variable that the value was assigned to.
    part : {"forward", "inner", "adjoint", "tangent"}
        "inner": of the adjoint of a derivative inside.
    of : int or None
        Of an adjoint or tangent operation: the id of the operation it belongs to.
    example : object
        The value in the run that was recorded; dropped when the code has been made.
    """

    id: int
    op: str
    target: object = None
    args: tuple = ()
    kwargs: dict = field(default_factory=dict, hash=False)
    aval: Aval | None = None
    memory: int | None = None
    place: Place | None = None
    name: str | None = None
    part: str = "forward"
    of: int | None = None
    example: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Branch:
    """The end of a block: a decision that came from data.

    Attributes
    ----------
    test : Ref
    kind : {"bool", "int", "index", "str", "shape", "value", "left", "leaf"}
        The conversion of `test` that was asked for. "shape" is that of an array. "left": `test` is
        a loop, the outcome is the label of the `Leave` by which it ended. "leaf": `test` is a loop,
        inside whose mirror this stands; the outcome is the number of the leaf that the iteration
        took.
    sides : dict
        Outcome -> Block. Any other outcome is an exit.
    place : Place or None
    """

    test: Ref
    kind: str
    sides: dict = field(hash=False)
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Return:
    """The end of a path: nested tuples, lists and dicts of `Ref` and static values.

    `cotangents` (reverse mode) or `tangents` (forward mode) come with it when they have been made.
    """

    value: object
    aux: object = None
    cotangents: tuple | None = None
    tangents: object = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """The end of an iteration: the values of the phis in the next one.

    `number` tells the leaves of one loop apart.
    """

    values: tuple
    number: int = 0


@dataclass(frozen=True, slots=True)
class Leave:
    """The end of a loop from inside its body (``break``, a false test of ``while``).

    The values of the phis are then those of the loop. `label` 0 is the false test, others are
    other ways out. `counts`: it is an iteration of its own (all but a false test before which
    nothing was computed that anybody needs).
    """

    values: tuple
    number: int = 0
    label: int = 0
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """Operations in order, and what ends them.

    `end` is None for the end of a `Return`-less body (never in a finished trace).
    """

    nodes: tuple = ()
    end: object = None


@dataclass(frozen=True, slots=True)
class Phi:
    """A value that a loop carries.

    Attributes
    ----------
    id : int
        Of the value at the head of the body.
    init : object
        `Ref` or static value before the first iteration; `HOLE` if the name is not bound then.
    out : int
        Of the value when the loop has ended.
    name, aval, memory, example
        As of a `Node`. A phi of an array that is written into in the body and assigned nowhere
        has one memory for all its values.
    """

    id: int
    init: object
    out: int
    name: str | None = None
    aval: Aval | None = None
    memory: int | None = None
    example: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop, or the mirror of one.

    Attributes
    ----------
    id : int
    kind : {"while", "range", "items", "mirror"}
        "while": the body decides. "range": `spec` is (start, stop, step), `item` counts. "items":
        `spec` is (array,), `item` is an element or a row of it. "mirror": goes through the
        iterations of the loop `of` again, in the order `order`; its body ends in a
        ``Branch(Ref(of), "leaf", ...)`` if `of` has several counted leaves, else in `Next`. It
        may use what the family's bodies computed in the same iteration.
    spec : tuple
    item : int or None
    phis : tuple of Phi
    body : Block
        Its leaves are `Next` and `Leave` (a mirror has only `Next`).
    once : bool
        Only one iteration has been seen: a second one is an exit.
    of : int or None
        The loop that this is a mirror of (never itself a mirror).
    order : {1, -1}
        -1: the last iteration first.
    """

    id: int
    kind: str
    spec: tuple
    item: int | None
    phis: tuple
    body: Block
    once: bool = False
    of: int | None = None
    order: int = 1
    place: Place | None = None
    part: str = "forward"
    item_aval: Aval | None = None
    item_example: object = field(default=None, compare=False, repr=False)
    item_name: str | None = None
    item_memory: int | None = None


_NESTED = frozenset((tuple, list, dict, slice, Step))


def replace(x, **changes):
    """A copy of an object of this module with other values of some attributes."""
    if type(x) is not Node:
        return _replace(x, **changes)
    made = Node(x.id, x.op, x.target, x.args, x.kwargs, x.aval, x.memory, x.place, x.name, x.part,
                x.of, x.example)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def refs_of(x) -> list[Ref]:
    """All uses in nested tuples, lists, dicts, slices and steps, in order."""
    found = []
    if type(x) is Ref:
        found.append(x)
    elif type(x) in _NESTED:
        _collect(x, found)
    return found


def _collect(x, found):
    kind = type(x)
    if kind is dict:
        items = x.values()
    elif kind is slice:
        items = x.start, x.stop, x.step
    elif kind is Step:
        items = x.args, x.kwargs
    else:
        items = x
    for item in items:
        kind = type(item)
        if kind is Ref:
            found.append(item)
        elif kind in _NESTED:
            _collect(item, found)


def map_refs(function: Callable, x):
    """`x` with ``function(ref)`` in place of each `Ref`."""
    kind = type(x)
    if kind is Ref:
        return function(x)
    if kind is tuple:
        return tuple([map_refs(function, item) for item in x])
    if kind is list:
        return [map_refs(function, item) for item in x]
    if kind is dict:
        return {key: map_refs(function, item) for key, item in x.items()}
    if kind is slice:
        return slice(*map_refs(function, (x.start, x.stop, x.step)))
    if kind is Step:
        return Step(x.target, map_refs(function, x.args), map_refs(function, x.kwargs))
    return x
