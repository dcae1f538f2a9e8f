"""The two passes over a tape: the sweep (reverse) and the push (forward).

Both give every node a *slot*: its cotangent or its tangent. The slot of a storage is laid out like
the storage, so a view has its window in it, and a write moves what is in the window. None stands
for zero. With plain arrays in the slots a pass computes numbers; with wrappers in them (a pass
inside a run) every step is recorded in turn, which is what higher order is.

Cotangents pair as Re(sum(g * t)); slots of complex storages hold conj(g), so that the slots of
`.real` and `.imag` are simply their views.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._memory cimport (
    element, empty_as, has_nan, repeats_itself, same_layout, window, zeros_as)
from hybridad._primitive cimport Primitive
from hybridad._tape cimport (
    ACTIVE, ELEMENT, MASKED, READS, WRITES, Entry, Tape, Value, is_wrapped, Write, new_value)

cnp.import_array()

cdef object _float64 = np.float64
cdef object _complex128 = np.complex128
cdef object _where = np.where
cdef object _array = np.array


cdef object number(object c):
    """Python numbers that a rule may return, as NumPy's."""
    if type(c) is float or type(c) is int:
        return _float64(c)
    if type(c) is complex:
        return _complex128(c)
    return c


cdef bint is_complex(PyObject* raw):
    if type(<object>raw) is ndarray:
        return cnp.PyArray_ISCOMPLEX(<ndarray>raw)
    return isinstance(<object>raw, (complex, np.complexfloating))


cdef class Pass:
    """Slots for the nodes of ``tape[start:end]``, and the values of operands."""

    def __cinit__(self):
        self.slots = NULL
        self.owned = NULL
        self.reach = NULL

    def __init__(self, Tape tape, int64_t start, int64_t end, list targets, recording=None,
                 bint keeps=True):
        """
        Parameters
        ----------
        tape : Tape
        start, end : int
            The part of the tape that is passed over.
        targets : list of int
            The nodes of the differentiated arguments.
        recording : Tape or None
            The tape of a run in progress on which the steps are recorded.
        keeps : bool
            Whether memory must be put back in the end (the tape is used again, or values of
            the run are still in somebody's hands).
        """
        cdef int64_t n = end - start
        if end > tape.n:
            raise errors.ScopeError(errors.message(
                f"What the run of {tape.name} recorded has been released.", "Run it again."))
        self.tape = tape
        self.recording = recording
        self.start, self.end = start, end
        self.wraps = recording is tape
        self.keeps = keeps or self.wraps
        self.outer = {}
        self.redo = []
        self.slots = <PyObject**>PyMem_Calloc(n + 1, sizeof(PyObject*))
        self.owned = <char*>PyMem_Calloc(n + 1, 1)
        if self.slots == NULL or self.owned == NULL:
            raise MemoryError()
        if start > 0 or recording is not None:
            self._find_reach(targets)

    def __dealloc__(self):
        cdef int64_t k
        if self.slots != NULL:
            for k in range(self.end - self.start):
                Py_XDECREF(self.slots[k])
        PyMem_Free(self.slots)
        PyMem_Free(self.owned)
        PyMem_Free(self.reach)

    cdef int _find_reach(self, list targets) except -1:
        """Mark what depends on the targets: in a nested run not all that is active does."""
        cdef int64_t i, k, n = self.end - self.start
        cdef Entry* e
        cdef bint depends
        self.reach = <char*>PyMem_Calloc(n + 1, 1)
        if self.reach == NULL:
            raise MemoryError()
        for node in targets:
            self.reach[<int64_t>node - self.start] = 2
        for i in range(self.start, self.end):
            e = &self.tape.entries[i]
            if self.reach[i - self.start]:
                continue
            depends = False
            for k in range(e.args, e.args + e.nargs):
                if self.is_reached(self.tape.args[k]):
                    depends = True
                    break
                if e.flags & READS:
                    break
            if not depends:
                continue
            if e.flags & WRITES:
                k = self.tape.writes[e.write].target
                if k < self.start:
                    self.outer.setdefault(k, [None, False])
                elif not self.reach[k - self.start]:
                    self.reach[k - self.start] = 1
            else:
                self.reach[i - self.start] = 1
        return 0

    cdef bint is_reached(self, int64_t code):
        """Whether an operand has a cotangent (tangent) in this pass at all."""
        cdef int64_t node
        if code & 3 == 1:
            node = code >> 2
        elif code & 3 == 2:
            if not self.tape.views[code >> 2].active:
                return False
            node = self.tape.views[code >> 2].node
        else:
            return False
        return self.node_is_reached(node)

    cdef bint node_is_reached(self, int64_t node):
        if node < self.start:
            return node in self.outer
        return self.reach == NULL or self.reach[node - self.start] != 0

    # -- slots -------------------------------------------------------------------------------

    cdef object slot(self, int64_t node):
        if node < self.start:
            return self.outer[node][0] if node in self.outer else None
        return None if self.slots[node - self.start] == NULL \
            else <object>self.slots[node - self.start]

    cdef bint is_owned(self, int64_t node):
        if node < self.start:
            return self.outer[node][1]
        return self.owned[node - self.start]

    cdef int set_slot(self, int64_t node, object value, bint owned) except -1:
        cdef PyObject* old
        if node < self.start:
            self.outer[node] = [value, owned]
            return 0
        old = self.slots[node - self.start]
        if value is None:
            self.slots[node - self.start] = NULL
        else:
            Py_INCREF(value)
            self.slots[node - self.start] = <PyObject*>value
        self.owned[node - self.start] = owned
        Py_XDECREF(old)
        return 0

    cdef object zeros(self, ndarray base):
        cdef ndarray made = zeros_as(base)
        return made if self.recording is None else new_value(self.recording, made, -1, None)

    cdef object own(self, int64_t node):
        """The slot of a storage, owned and in the storage's layout; zeros if there was none."""
        cdef ndarray base = <ndarray><object>self.tape.entries[node].ans
        cdef object old = self.slot(node)
        cdef object made
        if old is None:
            made = self.zeros(base)
        elif self.is_owned(node) and (self.recording is None or is_wrapped(old)) and same_layout(
                <ndarray>((<Value>old).raw if is_wrapped(old) else old), base):
            return old
        else:
            made = empty_as(base)
            if self.recording is not None:
                made = new_value(self.recording, made, -1, None)
            made[...] = old
        self.set_slot(node, made, True)
        return made

    cdef object window(self, int64_t node, ndarray view):
        """The part of a storage's slot that corresponds to a view of the storage."""
        cdef object slot = self.own(node)
        cdef ndarray base = <ndarray><object>self.tape.entries[node].ans
        if repeats_itself(base):
            return slot     # such a storage has no views but itself
        if is_wrapped(slot):
            return new_value((<Value>slot).tape, window(<ndarray>(<Value>slot).raw, base, view), -1,
                             <Value>slot)
        return window(<ndarray>slot, base, view)

    cdef object element_window(self, int64_t node, Py_ssize_t offset):
        cdef object slot = self.own(node)
        if is_wrapped(slot):
            return new_value((<Value>slot).tape, element(<ndarray>(<Value>slot).raw, offset), -1,
                             <Value>slot)
        return element(<ndarray>slot, offset)

    # -- operands ----------------------------------------------------------------------------

    cdef object value(self, int64_t node):
        """The value of a node, for a rule. Python's floats become NumPy's, whose arithmetic never
        raises."""
        cdef object raw = <object>self.tape.entries[node].ans
        if type(raw) is float:
            raw = _float64(raw)
        elif type(raw) is complex:
            raw = _complex128(raw)
        if self.wraps and self.tape.entries[node].flags & ACTIVE:
            return new_value(self.tape, raw, node, None)
        return raw

    cdef object fetch(self, int64_t code):
        cdef object raw
        if code & 3 == 0:
            return <object><PyObject*>code
        if code & 1:
            return self.value(code >> 2)
        raw = <object>self.tape.views[code >> 2].raw
        if self.wraps:
            return new_value(self.tape, raw, -1, self._owner(self.tape.views[code >> 2].node))
        return raw

    cdef Value _owner(self, int64_t node):
        return new_value(self.tape, <object>self.tape.entries[node].ans, node, None)

    cdef PyObject* like(self, int64_t code) noexcept:
        """The raw value of an active operand."""
        if code & 3 == 2:
            return self.tape.views[code >> 2].raw
        return self.tape.entries[code >> 2].ans

    cdef tuple fetch_all(self, int64_t i, object g, object ans):
        """The arguments of a rule: ``(g, ans, *operands)``; a sequence counts as one operand."""
        cdef int64_t k, first = self.tape.entries[i].args
        cdef int n = self.tape.entries[i].nargs
        cdef list values
        cdef tuple made
        cdef object x
        if (<Primitive>self.tape.entries[i].prim).sequence:
            values = [self.fetch(self.tape.args[first + k]) for k in range(n)]
            return (g, ans, values)
        made = PyTuple_New(n + 2)
        Py_INCREF(g)
        PyTuple_SET_ITEM(made, 0, g)
        Py_INCREF(ans)
        PyTuple_SET_ITEM(made, 1, ans)
        for k in range(n):
            x = self.fetch(self.tape.args[first + k])
            Py_INCREF(x)
            PyTuple_SET_ITEM(made, k + 2, x)
        return made

    cdef object answer(self, int64_t i):
        """`ans` as the rule of entry `i` expects it."""
        cdef Entry* e = &self.tape.entries[i]
        cdef int64_t first, k
        if e.nout == 0:
            return self.value(i)
        first = i - e.out
        return tuple([self.value(first + k) for k in range(e.nout)])

    # -- memory ------------------------------------------------------------------------------

    cdef int undo(self, int64_t i) except -1:
        """Put back what write `i` had overwritten."""
        cdef Write* w = &self.tape.writes[self.tape.entries[i].write]
        cdef object saved
        if w.saved == NULL:
            return 0
        saved = <object>w.saved
        if self.wraps and w.saved_code:
            saved = self.fetch(w.saved_code)
        if self.keeps:
            self.redo.append((i, self._region(i)))
        self._put(i, saved)
        return 0

    cdef object _region(self, int64_t i):
        """A copy of what is now in the region of write `i`."""
        cdef Write* w = &self.tape.writes[self.tape.entries[i].write]
        cdef object view = self._written(i)
        cdef object index = None if w.index == NULL or w.kind == MASKED else <object>w.index
        if w.kind == ELEMENT:
            return cnp.PyArray_ToScalar(
                cnp.PyArray_BYTES(<ndarray>view) + w.offset, <ndarray>view)
        return (view if index is None else view[index]).copy()

    cdef object _written(self, int64_t i):
        cdef object view = <object>self.tape.entries[i].ans
        if not self.wraps or self.tape.writes[self.tape.entries[i].write].kind == ELEMENT:
            return view
        return new_value(self.tape, view, -1,
                         self._owner(self.tape.writes[self.tape.entries[i].write].target))

    cdef int _put(self, int64_t i, object content) except -1:
        cdef Write* w = &self.tape.writes[self.tape.entries[i].write]
        cdef object view = self._written(i)
        cdef object index = Ellipsis if w.index == NULL or w.kind == MASKED else <object>w.index
        if w.kind == ELEMENT:
            (<double*>(cnp.PyArray_BYTES(<ndarray>view) + w.offset))[0] = content
        else:
            view[index] = content
        return 0

    cdef int redo_last(self, int64_t i) except -1:
        """Do write `i` again if it was undone (writes are redone in their order)."""
        if self.redo and (<tuple>self.redo[len(self.redo) - 1])[0] == i:
            self._put(i, (<tuple>self.redo.pop())[1])
        return 0

    def restore(self):
        """Do all again that was undone; the memory is then as the run left it."""
        while self.redo:
            i, content = self.redo.pop()
            self._put(i, content)

    cdef object without_nan(self, object c, object g):
        """What the rule of an elementwise primitive returned, zero where `g` is.

        The derivative at an element that nothing depends on may be infinite (`p * log(p)` at 0
        behind a `where`): 0 * inf must stay 0.
        """
        cdef object raw = (<Value>c).raw if is_wrapped(c) else c
        if type(raw) is _float64:
            if raw == raw:
                return c
        elif type(raw) is not ndarray or not has_nan(<ndarray>raw):
            return c
        return _where(np.equal(g, 0), np.zeros((), np.result_type(raw))[()], c)

    # -- what callers put in and take out ----------------------------------------------------

    def seed(self, int64_t node, value):
        """Set the slot of a node: a cotangent (of the result) or a tangent (of an argument)."""
        raise NotImplementedError

    cdef object as_array(self, object value, object like):
        """A 0-d array where the node is one (NumPy makes scalars of those at every step)."""
        if type(like) is ndarray and type(value) is not ndarray:
            if not is_wrapped(value):
                return _array(value)
            if type((<Value>value).raw) is not ndarray:
                made = new_value(self.recording, empty_as(<ndarray>like), -1, None)
                made[...] = value
                return made
        elif type(like) is not ndarray and type(value) is ndarray:
            return value[()]
        elif type(like) is not ndarray and is_wrapped(value) \
                and type((<Value>value).raw) is ndarray:
            return value[()]
        return value
