"""PersistentArray: what `f` sees in place of a number or an array.

It holds the plain value (`raw`) that plain code would have, computes with it exactly as plain code
would, and records on the tape what depends on a differentiated argument. Views share the storage of
their base; a write through either is seen by both, and the tape keeps older versions readable.
"""

cimport cython
from cpython.object cimport (
    Py_EQ, Py_GE, Py_GT, Py_LE, Py_LT, Py_NE, PyObject_RichCompare)
from cpython.number cimport (
    PyNumber_Absolute, PyNumber_Add, PyNumber_FloorDivide, PyNumber_InPlaceAdd,
    PyNumber_InPlaceFloorDivide, PyNumber_InPlaceMatrixMultiply, PyNumber_InPlaceMultiply,
    PyNumber_InPlacePower, PyNumber_InPlaceRemainder, PyNumber_InPlaceSubtract,
    PyNumber_InPlaceTrueDivide, PyNumber_MatrixMultiply, PyNumber_Multiply, PyNumber_Negative,
    PyNumber_Positive, PyNumber_Power, PyNumber_Remainder, PyNumber_Subtract, PyNumber_TrueDivide)
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from types import MethodType

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._memory cimport (
    DIFFERENCE, PRODUCT, QUOTIENT, SUM, copy_as, is_plain_float64, lies_within, repeats_itself,
    small_arithmetic)
from hybridad._primitive cimport Primitive
from hybridad._tape cimport (
    ACTIVE, ADDS, ALIAS, ASSIGNS, CAPTURED, ELEMENT, GETITEM, IDENTITY, MASKED, READS, REPEATS, Tape,
    Value, is_active, owner_of)

cnp.import_array()

ctypedef object (*binary_function)(object, object)


cdef object _sum(object a, object b):
    cdef object c = small_arithmetic(SUM, a, b)
    return PyNumber_Add(a, b) if c is None else c


cdef object _difference(object a, object b):
    cdef object c = small_arithmetic(DIFFERENCE, a, b)
    return PyNumber_Subtract(a, b) if c is None else c


cdef object _product(object a, object b):
    cdef object c = small_arithmetic(PRODUCT, a, b)
    return PyNumber_Multiply(a, b) if c is None else c


cdef object _quotient(object a, object b):
    cdef object c = small_arithmetic(QUOTIENT, a, b)
    return PyNumber_TrueDivide(a, b) if c is None else c


cdef object _inexact = np.inexact
cdef type _generic = np.generic
cdef type _bool_scalar = np.bool_
cdef type _integer = np.integer

# Set once by `install`: the registry of primitives, and the Python rooms that serve what is not
# on the hot path.
cdef dict PRIMITIVES = {}
cdef dict METHODS = {}
cdef object UFUNC_METHOD = None
cdef object ARRAY_FUNCTION = None
cdef object CONVERT = None
cdef object LOST = None
cdef Primitive P_ADD, P_SUBTRACT, P_MULTIPLY, P_DIVIDE, P_POWER, P_REMAINDER, P_FLOOR_DIVIDE
cdef Primitive P_MATMUL, P_NEGATIVE, P_POSITIVE, P_ABSOLUTE


def install(dict primitives, dict methods, ufunc_method, array_function, convert, lost):
    """Connect the wrappers to the rules and to the Python rooms above.

    Parameters
    ----------
    primitives : dict
        Function -> Primitive.
    methods : dict
        Name of an attribute -> function of the wrapper (``functions`` become bound methods,
        ``property`` objects attributes).
    ufunc_method : callable
        Serves ``__array_ufunc__`` apart from plain calls.
    array_function : callable
        Serves ``__array_function__``.
    convert : callable
        Makes an array of a list or tuple in which there are wrappers.
    lost : callable
        ``lost(value, how)`` raises LostDerivativeError.
    """
    global PRIMITIVES, METHODS, UFUNC_METHOD, ARRAY_FUNCTION, CONVERT, LOST
    global P_ADD, P_SUBTRACT, P_MULTIPLY, P_DIVIDE, P_POWER, P_REMAINDER, P_FLOOR_DIVIDE
    global P_MATMUL, P_NEGATIVE, P_POSITIVE, P_ABSOLUTE
    PRIMITIVES, METHODS = primitives, methods
    UFUNC_METHOD, ARRAY_FUNCTION, CONVERT, LOST = ufunc_method, array_function, convert, lost
    P_ADD, P_SUBTRACT = primitives[np.add], primitives[np.subtract]
    P_MULTIPLY, P_DIVIDE = primitives[np.multiply], primitives[np.divide]
    P_POWER, P_REMAINDER = primitives[np.power], primitives[np.remainder]
    P_FLOOR_DIVIDE, P_MATMUL = primitives[np.floor_divide], primitives[np.matmul]
    P_NEGATIVE, P_POSITIVE = primitives[np.negative], primitives[np.positive]
    P_ABSOLUTE = primitives[np.absolute]


# -- making values -------------------------------------------------------------------------------

cdef PersistentArray new_value(Tape tape, object raw, int64_t node, Value base):
    cdef PersistentArray x = PersistentArray.__new__(PersistentArray)
    x.tape = tape
    x.base = base
    x.raw = raw
    x.node = node
    tape.live += 1
    return x


cdef inline bint _is_inexact(ndarray a) noexcept:
    return cnp.PyArray_ISFLOAT(a) or cnp.PyArray_ISCOMPLEX(a)


cdef object _inactive(Tape tape, object ans):
    """A result that does not depend on any active value, as `f` should see it.

    Floating arrays stay wrapped, because active values may be written into them later.
    """
    if type(ans) is ndarray and _is_inexact(<ndarray>ans):
        return new_value(tape, ans, -1, None)
    return ans


cdef inline object _raw(object x):
    return (<Value>x).raw if type(x) is PersistentArray else x


cdef inline bint _on_tape(object x) noexcept:
    return type(x) is PersistentArray and is_active(<Value>x)


cdef bint _is_operand(object x) except -1:
    """Whether plain arithmetic with `x` may be followed; raises for kinds of arrays that may not."""
    cdef type t = type(x)
    if t is ndarray or t is float or t is int or t is complex or t is bool:
        return True
    if issubclass(t, _generic):
        return True
    if isinstance(x, ndarray):
        raise errors.ArgumentError(errors.message(
            f"{t.__module__}.{t.__name__} cannot take part in differentiated arithmetic.",
            "Convert it first: np.asarray(a) (for a masked array, fill it: a.filled(0.0))."))
    return t is list or t is tuple


cdef Tape _open_tape(object x):
    """The tape of a wrapper if its run is still on, else None; checks the thread."""
    cdef Tape tape
    if type(x) is not PersistentArray:
        return None
    tape = (<Value>x).tape
    if not tape.is_open:
        return None
    tape.check()
    return tape


# -- operators -----------------------------------------------------------------------------------

cdef object _binary(binary_function function, Primitive prim, object a, object b):
    cdef Tape tape
    cdef object ra, rb, ans
    if type(a) is PersistentArray:
        ra = (<Value>a).raw
    else:
        if not _is_operand(a):
            return NotImplemented
        if type(a) is list or type(a) is tuple:
            a = CONVERT(a)
        ra = _raw(a)
    if type(b) is PersistentArray:
        rb = (<Value>b).raw
    else:
        if not _is_operand(b):
            return NotImplemented
        if type(b) is list or type(b) is tuple:
            b = CONVERT(b)
        rb = _raw(b)
    tape = _open_tape(a)
    if tape is None:
        tape = _open_tape(b)
    ans = function(ra, rb)
    if tape is None:
        return ans
    return _record_two(tape, prim, ans, a, b)


cdef object _record_two(Tape tape, Primitive prim, object ans, object a, object b):
    """As `record`, for the two operands of an elementwise primitive."""
    cdef int64_t code_a, code_b, node
    if prim.is_constant or not (_on_tape(a) or _on_tape(b)):
        return _inactive(tape, ans)
    _refresh(a)
    _refresh(b)
    code_a = tape.operand(a, (prim.needs & 2) != 0)
    code_b = tape.operand(b, (prim.needs & 4) != 0)
    node = tape.new_node(prim, ans, None)
    tape.push_arg(code_a)
    tape.push_arg(code_b)
    return new_value(tape, ans, node, None)


cdef object _unary(Primitive prim, object ans, PersistentArray x):
    cdef Tape tape = _open_tape(x)
    cdef int64_t code, node
    if tape is None:
        return ans
    if not is_active(x):
        return _inactive(tape, ans)
    _refresh(x)
    code = tape.operand(x, (prim.needs & 2) != 0)
    node = tape.new_node(prim, ans, None)
    tape.push_arg(code)
    return new_value(tape, ans, node, None)


cdef object _inplace(binary_function in_place, binary_function function, Primitive prim,
                     PersistentArray x, object other):
    """``x op= other``: a write for arrays, a new value for scalars."""
    cdef Tape tape
    if type(x.raw) is not ndarray:
        return _binary(function, prim, x, other)
    if type(other) is list or type(other) is tuple:
        other = CONVERT(other)
    if type(other) is not PersistentArray and not _is_operand(other):
        return NotImplemented
    tape = _open_tape(x)
    if tape is None:
        tape = _open_tape(other)
    if tape is None or (owner_of(x).node < 0 and not _on_tape(other)):
        in_place(x.raw, _raw(other))
        return x
    _write(tape, x, <ndarray>x.raw, None, prim, (x, other), None, ASSIGNS,
           _InPlace.make(in_place, x.raw, _raw(other)))
    return x


@cython.final
@cython.no_gc
cdef class _InPlace:
    """The plain act of ``a op= b``, to be performed once the tape is ready for it."""
    cdef binary_function function
    cdef object a, b

    @staticmethod
    cdef _InPlace make(binary_function function, object a, object b):
        cdef _InPlace act = _InPlace.__new__(_InPlace)
        act.function, act.a, act.b = function, a, b
        return act

    def __call__(self):
        self.function(self.a, self.b)


cdef object _power(object a, object b):
    return PyNumber_Power(a, b, None)


cdef object _inplace_power(object a, object b):
    return PyNumber_InPlacePower(a, b, None)


# -- views and aliases ---------------------------------------------------------------------------

cdef object _view(PersistentArray x, ndarray raw):
    """A wrapper for a view of the memory of `x`."""
    return new_value(x.tape, raw, -1, owner_of(x))


cdef int _refresh(object x) except -1:
    """Bring a broadcast view up to date whose source has been written to since it was made.

    Arrays that repeat memory have no windows, so they are nodes of their own and not views of
    their source; a write to the source is seen by recording them again.
    """
    cdef Value owner
    if type(x) is not PersistentArray:
        return 0
    owner = owner_of(<Value>x)
    if owner.node < 0 or not owner.tape.entries[owner.node].flags & ALIAS:
        return 0
    source, version, again = owner.tape.aliases[owner.node]
    if (<Value>source).version != version:
        _rerecord(owner, source, again)
    return 0


cdef int _rerecord(Value owner, Value source, object again) except -1:
    cdef PersistentArray fresh = again()
    owner.node = fresh.node
    owner.tape.entries[owner.node].flags |= ALIAS
    owner.tape.aliases[owner.node] = (source, source.version, again)
    return 0


cdef PersistentArray _windowed(PersistentArray x):
    """`x` itself, or where it repeats memory a recorded copy, which can have views."""
    cdef Value owner = owner_of(x)
    if owner.node >= 0 and owner.tape.entries[owner.node].flags & REPEATS:
        _refresh(x)
        return record(IDENTITY, x.raw.copy(), (x,), None)
    return x


# -- reading and writing elements ----------------------------------------------------------------

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


cdef object _getitem(PersistentArray x, object index):
    cdef object ans
    cdef Tape tape
    cdef Value owner
    cdef int64_t node, code
    cdef Py_ssize_t offset = -1
    tape = _open_tape(x)
    if tape is None:
        return x.raw[index]
    if type(x.raw) is not ndarray:
        # A NumPy scalar takes (), ... and None, which only change its shape.
        return record(IDENTITY, x.raw[index], (x,), None)
    owner = owner_of(x)
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
        if owner.node >= 0 and tape.entries[owner.node].flags & REPEATS:
            x = _windowed(x)
            ans = x.raw[index]
        return _view(x, ans)
    if not is_active(x):
        return _inactive(tape, ans)
    x = _windowed(x)
    code = tape.operand(x, False)
    node = tape.new_node(GETITEM, ans, None)
    tape.push_arg(code)
    tape.push_arg(tape.constant(_frozen(index), False) if not isinstance(index, ndarray)
                  else tape.constant(np.array(index), True))
    return new_value(tape, ans, node, None)


cdef int _setitem(PersistentArray x, object index, object value) except -1:
    cdef Tape tape
    cdef Value owner
    cdef ndarray view
    cdef Py_ssize_t offset
    cdef int64_t code, node
    cdef object raw_value, saved
    if type(value) is list or type(value) is tuple:
        value = CONVERT(value)
    raw_value = _raw(value)
    tape = _open_tape(x)
    if tape is None:
        tape = _open_tape(value)
    if tape is None or type(x.raw) is not ndarray:
        x.raw[index] = raw_value
        return 0
    owner = owner_of(x)
    if owner.node < 0 and not _on_tape(value):
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
            _written(tape, owner, _on_tape(value))
            return 0
    if _is_basic(index):
        view = x.raw[index if _has_ellipsis(index) else
                     (index if type(index) is tuple else (index,)) + (Ellipsis,)]
        _write(tape, x, view, None, None, (value,), None, ASSIGNS,
               _SetItem.make(x.raw, index, raw_value))
    else:
        index = _frozen(index)
        _write(tape, x, <ndarray>x.raw, index, None, (value,), None, ASSIGNS,
               _SetItem.make(x.raw, index, raw_value))
    return 0


cdef bint _has_ellipsis(object index) noexcept:
    if type(index) is tuple:
        for item in <tuple>index:
            if item is Ellipsis:
                return True
        return False
    return index is Ellipsis


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


cdef int _write(Tape tape, PersistentArray x, ndarray view, object index, Primitive prim,
                tuple operands, object kwargs, int kind, object perform) except -1:
    """Record a write through `view` (a view of the memory of `x`) and perform it.

    Operands are read before the write; an operand may share memory with the region. `prim` None:
    the region becomes the one operand. Nothing is recorded if `perform` raises.
    """
    cdef Value owner = owner_of(x)
    cdef list codes = []
    cdef int64_t node, code, saved_code = 0
    cdef object saved = None
    cdef object operand, saved_value
    cdef bint active = False
    cdef int k
    if not x.tape.is_open or x.tape is not tape:
        raise errors.ScopeError(errors.message(
            f"A value of the run of {tape.name} was written into an array of another run.",
            "Create the array inside the function."))
    if not cnp.PyArray_ISWRITEABLE(<ndarray>x.raw):
        perform()                       # raises as plain code would
        raise ValueError("assignment destination is read-only")
    node = tape.owner_node(owner)
    for k, operand in enumerate(operands):
        if type(operand) is PersistentArray and (<Value>operand).tape is tape:
            _refresh(operand)
            active = active or _on_tape(operand)
        code = tape.operand(operand, prim is not None and (prim.needs >> (k + 1)) & 1 != 0)
        codes.append(code)
    if tape.entries[node].flags & CAPTURED:
        if tape.saves_recorded and tape.entries[node].flags & ACTIVE:
            # A sweep inside this run may have to put the value back as a recorded write.
            saved_value = record(IDENTITY, view.copy() if index is None else view[index],
                                 (_view(x, view),), None) if index is None \
                else _getitem(_view(x, view), index)
            saved = _raw(saved_value)
            saved_code = ((<Value>saved_value).node << 2) | 1
        else:
            saved = view.copy() if index is None or kind == MASKED else view[index]
    if prim is not None and prim.needs & 1:
        tape.entries[node].flags |= CAPTURED
    perform()
    tape.new_write(prim, view, kwargs, node, index, saved, saved_code, 0, kind)
    for code in codes:
        tape.push_arg(code)
    _written(tape, owner, active)
    return 0


# -- recording, for the Python rooms -------------------------------------------------------------

cpdef object record(Primitive prim, object ans, tuple args, object kwargs, int out=-1, int nout=0):
    """Record that `prim` gave the plain result `ans` for `args` (wrappers or plain), return it wrapped.

    For primitives with the `sequence` flag, `args` are the arrays of the sequence, followed by
    nothing: static arguments are in `kwargs`.
    """
    cdef Tape tape = None
    cdef bint active = False
    cdef object x
    cdef int k
    cdef list codes = []
    cdef int64_t node
    for x in args:
        if type(x) is PersistentArray:
            if tape is None:
                tape = _open_tape(x)
            active = active or is_active(<Value>x)
    if tape is None:
        return ans
    if not active or prim.is_constant:
        return _inactive(tape, ans)
    if not _is_differentiable(ans):
        return ans
    for k, x in enumerate(args):
        if prim.vjp is None and k >= len(prim.vjps) and _on_tape(x):
            raise errors.MissingRuleError(errors.message(
                f"{prim.name} has no derivative by its argument {k + 1}.",
                "Compute that argument from values that are not differentiated."))
        _refresh(x)
        codes.append(tape.operand(x, prim.sequence or (prim.needs >> (k + 1 if k < 62 else 63)) & 1))
    node = tape.new_node(prim, ans, kwargs or None)
    for x in codes:
        tape.push_arg(x)
    tape.entries[node].out = out
    tape.entries[node].nout = nout
    return new_value(tape, ans, node, None)


cdef bint _is_differentiable(object ans):
    if type(ans) is ndarray:
        return _is_inexact(<ndarray>ans)
    return type(ans) is float or type(ans) is complex or isinstance(ans, _inexact)


def record_outputs(Primitive prim, answers, tuple args, object kwargs):
    """Record a function with several results; those without a rule become constants."""
    cdef Tape tape = None
    cdef object x
    cdef int k, n = len(answers)
    cdef int64_t node
    cdef list wrapped = []
    cdef bint active = False
    for x in args:
        if type(x) is PersistentArray:
            if tape is None:
                tape = _open_tape(x)
            active = active or is_active(<Value>x)
    if tape is None:
        return tuple(answers)
    if not active:
        return tuple([_inactive(tape, ans) for ans in answers])
    # One entry after the other, so that a rule finds all results beside its own.
    for k in range(n):
        codes = []
        p = prim.outs.get(k)
        for j, x in enumerate(args):
            _refresh(x)
            codes.append(tape.operand(x, True))
        wrapped.append((p, codes))
    result = []
    for k in range(n):
        p, codes = wrapped[k]
        if p is None:
            node = tape.new_entry(None, answers[k], None, CAPTURED)
        else:
            node = tape.new_node(<Primitive>p, answers[k], kwargs or None)
            tape.entries[node].flags |= CAPTURED
        for x in codes:
            tape.push_arg(x)
        tape.entries[node].out = k
        tape.entries[node].nout = n
        if p is None:
            result.append(_inactive_node(tape, answers[k], node))
        else:
            result.append(new_value(tape, answers[k], node, None))
    return tuple(result)


cdef object _inactive_node(Tape tape, object ans, int64_t node):
    if type(ans) is ndarray and _is_differentiable(ans):
        return new_value(tape, ans, node, None)
    return ans


def record_alias(PersistentArray source, PersistentArray made, again):
    """Tell that `made` shows memory of `source` though it is no view: it follows later writes."""
    cdef Value owner = owner_of(source)
    made.tape.entries[made.node].flags |= ALIAS
    made.tape.aliases[made.node] = (owner, owner.version, again)
    return made


def record_write(PersistentArray target, ndarray view, index, Primitive prim, tuple operands, kwargs,
                 perform, masked=False, adds=False):
    """Record and perform a write into `target`.

    Parameters
    ----------
    target : PersistentArray
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
    cdef Tape tape = _open_tape(target)
    cdef object x
    if tape is None:
        for x in operands:
            tape = _open_tape(x) if tape is None else tape
    if tape is None or (owner_of(target).node < 0 and not any([_on_tape(x) for x in operands])):
        perform()
        return
    _write(tape, target, view, index, prim, operands, kwargs,
           MASKED if masked else ADDS if adds else ASSIGNS, perform)


def view_of(PersistentArray x, ndarray raw):
    """A wrapper for `raw`, a plain view of the memory of `x`."""
    return _view(x, raw)


def windowed(PersistentArray x):
    """`x`, or a recorded copy of it where it repeats memory and so can have no views."""
    return _windowed(x)


def shares_storage(PersistentArray x, ndarray raw):
    """Whether `raw` is a view of the storage of `x` that a window can stand for."""
    cdef Value owner = owner_of(x)
    if type(owner.raw) is not ndarray or cnp.PyArray_BASE(raw) == NULL:
        return False
    return lies_within(raw, <ndarray>owner.raw)


def can_be_view(PersistentArray x, ndarray raw):
    """As `shares_storage`, and no element of the storage appears twice in `raw`."""
    return (shares_storage(x, raw) and not repeats_itself(raw)
            and cnp.PyArray_SIZE(raw) <= cnp.PyArray_SIZE(<ndarray>x.raw))


def inactive(PersistentArray like, ans):
    """A result that depends on no active value, as `f` should see it beside `like`."""
    cdef Tape tape = _open_tape(like)
    return ans if tape is None else _inactive(tape, ans)


def leaf(Tape tape, x):
    """The active value for a differentiated argument: a copy, in its layout, of a plain value.

    An active value of the run outside becomes a copy that depends on it.
    """
    cdef object raw = _raw(x)
    cdef int64_t node
    if type(raw) is ndarray:
        raw = copy_as(<ndarray>raw)
    if _on_tape(x) and (<Value>x).tape is tape:
        return record(IDENTITY, raw, (x,), None)
    node = tape.new_node(None, raw, None)
    return new_value(tape, raw, node, None)


def constant_value(Tape tape, raw):
    """A wrapper on `tape` that depends on nothing."""
    return _inactive(tape, raw)


def node_of(PersistentArray x):
    """The node of `x` if it is a whole storage or a scalar on the tape, else -1."""
    return -1 if x.base is not None else x.node


def storage_node(PersistentArray x):
    """The node of the storage that `x` is a view of; -1 if it is not on the tape."""
    return owner_of(x).node


def is_wrapper(x):
    """Whether `x` is a PersistentArray (`isinstance` is no answer: wrappers pose as arrays)."""
    return type(x) is PersistentArray


def active(x):
    """Whether `x` is a wrapper that depends on a differentiated argument of a run in progress."""
    return _on_tape(x)


def raw_of(x):
    """The plain value of a wrapper; anything else unchanged."""
    return _raw(x)


def tape_of(PersistentArray x):
    """The tape of a wrapper."""
    return x.tape


# -- the wrapper ---------------------------------------------------------------------------------

cdef object _number(PersistentArray x, str how, object convert):
    if is_active(x):
        LOST(x, how)
    return convert(x.raw)


@cython.final
@cython.no_gc
cdef class PersistentArray(Value):
    """A number or array of a run in progress; behaves as the plain value would."""

    def __init__(self):
        raise TypeError("PersistentArray values are made by hybridad, not by calling the class")

    def __dealloc__(self):
        if self.tape is not None:
            self.tape.live -= 1

    @property
    def __class__(self):
        return type(self.raw)

    # Arithmetic, also with plain operands on the left.
    def __add__(self, other): return _binary(_sum, P_ADD, self, other)
    def __radd__(self, other): return _binary(_sum, P_ADD, other, self)
    def __sub__(self, other): return _binary(_difference, P_SUBTRACT, self, other)
    def __rsub__(self, other): return _binary(_difference, P_SUBTRACT, other, self)
    def __mul__(self, other): return _binary(_product, P_MULTIPLY, self, other)
    def __rmul__(self, other): return _binary(_product, P_MULTIPLY, other, self)
    def __truediv__(self, other): return _binary(_quotient, P_DIVIDE, self, other)
    def __rtruediv__(self, other): return _binary(_quotient, P_DIVIDE, other, self)
    def __mod__(self, other): return _binary(PyNumber_Remainder, P_REMAINDER, self, other)
    def __rmod__(self, other): return _binary(PyNumber_Remainder, P_REMAINDER, other, self)
    def __floordiv__(self, other): return _binary(PyNumber_FloorDivide, P_FLOOR_DIVIDE, self, other)
    def __rfloordiv__(self, other): return _binary(PyNumber_FloorDivide, P_FLOOR_DIVIDE, other, self)
    def __matmul__(self, other): return _binary(PyNumber_MatrixMultiply, P_MATMUL, self, other)
    def __rmatmul__(self, other): return _binary(PyNumber_MatrixMultiply, P_MATMUL, other, self)
    def __pow__(self, other, mod): return _binary(_power, P_POWER, self, other)
    def __rpow__(self, other, mod): return _binary(_power, P_POWER, other, self)

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __iadd__(self, other):
        return _inplace(PyNumber_InPlaceAdd, PyNumber_Add, P_ADD, self, other)

    def __isub__(self, other):
        return _inplace(PyNumber_InPlaceSubtract, PyNumber_Subtract, P_SUBTRACT, self, other)

    def __imul__(self, other):
        return _inplace(PyNumber_InPlaceMultiply, PyNumber_Multiply, P_MULTIPLY, self, other)

    def __itruediv__(self, other):
        return _inplace(PyNumber_InPlaceTrueDivide, PyNumber_TrueDivide, P_DIVIDE, self, other)

    def __imod__(self, other):
        return _inplace(PyNumber_InPlaceRemainder, PyNumber_Remainder, P_REMAINDER, self, other)

    def __ifloordiv__(self, other):
        return _inplace(PyNumber_InPlaceFloorDivide, PyNumber_FloorDivide, P_FLOOR_DIVIDE, self,
                        other)

    def __ipow__(self, other):
        return _inplace(_inplace_power, _power, P_POWER, self, other)

    def __imatmul__(self, other):
        return _inplace(PyNumber_InPlaceMatrixMultiply, PyNumber_MatrixMultiply, P_MATMUL, self,
                        other)

    def __neg__(self): return _unary(P_NEGATIVE, PyNumber_Negative(self.raw), self)
    def __pos__(self): return _unary(P_POSITIVE, PyNumber_Positive(self.raw), self)
    def __abs__(self): return _unary(P_ABSOLUTE, PyNumber_Absolute(self.raw), self)

    # Decisions are plain.
    def __lt__(self, other): return PyObject_RichCompare(self.raw, _plain(other), Py_LT)
    def __le__(self, other): return PyObject_RichCompare(self.raw, _plain(other), Py_LE)
    def __gt__(self, other): return PyObject_RichCompare(self.raw, _plain(other), Py_GT)
    def __ge__(self, other): return PyObject_RichCompare(self.raw, _plain(other), Py_GE)
    def __eq__(self, other): return PyObject_RichCompare(self.raw, _plain(other), Py_EQ)
    def __ne__(self, other): return PyObject_RichCompare(self.raw, _plain(other), Py_NE)
    def __bool__(self): return bool(self.raw)
    def __contains__(self, item): return _plain(item) in self.raw
    def __len__(self): return len(self.raw)
    def __invert__(self): return ~self.raw
    def __and__(self, other): return self.raw & _plain(other)
    def __or__(self, other): return self.raw | _plain(other)
    def __xor__(self, other): return self.raw ^ _plain(other)
    def __lshift__(self, other): return self.raw << _plain(other)
    def __rshift__(self, other): return self.raw >> _plain(other)

    def __hash__(self):
        if is_active(self):
            LOST(self, "hash()")
        return hash(self.raw)

    # Numbers would lose the derivative.
    def __float__(self): return _number(self, "float()", float)
    def __int__(self): return _number(self, "int()", int)
    def __complex__(self): return _number(self, "complex()", complex)

    def __index__(self):
        if is_active(self):
            LOST(self, "an integer (index)")
        return self.raw.__index__()

    def __round__(self, ndigits=None):
        return round(self.raw) if ndigits is None else round(self.raw, ndigits)

    def __trunc__(self): return _number(self, "math.trunc()", _trunc)
    def __floor__(self): return _number(self, "math.floor()", _floor)
    def __ceil__(self): return _number(self, "math.ceil()", _ceil)

    # Text shows the plain value.
    def __repr__(self): return repr(self.raw)
    def __str__(self): return str(self.raw)
    def __format__(self, spec): return format(self.raw, spec)

    # No hidden exits.
    def __array__(self, dtype=None, copy=None):
        if self.tape.is_open:
            LOST(self, "a plain array (np.asarray, np.array, or a write into a plain array)")
        return np.array(self.raw, dtype=dtype, copy=copy)

    @property
    def __array_interface__(self): return _exit(self, "__array_interface__")
    @property
    def __array_struct__(self): return _exit(self, "__array_struct__")

    def __dlpack__(self, **kwargs): return _exit(self, "__dlpack__")(**kwargs)
    def __dlpack_device__(self): return _exit(self, "__dlpack_device__")()

    def __reduce_ex__(self, protocol):
        if self.tape.is_open:
            LOST(self, "a pickle")
        return self.raw.__reduce_ex__(protocol)

    # Elements.
    def __getitem__(self, index): return _getitem(self, index)
    def __setitem__(self, index, value): _setitem(self, index, value)
    def __delitem__(self, index): del self.raw[index]

    def __iter__(self):
        if type(self.raw) is not ndarray or cnp.PyArray_NDIM(<ndarray>self.raw) == 0:
            return iter(self.raw)
        return _iterate(self)

    # NumPy's protocols.
    def __array_ufunc__(self, ufunc, str method, *inputs, **kwargs):
        cdef Primitive prim
        if method == "__call__" and not kwargs and len(<tuple>inputs) <= 2:
            prim = PRIMITIVES.get(ufunc)
            if prim is not None and prim.outs is None:
                if len(<tuple>inputs) == 1:
                    return _unary_ufunc(ufunc, prim, self)
                return _binary_ufunc(ufunc, prim, inputs[0], inputs[1])
        return UFUNC_METHOD(ufunc, method, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return ARRAY_FUNCTION(function, args, kwargs)

    # Attributes.
    @property
    def shape(self): return self.raw.shape
    @property
    def dtype(self): return self.raw.dtype
    @property
    def ndim(self): return self.raw.ndim
    @property
    def size(self): return self.raw.size

    @property
    def T(self):
        if type(self.raw) is not ndarray:
            return self.raw.T if not is_active(self) else METHODS["transpose"](self)
        return _view(_windowed(self), _windowed(self).raw.T)

    def __getattr__(self, str name):
        entry = METHODS.get(name)
        if entry is None or not hasattr(type(self.raw), name):
            return getattr(self.raw, name) if not self.tape.is_open else _absent(self, name)
        if type(entry) is property:
            return entry.fget(self)
        return MethodType(entry, self)

    def __dir__(self):
        return dir(self.raw)


cdef object _exit(PersistentArray x, str name):
    """An attribute that hands out the memory: refused while the run is on."""
    if x.tape.is_open:
        LOST(x, "a plain array (np.asarray, np.array, or a write into a plain array)"
             if name.startswith("__array") else "a plain array (" + name + ")")
    return getattr(x.raw, name)


cdef object _absent(PersistentArray x, str name):
    """An attribute that the plain value lacks raises as plain code would; others are refused."""
    getattr(type(x.raw), name)
    raise errors.UnsupportedError(errors.message(
        f"The attribute {name!r} of {type(x.raw).__name__} cannot be followed.",
        "Use a NumPy function instead."))


cdef object _plain(object other):
    """The other side of a decision: the raw value, also of lists in which there are wrappers."""
    if type(other) is PersistentArray:
        return (<Value>other).raw
    if type(other) is list or type(other) is tuple:
        return _raw(CONVERT(other))
    return other


cdef object _unary_ufunc(object ufunc, Primitive prim, PersistentArray x):
    cdef object ans = ufunc(x.raw)
    if prim.is_constant:
        return inactive(x, ans)
    return _unary(prim, ans, x)


cdef object _binary_ufunc(object ufunc, Primitive prim, object a, object b):
    cdef object ans
    cdef Tape tape
    if not _usable(a) or not _usable(b):
        return NotImplemented
    if type(a) is list or type(a) is tuple:
        a = CONVERT(a)
    if type(b) is list or type(b) is tuple:
        b = CONVERT(b)
    ans = ufunc(_raw(a), _raw(b))
    tape = _open_tape(a)
    if tape is None:
        tape = _open_tape(b)
    if tape is None:
        return ans
    if len(prim.vjps) == 2:
        return _record_two(tape, prim, ans, a, b)
    return record(prim, ans, (a, b), None)


cdef bint _usable(object x) except -1:
    return type(x) is PersistentArray or _is_operand(x)


def _trunc(x): return x.__trunc__()
def _floor(x): return x.__floor__()
def _ceil(x): return x.__ceil__()


def _iterate(x):
    for k in range(len(x)):
        yield x[k]
