from cpython.ref cimport PyObject
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from numpy cimport ndarray

from hybridad._primitive cimport Primitive

cdef enum Flag:
    ACTIVE = 1      # depends on a differentiated argument
    CAPTURED = 2    # a rule will read this memory: later writes save what they overwrite
    WRITES = 4      # the entry writes into an older storage (`write` says where)
    READS = 8       # reads one float64 element (args: operand, byte offset)
    REPEATS = 16    # the array repeats memory (broadcast), so it can have no windows
    DECIDES = 32    # a decision that came from data (ans: kind and outcome; kwargs: the site)

cdef enum Kind:
    ASSIGNS = 0     # the region becomes the value
    ELEMENT = 1     # the same for one float64 element at a byte offset
    MASKED = 2      # only where the mask `index` is true, of values of the region's shape
    ADDS = 3        # adds the value at `index`, repeated indices add up (`np.add.at`)

cdef enum Whose:
    OURS = 0        # made by the run
    OUTSIDE = 1     # of the caller or of outside objects
    LEAF = 2        # the copy of a differentiated argument

cdef struct Entry:
    PyObject* prim      # Primitive, NULL: a leaf, a constant, an element read or a plain write
    PyObject* ans       # the raw result; of a write, the raw view it writes through
    PyObject* kwargs    # dict of static keyword arguments, or NULL
    int64_t args        # where its operands begin in `Tape.args`
    int32_t nargs
    int32_t write       # place in `Tape.writes`, or -1
    int8_t out          # of a function with several results: which one this is
    int8_t nout         # and how many there are (0: one)
    uint8_t flags

cdef struct Write:
    int64_t target      # node of the storage written to
    int64_t saved_code  # operand code of `saved` if it was recorded itself, else 0
    PyObject* saved     # what was overwritten, or NULL if nothing will read it
    PyObject* index     # an index that is no view (fancy, mask), or NULL
    Py_ssize_t offset
    int8_t kind

cdef struct View:
    PyObject* raw
    int64_t node
    bint active

cdef class Value:
    cdef Tape tape
    cdef Value base     # the owner of the storage; None: this one is
    cdef object raw
    cdef int64_t node   # of an owner: its entry; -1: not on the tape
    cdef int64_t born       # how many wrappers the tape had made before
    cdef int64_t version    # of an owner: how often it was written to
    cdef int outside        # of an owner: whose memory it is, see `Whose`
    cdef object alias       # of an owner that repeats memory of another one: (that one, its version
                            # when this was recorded, how to record this again)

cdef class Tape:
    cdef Entry* entries
    cdef int64_t n, capacity
    cdef int64_t* args
    cdef int64_t nargs, args_capacity
    cdef Write* writes
    cdef int64_t nwrites, writes_capacity
    cdef View* views
    cdef int64_t nviews, views_capacity
    cdef dict snapshots
    cdef PyObject* recent[16]   # pairs of a small plain array and its copy, by address
    cdef public object name
    cdef public bint is_open
    cdef public bint saves_recorded
    cdef public bint keeps_constants    # constants are held as they are, not copied or left out
    cdef public int64_t touched
    cdef public bint activated
    cdef readonly unsigned long thread
    cdef public object site     # of the recording form: the place in the source that is running
    cdef public int hashing     # numbers may be hashed: a builtin container is asked, by key
    cdef public object poison       # an error that the run must end with, or None
    cdef readonly int64_t decisions     # how many were noted
    cdef public bint visible    # somebody outside sees memory that the tape works on
    cdef public object on_write     # called with a storage of outside memory before a write
    cdef int64_t made       # how many wrappers there have been
    cdef int64_t floor      # and how many when the innermost run began
    cdef int64_t live       # how many wrappers of the innermost run are alive
    cdef int64_t dead       # and how many older ones died since it began

    cdef int check(self) except -1
    cdef int64_t new_entry(self, Primitive prim, object ans, object kwargs, uint8_t flags) except -1
    cdef int decide(self, str kind, object outcome) except -1
    cdef int before_write(self, Value owner, ndarray view) except -1
    cdef int64_t new_node(self, Primitive prim, object ans, object kwargs) except -1
    cdef int push_arg(self, int64_t code) except -1
    cdef int64_t operand(self, object x, bint needed) except -1
    cdef int64_t constant(self, object x, bint needed) except -1
    cdef int64_t held(self, object x) noexcept
    cdef void drop(self, list codes) noexcept
    cdef int64_t owner_node(self, Value owner) except -1
    cdef int capture(self, Value owner) except -1
    cdef int64_t new_write(self, Primitive prim, ndarray view, object kwargs, int64_t target,
                           object index, object saved, int64_t saved_code, Py_ssize_t offset,
                           int kind) except -1
    cdef object snapshot(self, ndarray x)
    cdef int _move(self, PyObject** place, tuple pair) except -1
    cdef void forget(self) noexcept
    cdef void free_entry(self, int64_t i) noexcept
    cdef void free_from(self, int64_t start, int64_t nargs, int64_t nwrites, int64_t nviews) noexcept

cdef type ARRAY, SCALAR

cdef void set_wrappers(type array, type scalar) noexcept
cdef Value new_value(Tape tape, object raw, int64_t node, Value base)
cdef bint is_active(Value x) noexcept

cdef inline Value owner_of(Value x):
    """What owns the storage that `x` shows."""
    return x if x.base is None else x.base

cdef inline bint is_wrapped(object x) noexcept:
    """Whether `x` is a wrapper (`isinstance` would look at what it poses as)."""
    return type(x) is ARRAY or type(x) is SCALAR

cdef inline object plain_of(object x):
    """The plain value of a wrapper; anything else as it is."""
    return (<Value>x).raw if is_wrapped(x) else x

cdef inline bint is_on_tape(object x) noexcept:
    """Whether `x` is an active wrapper."""
    return is_wrapped(x) and is_active(<Value>x)

cdef Primitive IDENTITY, GETITEM
