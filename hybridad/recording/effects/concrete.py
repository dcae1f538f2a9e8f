"""Making things plain: wrappers are replaced wherever they lie, in place.

What can be changed keeps its identity and is changed; tuples and frozensets are built anew if they
must be. No code of the user's is called, but for the hash of keys that lie beside a wrapper.
"""

import functools
import gc
from collections import OrderedDict, deque
from types import (
    AsyncGeneratorType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    ModuleType,
    TracebackType,
)

import numpy as np

from hybridad._record import is_wrapper
from hybridad.recording.effects.attributes import instance_dict, look_up, members
from hybridad.recording.effects.contents import copy_of_dict

__all__ = ["Concretizer"]

# What holds no values of the user's, or (frames) cannot be changed.
_ATOMS = frozenset((
    int, float, complex, bool, str, bytes, bytearray, range, type(None), type(...), type, slice,
    np.float64, np.float32, np.complex128, np.complex64, np.int64, np.bool_, np.dtype, np.ufunc,
    ModuleType, CodeType, FrameType, TracebackType, GeneratorType, CoroutineType,
    AsyncGeneratorType, type(NotImplemented)))
_ARGS = BaseException.__dict__["args"]


class Concretizer:
    """Replaces wrappers by plain values.

    Parameters
    ----------
    plain : callable
        ``plain(wrapper)``; called once for each wrapper. What it returns as it is stays.
    deep : bool
        Go on to what is stored in the objects that are met.
    """

    __slots__ = ("_deep", "_kinds", "_memo", "_met", "_plain", "_queue")

    def __init__(self, plain, deep=True):
        self._plain, self._deep = plain, deep
        self._memo = {}  # id -> what the object becomes
        self._met = []  # those objects, so that ids are not used again
        self._queue = []
        self._kinds = {}  # type -> how its objects are changed, or None

    def value(self, x):
        """What `x` becomes; if it can be changed, that is it, and what it holds follows later."""
        kind = type(x)
        if kind in _ATOMS or (kind is np.ndarray and not x.dtype.hasobject):
            return x
        made = self._memo.get(id(x), self)
        if made is not self:
            return made
        if is_wrapper(x):
            made = self._plain(x)
        elif issubclass(kind, (tuple, frozenset)):
            return self._rebuild(x)
        else:
            made = x
            if self._deep and self._kind(kind) is not None:
                self._queue.append(x)
        self._note(x, made)
        return made

    def _note(self, x, made):
        self._memo[id(x)] = made
        self._met.append(x)

    def is_own(self, x):
        """Whether `x` is a container of this object's."""
        return x is self._memo or x is self._met or x is self._queue

    def visit(self, x, start=0):
        """Make plain what lies in `x`, which can be changed.

        Parameters
        ----------
        x : object
        start : int
            Of a list: where the items begin that may be wrappers.
        """
        if start:
            self._visit_list(x, start)
            return
        self._note(x, x)
        change = self._kind(type(x))
        if change is not None:
            change(self, x)

    def finish(self):
        """Go through everything that was met."""
        queue = self._queue
        while queue:
            x = queue.pop()
            self._kind(type(x))(self, x)

    def _kind(self, kind):
        try:
            return self._kinds[kind]
        except KeyError:
            change = self._kinds[kind] = _change_of(kind)
            return change

    # -- what is built anew ------------------------------------------------------------------

    def _rebuild(self, x):
        # Without recursion: a list may be linked by tuples.
        stack, memo = [x], self._memo
        while stack:
            top = stack[-1]
            if id(top) in memo:
                stack.pop()
                continue
            kind = type(top)
            items = [*(tuple if issubclass(kind, tuple) else frozenset).__iter__(top)]
            missing = [item for item in items
                       if issubclass(type(item), (tuple, frozenset)) and id(item) not in memo]
            if missing:
                stack.extend(missing)
                continue
            new = [self.value(item) for item in items]
            made = top
            if any(a is not b for a, b in zip(items, new)):
                made = _built(top, kind, new)
            self._note(top, made)
            stack.pop()
        return memo[id(x)]

    # -- what is changed ---------------------------------------------------------------------

    def _visit_list(self, x, start=0):
        items = list.__getitem__(x, slice(start, None))
        if _ATOMS.issuperset(map(type, items)):
            return
        for k, item in enumerate(items, start):
            new = self.value(item)
            if new is not item:
                list.__setitem__(x, k, new)

    def _visit_dict(self, x):
        held = copy_of_dict(x)
        if _ATOMS.issuperset(map(type, held)) and _ATOMS.issuperset(map(type, held.values())):
            return
        changed = {}
        for name, item in held.items():
            if type(item) not in _ATOMS:
                new = self.value(item)
                if new is not item:
                    changed[id(name)] = name, new
        base = OrderedDict if issubclass(type(x), OrderedDict) else dict
        names = [*base.__iter__(x)]
        new_names = [name if type(name) is str else self.value(name) for name in names]
        if all(a is b for a, b in zip(names, new_names)):
            for name, new in changed.values():
                dict.__setitem__(x, name, new)
            return
        # The keys are hashed before anything is lost.
        values = {id(name): item for name, item in held.items()}
        values.update((k, new) for k, (_, new) in changed.items())
        made = {new: values[id(old)] for old, new in zip(names, new_names)}
        base.clear(x)
        if base is dict:
            dict.update(x, made)
        else:
            for name, item in made.items():
                OrderedDict.__setitem__(x, name, item)

    def _visit_set(self, x):
        items = [*set.__iter__(x)]
        new = [self.value(item) for item in items]
        if any(a is not b for a, b in zip(items, new)):
            made = set(new)
            set.clear(x)
            set.update(x, made)

    def _visit_deque(self, x):
        for k, item in enumerate([*deque.__iter__(x)]):
            new = self.value(item)
            if new is not item:
                deque.__setitem__(x, k, new)

    def _visit_cell(self, x):
        try:
            old = x.cell_contents
        except ValueError:
            return
        new = self.value(old)
        if new is not old:
            x.cell_contents = new

    def _visit_function(self, x):
        for cell in x.__closure__ or ():
            self.value(cell)
        for name in ("__defaults__", "__kwdefaults__"):
            old = getattr(x, name)
            new = self.value(old)
            if new is not old:
                setattr(x, name, new)
        if x.__dict__:
            self.value(x.__dict__)

    def _visit_partial(self, x):
        old = x.func, x.args, x.keywords
        new = tuple([self.value(part) for part in old])
        if any(a is not b for a, b in zip(old, new)):
            functools.partial.__setstate__(x, (*new, x.__dict__))

    def _visit_array(self, x):
        plain = x.view(np.ndarray)
        if plain.ndim == 0:
            plain = plain[np.newaxis]
        for index in np.ndindex(plain.shape):
            item = plain[index]
            new = self.value(item)
            if new is not item and plain.flags.writeable:
                plain[index] = new

    def _visit_exception(self, x):
        args = _ARGS.__get__(x)
        new = self.value(args)
        if new is not args:
            _ARGS.__set__(x, new)
        self._visit_object(x)

    def _visit_object(self, x):
        # Asking the collector first leaves the dictionaries of instances unmade, where they are.
        replaced = False
        for item in gc.get_referents(x):
            if type(item) not in _ATOMS and self.value(item) is not item:
                replaced = True
        if not replaced:
            return
        held = instance_dict(x)
        if held is not None and issubclass(type(held), dict):
            self._visit_dict(held)
        for member in members(type(x)):
            try:
                old = member.__get__(x)
                new = self.value(old)
                if new is not old:
                    member.__set__(x, new)
            except (AttributeError, TypeError):  # an empty slot; one of C's that is read-only
                pass


_NO_VALUES = (type, ModuleType, np.generic)
_CHANGES = (
    (list, Concretizer._visit_list),
    (dict, Concretizer._visit_dict),
    (set, Concretizer._visit_set),
    (deque, Concretizer._visit_deque),
)
_OTHER_CHANGES = (
    (CellType, Concretizer._visit_cell),
    (FunctionType, Concretizer._visit_function),
    (functools.partial, Concretizer._visit_partial),
    (BaseException, Concretizer._visit_exception),
)


def _change_of(kind):
    """How objects of a type are made plain, or None if they hold nothing."""
    if kind in _ATOMS or issubclass(kind, _NO_VALUES) or _is_hybridads(kind):
        return None
    for base, change in _CHANGES:
        if issubclass(kind, base):
            return change if kind is base else _both(change)
    for base, change in _OTHER_CHANGES:
        if issubclass(kind, base):
            return change
    if issubclass(kind, np.ndarray):
        return _change_array
    return Concretizer._visit_object


_module_of = type.__dict__["__module__"].__get__


def _both(change):
    """An instance of a class derived from a container has attributes beside its items."""
    def visit(concretizer, x):
        change(concretizer, x)
        held = instance_dict(x)
        if held:
            concretizer._visit_dict(held)
        if look_up(type(x), "__slots__"):
            concretizer._visit_object(x)
    return visit


def _change_array(concretizer, x):
    if x.dtype.hasobject:
        concretizer._visit_array(x)


def _is_hybridads(kind):
    module = _module_of(kind)
    return type(module) is str and (module == "hybridad" or module.startswith("hybridad."))


def _built(old, kind, items):
    """A tuple or frozenset like `old` with other items."""
    if kind is tuple:
        return tuple(items)
    base = tuple if issubclass(kind, tuple) else frozenset
    try:
        made = base.__new__(kind, items)
    except TypeError:  # a sequence of C's, such as time.struct_time
        return old
    held = instance_dict(old)
    if held:
        instance_dict(made).update(held)
    return made
