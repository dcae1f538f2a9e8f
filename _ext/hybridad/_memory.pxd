from numpy cimport ndarray

cdef ndarray empty_as(ndarray a)
cdef ndarray zeros_as(ndarray a)
cdef ndarray copy_as(ndarray a)
cdef ndarray window(ndarray buffer, ndarray base, ndarray view)
cdef ndarray element(ndarray buffer, Py_ssize_t offset)
cdef bint same_layout(ndarray a, ndarray b) noexcept
cdef bint same_shape(ndarray a, ndarray b) noexcept
cdef bint lies_within(ndarray view, ndarray base) noexcept
cdef bint repeats_itself(ndarray a) noexcept
cdef bint is_plain_float64(ndarray a) noexcept
cdef int add_into(ndarray into, object c) except -1
cdef bint same_bytes(ndarray a, ndarray b) noexcept
cdef bint has_nan(ndarray a) except -1

cdef enum Operation:
    SUM, DIFFERENCE, PRODUCT, QUOTIENT

cdef object small_arithmetic(Operation operation, object a, object b)
cdef ndarray small_sum(ndarray a, ndarray b)
