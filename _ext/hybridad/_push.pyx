"""The push: tangents from the arguments on to the result (see `_pass` for slots and windows)."""

from cpython.number cimport PyNumber_Add
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad._pass cimport Pass, is_complex, number
from hybridad._primitive cimport Primitive
from hybridad._tape cimport (
    ACTIVE, ADDS, ELEMENT, GETITEM, MASKED, READS, WRITES, Entry, is_wrapped, Write)

cnp.import_array()

cdef object _add_at = np.add.at
cdef object _where = np.where

# Set once by `install`: functions of the rooms above.
cdef object PROJECT = None
cdef object BROADCAST_TANGENT = None


def install(project, broadcast_tangent):
    """Connect the push to `rules.spaces`."""
    global PROJECT, BROADCAST_TANGENT
    PROJECT, BROADCAST_TANGENT = project, broadcast_tangent


cdef class Push(Pass):
    """Forward mode: from the arguments on to the result."""

    def seed(self, int64_t node, value):
        cdef object like = <object>self.tape.entries[node].ans
        value = self.as_array(PROJECT(number(value), like), like)
        if type(value) is ndarray:
            value = value.copy()
            self.set_slot(node, value, self.recording is None)
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
            self.set_slot(i, t, self.recording is None and type(t) is ndarray)
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
        total = self.as_array(BROADCAST_TANGENT(number(total), like), like)
        # It must not share memory with the tangent of an operand, which may be written to later.
        if type(like) is ndarray:
            if is_wrapped(total) or cnp.PyArray_BASE(<ndarray>total) != NULL \
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
        elif not is_complex(e.ans) and np.iscomplexobj(t):
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
