"""The journal of one run: what `f` changed, so that it can be undone and made plain.

Each place (a container, an attribute, a global, a cell, the memory of an array) is noted before it
is changed for the first time, with what it held. `undo` puts that back, newest first. At the end of
a run the same list says where wrappers may have been left.
"""

import sys
from collections import Counter

import numpy as np

from hybridad._run import is_own_container, is_own_object
from hybridad.recording.effects.attributes import ABSENT, Attribute
from hybridad.recording.effects.concrete import Concretizer
from hybridad.recording.effects.contents import base_of, put_back, take
from hybridad.recording.effects.foreign import Calls

__all__ = ["Journal"]

_FIRST_PRUNING = 1000
_FLAGS = type(np.empty(0).flags)
_OF_MEMORY = frozenset(("flat", "real", "imag", "data"))  # attributes of arrays


class Journal:
    """What is known of the effects of a run.

    Parameters
    ----------
    keeps : bool
        Keep what is needed to undo the effects, and the results of foreign calls. Otherwise only
        the places are remembered in which wrappers may be left.

    Attributes
    ----------
    derivatives : list
        The leaves of those that were computed inside; in a second run's, the first one last.
    """

    __slots__ = ("_calls", "_places", "_pruning", "_undone", "derivatives", "keeps")

    def __init__(self, keeps):
        self.keeps = keeps
        self._places = {}  # in the order of their first change
        self._undone = []  # what `undo` has taken away, if it is to be put back
        self._calls = Calls()
        self.derivatives = []
        self._pruning = _FIRST_PRUNING

    # -- before a change ---------------------------------------------------------------------

    def touch(self, obj, grows=False):
        """Note a builtin container that is about to be changed; other objects are let pass.

        Parameters
        ----------
        obj : object
        grows : bool
            It is a list to which something is appended: what it holds need not be copied.
        """
        place = self._places.get(id(obj))
        if place is not None:
            if place.length and not grows:
                place.widen()
            return
        kind = type(obj)
        base = base_of(kind)
        if base is not None:
            if not self.keeps and is_own_container(obj):
                return
            self._places[id(obj)] = _Content(obj, base, self.keeps, grows and base is list)
            if len(self._places) > self._pruning:
                self.prune()
        elif issubclass(kind, np.ndarray):
            self.write_array(obj)
        elif kind is memoryview:
            self.touch(obj.obj)
        elif kind is np.flatiter:
            self.write_array(obj.base)

    def set_attribute(self, obj, name):
        """Note an attribute that is about to be set or deleted."""
        if issubclass(type(obj), np.ndarray) and name in _OF_MEMORY:
            self.write_array(obj)
            return
        key = id(obj), name
        if key in self._places or is_own_object(obj):
            return
        if not self.keeps:
            self._places[key] = _Name(obj, name)
        elif type(obj) is _FLAGS:
            self._places[key] = _Flag(Attribute(obj, name))
        else:
            attribute = Attribute(obj, name)
            if not attribute.exists:
                return
            if (key[0], None) not in self._places:
                self._places[key[0], None] = _Order(attribute)
            self._places[key] = _Slot(attribute)
        if len(self._places) > self._pruning:
            self.prune()

    def set_global(self, namespace, name):
        """Note a name of a module's dictionary that is about to be bound or deleted."""
        key = id(namespace), name
        if key not in self._places:
            self._places[key] = _Global(namespace, name)

    def set_cell(self, cell):
        """Note a closure cell, which may be empty, that is about to be set."""
        if id(cell) not in self._places:
            self._places[id(cell)] = _Cell(cell)

    def write_array(self, array):
        """Note an array of outside whose memory is about to be written to."""
        # What an iterator of NumPy hands out moves on; the array that it goes through is noted.
        if (self.keeps or array.dtype.hasobject) and type(array.base) is not np.nditer:
            owner = _owner(array)
            if id(owner) not in self._places:
                self._places[id(owner)] = _Memory(owner, self.keeps)

    # -- foreign calls -----------------------------------------------------------------------

    def foreign(self, function, args, kwargs, arrays=(), call=None):
        """Call code that is not followed, once and in order.

        Parameters
        ----------
        function : callable
        args : tuple
        kwargs : dict
            Plain.
        arrays : sequence of ndarray
            Arrays of outside among them, to which it may write.
        call : callable, optional
            ``call(function, args, kwargs)`` calls it; by default it is simply called.

        Returns
        -------
        object
            Its result. In a second run that is what it gave in the first, as is an exception, and
            what it left in `arrays` and in builtin containers among the arguments.
        """
        call = _call if call is None else call
        if not self.keeps:
            return call(function, args, kwargs)
        return self._calls.call(self, call, function, args, kwargs, arrays)

    @property
    def is_repeatable(self):
        """Whether a second run can be handed what the foreign calls gave."""
        return self._calls.is_repeatable

    @property
    def called(self):
        """How many foreign functions this run has really called, if it keeps what they gave."""
        return self._calls.made

    def replay(self, complete=False):
        """A journal for a second run, which is handed the results of this one's foreign calls.

        Parameters
        ----------
        complete : bool
            This run has ended: a call that it has not made is refused.

        Returns
        -------
        Journal
        """
        journal = Journal(self.keeps)
        journal._calls = self._calls.again(complete)
        journal.derivatives = self.derivatives[::-1]
        return journal

    # -- afterwards --------------------------------------------------------------------------

    def undo(self, again=False):
        """Restore everything that was noted, newest first; no code of the user's is called.

        Parameters
        ----------
        again : bool
            Keep what is taken away: `redo` will put it back.
        """
        assert self.keeps, "a journal that keeps nothing cannot undo"
        places = list(self._places.values())
        self._places.clear()
        if again:
            self._undone = [place.as_it_is() for place in places]
        _restore(places[::-1])

    def redo(self):
        """Put back what ``undo(again=True)`` has taken away, the very same objects."""
        places, self._undone = self._undone, []
        # As they were changed; the names of an object have an order once they are all there.
        _restore(sorted(places, key=lambda place: type(place) is _Order))

    def concretize(self, plain):
        """Replace the wrappers in every known place, and in what is stored there, by plain values.

        Parameters
        ----------
        plain : callable
            ``plain(wrapper)``; called once for each wrapper, so that aliasing is kept.
        """
        concretizer = Concretizer(plain)
        self.concretize_with(concretizer)
        concretizer.finish()

    def concretize_with(self, concretizer):
        """As `concretize`; `concretizer` knows what was replaced before, and is to be finished."""
        for place in list(self._places.values()):
            place.concretize(concretizer)

    def prune(self):
        """Forget containers and objects that nobody else holds: nobody can see them again."""
        # Those of a long loop would be kept alive otherwise, with all that is in them.
        own = Counter(id(place.obj) for place in self._places.values() if type(place) in _HOLDERS)
        dead = [key for key, place in self._places.items() if type(place) in _PRUNED
                and sys.getrefcount(place.obj) <= own[id(place.obj)] + 1]
        for key in dead:
            del self._places[key]
        self._pruning = max(_FIRST_PRUNING, 2 * len(self._places))

    def forget(self):
        """Let go of everything that was noted and kept."""
        self._places.clear()
        self._undone.clear()
        self.derivatives.clear()
        self._calls = Calls()


def _restore(places):
    failures = []
    for place in places:
        try:
            place.undo()
        except Exception as error:  # whatever happens, the others are restored
            failures.append(error)
    if failures:
        raise ExceptionGroup("hybridad could not undo all effects", failures)


class _Content:
    """What a builtin container holds."""

    __slots__ = ("_base", "_keeps", "_saved", "length", "obj")

    def __init__(self, obj, base, keeps, grows):
        self.obj, self._base, self._keeps, self._saved = obj, base, keeps, None
        # So many items at the beginning of a list are not saved: so far it has only grown.
        self.length = list.__len__(obj) if grows else 0
        if keeps and not self.length:
            self._saved = take(base, obj)

    def widen(self):
        """The list is about to be changed by more than appending."""
        if self._keeps:
            self._saved = list.__getitem__(self.obj, slice(self.length))
        self.length = 0

    def undo(self):
        if self.length:
            list.__delitem__(self.obj, slice(self.length, None))
        else:
            put_back(self._base, self.obj, self._saved)

    def as_it_is(self):
        return _Content(self.obj, self._base, self._keeps, False)

    def concretize(self, concretizer):
        concretizer.visit(self.obj, self.length)


class _Slot:
    """What an attribute is."""

    __slots__ = ("_attribute", "_old")
    length = 0

    def __init__(self, attribute):
        self._attribute, self._old = attribute, attribute.read()

    @property
    def obj(self):
        return self._attribute.obj

    def undo(self):
        self._attribute.write(self._old)

    def as_it_is(self):
        return type(self)(self._attribute)

    def concretize(self, concretizer):
        _concretize(self._attribute, concretizer)


class _Flag(_Slot):
    """A flag of an array, set through an object that nobody else holds."""

    __slots__ = ()


class _Name:
    """An attribute of which nothing is kept but the name."""

    __slots__ = ("_name", "obj")
    length = 0

    def __init__(self, obj, name):
        self.obj, self._name = obj, name

    def concretize(self, concretizer):
        attribute = Attribute(self.obj, self._name)
        if attribute.exists:
            _concretize(attribute, concretizer)


def _concretize(attribute, concretizer):
    old = attribute.read()
    if old is not ABSENT:
        new = concretizer.value(old)
        if new is not old:
            attribute.write(new)


class _Order:
    """The order in which an object got its attributes; noted before them, so restored after."""

    __slots__ = ("_attribute", "_names")
    length = 0

    def __init__(self, attribute):
        self._attribute, self._names = attribute, attribute.order

    @property
    def obj(self):
        return self._attribute.obj

    def undo(self):
        if self._names is not None:
            self._attribute.reorder(self._names)

    def as_it_is(self):
        return _Order(self._attribute)

    def concretize(self, concretizer):
        pass


class _Global:
    """What a name of a module is bound to."""

    __slots__ = ("_name", "_namespace", "_old")
    length = 0

    def __init__(self, namespace, name):
        self._namespace, self._name = namespace, name
        self._old = namespace.get(name, ABSENT)

    def undo(self):
        if self._old is not ABSENT:
            self._namespace[self._name] = self._old
        else:
            self._namespace.pop(self._name, None)

    def as_it_is(self):
        return _Global(self._namespace, self._name)

    def concretize(self, concretizer):
        old = self._namespace.get(self._name)
        new = concretizer.value(old)
        if new is not old:
            self._namespace[self._name] = new


class _Cell:
    """What a closure cell holds."""

    __slots__ = ("_cell", "_old")
    length = 0

    def __init__(self, cell):
        self._cell, self._old = cell, _held(cell)

    def undo(self):
        if self._old is not ABSENT:
            self._cell.cell_contents = self._old
        elif _held(self._cell) is not ABSENT:
            del self._cell.cell_contents

    def as_it_is(self):
        return _Cell(self._cell)

    def concretize(self, concretizer):
        concretizer.visit(self._cell)


class _Memory:
    """The numbers in an array."""

    __slots__ = ("_array", "_owner", "_saved")
    length = 0

    def __init__(self, owner, keeps):
        self._owner = owner  # keeps its identity from being reused
        self._array = owner if type(owner) is np.ndarray else owner.view(np.ndarray)
        self._saved = self._array.copy(order="K") if keeps else None

    def undo(self):
        if self._array.shape != self._saved.shape:
            self._array.resize(self._saved.shape, refcheck=False)
        if self._array.flags.writeable or self._array.tobytes() != self._saved.tobytes():
            np.copyto(self._array, self._saved)

    def as_it_is(self):
        return _Memory(self._owner, True)

    def concretize(self, concretizer):
        if self._array.dtype.hasobject:
            concretizer.visit(self._array)


# Those through which the journal holds an object; an order shares the attribute of a slot.
_HOLDERS = frozenset((_Content, _Slot, _Name))
_PRUNED = _HOLDERS | {_Order}


def _call(function, args, kwargs):
    return function(*args, **kwargs)


def _held(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def _owner(array):
    """The array whose memory `array` shows; `array` itself if that is read-only."""
    owner = array
    while issubclass(type(owner.base), np.ndarray):
        owner = owner.base
    return owner if owner.flags.writeable else array
