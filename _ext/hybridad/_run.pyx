"""The run in progress in a thread, and the arrays that came into it from outside.

An array from outside is *lifted* where it is read: `f` sees a wrapper whose raw value is that very
array. Arrays are lifted by memory owner, so that views of one buffer stay views of one storage and
a write through one is seen by the others. Lifted is not active: only what is active is recorded.
"""

from cpython.ref cimport Py_REFCNT, PyObject

from libc.stdint cimport int64_t
from collections import deque
from types import GeneratorType
from weakref import ref

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._forms cimport is_form
from hybridad._memory cimport repeats_itself, same_layout, window
from hybridad._record cimport is_inexact_array
from hybridad._tape cimport LEAF, OUTSIDE, Tape, Value, is_on_tape, is_wrapped, new_value, owner_of

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident()

cdef extern from "Python.h":
    bint PyIter_Check(object x)
    object PyFloat_FromDouble(double x)
    object PyComplex_FromDoubles(double x, double y)

cnp.import_array()

cdef type _generator = GeneratorType
cdef type _inexact = np.inexact
cdef tuple _CONTAINERS = (list, dict, set, deque, bytearray)
cdef dict RUNS = {}                     # thread -> innermost run
cdef unsigned long THREAD = 0           # the thread that asked last
cdef Run RUN = None                     # and its run


cdef Run run_here():
    """The innermost run of this thread, or None: also below a foreign call."""
    global THREAD, RUN
    cdef unsigned long thread = PyThread_get_thread_ident()
    if thread != THREAD:
        THREAD, RUN = thread, RUNS.get(thread)
    if RUN is None or RUN.suspended:
        return None
    return RUN


def run_in_progress():
    """The innermost run of this thread, or None.

    None also below a foreign call, where code is plain.
    """
    return run_here()


def innermost_run():
    """The innermost run of this thread, or None; also below a foreign call."""
    return RUNS.get(PyThread_get_thread_ident())


def is_own_object(x):
    """Whether the run in progress has made an object, which is not to be kept alive."""
    cdef Run run = RUNS.get(PyThread_get_thread_ident())
    return run is not None and run.made(x)


def is_own_container(x):
    """Whether a builtin container was not read from outside, so that it is the run's own."""
    cdef Run run = RUNS.get(PyThread_get_thread_ident())
    return run is not None and not run.saw(x)


cdef object _enter(Run run):
    global THREAD, RUN
    cdef unsigned long thread = PyThread_get_thread_ident()
    if run is None:
        RUNS.pop(thread, None)
    else:
        RUNS[thread] = run
    THREAD, RUN = thread, run


cdef class Run:
    """One run of a function in recording form.

    Used as a context: inside it is the run in progress of this thread.
    """

    def __init__(self, Tape tape, journal=None, listener=None):
        """
        Parameters
        ----------
        tape : Tape
            A run inside another shares its tape.
        journal : Journal or None
            Told of effects.
        listener : object or None
            Told of reads, functions and blocks: has the methods of `recording.captures.Captures`.
            Functions then run in the recording form with hooks for blocks.
        """
        self.tape = tape
        self.journal = journal
        self.listener = listener
        self.reasons = {}
        self.lifted = {}
        self.iterators = {}
        self.read = {}
        self.seen = {}
        self.local = {}
        self.texts = {}
        self.outside = []
        self.written = {}
        self.originals = []

    def __enter__(self):
        self.outer = RUNS.get(PyThread_get_thread_ident())
        _enter(self)
        LISTENING[0] += self.listener is not None
        return self

    def __exit__(self, *error):
        LISTENING[0] -= self.listener is not None
        _enter(self.outer)
        self.outer = None

    def note(self, reason):
        """Remember why a part of the run is not in recording form; each reason once."""
        if len(self.reasons) < 100:
            self.reasons[reason] = None

    def constructed(self, x):
        """`x` is an object that the run has made; it is not kept alive."""
        cdef object key = <size_t><PyObject*>x
        cdef dict local = self.local
        try:
            local[key] = ref(x, lambda _: local.pop(key, None))
        except TypeError:
            pass
        return x

    cpdef object looked_up(self, object container, object key, object value):
        """The value that a dictionary holds for a key.

        One from outside that answers a differentiated key with a number is a memo of an earlier
        call: the derivative of what was computed then is not to be had.
        """
        if is_on_tape(key) and self.saw(container) and not is_wrapped(value) \
                and (type(value) is float or isinstance(value, _inexact) or type(value) is ndarray):
            raise errors.LostDerivativeError(errors.message(
                "A differentiated value was looked up in a dictionary from outside, which answered "
                "with a number of an earlier call: its derivative would be lost.",
                "Make the dictionary inside the function; if the number does not depend on the "
                "key, look it up by hybridad.stop_gradient(key)."))
        return value

    cdef bint made(self, object x):
        """Whether this run or one around it has made an object.

        Such need not be put back as they were, and what is reached from outside in the end is
        found from there. They must not be kept alive for longer than in plain code.
        """
        cdef Run run = self
        while run is not None:
            if <size_t><PyObject*>x in run.local:
                return True
            run = run.outer
        return False

    cdef bint saw(self, object x):
        """Whether a builtin container was read from outside."""
        cdef Run run = self
        while run is not None:
            if <size_t><PyObject*>x in run.seen:
                return True
            run = run.outer
        return False

    def keep_text(self, text):
        """Remember a text that shows a value of the run."""
        if type(text) is str:
            self.texts[<size_t><PyObject*>text] = text

    cdef int check_text(self, object kind, str text) except -1:
        """Raise if a text that shows a value of the run is turned into a number again."""
        if (kind is float or kind is int or kind is complex) \
                and <size_t><PyObject*>text in self.texts:
            raise errors.LostDerivativeError(errors.message(
                f"The text of a differentiated value was turned into a number ({kind.__name__}()): "
                "its derivative would be lost.",
                "Use the value itself; hybridad.stop_gradient(x) if that is meant."))
        return 0

    def shared_nodes(self):
        """The nodes of storages whose memory belongs to others."""
        cdef set found = set()
        cdef Value x
        for pair in self.lifted.values():
            x = owner_of(<Value>(<tuple>pair)[1])
            if x.outside == OUTSIDE and x.node >= 0:
                found.add(x.node)
        return found

    def hand_over(self, Run outer):
        """Let the run around know what came in, when this run is over."""
        outer.lifted.update(self.lifted)
        outer.iterators.update(self.iterators)
        outer.read.update(self.read)
        outer.seen.update(self.seen)
        outer.local.update(self.local)
        outer.outside.extend(self.outside)
        outer.strange = outer.strange or self.strange
        outer.gave = outer.gave or self.gave
        for key, known in self.written.items():
            if (<Value>(<tuple>known)[0]).outside == OUTSIDE:
                outer.written[key] = ((<tuple>known)[0], -1)
        self.forget()

    def forget(self):
        """Let go of what came from outside, when the run is over."""
        self.lifted.clear()
        self.iterators.clear()
        self.read.clear()
        self.seen.clear()
        self.local.clear()
        self.texts.clear()
        self.outside.clear()
        self.written.clear()
        self.originals.clear()

    def differentiates(self, ndarray array, Value wrapper):
        """`wrapper` stands for a copy of `array`: from now on they are two different arrays."""
        self.originals.append((array, wrapper))
        wrapper.outside = LEAF

    def before_write(self, Value storage, ndarray view):
        """A storage that came from outside is about to be written to, by way of a view: nobody may
        see that memory by another way."""
        cdef Run run = self
        cdef tuple known = self.written.get(<size_t><PyObject*>storage)
        cdef int64_t now = len(self.outside) + len(self.originals)
        cdef bint close = False
        if known is not None and known[1] == now:
            return
        while run is not None and run.tape is self.tape:
            close = run.compare(storage, view) or close
            run = run.outer
        self.written[<size_t><PyObject*>storage] = (storage, -1 if close else now)
        if storage.outside != LEAF and self.journal is not None:
            self.journal.write_array(storage.raw)

    cdef object memory_of(self, Value storage):
        """The array whose memory a storage stands for: of a differentiated argument the original."""
        if storage.outside == LEAF:
            for array, wrapper in self.originals:
                if wrapper is storage:
                    return array
        return storage.raw

    cdef bint compare(self, Value storage, ndarray view) except -1:
        """Raise if another array shows the memory of a view that is written to.

        Returns whether another array shows memory of the storage, if not of that view.
        """
        cdef object memory = self.memory_of(storage)
        cdef object part = view
        cdef bint close = False
        if memory is not storage.raw:
            part = window(<ndarray>memory, <ndarray>storage.raw, view) \
                if same_layout(<ndarray>memory, <ndarray>storage.raw) else memory
        if storage.outside != LEAF:
            for array, _ in self.originals:
                if _shares(array, storage.raw):
                    close = True
                    if _shares(array, view):
                        _refuse("An array was written to that is also a differentiated argument.",
                                "Pass a copy as the argument.")
        for array, other in self.outside:
            if owner_of(<Value>other) is not storage \
                    and (self.strange or storage.outside == LEAF) and _shares(memory, array):
                close = True
                if not _shares(part, array):
                    continue
                if storage.outside == LEAF:
                    _refuse("A differentiated argument was written to that is also reached from "
                            "elsewhere.", "Pass a copy as the argument.")
                _refuse("An array was written to whose memory another array shows that is not a "
                        "view of it.", "Make both views of one floating array.")
        return close

    cdef Value same_memory(self, ndarray x):
        """The wrapper of another array that shows the very same memory, or None."""
        cdef Run run = self
        cdef Value other
        while run is not None and run.tape is self.tape:
            for _, other in run.outside:
                if cnp.PyArray_DATA(<ndarray>other.raw) == cnp.PyArray_DATA(x) \
                        and cnp.PyArray_TYPE(<ndarray>other.raw) == cnp.PyArray_TYPE(x) \
                        and other.raw.shape == (<object>x).shape \
                        and other.raw.strides == (<object>x).strides:
                    return other
            run = run.outer
        return None

    def wrap(self, x):
        """`x` as it enters from outside: a floating array becomes a wrapper, the same each time."""
        return self.lift(x)

    def wrap_fresh(self, x):
        """`x`, which was just made: a floating array becomes an inactive value."""
        return self.lift_fresh(x)

    def is_outside_iterator(self, x):
        """Whether `x` is an iterator that was read from outside."""
        cdef Run run = self
        while run is not None:
            if id(x) in run.iterators:
                return True
            run = run.outer
        return False

    def give(self, x):
        """The plain value of a wrapper for code outside; should it come back, it is known.

        Numbers are known by their identity, too: code that keeps one and gives it back gives back
        that very object.
        """
        cdef object raw
        if not is_wrapped(x):
            return x
        raw = (<Value>x).raw
        if type(raw) is not ndarray:
            # An object of its own: the one that plain code has may be known elsewhere, too.
            raw = _another(raw)
            self.lifted[<size_t><PyObject*>raw] = (raw, x)
            self.gave = True
        elif self.known(raw) is None:
            self.lifted[<size_t><PyObject*>raw] = (raw, x)
        if (<Value>x).base is not None:
            self.give((<Value>x).base)      # for other views of the same memory
        return raw

    cdef Value known(self, object array):
        """The wrapper of an array that was lifted before, in this run or one around it, or None."""
        cdef Run run = self
        cdef object found
        while run is not None and run.tape is self.tape:
            found = run.lifted.get(<size_t><PyObject*>array)
            if found is not None:
                return <Value>(<tuple>found)[1]
            run = run.outer
        return None

    cdef object lift(self, object x):
        cdef type t = type(x)
        cdef Value made
        if t is ndarray:
            return self.lift_read(x) if is_inexact_array(<ndarray>x) else x
        if t is int or t is str or t is bool:
            return x
        if self.gave and (t is float or t is complex or isinstance(x, _inexact)):
            made = self.known(x)
            return x if made is None else made
        if issubclass(t, _CONTAINERS):
            self.seen[<size_t><PyObject*>x] = x
        elif PyIter_Check(x) and t.__module__ != "_io" \
                and not (t is _generator and is_form(x.gi_code)):
            self.iterators[<size_t><PyObject*>x] = x
        return x

    cdef object lift_read(self, object x):
        """The wrapper of an array that was read from outside."""
        cdef Value made = self.known(x)
        cdef Value owner
        if made is not None and <size_t><PyObject*>x in self.read:
            return made
        made = <Value>self.lift_array(x)
        owner = owner_of(made)
        self.read[<size_t><PyObject*>x] = x
        if owner.outside == OUTSIDE:
            self.outside.append((x, made))
            self._compare_with_written(x, owner)
        return made

    cdef object lift_array(self, object x):
        cdef Value made = self.known(x)
        cdef Value storage
        cdef object owner
        if made is not None:
            return made
        owner = _owner(<ndarray>x)
        if owner is x:
            made = None
            if cnp.PyArray_BASE(<ndarray>x) != NULL or repeats_itself(<ndarray>x):
                made = self.same_memory(<ndarray>x)
                self.strange = True
            if made is None:
                made = new_value(self.tape, x, -1, None)
                made.outside = OUTSIDE
        else:
            storage = owner_of(<Value>self.lift_array(owner))
            made = new_value(self.tape, x, -1, storage)
        self.lifted[<size_t><PyObject*>x] = (x, made)
        return made

    cdef int _compare_with_written(self, ndarray x, Value owner) except -1:
        """Raise if the memory of an array that comes in now was written to by another way."""
        cdef Run run = self
        cdef Value other
        while run is not None and run.tape is self.tape:
            if run.strange or self.strange or run.originals:
                for other, _ in run.written.values():
                    if other is not owner and _shares(run.memory_of(other), x):
                        _refuse("An array was read whose memory has been written to by way of "
                                "another array, or of a differentiated argument.",
                                "Make both views of one floating array, or pass a copy.")
            run = run.outer
        return 0

    cdef object lift_fresh(self, object x):
        if type(x) is not ndarray or not is_inexact_array(<ndarray>x):
            return x
        if cnp.PyArray_BASE(<ndarray>x) != NULL or Py_REFCNT(x) > 3:
            return self.lift_read(x)        # it may be somebody else's memory
        return new_value(self.tape, x, -1, None)


cdef object _another(object number):
    """The same number as another object."""
    cdef type t = type(number)
    if t is float:
        return PyFloat_FromDouble(number)
    if t is complex:
        return PyComplex_FromDoubles(number.real, number.imag)
    return number.copy() if isinstance(number, _inexact) else number


cdef bint _shares(object a, object b):
    """Whether two arrays share memory; also if that is too hard to tell."""
    try:
        return np.may_share_memory(a, b) and np.shares_memory(a, b, 10000)
    except np.exceptions.TooHardError:
        return True


cdef int _refuse(str what, str remedy) except -1:
    raise errors.UnsupportedError(errors.message(what, remedy))


cdef object _owner(ndarray x):
    """The array whose memory `x` shows, if that can be its storage; else `x` itself."""
    cdef object owner = x
    cdef object base
    while cnp.PyArray_BASE(<ndarray>owner) != NULL:
        base = <object>cnp.PyArray_BASE(<ndarray>owner)
        if type(base) is not ndarray or not is_inexact_array(<ndarray>base) \
                or repeats_itself(<ndarray>base):
            break
        owner = base
    return x if repeats_itself(x) else owner
