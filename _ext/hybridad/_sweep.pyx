"""The two passes over a tape: the sweep (reverse) and the push (forward).

Both give every node a *slot*: its cotangent or its tangent. The slot of a storage is laid out like
the storage, so a view has its window in it, and a write moves what is in the window. None stands
for zero. With plain arrays in the slots a pass computes numbers; with wrappers in them (a pass
inside a run) every step is recorded in turn, which is what higher order is.

Cotangents pair as Re(sum(g * t)); slots of complex storages hold conj(g), so that the slots of
`.real` and `.imag` are simply their views.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.number cimport PyNumber_Add, PyNumber_InPlaceAdd
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from cpython.ref cimport Py_INCREF, Py_REFCNT, Py_XDECREF, PyObject
from libc.stdint cimport int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad._memory cimport (
    PRODUCT, add_into, element, empty_as, has_nan, repeats_itself, same_layout, same_shape,
    small_arithmetic, small_sum, window, zeros_as)
from hybridad._parray cimport PersistentArray, new_value
from hybridad._primitive cimport Primitive
from hybridad._tape cimport (
    ACTIVE, ADDS, ASSIGNS, ELEMENT, GETITEM, MASKED, READS, WRITES, Entry, Tape, Value, Write)

cnp.import_array()

cdef object _float64 = np.float64
cdef object _complex128 = np.complex128
cdef object _conj = np.conj
cdef object _add = np.add
cdef object _add_at = np.add.at
cdef object _where = np.where
cdef object _array = np.array

# Set once by `install`: functions of the rooms above.
cdef object PROJECT = None
cdef object BROADCAST_TANGENT = None
cdef object SCATTER_ADD = None
cdef object LAST_WRITES = None
cdef Primitive MULTIPLY = None


def install(project, broadcast_tangent, scatter_add, last_writes, Primitive multiply):
    """Connect the passes to `rules.spaces`, `rules.indexing` and the one rule with a short cut."""
    global PROJECT, BROADCAST_TANGENT, SCATTER_ADD, LAST_WRITES, MULTIPLY
    MULTIPLY = multiply
    PROJECT, BROADCAST_TANGENT = project, broadcast_tangent
    SCATTER_ADD, LAST_WRITES = scatter_add, last_writes


cdef inline bint _is_complex(PyObject* raw):
    if type(<object>raw) is ndarray:
        return cnp.PyArray_ISCOMPLEX(<ndarray>raw)
    return isinstance(<object>raw, (complex, np.complexfloating))


cdef class Pass:
    """Slots for the nodes of ``tape[start:end]``, and the values of operands."""

    cdef readonly Tape tape
    cdef Tape recording     # where the steps of this pass are recorded, or None
    cdef int64_t start, end
    cdef bint wraps         # operands are given to the rules as wrappers of `tape`
    cdef bint keeps         # the memory must be as it was when the pass is over
    cdef PyObject** slots
    cdef char* owned        # the slot belongs to this pass alone: it may be written to
    cdef char* reach        # 1: depends on a target, 2: is one; NULL: every active node counts
    cdef dict outer         # slots of older storages that this part of the tape wrote to
    cdef list redo

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
        elif self.is_owned(node) and same_layout(
                <ndarray>((<Value>old).raw if type(old) is PersistentArray else old), base):
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
        if type(slot) is PersistentArray:
            return new_value((<Value>slot).tape, window(<ndarray>(<Value>slot).raw, base, view), -1,
                             <Value>slot)
        return window(<ndarray>slot, base, view)

    cdef object element_window(self, int64_t node, Py_ssize_t offset):
        cdef object slot = self.own(node)
        if type(slot) is PersistentArray:
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
        return view.copy() if index is None else view[index]

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
        cdef object raw = (<Value>c).raw if type(c) is PersistentArray else c
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
            if type(value) is not PersistentArray:
                return _array(value)
            if type((<Value>value).raw) is not ndarray:
                made = new_value(self.recording, empty_as(<ndarray>like), -1, None)
                made[...] = value
                return made
        elif type(like) is not ndarray and type(value) is ndarray:
            return value[()]
        elif type(like) is not ndarray and type(value) is PersistentArray \
                and type((<Value>value).raw) is ndarray:
            return value[()]
        return value


cdef inline object _number(object c):
    """Python numbers that a rule may return, as NumPy's."""
    if type(c) is float or type(c) is int:
        return _float64(c)
    if type(c) is complex:
        return _complex128(c)
    return c


cdef class Sweep(Pass):
    """Reverse mode: from the result back to the arguments."""

    def seed(self, int64_t node, value):
        cdef object like = <object>self.tape.entries[node].ans
        value = PROJECT(_number(value), like)
        if _is_complex(self.tape.entries[node].ans):
            value = _conj(value)
        value = self.as_array(value, like)
        self.gather((node << 2) | 1, value, False)

    def seed_view(self, int64_t node, view, value):
        """Add a cotangent to the part of a storage that is a view of it."""
        cdef object g = PROJECT(_number(value), view)
        if cnp.PyArray_ISCOMPLEX(<ndarray>view):
            g = _conj(g)
        win = self.window(node, view)
        PyNumber_InPlaceAdd(win, g)

    def cotangent(self, int64_t node):
        """The cotangent that arrived at a node, None if it is zero."""
        g = self.slot(node)
        if g is not None and _is_complex(self.tape.entries[node].ans):
            g = _conj(g)
        return g

    def run(self):
        """Pass over the entries from the last to the first."""
        cdef int64_t i = self.tape.n
        # What was written after this part of the tape (a pullback may be called much later).
        while i > self.end:
            i -= 1
            if self.tape.entries[i].flags & WRITES:
                self.undo(i)
        while i > self.start:
            i -= 1
            if self.tape.entries[i].flags & WRITES:
                self.pull_write(i)
            elif self.slots[i - self.start] != NULL:
                if self.reach != NULL and self.reach[i - self.start] == 2:
                    continue
                if self.tape.entries[i].nargs > 0:
                    self.pull(i)
                elif self.reach != NULL:
                    self.set_slot(i, None, False)
            if not self.keeps:
                self.release(i)

    cdef int release(self, int64_t i) except -1:
        """Free an entry's operands and result as soon as it is passed, unless it is an argument."""
        cdef Entry* e = &self.tape.entries[i]
        cdef int64_t k
        if e.nargs == 0 or e.flags & WRITES or e.out > 0:
            return 0
        # The results of one call are freed together: their rules read all of them.
        for k in range(e.nout - 1, 0, -1):
            self.tape.free_entry(i + k)
        self.tape.free_entry(i)
        return 0

    cdef int pull(self, int64_t i) except -1:
        """Give the operands of entry `i` their share of its cotangent."""
        cdef Entry e = self.tape.entries[i]
        cdef object g = <object>self.slots[i - self.start]
        cdef bint owned = self.owned[i - self.start]
        cdef int64_t node
        cdef ndarray slot
        self.set_slot(i, None, False)
        if e.flags & READS:
            node = self.tape.args[e.args] >> 2
            if not self.node_is_reached(node):
                return 0
            if self.recording is None:
                slot = self.own(node)
                (<double*>(cnp.PyArray_BYTES(slot) + (self.tape.args[e.args + 1] >> 2)))[0] += <double>g
            else:
                win = self.element_window(node, self.tape.args[e.args + 1] >> 2)
                PyNumber_InPlaceAdd(win, g)
            return 0
        if <object>e.prim is GETITEM:
            return self.pull_getitem(i, g)
        if _is_complex(e.ans):
            g = _conj(g)
            owned = True
        return self.apply_rules(i, g, owned, self.answer(i))

    cdef int apply_rules(self, int64_t i, object g, bint owned, object ans) except -1:
        cdef Entry e = self.tape.entries[i]
        cdef Primitive prim = <Primitive>e.prim
        cdef tuple args = self.fetch_all(i, g, ans)
        cdef object kwargs = None
        cdef object c
        cdef int64_t code
        cdef int k, last = -1
        cdef bint given = False, fresh
        cdef bint diagonal = prim.diagonal
        for k in range(e.nargs):
            if self.is_reached(self.tape.args[e.args + k]):
                last = k
        if e.kwargs != NULL:
            kwargs = <object>e.kwargs
        for k in range(last + 1):
            code = self.tape.args[e.args + k]
            if not self.is_reached(code):
                continue
            if prim.vjp is not None:
                c = prim.vjp(*args[:2], k, *args[2:], **(kwargs or {}))
            elif prim is MULTIPLY and (c := self.product(g, args[3 - k])) is not None:
                pass
            else:
                if k >= len(prim.vjps) or prim.vjps[k] is None:
                    continue
                c = prim.vjps[k](*args) if kwargs is None else prim.vjps[k](*args, **kwargs)
            if c is None:
                continue
            if diagonal:
                c = self.without_nan(c, g)
            fresh = False
            if c is g:
                # The cotangent itself is handed on; its last taker may own it.
                fresh = owned and k == last and not given
                given = True
            elif type(c) is ndarray:
                fresh = (Py_REFCNT(c) == 1 and cnp.PyArray_CHKFLAGS(<ndarray>c, cnp.NPY_ARRAY_OWNDATA)
                         and cnp.PyArray_BASE(<ndarray>c) == NULL)
                given = given or not fresh
            self.receive(code, c, fresh, True)
        return 0

    cdef object product(self, object g, object factor):
        """What the rule of multiplication gives, for small plain arrays; None: ask the rule."""
        return None if self.recording is not None else small_arithmetic(PRODUCT, g, factor)

    cdef int receive(self, int64_t code, object c, bint fresh, bint conjugates) except -1:
        """Bring what a rule returned into the operand's space and add it to its slot."""
        cdef PyObject* like = self.like(code)
        cdef object raw
        if type(<object>like) is ndarray:
            raw = (<Value>c).raw if type(c) is PersistentArray else c
            if type(raw) is not ndarray or not same_shape(<ndarray>raw, <ndarray>like) \
                    or cnp.PyArray_TYPE(<ndarray>raw) != cnp.PyArray_TYPE(<ndarray>like):
                c = self.as_array(PROJECT(_number(c), <object>like), <object>like)
                fresh = False
            if conjugates and cnp.PyArray_ISCOMPLEX(<ndarray>like):
                c = self.as_array(_conj(c), <object>like)
                fresh = True
        elif type(c) is not _float64 or type(<object>like) is not float \
                and type(<object>like) is not _float64:
            c = self.as_array(PROJECT(_number(c), <object>like), <object>like)
            if conjugates and _is_complex(like):
                c = _conj(c)
        return self.gather(code, c, fresh)

    cdef int gather(self, int64_t code, object c, bint fresh) except -1:
        """Add `c` to the slot of an operand."""
        cdef int64_t node = self.tape.views[code >> 2].node if code & 3 == 2 else code >> 2
        cdef object old, win
        if code & 3 == 2:
            win = self.window(node, <ndarray><object>self.tape.views[code >> 2].raw)
            if type(win) is ndarray:
                add_into(<ndarray>win, c)
            else:
                PyNumber_InPlaceAdd(win, c)
            return 0
        old = self.slot(node)
        if old is None:
            self.set_slot(node, c, fresh and type(c) is ndarray)
        elif type(<object>self.tape.entries[node].ans) is not ndarray:
            self.set_slot(node, PyNumber_Add(old, c), False)
        elif self.is_owned(node):
            if type(old) is ndarray:
                add_into(<ndarray>old, c)
            else:
                PyNumber_InPlaceAdd(old, c)
        elif self.recording is not None:
            old = self.own(node)
            PyNumber_InPlaceAdd(old, c)
        else:
            win = small_sum(<ndarray?>old, <ndarray?>c)
            if win is None:
                win = empty_as(<ndarray><object>self.tape.entries[node].ans)
                _add(old, c, win)
            self.set_slot(node, win, True)
        return 0

    cdef int pull_getitem(self, int64_t i, object g) except -1:
        cdef Entry e = self.tape.entries[i]
        cdef int64_t code = self.tape.args[e.args]
        cdef int64_t node
        cdef object index = <object><PyObject*>self.tape.args[e.args + 1]
        cdef object win
        if not self.is_reached(code):
            return 0
        node = self.tape.views[code >> 2].node if code & 3 == 2 else code >> 2
        win = self.window(node, <ndarray><object>self.like(code))
        if type(<object>e.ans) is not ndarray:
            win[index] = win[index] + g
        elif self.recording is None:
            SCATTER_ADD(win, index, g)
        else:
            _add_at(win, index, g)
        return 0

    cdef int pull_write(self, int64_t i) except -1:
        """Give what was written its share; the storage's slot is then that of the older version."""
        cdef Entry e = self.tape.entries[i]
        cdef Write w = self.tape.writes[e.write]
        cdef object g = None
        cdef object new = None
        cdef object slot, win, index, survivors
        if self.node_is_reached(w.target):
            slot = self.slot(w.target)
            if slot is not None:
                if w.kind == ELEMENT:
                    win = self.element_window(w.target, w.offset)
                    g = win[()]
                    win[()] = 0.0
                else:
                    win = self.window(w.target, <ndarray>e.ans)
                    index = None if w.index == NULL else <object>w.index
                    if index is None:
                        g = win.copy()
                        win[...] = 0
                    elif w.kind == MASKED:
                        g = _where(index, win, 0)
                        win[index] = 0
                    elif w.kind == ADDS:
                        g = win[index]
                        if type(g) is ndarray:
                            g = g.copy()
                    else:
                        g = win[index]
                        win[index] = 0
                        survivors = LAST_WRITES((<object>e.ans).shape, index)
                        if survivors is not None:
                            g = _where(survivors, g, 0)
        if g is not None and e.prim != NULL and (<Primitive>e.prim).needs & 1:
            new = self._region(i)
        self.undo(i)
        if g is None:
            return 0
        if e.prim != NULL:
            if _is_complex(e.ans):
                g = _conj(g)
            return self.apply_rules(i, g, True, <object>e.ans if new is None else new)
        if self.is_reached(self.tape.args[e.args]):
            return self.receive(self.tape.args[e.args], g, True, False)
        return 0


cdef class Push(Pass):
    """Forward mode: from the arguments on to the result."""

    def seed(self, int64_t node, value):
        cdef object like = <object>self.tape.entries[node].ans
        value = self.as_array(PROJECT(_number(value), like), like)
        if type(value) is ndarray:
            value = value.copy()
            self.set_slot(node, value, True)
        else:
            self.set_slot(node, value, False)

    def tangent(self, int64_t node):
        """The tangent of a node, None if it is zero."""
        return self.slot(node)

    def tangent_view(self, int64_t node, view):
        """The tangent of a view of a storage, None if it is zero."""
        return None if self.slot(node) is None else self.window(node, view)

    def run(self):
        """Put the memory back to where the run began, then pass over the entries in order."""
        cdef int64_t i = self.end
        self.keeps = True
        while i > self.start:
            i -= 1
            if self.tape.entries[i].flags & WRITES:
                self.undo(i)
        for i in range(self.start, self.end):
            if self.tape.entries[i].flags & WRITES:
                self.push_write(i)
                self.redo_last(i)
            elif self.tape.entries[i].nargs > 0 and self.tape.entries[i].flags & ACTIVE \
                    and not (self.reach != NULL and self.reach[i - self.start] == 2):
                self.push(i)

    cdef object operand_tangent(self, int64_t code):
        cdef int64_t node
        if not self.is_reached(code):
            return None
        node = self.tape.views[code >> 2].node if code & 3 == 2 else code >> 2
        if self.slot(node) is None:
            return None
        if code & 3 == 2:
            return self.window(node, <ndarray><object>self.tape.views[code >> 2].raw)
        return self.slot(node)

    cdef int push(self, int64_t i) except -1:
        cdef Entry e = self.tape.entries[i]
        cdef object t
        cdef int64_t node
        cdef ndarray slot
        if e.flags & READS:
            node = self.tape.args[e.args] >> 2
            if not self.node_is_reached(node) or self.slot(node) is None:
                return 0
            self.set_slot(
                i, self.element_window(node, self.tape.args[e.args + 1] >> 2)[()], False)
            return 0
        if <object>e.prim is GETITEM:
            t = self.operand_tangent(self.tape.args[e.args])
            if t is not None:
                t = t[<object><PyObject*>self.tape.args[e.args + 1]]
        else:
            t = self.apply_rules(i, self.answer(i))
        if t is not None:
            self.set_slot(i, t, type(t) is ndarray)
        return 0

    cdef object apply_rules(self, int64_t i, object ans):
        """The tangent of the result of entry `i`, its own memory; None if it is zero."""
        cdef Entry e = self.tape.entries[i]
        cdef Primitive prim = <Primitive>e.prim
        cdef list tangents = []
        cdef tuple values
        cdef object kwargs = {} if e.kwargs == NULL else <object>e.kwargs
        cdef object c, like, total = None
        cdef int k
        cdef bint any_tangent = False
        for k in range(e.nargs):
            tangents.append(self.operand_tangent(self.tape.args[e.args + k]))
            any_tangent = any_tangent or tangents[k] is not None
        if not any_tangent:
            return None
        values = self.fetch_all(i, None, None)[2:]
        like = (<object>self.tape.entries[i].ans)
        if prim.joint:
            for k in range(e.nargs):
                if tangents[k] is None:
                    tangents[k] = np.zeros_like(values[0][k])
            total = prim.jvp(tangents, ans, values[0], **kwargs)
        else:
            for k in range(e.nargs):
                if tangents[k] is None:
                    continue
                if prim.jvp is not None:
                    c = prim.jvp(tangents[k], ans, k, *values, **kwargs)
                elif k >= len(prim.jvps) or prim.jvps[k] is None:
                    continue
                else:
                    c = prim.jvps[k](tangents[k], ans, *values, **kwargs)
                if c is not None:
                    if prim.diagonal:
                        c = self.without_nan(c, tangents[k])
                    total = c if total is None else PyNumber_Add(total, c)
        if total is None:
            return None
        total = self.as_array(BROADCAST_TANGENT(_number(total), like), like)
        # It must not share memory with the tangent of an operand, which may be written to later.
        if type(like) is ndarray:
            if type(total) is PersistentArray or cnp.PyArray_BASE(<ndarray>total) != NULL \
                    or any([total is c for c in tangents]) or not cnp.PyArray_ISWRITEABLE(
                        <ndarray>total):
                return total.copy()
        return total

    cdef int push_write(self, int64_t i) except -1:
        cdef Entry e = self.tape.entries[i]
        cdef Write w = self.tape.writes[e.write]
        cdef object t, win, index, new = <object>e.ans
        if not self.node_is_reached(w.target):
            return 0
        if e.prim == NULL:
            t = self.operand_tangent(self.tape.args[e.args])
        else:
            if (<Primitive>e.prim).needs & 1:
                if self.redo and (<tuple>self.redo[len(self.redo) - 1])[0] == i:
                    new = (<tuple>self.redo[len(self.redo) - 1])[1]
                else:
                    new = self._region(i)
            t = self.apply_rules(i, new)
        if t is None and self.slot(w.target) is None:
            return 0
        if t is None:
            if w.kind == ADDS:
                return 0
            t = 0.0
        elif not _is_complex(e.ans) and np.iscomplexobj(t):
            t = np.real(t)
        if w.kind == ELEMENT:
            win = self.element_window(w.target, w.offset)
            win[()] = t
            return 0
        win = self.window(w.target, <ndarray>e.ans)
        index = None if w.index == NULL else <object>w.index
        if index is None:
            win[...] = t
        elif w.kind == MASKED:
            win[...] = _where(index, t, win)
        elif w.kind == ADDS:
            _add_at(win, index, t)
        else:
            win[index] = t
        return 0
