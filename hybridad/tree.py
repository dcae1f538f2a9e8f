"""Pytrees: arguments and results that are containers of numbers, on optree.

Here one can `flatten` a tree to its leaves and `unflatten` it again, name the leaves for an error
message (`leaf_paths`), and teach both a class of one's own (`register_pytree`).

Containers are dict, list, tuple, namedtuple, OrderedDict, defaultdict, deque, dataclasses, and of
pyrsistent PMap, PVector, PRecord, PClass, PList and PDeque. None is an empty container. All else
is a leaf. Dataclasses and pyrsistent's types are registered when they are first met, so that
nothing is imported for them here.
"""

import functools
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import optree

from hybridad.errors import ArgumentError, message

__all__ = [
    "flatten",
    "flatten_prefix",
    "is_floating",
    "leaf_paths",
    "register_pytree",
    "unflatten",
]

_NAMESPACE = "hybridad"
_LEAF = optree.treespec_leaf(namespace=_NAMESPACE)
_MISSING = object()

# Types that optree need not even be asked about; a gradient of one array passes here twice a call.
_LEAF_TYPES = frozenset(
    (np.ndarray, float, complex, int, bool, str, bytes,
     np.float64, np.float32, np.complex128, np.complex64, np.int64, np.bool_)
)
_adopted: weakref.WeakSet = weakref.WeakSet()  # registered at first sight
_adopting = threading.Lock()
_opaque: weakref.WeakSet = weakref.WeakSet()  # seen, and no container


def flatten(tree: Any) -> tuple[list, optree.PyTreeSpec]:
    """The leaves of a tree, in a fixed order, and its structure.

    Dicts are traversed in the order of their sorted keys, so that equal dicts have equal
    structures; their insertion order comes back in `unflatten`.

    Parameters
    ----------
    tree : pytree

    Returns
    -------
    leaves : list
    treedef : optree.PyTreeSpec

    Examples
    --------
    >>> leaves, treedef = flatten({"w": [1.0, 2.0], "b": (3.0, None)})
    >>> leaves
    [3.0, 1.0, 2.0]
    >>> unflatten(treedef, [10.0, 20.0, 30.0])
    {'w': [20.0, 30.0], 'b': (10.0, None)}
    """
    if type(tree) in _LEAF_TYPES:
        return [tree], _LEAF
    while True:
        leaves, treedef = optree.tree_flatten(tree, namespace=_NAMESPACE)
        adopted = False
        for leaf in leaves:
            cls = type(leaf)
            if cls not in _LEAF_TYPES and cls not in _opaque and _adopt(cls, leaf):
                adopted = True
        if not adopted:
            return leaves, treedef


def unflatten(treedef: optree.PyTreeSpec, leaves: Iterable) -> Any:
    """The tree of structure `treedef` with these leaves.

    Parameters
    ----------
    treedef : optree.PyTreeSpec
        From `flatten`.
    leaves : iterable
        As many as the structure has.

    Returns
    -------
    pytree
    """
    if treedef is _LEAF:
        (leaf,) = leaves
        return leaf
    return optree.tree_unflatten(treedef, leaves)


def flatten_prefix(treedef: optree.PyTreeSpec, tree: Any) -> list:
    """The leaves of a tree of structure `treedef`, in which None may stand for any part.

    Parameters
    ----------
    treedef : optree.PyTreeSpec
    tree : pytree
        Of that structure, but for parts that are None; ValueError if it is not.

    Returns
    -------
    list
        One for each leaf of `treedef`, None for each one of a part that is None.

    Examples
    --------
    >>> _, treedef = flatten({"a": 1.0, "b": [2.0, 3.0]})
    >>> flatten_prefix(treedef, {"a": 4.0, "b": None})
    [4.0, None, None]
    """
    options = {"none_is_leaf": True, "namespace": _NAMESPACE}
    full = optree.tree_unflatten(treedef, range(treedef.num_leaves))
    paths, places, _ = optree.tree_flatten_with_path(full, **options)
    spread = optree.broadcast_prefix(tree, full, **options)
    given_paths, given, _ = optree.tree_flatten_with_path(tree, **options)
    if not {p for p, leaf in zip(given_paths, given) if leaf is not None} <= set(paths):
        raise ValueError("a leaf stands where a container is expected")
    return [leaf for leaf, place in zip(spread, places) if place is not None]


def leaf_paths(tree: Any, root: str = "") -> list[str]:
    """How each leaf of a tree is reached, as one would write it, in the order of `flatten`.

    Parameters
    ----------
    tree : pytree
    root : str
        The expression for the tree itself.

    Returns
    -------
    list of str

    Examples
    --------
    >>> leaf_paths({"w": [1.0, 2.0], "b": 3.0}, "params")
    ["params['b']", "params['w'][0]", "params['w'][1]"]
    """
    leaves, treedef = flatten(tree)
    if treedef is _LEAF:
        return [root] * len(leaves)
    return [a.codify(root) for a in optree.tree_accessors(tree, namespace=_NAMESPACE)]


def is_floating(leaf: Any) -> bool:
    """Whether a leaf is a real or complex floating number or array of them.

    Examples
    --------
    >>> is_floating(1.0), is_floating(1j), is_floating(np.ones(3)), is_floating(np.arange(3))
    (True, True, True, False)
    """
    dtype = getattr(leaf, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.kind in "fc"
    return isinstance(leaf, (float, complex))


def register_pytree(
    cls: type,
    flatten: Callable[[Any], tuple] | None = None,
    unflatten: Callable[[Any, tuple], Any] | None = None,
) -> type:
    """Make a class of your own a pytree, so that gradients may be taken with respect to it.

    As in JAX and optree; dataclasses need no registration.

    Parameters
    ----------
    cls : type
        Instances of exactly this class (no subclass) become containers.
    flatten : callable, optional
        ``flatten(instance)`` returns ``(children, static)``: an iterable of subtrees, and whatever
        else is needed to build the instance again (hashable, compared with ``==``). A third item
        may name the children for error messages. By default the method ``tree_flatten`` of `cls`
        (or ``__tree_flatten__``), so that `register_pytree` can decorate the class.
    unflatten : callable, optional
        ``unflatten(static, children)`` returns an instance. The children may be of any type, so
        it must not check or convert them. By default the class method ``tree_unflatten`` (or
        ``__tree_unflatten__``).

    Returns
    -------
    type
        `cls` itself.

    Examples
    --------
    >>> class Line:
    ...     def __init__(self, slope, intercept):
    ...         self.slope, self.intercept = slope, intercept
    >>> _ = register_pytree(
    ...     Line,
    ...     lambda line: ((line.slope, line.intercept), None, ("slope", "intercept")),
    ...     lambda static, children: Line(*children),
    ... )
    >>> leaf_paths({"line": Line(1.0, 2.0)})
    ["['line'].slope", "['line'].intercept"]

    As a decorator of a class that has the two methods:

    >>> @register_pytree
    ... class Point:
    ...     def __init__(self, x, y, label):
    ...         self.x, self.y, self.label = x, y, label
    ...     def tree_flatten(self):
    ...         return (self.x, self.y), self.label
    ...     @classmethod
    ...     def tree_unflatten(cls, label, children):
    ...         return cls(*children, label)
    >>> leaf_paths(Point(1.0, 2.0, "a"), "point")
    ['point[0]', 'point[1]']
    """
    if not isinstance(cls, type):
        raise ArgumentError(message(f"register_pytree takes a class, not {cls!r}."))
    if flatten is None and unflatten is None:
        flatten, unflatten = _methods(cls)
    if flatten is None or unflatten is None:
        raise ArgumentError(
            message(
                f"{cls.__qualname__} cannot be registered: flatten or unflatten is missing.",
                "Pass both, or define the methods tree_flatten(self) and "
                "tree_unflatten(cls, static, children).",
            )
        )
    if cls in _adopted:
        optree.unregister_pytree_node(cls, namespace=_NAMESPACE)
        _adopted.discard(cls)
    optree.register_pytree_node(
        cls, flatten, unflatten, path_entry_type=_ChildEntry, namespace=_NAMESPACE
    )
    _opaque.discard(cls)
    return cls


class _ChildEntry(optree.PyTreeEntry):
    """The name of a child of a registered class: an attribute where it can be one."""

    def codify(self, node=""):
        name = self.entry
        return f"{node}.{name}" if str(name).isidentifier() else f"{node}[{name!r}]"


def _methods(cls):
    for names in (("__tree_flatten__", "__tree_unflatten__"), ("tree_flatten", "tree_unflatten")):
        if all(hasattr(cls, name) for name in names):
            return (getattr(cls, name) for name in names)
    return None, None


def _adopt(cls, leaf):
    """Register the class of a leaf if it is a container after all, else note that it is none."""
    registration = _dataclass_registration(cls) or _pyrsistent_registration(cls, leaf)
    if registration is None:
        _opaque.add(cls)
        return False
    if registration is _MISSING:
        return False
    to_children, from_children, entry = registration
    with _adopting:
        if cls not in _adopted:
            optree.register_pytree_node(
                cls, to_children, from_children, path_entry_type=entry, namespace=_NAMESPACE
            )
            _adopted.add(cls)
    return True


# Dataclasses ------------------------------------------------------------------------------------


class _Static:
    """What a dataclass instance holds beside its children."""

    __slots__ = ("names", "values")

    def __init__(self, names, values):
        self.names, self.values = names, values

    def __eq__(self, other):
        return (
            type(other) is _Static
            and self.names == other.names
            and self.values.keys() == other.values.keys()
            and all(_same(value, other.values[name]) for name, value in self.values.items())
        )

    def __hash__(self):
        return hash((self.names, tuple(self.values)))

    def __repr__(self):
        return ", ".join([*self.names, *(f"{k}={v!r}" for k, v in self.values.items())])


def _same(a, b):
    if a is b:
        return True
    try:
        return type(a) is type(b) and bool(a == b)
    except ValueError:  # arrays
        return False


def _dataclass_registration(cls):
    if not is_dataclass(cls):
        return None
    try:
        object.__new__(cls)
    except TypeError:  # derives from a builtin container or an exception: a leaf
        return None
    static = {f.name for f in fields(cls) if f.metadata.get("static", False)}
    names = tuple(f.name for f in fields(cls))
    known = frozenset(names)

    def to_children(instance):
        held = {name: getattr(instance, name, _MISSING) for name in names}
        children = {k: v for k, v in held.items() if k not in static and v is not _MISSING}
        values = {k: v for k, v in held.items() if k in static and v is not _MISSING}
        for name, value in getattr(instance, "__dict__", {}).items():
            if name in known or isinstance(getattr(cls, name, None), functools.cached_property):
                continue  # a cached value would hide that it depends on the fields
            holds_numbers = any(map(is_floating, flatten(value)[0]))
            (children if holds_numbers else values)[name] = value
        entries = tuple(children)
        return tuple(children.values()), _Static(entries, values), entries

    def from_children(static_part, children):
        instance = object.__new__(cls)
        # Past __init__, __post_init__, frozen and whatever __setattr__ the class has.
        for name, value in static_part.values.items():
            object.__setattr__(instance, name, value)
        for name, value in zip(static_part.names, children):
            object.__setattr__(instance, name, value)
        return instance

    return to_children, from_children, optree.GetAttrEntry


# pyrsistent -------------------------------------------------------------------------------------


def _pyrsistent_registration(cls, leaf):
    """How to register one of pyrsistent's types; None if it is none, _MISSING if it is a pset."""
    pyrsistent = sys.modules.get("pyrsistent")
    if pyrsistent is None:
        return None
    if issubclass(cls, pyrsistent.PSet):
        if any(map(is_floating, leaf)):
            raise ArgumentError(
                message(
                    "A pset holds numbers, and its elements have no order and no names that a "
                    "gradient could have.",
                    "Use a pvector or a pmap.",
                )
            )
        return _MISSING
    if issubclass(cls, pyrsistent.PRecord):
        return _mapping_keys, functools.partial(_record, cls), optree.GetAttrEntry
    if issubclass(cls, pyrsistent.PClass):
        return _class_fields, functools.partial(_instance, cls), optree.GetAttrEntry
    if cls is type(pyrsistent.pmap()):
        return _mapping_keys, _pmap, optree.MappingEntry
    for build in (pyrsistent.pvector, pyrsistent.plist, pyrsistent.pdeque):
        if cls is type(build()) or cls is type(build([0])):
            return _elements, functools.partial(_sequence, build), optree.SequenceEntry
    return None


def _mapping_keys(mapping):
    try:
        keys = tuple(sorted(mapping))
    except TypeError:
        keys = tuple(sorted(mapping, key=lambda key: (type(key).__qualname__, repr(key))))
    return tuple(mapping[key] for key in keys), keys, keys


def _pmap(keys, children):
    return sys.modules["pyrsistent"].pmap(dict(zip(keys, children)))


def _record(cls, keys, children):
    # Past the record's type checks, factories and invariants.
    bare = _pmap(keys, children)
    return cls(_precord_size=bare._size, _precord_buckets=bare._buckets)


def _class_fields(instance):
    names = tuple(k for k in type(instance)._pclass_fields if hasattr(instance, k))
    return tuple(getattr(instance, k) for k in names), names, names


def _instance(cls, names, children):
    instance = object.__new__(cls)
    for name, value in zip(names, children):
        object.__setattr__(instance, name, value)
    object.__setattr__(instance, "_pclass_frozen", True)
    return instance


def _elements(sequence):
    return tuple(sequence), getattr(sequence, "maxlen", None)


def _sequence(build, maxlen, children):
    return build(children) if maxlen is None else build(children, maxlen)
