"""PersistentArray and PersistentScalar: what `f` sees in place of an array or a number.

A wrapper holds the plain value (`raw`) that plain code would have, computes with it exactly as plain code
would, and records on the tape what depends on a differentiated argument. Views share the storage of
their base; a write through either is seen by both, and the tape keeps older versions readable.
"""

cimport cython
from cpython.object cimport PyObject_RichCompare
from cpython.number cimport (
    PyNumber_Absolute, PyNumber_Add, PyNumber_FloorDivide, PyNumber_InPlaceAdd,
    PyNumber_InPlaceFloorDivide, PyNumber_InPlaceMatrixMultiply, PyNumber_InPlaceMultiply,
    PyNumber_InPlacePower, PyNumber_InPlaceRemainder, PyNumber_InPlaceSubtract,
    PyNumber_InPlaceTrueDivide, PyNumber_MatrixMultiply, PyNumber_Multiply, PyNumber_Negative,
    PyNumber_Positive, PyNumber_Power, PyNumber_Remainder, PyNumber_Subtract, PyNumber_TrueDivide)
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from types import MethodType

import array

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._access cimport get_item, set_item, write
from hybridad._memory cimport (
    DIFFERENCE, PRODUCT, QUOTIENT, SUM, repeats_itself, small_arithmetic)
from hybridad._primitive cimport Primitive
from hybridad._record cimport (
    inactive_value, is_operand, new_view, open_tape, record, record_two, refresh)
from hybridad._tape cimport (
    ASSIGNS, Tape, Value, is_active, is_on_tape, is_wrapped, new_value, owner_of, plain_of,
    set_wrappers)

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PySequenceMethods:
        void* sq_item
    ctypedef struct _Type "PyTypeObject":
        PySequenceMethods* tp_as_sequence

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



# Set once by `install`: the registry of primitives, and the Python rooms that serve what is not
# on the hot path.
cdef dict PRIMITIVES = {}
cdef dict METHODS = {}
cdef object UFUNC_METHOD = None
cdef object ARRAY_FUNCTION = None
cdef object AS_ARRAY = None
cdef object PLAIN = None
cdef object LOST = None
cdef object SET_ATTRIBUTE = None
cdef frozenset _CONVERTED = frozenset(
    (str, bytes, bytearray, memoryview, range, type(None), array.array))
cdef Primitive P_ADD, P_SUBTRACT, P_MULTIPLY, P_DIVIDE, P_POWER, P_REMAINDER, P_FLOOR_DIVIDE
cdef Primitive P_MATMUL, P_NEGATIVE, P_POSITIVE, P_ABSOLUTE


def install(dict primitives, dict methods, ufunc_method, array_function, as_array, plain, lost,
            set_attribute):
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
    as_array, plain : callable
        Of a list or tuple, which may hold wrappers: the recorded array, and the plain value.
    lost : callable
        ``lost(value, how)`` raises LostDerivativeError.
    set_attribute : callable
        Serves ``x.name = value``.
    """
    global PRIMITIVES, METHODS, UFUNC_METHOD, ARRAY_FUNCTION, AS_ARRAY, PLAIN, LOST, SET_ATTRIBUTE
    global P_ADD, P_SUBTRACT, P_MULTIPLY, P_DIVIDE, P_POWER, P_REMAINDER, P_FLOOR_DIVIDE
    global P_MATMUL, P_NEGATIVE, P_POSITIVE, P_ABSOLUTE
    PRIMITIVES, METHODS = primitives, methods
    UFUNC_METHOD, ARRAY_FUNCTION, LOST = ufunc_method, array_function, lost
    AS_ARRAY, PLAIN, SET_ATTRIBUTE = as_array, plain, set_attribute
    P_ADD, P_SUBTRACT = primitives[np.add], primitives[np.subtract]
    P_MULTIPLY, P_DIVIDE = primitives[np.multiply], primitives[np.divide]
    P_POWER, P_REMAINDER = primitives[np.power], primitives[np.remainder]
    P_FLOOR_DIVIDE, P_MATMUL = primitives[np.floor_divide], primitives[np.matmul]
    P_NEGATIVE, P_POSITIVE = primitives[np.negative], primitives[np.positive]
    P_ABSOLUTE = primitives[np.absolute]


# -- operators -----------------------------------------------------------------------------------

cdef object _binary(binary_function function, Primitive prim, object a, object b):
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


cdef object _unary(Primitive prim, object ans, Value x):
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


cdef object _inplace(binary_function in_place, Primitive prim, Value x, object other):
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


cdef object _power(object a, object b):
    return PyNumber_Power(a, b, None)


cdef object _inplace_power(object a, object b):
    return PyNumber_InPlacePower(a, b, None)


# -- the wrapper ---------------------------------------------------------------------------------

cdef object _number(Value x, str how, object convert):
    if is_active(x):
        LOST(x, how)
    return convert(x.raw)


@cython.no_gc
cdef class _Wrapper(Value):
    """What arrays and numbers have in common: arithmetic, protocols, text, attributes."""

    def __init__(self):
        raise TypeError("wrappers are made by hybridad, not by calling the class")

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
    def __pow__(self, other, mod):
        return _binary(_power, P_POWER, self, other) if mod is None else NotImplemented

    def __rpow__(self, other, mod):
        return _binary(_power, P_POWER, other, self) if mod is None else NotImplemented

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __neg__(self): return _unary(P_NEGATIVE, PyNumber_Negative(self.raw), self)
    def __pos__(self): return _unary(P_POSITIVE, PyNumber_Positive(self.raw), self)
    def __abs__(self): return _unary(P_ABSOLUTE, PyNumber_Absolute(self.raw), self)

    def __bool__(self): return bool(self.raw)
    def __invert__(self): return ~self.raw
    def __and__(self, other): return self.raw & plain_of(other)
    def __or__(self, other): return self.raw | plain_of(other)
    def __xor__(self, other): return self.raw ^ plain_of(other)
    def __lshift__(self, other): return self.raw << plain_of(other)
    def __rshift__(self, other): return self.raw >> plain_of(other)

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
        if self.tape.is_open and (is_active(self) or not copy):
            LOST(self, "a plain array (np.asarray, np.array, or a write into a plain array)")
        return np.array(self.raw, dtype=dtype, copy=copy)

    @property
    def __array_interface__(self): return _exit(self, "__array_interface__")
    @property
    def __array_struct__(self): return _exit(self, "__array_struct__")

    def __dlpack__(self, **kwargs): return _exit(self, "__dlpack__")(**kwargs)
    def __dlpack_device__(self): return _exit(self, "__dlpack_device__")()

    def __copy__(self): return METHODS["__copy__"](self)
    def __deepcopy__(self, memo): return METHODS["__copy__"](self)

    def __reduce_ex__(self, protocol):
        if self.tape.is_open:
            LOST(self, "a pickle")
        return self.raw.__reduce_ex__(protocol)

    # NumPy's protocols.
    def __array_ufunc__(self, ufunc, str method, *inputs, **kwargs):
        cdef Primitive prim
        if method == "__call__" and not kwargs and len(<tuple>inputs) <= 2:
            prim = PRIMITIVES.get(ufunc)
            if prim is not None and prim.outs is None and prim.check is None:
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
        cdef Value owner = owner_of(self)
        if type(self.raw) is not ndarray or owner.alias is not None \
                or repeats_itself(<ndarray>owner.raw):
            return METHODS["transpose"](self)
        return new_view(self, self.raw.T)

    def __getattr__(self, str name):
        entry = METHODS.get(name)
        if entry is None or not hasattr(type(self.raw), name):
            return getattr(self.raw, name) if not self.tape.is_open else _absent(self, name)
        if type(entry) is property:
            return entry.fget(self)
        return MethodType(entry, self)

    def __setattr__(self, str name, value):
        SET_ATTRIBUTE(self, name, value)

    def __delattr__(self, str name):
        delattr(self.raw, name)

    def __dir__(self):
        return dir(self.raw)


@cython.final
@cython.no_gc
cdef class PersistentArray(_Wrapper):
    """An array of a run in progress; behaves as the plain array would."""

    def __richcmp__(self, other, int op): return _compare(self, other, op)
    def __len__(self): return len(self.raw)
    def __contains__(self, item): return PLAIN(item) in self.raw
    def __getitem__(self, index): return get_item(self, index)
    def __setitem__(self, index, value): set_item(self, index, value)
    def __delitem__(self, index): del self.raw[index]

    def __iter__(self):
        return iter(self.raw) if cnp.PyArray_NDIM(<ndarray>self.raw) == 0 else _iterate(self)

    def __iadd__(self, other):
        return _inplace(PyNumber_InPlaceAdd, P_ADD, self, other)

    def __isub__(self, other):
        return _inplace(PyNumber_InPlaceSubtract, P_SUBTRACT, self, other)

    def __imul__(self, other):
        return _inplace(PyNumber_InPlaceMultiply, P_MULTIPLY, self, other)

    def __itruediv__(self, other):
        return _inplace(PyNumber_InPlaceTrueDivide, P_DIVIDE, self, other)

    def __imod__(self, other):
        return _inplace(PyNumber_InPlaceRemainder, P_REMAINDER, self, other)

    def __ifloordiv__(self, other):
        return _inplace(PyNumber_InPlaceFloorDivide, P_FLOOR_DIVIDE, self, other)

    def __ipow__(self, other):
        return _inplace(_inplace_power, P_POWER, self, other)

    def __imatmul__(self, other):
        return _inplace(PyNumber_InPlaceMatrixMultiply, P_MATMUL, self, other)


@cython.final
@cython.no_gc
cdef class PersistentScalar(_Wrapper):
    """A number of a run in progress: Python's or NumPy's, as plain code would have it."""

    def __richcmp__(self, other, int op): return _compare(self, other, op)

    def __hash__(self):
        if is_active(self):
            LOST(self, "hash()")
        return hash(self.raw)

    def __getitem__(self, index): return get_item(self, index)


# A number is no sequence, though NumPy's can be indexed with () and None.
(<_Type*>PersistentScalar).tp_as_sequence.sq_item = NULL
set_wrappers(PersistentArray, PersistentScalar)


cdef object _compare(Value x, object other, int op):
    """Decisions are plain."""
    return PyObject_RichCompare(x.raw, PLAIN(other) if type(other) in (list, tuple)
                                else plain_of(other), op)


cdef object _exit(Value x, str name):
    """An attribute that hands out the memory: refused while the run is on."""
    cdef bint for_numpy = name.startswith("__array")
    if not x.tape.is_open:
        return getattr(x.raw, name)
    if for_numpy and not is_active(x):
        raise AttributeError(name)      # NumPy then asks `__array__`, which gives a copy
    LOST(x, "a plain array (np.asarray, np.array, or a write into a plain array)"
         if for_numpy else "a plain array (" + name + ")")


cdef object _absent(Value x, str name):
    """An attribute that the plain value lacks raises as plain code would; others are refused."""
    getattr(type(x.raw), name)
    raise errors.UnsupportedError(errors.message(
        f"The attribute {name!r} of {type(x.raw).__name__} cannot be followed.",
        "Use a NumPy function instead."))


cdef object _unary_ufunc(object ufunc, Primitive prim, Value x):
    cdef object ans = ufunc(x.raw)
    return _unary(prim, ans, x)


cdef object _binary_ufunc(object ufunc, Primitive prim, object a, object b):
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


def _trunc(x): return x.__trunc__()
def _floor(x): return x.__floor__()
def _ceil(x): return x.__ceil__()


def _iterate(x):
    for k in range(len(x)):
        yield x[k]
