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
from hybridad._access cimport get_item, set_item, write
from hybridad._memory cimport DIFFERENCE, PRODUCT, QUOTIENT, SUM, small_arithmetic
from hybridad._primitive cimport Primitive
from hybridad._record cimport (
    as_windowed, inactive_value, is_operand, new_view, open_tape, record, record_two, refresh)
from hybridad._tape cimport (
    ASSIGNS, Tape, Value, is_active, is_on_tape, new_value, owner_of, plain_of, set_wrapper)

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


# -- operators -----------------------------------------------------------------------------------

cdef object _binary(binary_function function, Primitive prim, object a, object b):
    cdef Tape tape
    cdef object ra, rb, ans
    if type(a) is PersistentArray:
        ra = (<Value>a).raw
    else:
        if not is_operand(a):
            return NotImplemented
        if type(a) is list or type(a) is tuple:
            a = CONVERT(a)
        ra = plain_of(a)
    if type(b) is PersistentArray:
        rb = (<Value>b).raw
    else:
        if not is_operand(b):
            return NotImplemented
        if type(b) is list or type(b) is tuple:
            b = CONVERT(b)
        rb = plain_of(b)
    tape = open_tape(a)
    if tape is None:
        tape = open_tape(b)
    ans = function(ra, rb)
    if tape is None:
        return ans
    return record_two(tape, prim, ans, a, b)


cdef object _unary(Primitive prim, object ans, PersistentArray x):
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


cdef object _inplace(binary_function in_place, binary_function function, Primitive prim,
                     PersistentArray x, object other):
    """``x op= other``: a write for arrays, a new value for scalars."""
    cdef Tape tape
    if type(x.raw) is not ndarray:
        return _binary(function, prim, x, other)
    if type(other) is list or type(other) is tuple:
        other = CONVERT(other)
    if type(other) is not PersistentArray and not is_operand(other):
        return NotImplemented
    tape = open_tape(x)
    if tape is None:
        tape = open_tape(other)
    if tape is None or (owner_of(x).node < 0 and not is_on_tape(other)):
        in_place(x.raw, plain_of(other))
        return x
    write(tape, x, <ndarray>x.raw, None, prim, (x, other), None, ASSIGNS,
           _InPlace.make(in_place, x.raw, plain_of(other)))
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


def node_of(PersistentArray x):
    """The node of `x` if it is a whole storage or a scalar on the tape, else -1."""
    return -1 if x.base is not None else x.node


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
    def __getitem__(self, index): return get_item(self, index)
    def __setitem__(self, index, value): set_item(self, index, value)
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
        return new_view(as_windowed(self), as_windowed(self).raw.T)

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
        return plain_of(CONVERT(other))
    return other


cdef object _unary_ufunc(object ufunc, Primitive prim, PersistentArray x):
    cdef object ans = ufunc(x.raw)
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
    return type(x) is PersistentArray or is_operand(x)


def _trunc(x): return x.__trunc__()
def _floor(x): return x.__floor__()
def _ceil(x): return x.__ceil__()


def _iterate(x):
    for k in range(len(x)):
        yield x[k]


set_wrapper(PersistentArray)
