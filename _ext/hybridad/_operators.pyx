"""Operators and plain calls of ufuncs on wrappers: compute with the plain values, then record."""

cimport cython
from cpython.number cimport (
    PyNumber_Add, PyNumber_InPlacePower, PyNumber_Multiply, PyNumber_Power, PyNumber_Subtract,
    PyNumber_TrueDivide)
from libc.stdint cimport int64_t

import array

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad._access cimport write
from hybridad._memory cimport DIFFERENCE, PRODUCT, QUOTIENT, SUM, small_arithmetic
from hybridad._primitive cimport Primitive
from hybridad._record cimport (
    inactive_value, is_operand, open_tape, record, record_two, refresh)
from hybridad._tape cimport (
    ASSIGNS, Tape, Value, is_active, is_on_tape, is_wrapped, new_value, owner_of, plain_of)

cnp.import_array()

# Set once by `install`.
cdef object UFUNC_METHOD = None
cdef object AS_ARRAY = None
cdef object PLAIN = None
cdef Primitive P_ADD, P_SUBTRACT, P_MULTIPLY, P_DIVIDE, P_POWER, P_REMAINDER, P_FLOOR_DIVIDE
cdef Primitive P_MATMUL, P_NEGATIVE, P_POSITIVE, P_ABSOLUTE

# What NumPy makes an array of though it is no array-like of the usual kinds.
cdef frozenset _CONVERTED = frozenset(
    (str, bytes, bytearray, memoryview, range, type(None), array.array))


def install(dict primitives, ufunc_method, as_array, plain):
    """Connect the operators to their rules and to the Python rooms above.

    Parameters
    ----------
    primitives : dict
        Function -> Primitive.
    ufunc_method : callable
        Serves what is not a call on numbers and arrays.
    as_array, plain : callable
        Of a list or tuple, which may hold wrappers: the recorded array, and the plain value.
    """
    global UFUNC_METHOD, AS_ARRAY, PLAIN
    global P_ADD, P_SUBTRACT, P_MULTIPLY, P_DIVIDE, P_POWER, P_REMAINDER, P_FLOOR_DIVIDE
    global P_MATMUL, P_NEGATIVE, P_POSITIVE, P_ABSOLUTE
    UFUNC_METHOD, AS_ARRAY, PLAIN = ufunc_method, as_array, plain
    P_ADD, P_SUBTRACT = primitives[np.add], primitives[np.subtract]
    P_MULTIPLY, P_DIVIDE = primitives[np.multiply], primitives[np.divide]
    P_POWER, P_REMAINDER = primitives[np.power], primitives[np.remainder]
    P_FLOOR_DIVIDE, P_MATMUL = primitives[np.floor_divide], primitives[np.matmul]
    P_NEGATIVE, P_POSITIVE = primitives[np.negative], primitives[np.positive]
    P_ABSOLUTE = primitives[np.absolute]


cdef object plus(object a, object b):
    cdef object c = small_arithmetic(SUM, a, b)
    return PyNumber_Add(a, b) if c is None else c


cdef object minus(object a, object b):
    cdef object c = small_arithmetic(DIFFERENCE, a, b)
    return PyNumber_Subtract(a, b) if c is None else c


cdef object times(object a, object b):
    cdef object c = small_arithmetic(PRODUCT, a, b)
    return PyNumber_Multiply(a, b) if c is None else c


cdef object over(object a, object b):
    cdef object c = small_arithmetic(QUOTIENT, a, b)
    return PyNumber_TrueDivide(a, b) if c is None else c


cdef object power(object a, object b):
    return PyNumber_Power(a, b, None)


cdef object inplace_power(object a, object b):
    return PyNumber_InPlacePower(a, b, None)


cdef object binary(binary_function function, Primitive prim, object a, object b):
    cdef Tape tape
    cdef object ra, rb, ans
    if is_wrapped(a):
        ra = (<Value>a).raw
    elif not is_operand(a):
        return _foreign(prim, a, b, <Value>b, a)
    elif type(a) is list or type(a) is tuple:
        ra = PLAIN(a)
        a = AS_ARRAY(a)
    else:
        ra = a
    if is_wrapped(b):
        rb = (<Value>b).raw
    elif not is_operand(b):
        return _foreign(prim, a, b, <Value>a, b)
    elif type(b) is list or type(b) is tuple:
        rb = PLAIN(b)
        b = AS_ARRAY(b)
    else:
        rb = b
    tape = open_tape(a)
    if tape is None:
        tape = open_tape(b)
    ans = function(ra, rb)
    if tape is None:
        return ans
    return record_two(tape, prim, ans, a, b)


cdef object _foreign(Primitive prim, object a, object b, Value mine, object other):
    """Arithmetic with an object of another kind: what NumPy would make an array of, or nothing."""
    if type(mine.raw) is float or type(mine.raw) is complex:
        return NotImplemented
    if hasattr(type(other), "__array_ufunc__"):
        if type(other).__array_ufunc__ is None:
            return NotImplemented
    elif type(other) not in _CONVERTED:
        return NotImplemented
    return UFUNC_METHOD(prim.func, "__call__", (a, b), {})


cdef object unary(Primitive prim, object ans, Value x):
    cdef Tape tape = open_tape(x)
    cdef int64_t code, node
    if tape is None:
        return ans
    if prim.is_constant or not is_active(x):
        return inactive_value(tape, ans)
    refresh(x)
    code = tape.operand(x, (prim.needs & 2) != 0)
    node = tape.new_node(prim, ans, None)
    tape.push_arg(code)
    return new_value(tape, ans, node, None)


cdef object inplace(binary_function in_place, Primitive prim, Value x, object other):
    """``x op= other`` for an array: a write."""
    cdef Tape tape
    cdef object raw_other
    if is_wrapped(other):
        raw_other = (<Value>other).raw
    elif not is_operand(other):
        return _foreign_in_place(prim, x, other)
    elif type(other) is list or type(other) is tuple:
        raw_other = PLAIN(other)
        other = AS_ARRAY(other)
    else:
        raw_other = other
    tape = open_tape(x)
    if tape is None:
        tape = open_tape(other)
    if tape is None or (owner_of(x).node < 0 and owner_of(x).alias is None
                        and not is_on_tape(other)):
        if tape is not None and owner_of(x).outside:
            tape.before_write(owner_of(x), <ndarray>x.raw)
        in_place(x.raw, raw_other)
        return x
    write(tape, x, <ndarray>x.raw, None, prim, (x, other), None, ASSIGNS,
           _InPlace.make(in_place, x.raw, raw_other))
    return x


cdef object _foreign_in_place(Primitive prim, Value x, object other):
    if type(other) not in _CONVERTED and not hasattr(type(other), "__array_ufunc__"):
        return NotImplemented
    return UFUNC_METHOD(prim.func, "__call__", (x, other), {"out": (x,)})


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


cdef object unary_ufunc(object ufunc, Primitive prim, Value x):
    cdef object ans = ufunc(x.raw)
    return unary(prim, ans, x)


cdef object binary_ufunc(object ufunc, Primitive prim, object a, object b):
    cdef object ans
    cdef Tape tape
    if prim.is_constant or not _usable(a) or not _usable(b):
        return UFUNC_METHOD(ufunc, "__call__", (a, b), {})
    ans = ufunc(plain_of(a), plain_of(b))
    tape = open_tape(a)
    if tape is None:
        tape = open_tape(b)
    if tape is None:
        return ans
    if len(prim.vjps) == 2:
        return record_two(tape, prim, ans, a, b)
    return record(prim, ans, (a, b), None)


cdef bint _usable(object x) except -1:
    return is_wrapped(x) or (is_operand(x) and type(x) is not list and type(x) is not tuple)
