from hybridad._primitive cimport Primitive
from hybridad._tape cimport Value

ctypedef object (*binary_function)(object, object)

cdef Primitive P_ADD, P_SUBTRACT, P_MULTIPLY, P_DIVIDE, P_POWER, P_REMAINDER, P_FLOOR_DIVIDE
cdef Primitive P_MATMUL, P_NEGATIVE, P_POSITIVE, P_ABSOLUTE

cdef object plus(object a, object b)
cdef object minus(object a, object b)
cdef object times(object a, object b)
cdef object over(object a, object b)
cdef object power(object a, object b)
cdef object inplace_power(object a, object b)
cdef object binary(binary_function function, Primitive prim, object a, object b)
cdef object unary(Primitive prim, object ans, Value x)
cdef object inplace(binary_function in_place, Primitive prim, Value x, object other)
cdef object unary_ufunc(object ufunc, Primitive prim, Value x)
cdef object binary_ufunc(object ufunc, Primitive prim, object a, object b)
