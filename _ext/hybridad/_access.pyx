"""Elements, views and writes: indexing of arrays on the tape, in both directions."""

cimport cython
from libc.stdint cimport int64_t

import functools

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._memory cimport is_plain_float64, repeats_itself
from hybridad._primitive cimport Primitive
from hybridad._record cimport (
    inactive_value, new_view, open_tape, record, refresh, see)
from hybridad._tape cimport (
    ACTIVE, ADDS, ASSIGNS, CAPTURED, ELEMENT, GETITEM, IDENTITY, MASKED, READS, REPEATS, Tape,
    Value, is_wrapped, is_active, is_on_tape, new_value, owner_of, plain_of)

cnp.import_array()

cdef type _integer = np.integer

cdef object CONVERT = None


def install(convert):
    """Connect: `convert` makes an array of a list or tuple in which there are wrappers."""
    global CONVERT
    CONVERT = convert


cdef Py_ssize_t _offset(ndarray a, object index) noexcept:
    """Byte offset of the element at `index` (int, or a tuple of as many ints as axes), or -1."""
    cdef Py_ssize_t i, n, total = 0
    cdef int k, ndim = cnp.PyArray_NDIM(a)
    if type(index) is int:
        if ndim != 1:
            return -1
        i = _small_int(index)
        n = cnp.PyArray_DIM(a, 0)
        if i < 0:
            i += n
        if i < 0 or i >= n:
            return -1
        return i * cnp.PyArray_STRIDE(a, 0)
    if type(index) is not tuple or len(<tuple>index) != ndim or ndim == 0:
        return -1
    for k in range(ndim):
        item = (<tuple>index)[k]
        if type(item) is not int:
            return -1
        i = _small_int(item)
        n = cnp.PyArray_DIM(a, k)
        if i < 0:
            i += n
        if i < 0 or i >= n:
            return -1
        total += i * cnp.PyArray_STRIDE(a, k)
    return total


cdef Py_ssize_t _small_int(object i) noexcept:
    """The value of an int, or a value out of any array's range if it is too large."""
    try:
        return <Py_ssize_t>i
    except OverflowError:
        return cython.cast(Py_ssize_t, 1) << 62


cdef bint _is_basic(object index) noexcept:
    """Whether indexing with it gives a view (integers, slices, ellipsis, newaxis)."""
    if type(index) is tuple:
        for item in <tuple>index:
            if not _is_basic_item(item):
                return False
        return True
    return _is_basic_item(index)


cdef inline bint _is_basic_item(object item) noexcept:
    return (type(item) is int or type(item) is slice or item is None or item is Ellipsis
            or isinstance(item, _integer)
            or (isinstance(item, int) and type(item) is not bool))


cdef object _frozen(object index):
    """A copy of an index that the user cannot write to any more."""
    if type(index) is tuple:
        return tuple([_frozen(item) for item in <tuple>index])
    if isinstance(index, ndarray):
        return np.array(index)
    if type(index) is list:
        return np.array(index) if index else index
    return index


cdef Value _through(Value x, ndarray view):
    """What a write through `x`, which shows another storage's memory repeatedly, writes to."""
    if repeats_itself(view):
        _refuse_repeating()
    return new_view(<Value>(<tuple>owner_of(x).alias)[0], view)


cdef int _refuse_repeating() except -1:
    raise errors.UnsupportedError(errors.message(
        "An array that shows the same memory several times was about to be written through.",
        "Write into the array that it is a view of."))


cdef bint _has_ellipsis(object index) noexcept:
    if type(index) is tuple:
        for item in <tuple>index:
            if item is Ellipsis:
                return True
        return False
    return index is Ellipsis


cdef object get_item(Value x, object index):
    cdef object ans
    cdef Tape tape
    cdef Value owner
    cdef int64_t node, code
    cdef Py_ssize_t offset = -1
    tape = open_tape(x)
    if tape is None:
        return x.raw[index]
    if type(x.raw) is not ndarray:
        # A NumPy scalar takes (), ... and None, which only change its shape.
        return record(IDENTITY, x.raw[index], (x,), None)
    owner = owner_of(x)
    refresh(x)
    if is_active(x) and is_plain_float64(<ndarray>x.raw):
        offset = _offset(<ndarray>x.raw, index)
        if offset >= 0 and not tape.entries[owner.node].flags & REPEATS \
                and cnp.PyArray_TYPE(<ndarray>owner.raw) == cnp.NPY_FLOAT64:
            ans = cnp.PyArray_ToScalar(cnp.PyArray_BYTES(<ndarray>x.raw) + offset, <ndarray>x.raw)
            offset += cnp.PyArray_BYTES(<ndarray>x.raw) - cnp.PyArray_BYTES(<ndarray>owner.raw)
            if owner.node < tape.touched:
                tape.touched = owner.node
            node = tape.new_entry(None, ans, None, ACTIVE | READS)
            tape.push_arg((owner.node << 2) | 1)
            tape.push_arg((offset << 2) | 1)
            return new_value(tape, ans, node, None)
    ans = x.raw[index]
    if type(ans) is ndarray and _is_basic(index):
        if owner.alias is None and (owner.node < 0
                                    or not tape.entries[owner.node].flags & REPEATS):
            return new_view(x, ans)
        return see(x, ans, functools.partial(_record_item, x, index, ans))
    return _record_item(x, index, ans)


def _record_item(Value x, index, ans):
    """Record ``ans = x[index]`` as a result: a copy, a scalar, or what cannot be a view."""
    cdef int64_t code, node
    refresh(x)
    if not is_active(x):
        return inactive_value(x.tape, ans)
    code = x.tape.operand(x, False)
    node = x.tape.new_node(GETITEM, ans, None)
    x.tape.push_arg(code)
    x.tape.push_arg(x.tape.held(_frozen(index)))
    return new_value(x.tape, ans, node, None)


cdef int set_item(Value x, object index, object value) except -1:
    cdef Tape tape
    cdef Value owner
    cdef ndarray view
    cdef Py_ssize_t offset
    cdef int64_t code, node
    cdef object raw_value, saved
    if type(value) is list or type(value) is tuple:
        value = CONVERT(value)
    raw_value = plain_of(value)
    tape = open_tape(x)
    if tape is None:
        tape = open_tape(value)
    if tape is None or type(x.raw) is not ndarray:
        x.raw[index] = raw_value
        return 0
    owner = owner_of(x)
    if owner.alias is not None and cnp.PyArray_ISWRITEABLE(<ndarray>x.raw):
        if not _is_basic(index):
            _refuse_repeating()
        view = x.raw[index if _has_ellipsis(index) else
                     (index if type(index) is tuple else (index,)) + (Ellipsis,)]
        return set_item(_through(x, view), Ellipsis, value)
    if owner.outside:
        tape.before_write(owner, <ndarray>x.raw)
    if owner.node < 0 and not is_on_tape(value):
        x.raw[index] = raw_value
        return 0
    if owner.tape is tape and cnp.PyArray_ISWRITEABLE(<ndarray>x.raw) \
            and is_plain_float64(<ndarray>x.raw) and type(raw_value) is not ndarray \
            and cnp.PyArray_TYPE(<ndarray>owner.raw) == cnp.NPY_FLOAT64 \
            and (not tape.saves_recorded or owner.node < 0
                 or not tape.entries[owner.node].flags & CAPTURED):
        offset = _offset(<ndarray>x.raw, index)
        if offset >= 0:
            saved = None
            node = tape.owner_node(owner)
            if tape.entries[node].flags & CAPTURED:
                saved = cnp.PyArray_ToScalar(
                    cnp.PyArray_BYTES(<ndarray>x.raw) + offset, <ndarray>x.raw)
            code = tape.operand(value, False)
            x.raw[index] = raw_value
            offset += cnp.PyArray_BYTES(<ndarray>x.raw) - cnp.PyArray_BYTES(<ndarray>owner.raw)
            tape.new_write(None, <ndarray>owner.raw, None, node, None, saved, 0, offset, ELEMENT)
            tape.push_arg(code)
            _written(tape, owner, is_on_tape(value))
            return 0
    if _is_basic(index):
        view = x.raw[index if _has_ellipsis(index) else
                     (index if type(index) is tuple else (index,)) + (Ellipsis,)]
        write(tape, x, view, None, None, (value,), None, ASSIGNS,
               _SetItem.make(x.raw, index, raw_value))
    else:
        index = _frozen(index)
        if type(raw_value) is ndarray and is_wrapped(value) and owner_of(<Value>value) is owner \
                and type(index) is ndarray and cnp.PyArray_TYPE(<ndarray>index) == cnp.NPY_BOOL \
                and np.may_share_memory(x.raw, raw_value):
            # NumPy reads while it writes, in an order of its own.
            raise errors.UnsupportedError(errors.message(
                "An array was written into itself through a mask.",
                "Write a copy: x[mask] = y.copy()."))
        write(tape, x, <ndarray>x.raw, index, None, (value,), None, ASSIGNS,
               _SetItem.make(x.raw, index, raw_value))
    return 0


@cython.final
@cython.no_gc
cdef class _SetItem:
    """The plain act of ``a[index] = value``, to be performed once the tape is ready for it."""
    cdef object a, index, value

    @staticmethod
    cdef _SetItem make(object a, object index, object value):
        cdef _SetItem act = _SetItem.__new__(_SetItem)
        act.a, act.index, act.value = a, index, value
        return act

    def __call__(self):
        self.a[self.index] = self.value


cdef void _written(Tape tape, Value owner, bint active) noexcept:
    owner.version += 1
    if active and not tape.entries[owner.node].flags & ACTIVE:
        tape.entries[owner.node].flags |= ACTIVE
        tape.activated = True
    if owner.node < tape.touched:
        tape.touched = owner.node


cdef int write(Tape tape, Value x, ndarray view, object index, Primitive prim,
                tuple operands, object kwargs, int kind, object perform) except -1:
    """Record a write through `view` (a view of the memory of `x`) and perform it.

    Operands are read before the write; an operand may share memory with the region. `prim` None:
    the region becomes the one operand. Nothing is recorded if `perform` raises (but for
    floating-point errors).
    """
    cdef Value owner = owner_of(x)
    cdef list codes = []
    cdef int64_t node, code, saved_code = 0
    cdef object saved = None
    cdef object operand, region, saved_value
    cdef bint active = False
    cdef int k
    if not x.tape.is_open or x.tape is not tape:
        raise errors.ScopeError(errors.message(
            f"A value of the run of {tape.name} was written into an array of another run.",
            "Create the array inside the function."))
    if not cnp.PyArray_ISWRITEABLE(<ndarray>x.raw):
        perform()                       # raises as plain code would
        raise ValueError("assignment destination is read-only")
    if owner.alias is not None:
        x = _through(x, view)
        owner = owner_of(x)
    if owner.outside:
        tape.before_write(owner, view)
    node = tape.owner_node(owner)
    for k, operand in enumerate(operands):
        if is_wrapped(operand) and (<Value>operand).tape is tape:
            refresh(operand)
            active = active or is_on_tape(operand)
        code = tape.operand(operand, prim is not None and (prim.needs >> (k + 1)) & 1 != 0)
        codes.append(code)
    if tape.entries[node].flags & CAPTURED:
        region = new_view(x, view)
        if index is not None and kind != MASKED:
            region = get_item(region, index)
        if tape.saves_recorded and is_on_tape(region):
            # A sweep inside this run may have to put the value back as a recorded write.
            saved_value = record(IDENTITY, plain_of(region).copy(), (region,), None)
            saved = plain_of(saved_value)
            saved_code = ((<Value>saved_value).node << 2) | 1
        else:
            saved = plain_of(region).copy()
    if prim is not None and prim.needs & 1:
        tape.entries[node].flags |= CAPTURED
    error = None
    try:
        perform()
    except (FloatingPointError, Warning) as raised:
        error = raised      # NumPy has written all the same
    except BaseException:
        tape.drop(codes)
        raise
    tape.new_write(prim, view, kwargs, node, index, saved, saved_code, 0, kind)
    for code in codes:
        tape.push_arg(code)
    _written(tape, owner, active)
    if error is not None:
        raise error
    return 0


def record_write(Value target, ndarray view, index, Primitive prim, tuple operands, kwargs,
                 perform, masked=False, adds=False):
    """Record and perform a write into `target`.

    Parameters
    ----------
    target : Value
    view : ndarray
        The plain view of `target`'s memory that is written through.
    index : object
        None: all of `view` is written; else the part of it (an index that is no view; with
        `masked` a boolean array of the view's shape).
    prim : Primitive or None
        What computes the new content from `operands`; None: it becomes the one operand.
    operands : tuple
    kwargs : dict or None
    perform : callable
        Does the plain write.
    masked, adds : bool
        The kind of write: values of the whole region's shape under a mask; ``np.add.at``.
    """
    cdef Tape tape = open_tape(target)
    cdef object x
    if tape is None:
        for x in operands:
            tape = open_tape(x) if tape is None else tape
    if tape is None or (owner_of(target).node < 0 and owner_of(target).alias is None
                        and not any([is_on_tape(x) for x in operands])):
        if tape is not None and owner_of(target).outside:
            tape.before_write(owner_of(target), view)
        perform()
        return
    write(tape, target, view, index, prim, operands, kwargs,
           MASKED if masked else ADDS if adds else ASSIGNS, perform)
