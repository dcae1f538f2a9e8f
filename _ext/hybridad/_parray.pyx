"""PersistentArray and PersistentScalar: what `f` sees in place of an array or a number.

A wrapper holds the plain value (`raw`) that plain code would have, computes with it exactly as
plain code would, and records on the tape what depends on a differentiated argument. Views share the
storage of their base; a write through either is seen by both, and the tape keeps older versions
readable.
"""

cimport cython
from cpython.number cimport (
    PyNumber_Absolute, PyNumber_FloorDivide, PyNumber_InPlaceAdd, PyNumber_InPlaceFloorDivide,
    PyNumber_InPlaceMatrixMultiply, PyNumber_InPlaceMultiply, PyNumber_InPlaceRemainder,
    PyNumber_InPlaceSubtract, PyNumber_InPlaceTrueDivide, PyNumber_MatrixMultiply,
    PyNumber_Negative, PyNumber_Positive, PyNumber_Remainder)
from cpython.object cimport PyObject_RichCompare
from types import MethodType

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._access cimport get_item, set_item
from hybridad._memory cimport repeats_itself
from hybridad._operators cimport (
    P_ABSOLUTE, P_ADD, P_DIVIDE, P_FLOOR_DIVIDE, P_MATMUL, P_MULTIPLY, P_NEGATIVE, P_POSITIVE,
    P_POWER, P_REMAINDER, P_SUBTRACT, binary, binary_ufunc, inplace, inplace_power, minus, over,
    plus, power, times, unary, unary_ufunc)
from hybridad._primitive cimport Primitive
from hybridad._record cimport new_view
from hybridad._tape cimport Value, is_active, owner_of, plain_of, set_wrappers

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PySequenceMethods:
        void* sq_item
    ctypedef struct _Type "PyTypeObject":
        PySequenceMethods* tp_as_sequence
        unsigned long tp_flags
    const unsigned long Py_TPFLAGS_SEQUENCE


# Set once by `install`: the registry of primitives, and the Python rooms that serve what is not
# on the hot path.
cdef dict PRIMITIVES = {}
cdef dict METHODS = {}
cdef object UFUNC_METHOD = None
cdef object ARRAY_FUNCTION = None
cdef object PLAIN = None
cdef object LOST = None
cdef object SET_ATTRIBUTE = None


def install(dict primitives, dict methods, ufunc_method, array_function, plain, lost,
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
    plain : callable
        The plain value of a list or tuple, which may hold wrappers.
    lost : callable
        ``lost(value, how)`` raises LostDerivativeError.
    set_attribute : callable
        Serves ``x.name = value``.
    """
    global PRIMITIVES, METHODS, UFUNC_METHOD, ARRAY_FUNCTION, PLAIN, LOST, SET_ATTRIBUTE
    PRIMITIVES, METHODS = primitives, methods
    UFUNC_METHOD, ARRAY_FUNCTION, LOST = ufunc_method, array_function, lost
    PLAIN, SET_ATTRIBUTE = plain, set_attribute


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
    def __add__(self, other): return binary(plus, P_ADD, self, other)
    def __radd__(self, other): return binary(plus, P_ADD, other, self)
    def __sub__(self, other): return binary(minus, P_SUBTRACT, self, other)
    def __rsub__(self, other): return binary(minus, P_SUBTRACT, other, self)
    def __mul__(self, other): return binary(times, P_MULTIPLY, self, other)
    def __rmul__(self, other): return binary(times, P_MULTIPLY, other, self)
    def __truediv__(self, other): return binary(over, P_DIVIDE, self, other)
    def __rtruediv__(self, other): return binary(over, P_DIVIDE, other, self)
    def __mod__(self, other): return binary(PyNumber_Remainder, P_REMAINDER, self, other)
    def __rmod__(self, other): return binary(PyNumber_Remainder, P_REMAINDER, other, self)
    def __floordiv__(self, other): return binary(PyNumber_FloorDivide, P_FLOOR_DIVIDE, self, other)
    def __rfloordiv__(self, other): return binary(PyNumber_FloorDivide, P_FLOOR_DIVIDE, other, self)
    def __matmul__(self, other): return binary(PyNumber_MatrixMultiply, P_MATMUL, self, other)
    def __rmatmul__(self, other): return binary(PyNumber_MatrixMultiply, P_MATMUL, other, self)
    def __pow__(self, other, mod):
        return binary(power, P_POWER, self, other) if mod is None else NotImplemented

    def __rpow__(self, other, mod):
        return binary(power, P_POWER, other, self) if mod is None else NotImplemented

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __neg__(self): return unary(P_NEGATIVE, PyNumber_Negative(self.raw), self)
    def __pos__(self): return unary(P_POSITIVE, PyNumber_Positive(self.raw), self)
    def __abs__(self): return unary(P_ABSOLUTE, PyNumber_Absolute(self.raw), self)

    def __bool__(self):
        cdef bint outcome = bool(self.raw)
        if self.tape.site is not None:
            self.tape.decide("bool", outcome)
        return outcome

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
                    return unary_ufunc(ufunc, prim, self)
                return binary_ufunc(ufunc, prim, inputs[0], inputs[1])
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
        if type(self.raw) is not ndarray:
            self.raw.T      # Python's numbers have none
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
        return inplace(PyNumber_InPlaceAdd, P_ADD, self, other)

    def __isub__(self, other):
        return inplace(PyNumber_InPlaceSubtract, P_SUBTRACT, self, other)

    def __imul__(self, other):
        return inplace(PyNumber_InPlaceMultiply, P_MULTIPLY, self, other)

    def __itruediv__(self, other):
        return inplace(PyNumber_InPlaceTrueDivide, P_DIVIDE, self, other)

    def __imod__(self, other):
        return inplace(PyNumber_InPlaceRemainder, P_REMAINDER, self, other)

    def __ifloordiv__(self, other):
        return inplace(PyNumber_InPlaceFloorDivide, P_FLOOR_DIVIDE, self, other)

    def __ipow__(self, other):
        return inplace(inplace_power, P_POWER, self, other)

    def __imatmul__(self, other):
        return inplace(PyNumber_InPlaceMatrixMultiply, P_MATMUL, self, other)


@cython.final
@cython.no_gc
cdef class PersistentScalar(_Wrapper):
    """A number of a run in progress: Python's or NumPy's, as plain code would have it."""

    def __richcmp__(self, other, int op): return _compare(self, other, op)

    def __hash__(self):
        if is_active(self):
            if not self.tape.hashing:
                LOST(self, "hash()")
            self.tape.decide("hash", self.raw)
        return hash(self.raw)

    def __getitem__(self, index): return get_item(self, index)


# A number is no sequence, though NumPy's can be indexed with () and None.
(<_Type*>PersistentScalar).tp_as_sequence.sq_item = NULL
# From NumPy 2.5 on patterns of ``match`` take arrays for sequences.
(<_Type*>PersistentArray).tp_flags |= (<_Type*>ndarray).tp_flags & Py_TPFLAGS_SEQUENCE
set_wrappers(PersistentArray, PersistentScalar)


cdef object _compare(Value x, object other, int op):
    """Decisions are plain; those of the recording form are noted."""
    cdef object outcome = PyObject_RichCompare(
        x.raw, PLAIN(other) if type(other) in (list, tuple) else plain_of(other), op)
    if x.tape.site is not None and type(outcome) is not ndarray:
        x.tape.decide("compare", outcome)
    return outcome


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
    if not hasattr(type(x.raw), name):
        return getattr(x.raw, name)
    raise errors.UnsupportedError(errors.message(
        f"The attribute {name!r} of {type(x.raw).__name__} cannot be followed.",
        "Use a NumPy function instead."))


def _trunc(x): return x.__trunc__()
def _floor(x): return x.__floor__()
def _ceil(x): return x.__ceil__()


def _iterate(x):
    for k in range(len(x)):
        yield x[k]
