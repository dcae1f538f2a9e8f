"""The sweep: cotangents from the result back to the arguments (see `_pass` for slots and windows)."""

from cpython.number cimport PyNumber_Add, PyNumber_InPlaceAdd
from cpython.ref cimport Py_REFCNT, PyObject
from libc.stdint cimport int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad._memory cimport (
    PRODUCT, add_into, empty_as, same_shape, small_arithmetic, small_sum)
from hybridad._pass cimport Pass, is_complex, number
from hybridad._primitive cimport Primitive
from hybridad._tape cimport (
    ADDS, ELEMENT, GETITEM, MASKED, READS, WRITES, Entry, Value, is_wrapped, Write)

cnp.import_array()

cdef object _float64 = np.float64
cdef object _conj = np.conj
cdef object _add = np.add
cdef object _add_at = np.add.at
cdef object _where = np.where

# Set once by `install`: functions of the rooms above.
cdef object PROJECT = None
cdef object SCATTER_ADD = None
cdef object LAST_WRITES = None
cdef Primitive MULTIPLY = None


def install(project, scatter_add, last_writes, Primitive multiply):
    """Connect the sweep to `rules.spaces`, `rules.indexing` and the one rule with a short cut."""
    global PROJECT, SCATTER_ADD, LAST_WRITES, MULTIPLY
    PROJECT, SCATTER_ADD, LAST_WRITES, MULTIPLY = project, scatter_add, last_writes, multiply


cdef class Sweep(Pass):
    """Reverse mode: from the result back to the arguments."""

    def seed(self, int64_t node, value):
        cdef object like = <object>self.tape.entries[node].ans
        value = PROJECT(number(value), like)
        if is_complex(self.tape.entries[node].ans):
            value = _conj(value)
        value = self.as_array(value, like)
        self.gather((node << 2) | 1, value, False)

    def seed_view(self, int64_t node, view, value):
        """Add a cotangent to the part of a storage that is a view of it."""
        cdef object g = PROJECT(number(value), view)
        if cnp.PyArray_ISCOMPLEX(<ndarray>view):
            g = _conj(g)
        win = self.window(node, view)
        PyNumber_InPlaceAdd(win, g)

    def cotangent(self, int64_t node):
        """The cotangent that arrived at a node, None if it is zero."""
        g = self.slot(node)
        if g is not None and is_complex(self.tape.entries[node].ans):
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
        if is_complex(e.ans):
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
        if prim.joint:
            shares = prim.vjp(*args, **({} if e.kwargs == NULL else <dict>e.kwargs))
            for k in range(e.nargs):
                code = self.tape.args[e.args + k]
                if self.is_reached(code):
                    self.receive(code, shares[k], False, True)
            return 0
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
            raw = (<Value>c).raw if is_wrapped(c) else c
            if type(raw) is not ndarray or not same_shape(<ndarray>raw, <ndarray>like) \
                    or cnp.PyArray_TYPE(<ndarray>raw) != cnp.PyArray_TYPE(<ndarray>like):
                c = self.as_array(PROJECT(number(c), <object>like), <object>like)
                fresh = False
            if conjugates and cnp.PyArray_ISCOMPLEX(<ndarray>like):
                c = self.as_array(_conj(c), <object>like)
                fresh = True
        elif type(c) is not _float64 or type(<object>like) is not float \
                and type(<object>like) is not _float64:
            c = self.as_array(PROJECT(number(c), <object>like), <object>like)
            if conjugates and is_complex(like):
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
            self.set_slot(node, c, fresh and self.recording is None and type(c) is ndarray)
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
                        g = win[index].copy()
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
            if is_complex(e.ans):
                g = _conj(g)
            return self.apply_rules(i, g, True, <object>e.ans if new is None else new)
        if self.is_reached(self.tape.args[e.args]):
            return self.receive(self.tape.args[e.args], g, True, False)
        return 0
