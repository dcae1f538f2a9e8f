"""The operators of a recording form: arithmetic and comparisons at a site.

Wrappers and plain numbers are served at once; objects of the user's classes by the room above, which
finds their special methods by Python's rules.
"""

from cpython.number cimport (
    PyNumber_Add, PyNumber_And, PyNumber_FloorDivide, PyNumber_InPlaceAdd, PyNumber_InPlaceAnd,
    PyNumber_InPlaceFloorDivide, PyNumber_InPlaceLshift, PyNumber_InPlaceMatrixMultiply,
    PyNumber_InPlaceMultiply, PyNumber_InPlaceOr, PyNumber_InPlacePower, PyNumber_InPlaceRemainder,
    PyNumber_InPlaceRshift, PyNumber_InPlaceSubtract, PyNumber_InPlaceTrueDivide,
    PyNumber_InPlaceXor, PyNumber_Invert, PyNumber_Lshift, PyNumber_MatrixMultiply,
    PyNumber_Multiply, PyNumber_Negative, PyNumber_Or, PyNumber_Positive, PyNumber_Power,
    PyNumber_Remainder, PyNumber_Rshift, PyNumber_Subtract, PyNumber_TrueDivide, PyNumber_Xor)
from cpython.object cimport (
    Py_EQ, Py_GE, Py_GT, Py_LE, Py_LT, Py_NE, PyObject_RichCompare)

from types import FunctionType

import numpy as np

from numpy cimport ndarray

from hybridad import errors
from hybridad._operators cimport (
    P_ADD, P_DIVIDE, P_MATMUL, P_MULTIPLY, P_POWER, P_SUBTRACT, binary, binary_function, minus,
    over, plus, power, times)
from hybridad._primitive cimport Primitive
from hybridad._run cimport Run, run_here
from hybridad._tape cimport Value, is_wrapped, plain_of

cdef object OBJECTS = None      # set once by `install`
GENERIC = np.generic
FUNCTION = FunctionType


def install(objects):
    """Connect to the room of objects of the user's classes.

    Parameters
    ----------
    objects : object
        Has `binary`, `inplace`, `unary`, `compare` and `percent`.
    """
    global OBJECTS
    OBJECTS = objects


cdef class Operations:
    """What sites do for operators."""

    cdef object dispatch(self, Run run, object f, tuple args, dict kwargs):
        """Call `f` in a run; a site knows how."""
        raise NotImplementedError

    cdef object _binary(self, binary_function plainly, binary_function fast, Primitive prim,
                        str name, object a, object b):
        cdef type s = type(a)
        cdef type t = type(b)
        cdef object made
        cdef Run run
        if is_wrapped(a) or is_wrapped(b):
            if prim is not None and (is_number(s) or is_number(t) or s is t
                                     or (is_wrapped(a) and is_wrapped(b))):
                at(self, a)
                made = binary(fast, prim, a, b)
                return _otherwise(plainly, a, b) if made is NotImplemented else made
        elif is_number(s) and is_number(t):
            return plainly(a, b)
        run = run_here()
        if run is None:
            return plainly(a, b)
        run.tape.site = self
        if (not is_wrapped(a) and is_users(s)) or (not is_wrapped(b) and is_users(t)):
            return OBJECTS.binary(self, run, name, a, b)
        return run.lift_fresh(_otherwise(plainly, lifted(run, a), lifted(run, b)))

    def add(self, a, b): return self._binary(PyNumber_Add, plus, P_ADD, "add", a, b)
    def sub(self, a, b): return self._binary(PyNumber_Subtract, minus, P_SUBTRACT, "sub", a, b)
    def mul(self, a, b): return self._binary(PyNumber_Multiply, times, P_MULTIPLY, "mul", a, b)

    def truediv(self, a, b):
        """``a / b``"""
        return self._binary(PyNumber_TrueDivide, over, P_DIVIDE, "truediv", a, b)

    def floordiv(self, a, b):
        """``a // b``"""
        return self._binary(PyNumber_FloorDivide, NULL, None, "floordiv", a, b)

    def mod(self, a, b):
        """``a % b``"""
        cdef Run run
        if type(a) is str or type(a) is bytes:
            run = run_here()
            if run is not None:
                run.tape.site = self
                return OBJECTS.percent(self, run, a, b)
        return self._binary(PyNumber_Remainder, NULL, None, "mod", a, b)

    def pow(self, a, b): return self._binary(_power, power, P_POWER, "pow", a, b)

    def matmul(self, a, b):
        """``a @ b``"""
        return self._binary(PyNumber_MatrixMultiply, PyNumber_MatrixMultiply, P_MATMUL, "matmul",
                            a, b)

    def lshift(self, a, b): return self._binary(PyNumber_Lshift, NULL, None, "lshift", a, b)
    def rshift(self, a, b): return self._binary(PyNumber_Rshift, NULL, None, "rshift", a, b)
    def and_(self, a, b): return self._binary(PyNumber_And, NULL, None, "and", a, b)
    def or_(self, a, b): return self._binary(PyNumber_Or, NULL, None, "or", a, b)
    def xor(self, a, b): return self._binary(PyNumber_Xor, NULL, None, "xor", a, b)

    cdef object _inplace(self, binary_function plainly, str name, object a, object b):
        cdef type s = type(a)
        cdef type t = type(b)
        cdef Run run
        if is_wrapped(a) and not is_users(t):
            at(self, a)
            return plainly(a, b)
        if is_number(s) and (is_number(t) or is_wrapped(b)):
            return plainly(a, b)
        run = run_here()
        if run is None:
            return plainly(a, b)
        run.tape.site = self
        return OBJECTS.inplace(self, run, name, a, b)

    def iadd(self, a, b): return self._inplace(PyNumber_InPlaceAdd, "add", a, b)
    def isub(self, a, b): return self._inplace(PyNumber_InPlaceSubtract, "sub", a, b)
    def imul(self, a, b): return self._inplace(PyNumber_InPlaceMultiply, "mul", a, b)
    def itruediv(self, a, b): return self._inplace(PyNumber_InPlaceTrueDivide, "truediv", a, b)
    def ifloordiv(self, a, b): return self._inplace(PyNumber_InPlaceFloorDivide, "floordiv", a, b)
    def imod(self, a, b): return self._inplace(PyNumber_InPlaceRemainder, "mod", a, b)
    def ipow(self, a, b): return self._inplace(_inplace_power, "pow", a, b)
    def imatmul(self, a, b): return self._inplace(PyNumber_InPlaceMatrixMultiply, "matmul", a, b)
    def ilshift(self, a, b): return self._inplace(PyNumber_InPlaceLshift, "lshift", a, b)
    def irshift(self, a, b): return self._inplace(PyNumber_InPlaceRshift, "rshift", a, b)
    def iand(self, a, b): return self._inplace(PyNumber_InPlaceAnd, "and", a, b)
    def ior(self, a, b): return self._inplace(PyNumber_InPlaceOr, "or", a, b)
    def ixor(self, a, b): return self._inplace(PyNumber_InPlaceXor, "xor", a, b)

    def neg(self, x): return _unary(self, "neg", x) if _is_objects(x) else PyNumber_Negative(x)
    def pos(self, x): return _unary(self, "pos", x) if _is_objects(x) else PyNumber_Positive(x)
    def invert(self, x): return _unary(self, "invert", x) if _is_objects(x) else PyNumber_Invert(x)

    cdef object _compare(self, object a, object b, int op, str name):
        cdef Run run
        if is_wrapped(a) and not is_users(type(b)):
            at(self, a)
            return PyObject_RichCompare(a, b, op)
        if is_number(type(a)) and is_number(type(b)):
            return PyObject_RichCompare(a, b, op)
        run = run_here()
        if run is None:
            return PyObject_RichCompare(a, b, op)
        run.tape.site = self
        if (not is_wrapped(a) and is_users(type(a))) or (not is_wrapped(b) and is_users(type(b))):
            return OBJECTS.compare(self, run, name, a, b)
        return PyObject_RichCompare(a, b, op)

    def lt(self, a, b): return self._compare(a, b, Py_LT, "lt")
    def le(self, a, b): return self._compare(a, b, Py_LE, "le")
    def gt(self, a, b): return self._compare(a, b, Py_GT, "gt")
    def ge(self, a, b): return self._compare(a, b, Py_GE, "ge")
    def eq(self, a, b): return self._compare(a, b, Py_EQ, "eq")
    def ne(self, a, b): return self._compare(a, b, Py_NE, "ne")


cdef object _otherwise(binary_function plainly, object a, object b):
    """An operation of wrappers that fails as it does with plain values."""
    try:
        return plainly(a, b)
    except errors.HybridadError:
        raise
    except TypeError as error:
        if type(a) is ndarray or type(b) is ndarray or not (is_wrapped(a) or is_wrapped(b)):
            raise
        failed = error
    plainly(plain_of(a), plain_of(b))
    raise failed


cdef object _power(object a, object b):
    return PyNumber_Power(a, b, None)


cdef object _inplace_power(object a, object b):
    return PyNumber_InPlacePower(a, b, None)


cdef inline bint _is_objects(object x):
    """Whether `x` is of a class of the user's."""
    return not is_number(type(x)) and not is_wrapped(x) and is_users(type(x))


cdef object _unary(Operations site, str name, object x):
    cdef Run run = run_here()
    if run is None:
        return {"neg": PyNumber_Negative, "pos": PyNumber_Positive,
                "invert": PyNumber_Invert}[name](x)
    run.tape.site = site
    return OBJECTS.unary(site, run, name, x)
