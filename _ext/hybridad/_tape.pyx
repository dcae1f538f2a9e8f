"""The tape: what one run did, as flat arrays of entries.

An entry is a primitive, its raw result and its operands. Entries number the *nodes*: a node is a
scalar, or the storage (the memory) of an array. Views are no entries: an operand that is a view
names the node of its storage and carries the raw view. A write into a storage is an entry that
names the storage it writes to; if some rule will read what it overwrites, that is saved, and the
sweep puts it back when it passes. Hence versions: the newest owns the memory, older ones are
readable in the order in which the sweep needs them, and n writes cost O(n).

Operand codes (`Tape.args`), by their two lowest bits: 0 a pointer to a constant; 1 an active node;
3 an inactive node (its value is needed, its cotangent is not); 2 a place in `Tape.views`.
"""

cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdlib cimport free, realloc
from libc.string cimport memset

import copy
import operator

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._memory cimport copy_as, lies_within, repeats_itself, same_bytes, same_layout, window

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident()

cnp.import_array()


def _same(g, ans, x):
    return g


cdef Primitive IDENTITY = Primitive(
    np.copy, "copy", "elementwise", vjps=(_same,), jvps=(_same,), params=("a",), needs=0)
cdef Primitive GETITEM = Primitive(operator.getitem, "getitem", "rule", needs=0)


@cython.no_gc
cdef class Value:
    """What `f` sees in place of a number or an array; `_parray` gives it its behaviour."""


    def __dealloc__(self):
        if self.tape is not None:
            if self.born >= self.tape.floor:
                self.tape.live -= 1
            else:
                self.tape.dead += 1


cdef type ARRAY = Value
cdef type SCALAR = Value
cdef tuple _NOTHING = ()


cdef void set_wrappers(type array, type scalar) noexcept:
    """Say which subclasses of Value `new_value` makes; once, when `_parray` is imported."""
    global ARRAY, SCALAR
    ARRAY, SCALAR = array, scalar


cdef Value new_value(Tape tape, object raw, int64_t node, Value base):
    """A wrapper: of the result of entry `node`, or of a view of the storage of `base`."""
    cdef type kind = ARRAY if type(raw) is ndarray else SCALAR
    cdef Value x = <Value>(<PyTypeObject*>kind).tp_new(kind, <PyObject*>_NOTHING, NULL)
    x.tape = tape
    x.base = base
    x.raw = raw
    x.node = node
    x.born = tape.made
    tape.made += 1
    tape.live += 1
    return x


cdef bint is_active(Value x) noexcept:
    """Whether the value depends on a differentiated argument of a run in progress."""
    cdef Value owner = x if x.base is None else x.base
    return (owner.node >= 0 and owner.tape.is_open
            and (owner.tape.entries[owner.node].flags & ACTIVE) != 0)


cdef bint _is_mutable(tuple x):
    """Whether the user could still write to something inside a tuple."""
    for item in x:
        if type(item) in (list, dict, ndarray) or type(item) is tuple and _is_mutable(<tuple>item):
            return True
    return False


cdef class Tape:
    """The log of one run. See the module's docstring for the form of its entries."""

    def __cinit__(self):
        self.entries = NULL
        self.args = NULL
        self.writes = NULL
        self.views = NULL
        memset(self.recent, 0, sizeof(self.recent))

    def __init__(self, name="f"):
        self.name = name
        self.is_open = True
        self.thread = PyThread_get_thread_ident()
        self.snapshots = {}

    def __len__(self):
        return self.n

    def __dealloc__(self):
        self.free_from(0, 0, 0, 0)
        self.forget()
        free(self.entries)
        free(self.args)
        free(self.writes)
        free(self.views)

    # -- recording ---------------------------------------------------------------------------

    cdef int check(self) except -1:
        if self.thread != PyThread_get_thread_ident():
            error = errors.ScopeError(errors.message(
                f"A value of the run of {self.name} was used in another thread.",
                "Differentiate inside the thread: call value_and_grad there."))
            # What the other thread was to do is missing: the run must not end as if it were there.
            self.poison = error if self.poison is None else self.poison
            raise error
        return 0

    cdef int64_t new_entry(self, Primitive prim, object ans, object kwargs,
                           uint8_t flags) except -1:
        """Append an entry without operands; those pushed next are its own."""
        cdef Entry* e
        if self.n == self.capacity:
            self.capacity = 256 if self.capacity == 0 else self.capacity + self.capacity // 2
            e = <Entry*>realloc(self.entries, self.capacity * sizeof(Entry))
            if e == NULL:
                raise MemoryError()
            self.entries = e
        e = &self.entries[self.n]
        e.prim = NULL
        if prim is not None:
            Py_INCREF(prim)
            e.prim = <PyObject*>prim
        Py_INCREF(ans)
        e.ans = <PyObject*>ans
        e.kwargs = NULL
        if kwargs is not None:
            Py_INCREF(kwargs)
            e.kwargs = <PyObject*>kwargs
        e.args = self.nargs
        e.nargs = 0
        e.write = -1
        e.out = -1
        e.nout = 0
        e.flags = flags
        self.n += 1
        return self.n - 1

    cdef int decide(self, str kind, object outcome) except -1:
        """Note a decision that came from data, at the site that is running."""
        self.new_entry(None, (kind, outcome), self.site, DECIDES)
        self.decisions += 1
        return 0

    def guard(self, str kind, outcome):
        """Note a decision that came from data: its kind and outcome, at the site that is running."""
        self.decide(kind, outcome)

    def guards(self):
        """The decisions noted, in order.

        Returns
        -------
        list of tuple
            ``(position, site, kind, outcome)``.
        """
        cdef int64_t i
        cdef list found = []
        for i in range(self.n):
            if self.entries[i].flags & DECIDES:
                kind, outcome = <object>self.entries[i].ans
                site = None if self.entries[i].kwargs == NULL else <object>self.entries[i].kwargs
                found.append((i, site, kind, outcome))
        return found

    cdef int before_write(self, Value owner, ndarray view) except -1:
        """A storage that came from outside is about to be written to."""
        if owner.outside == OUTSIDE:
            self.visible = True
        if self.on_write is not None:
            self.on_write(owner, view)
        return 0

    cdef int64_t new_node(self, Primitive prim, object ans, object kwargs) except -1:
        """An active entry for the result of a primitive."""
        cdef uint8_t flags = ACTIVE
        if type(ans) is ndarray:
            if prim is not None and prim.needs & 1:
                flags |= CAPTURED
            if repeats_itself(<ndarray>ans):
                flags |= REPEATS
        return self.new_entry(prim, ans, kwargs, flags)

    cdef int push_arg(self, int64_t code) except -1:
        """Give the newest entry its next operand."""
        cdef int64_t* grown
        if self.nargs == self.args_capacity:
            self.args_capacity = (512 if self.args_capacity == 0
                                  else self.args_capacity + self.args_capacity // 2)
            grown = <int64_t*>realloc(self.args, self.args_capacity * sizeof(int64_t))
            if grown == NULL:
                raise MemoryError()
            self.args = grown
        self.args[self.nargs] = code
        self.nargs += 1
        self.entries[self.n - 1].nargs += 1
        return 0

    cdef int64_t operand(self, object x, bint needed) except -1:
        """The operand code of `x`; `needed`: a rule reads its value, not only its type.

        May append an entry (a constant storage), so codes are made before their entry.
        """
        cdef Value owner
        cdef int64_t node
        cdef bint active
        cdef View* grown
        if not isinstance(x, Value):
            return self.constant(x, needed)
        owner = owner_of(<Value>x)
        if owner.tape is not self:
            if owner.tape.is_open:
                raise errors.ScopeError(errors.message(
                    f"A value of the run of {owner.tape.name} was used in the run of {self.name}.",
                    "Pass it to the function as an argument."))
            return self.constant((<Value>x).raw, needed)
        node = owner.node
        if node < 0:
            if type(owner.raw) is not ndarray or not needed:
                return self.constant((<Value>x).raw, needed)
            node = self.owner_node(owner)
        active = (self.entries[node].flags & ACTIVE) != 0
        if active and node < self.touched:
            self.touched = node
        if needed and type(owner.raw) is ndarray:
            self.capture(owner)
        if not active and not needed and not self.keeps_constants:
            return self.constant(None, False)
        if owner is x:
            return (node << 2) | (1 if active else 3)
        if self.nviews == self.views_capacity:
            self.views_capacity = (64 if self.views_capacity == 0
                                   else self.views_capacity + self.views_capacity // 2)
            grown = <View*>realloc(self.views, self.views_capacity * sizeof(View))
            if grown == NULL:
                raise MemoryError()
            self.views = grown
        Py_INCREF((<Value>x).raw)
        self.views[self.nviews].raw = <PyObject*>(<Value>x).raw
        self.views[self.nviews].node = node
        self.views[self.nviews].active = active
        self.nviews += 1
        return ((self.nviews - 1) << 2) | 2

    cdef int64_t constant(self, object x, bint needed) except -1:
        """The code of a constant. What could be written to later is copied, if a rule reads it."""
        if self.keeps_constants:
            return self.held(x)
        if type(x) is ndarray:
            x = self.snapshot(<ndarray>x) if needed else None
        elif type(x) is list or type(x) is dict or type(x) is tuple and _is_mutable(<tuple>x):
            x = copy.deepcopy(x)
        return self.held(x)

    cdef int64_t held(self, object x) noexcept:
        """The code of an object that nobody writes to any more."""
        Py_INCREF(x)
        return <int64_t><PyObject*>x

    cdef void drop(self, list codes) noexcept:
        """Let go of operands that will not belong to an entry after all."""
        cdef int64_t code
        for code in codes:
            if code & 3 == 0:
                Py_XDECREF(<PyObject*>code)

    cdef int64_t owner_node(self, Value owner) except -1:
        """The node of a storage; one that was not on the tape becomes a constant node."""
        if owner.node < 0:
            owner.node = self.new_entry(
                None, owner.raw, None, REPEATS if repeats_itself(<ndarray>owner.raw) else 0)
            self.activated = True       # the wrapper may outlive a run inside this one
        return owner.node

    cdef int capture(self, Value owner) except -1:
        """Note that a rule will read the memory of a storage: later writes save what they
        overwrite."""
        self.entries[self.owner_node(owner)].flags |= CAPTURED
        if owner.alias is not None:
            self.capture(<Value>(<tuple>owner.alias)[0])
        return 0

    cdef int64_t new_write(self, Primitive prim, ndarray view, object kwargs, int64_t target,
                           object index, object saved, int64_t saved_code, Py_ssize_t offset,
                           int kind) except -1:
        """Append a write; the operands of `prim` (or the one value) are pushed next."""
        cdef Write* grown
        cdef Write* w
        cdef int64_t i
        if self.nwrites == self.writes_capacity:
            self.writes_capacity = (64 if self.writes_capacity == 0
                                    else self.writes_capacity + self.writes_capacity // 2)
            grown = <Write*>realloc(self.writes, self.writes_capacity * sizeof(Write))
            if grown == NULL:
                raise MemoryError()
            self.writes = grown
        i = self.new_entry(prim, view, kwargs, WRITES)
        w = &self.writes[self.nwrites]
        memset(w, 0, sizeof(Write))
        w.target = target
        w.saved_code = saved_code
        w.offset = offset
        w.kind = kind
        if index is not None:
            Py_INCREF(index)
            w.index = <PyObject*>index
        if saved is not None:
            Py_INCREF(saved)
            w.saved = <PyObject*>saved
        self.entries[i].write = <int32_t>self.nwrites
        self.nwrites += 1
        return i

    cdef object snapshot(self, ndarray x):
        """A copy of a plain array that the user might still write to; one copy per array.

        Large arrays are copied once per run and compared at every further use, since a copy for
        each use (a weight matrix in a loop) would cost memory without bound.
        """
        cdef ndarray kept
        cdef tuple key
        cdef int place
        if not (cnp.PyArray_IS_C_CONTIGUOUS(x) or cnp.PyArray_IS_F_CONTIGUOUS(x)):
            return copy_as(x)
        if cnp.PyArray_NBYTES(x) < 16384:
            place = 2 * ((<size_t><PyObject*>x >> 5) & 7)
            if self.recent[place] == <PyObject*>x:
                kept = <ndarray>self.recent[place + 1]
                if same_layout(kept, x) and cnp.PyArray_TYPE(kept) == cnp.PyArray_TYPE(x) \
                        and same_bytes(kept, x):
                    return kept
            kept = copy_as(x)
            Py_XDECREF(self.recent[place])
            Py_XDECREF(self.recent[place + 1])
            Py_INCREF(x)
            Py_INCREF(kept)
            self.recent[place] = <PyObject*>x
            self.recent[place + 1] = <PyObject*>kept
            return kept
        key = (<size_t>cnp.PyArray_DATA(x), (<object>x).shape, (<object>x).strides,
               (<object>x).dtype)
        known = self.snapshots.get(key)
        if known is not None:
            kept = known[1]
            if same_bytes(kept, x):
                return kept
        kept = copy_as(x)
        self.snapshots[key] = (x, kept)
        return kept

    # -- releasing ---------------------------------------------------------------------------

    cdef void free_entry(self, int64_t i) noexcept:
        cdef Entry* e = &self.entries[i]
        cdef Write* w
        cdef int64_t k
        for k in range(e.args, e.args + e.nargs):
            if self.args[k] & 3 == 0:
                Py_XDECREF(<PyObject*>self.args[k])
            elif self.args[k] & 3 == 2 and not e.flags & READS:
                Py_XDECREF(self.views[self.args[k] >> 2].raw)
                self.views[self.args[k] >> 2].raw = NULL
            self.args[k] = 0
        if e.write >= 0:
            w = &self.writes[e.write]
            Py_XDECREF(w.saved)
            w.saved = NULL
            Py_XDECREF(w.index)
            w.index = NULL
        Py_XDECREF(e.ans)
        Py_XDECREF(e.kwargs)
        Py_XDECREF(e.prim)
        e.ans = NULL
        e.kwargs = NULL
        e.prim = NULL
        e.nargs = 0

    cdef void free_from(self, int64_t start, int64_t nargs, int64_t nwrites,
                        int64_t nviews) noexcept:
        cdef int64_t i = self.n
        while i > start:
            i -= 1
            self.free_entry(i)
        # Views of operands that never came to belong to an entry (it raised before).
        for i in range(nviews, self.nviews):
            Py_XDECREF(self.views[i].raw)
            self.views[i].raw = NULL
        self.n = start
        self.nargs = nargs
        self.nwrites = nwrites
        self.nviews = nviews

    cdef void forget(self) noexcept:
        """Let go of the small arrays that were copied last."""
        cdef int k
        for k in range(16):
            Py_XDECREF(self.recent[k])
            self.recent[k] = NULL

    def detach(self, shared, list shown):
        """Give storages whose memory others can write to memory of their own.

        Parameters
        ----------
        shared : set of int
            Nodes. What they hold now is copied; views and writes move along.
        shown : list of tuple
            ``(node, raw)``, views of storages.

        Returns
        -------
        list
            The views of `shown`, moved along where their storages were.
        """
        cdef int64_t i, node
        cdef Entry* e
        cdef dict moved = {}
        for i in shared:
            moved[i] = (<object>self.entries[i].ans, copy_as(<ndarray>self.entries[i].ans))
        found = [window(<ndarray>moved[node][1], <ndarray>moved[node][0], <ndarray>raw)
                 if node in moved else raw for node, raw in shown]
        for i in range(self.nviews):
            node = self.views[i].node
            if self.views[i].raw != NULL and node in moved:
                self._move(&self.views[i].raw, moved[node])
        for i in range(self.n):
            e = &self.entries[i]
            if i in moved:
                self._move(&e.ans, moved[i])
            elif e.flags & REPEATS:     # it may show such a storage without being a view on the tape
                for pair in moved.values():
                    if lies_within(<ndarray><object>e.ans, <ndarray>(<tuple>pair)[0]):
                        self._move(&e.ans, pair)
                        break
            elif e.flags & WRITES and self.writes[e.write].target in moved:
                self._move(&e.ans, moved[self.writes[e.write].target])
        return found

    cdef int _move(self, PyObject** place, tuple pair) except -1:
        cdef ndarray base = <ndarray>pair[0]
        cdef object made = window(<ndarray>pair[1], base, <ndarray><object>place[0])
        cdef PyObject* old = place[0]
        Py_INCREF(made)
        place[0] = <PyObject*>made
        Py_XDECREF(old)
        return 0

    def living(self):
        """How many wrappers of the innermost run are alive."""
        return self.live

    def begin_run(self):
        """Count the wrappers of a run that begins; returns what `end_run` needs."""
        before = (self.floor, self.live, self.dead)
        self.floor, self.live, self.dead = self.made, 0, 0
        return before

    def end_run(self, before):
        """Go back to counting for the run around; returns how many wrappers of this one live."""
        cdef int64_t held = self.live
        floor, live, dead = before
        # Which of the runs around the older wrappers belonged to is known if there is but one;
        # otherwise they count as alive, which keeps memory longer but is never wrong.
        self.live = live + held - (self.dead if floor == 0 else 0)
        self.floor, self.dead = floor, dead
        return held

    def entries_since(self, int64_t start):
        """What was recorded from entry `start` on, for those who make formulas of it.

        The tape must have `keeps_constants` set while recording.

        Returns
        -------
        list of tuple
            ``(node, primitive, ans, kwargs, operands, out, nout, write)`` for each entry: operands
            are ``("node", number)``, ``("view", number, raw)`` or ``("constant", object)``;
            `primitive` is None for leaves, constants, plain writes and element reads (the one
            operand of which is ``("element", number, byte offset)``); `write` is None or
            ``(target node, index, kind)``, and `ans` then the raw view that is written through.
        """
        cdef int64_t i, k, code
        cdef Entry* e
        cdef Write* w
        cdef list found = []
        for i in range(start, self.n):
            e = &self.entries[i]
            if e.flags & DECIDES:
                continue
            operands = []
            if e.flags & READS:
                operands.append(("element", self.args[e.args] >> 2, self.args[e.args + 1] >> 2))
            else:
                for k in range(e.args, e.args + e.nargs):
                    code = self.args[k]
                    if code & 3 == 0:
                        operands.append(("constant", <object><PyObject*>code))
                    elif code & 3 == 2:
                        operands.append(("view", self.views[code >> 2].node,
                                         <object>self.views[code >> 2].raw))
                    else:
                        operands.append(("node", code >> 2))
            write = None
            if e.write >= 0:
                w = &self.writes[e.write]
                write = (w.target, None if w.index == NULL else <object>w.index, w.kind)
            found.append((
                i, None if e.prim == NULL else <object>e.prim,
                None if e.ans == NULL else <object>e.ans,
                None if e.kwargs == NULL else <object>e.kwargs,
                operands, e.out, e.nout, write))
        return found

    def mark(self):
        """Where the tape ends now, for `release`."""
        return (self.n, self.nargs, self.nwrites, self.nviews)

    def release(self, mark):
        """Free everything recorded after `mark`; no value of that part may be in use."""
        n, nargs, nwrites, nviews = mark
        self.free_from(n, nargs, nwrites, nviews)

    def close(self):
        """End the recording: values that survive act as their plain values from now on."""
        self.is_open = False
        # Only recording needs these.
        self.snapshots = {}
        self.site = None
        self.on_write = None
        self.forget()
