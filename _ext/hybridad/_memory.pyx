"""Memory layout: arrays laid out like others, windows into them, accumulation.

The adjoint (or tangent) of a storage is an array of exactly the storage's own layout, so that a
view of the storage corresponds to the view of the adjoint at the same offset and strides: its
*window*. That is how aliasing works in the sweep without any bookkeeping of views.
"""

cimport cython
from libc.string cimport memcmp

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray
from cpython.ref cimport Py_INCREF, PyObject, PyTypeObject
from libc.math cimport fabs

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    # Not declared by NumPy's own pxd. The first two steal the reference to the descriptor.
    object PyArray_NewFromDescr(PyTypeObject* subtype, cnp.PyArray_Descr* descr, int nd,
                                const cnp.npy_intp* dims, const cnp.npy_intp* strides,
                                void* data, int flags, PyObject* obj)
    object PyArray_Zeros(int nd, const cnp.npy_intp* dims, cnp.PyArray_Descr* descr, int fortran)
    object PyArray_NewLikeArray(ndarray prototype, cnp.NPY_ORDER order, PyObject* descr, int subok)

cdef object _add = np.add
cdef type _float64 = np.float64

cdef double _LARGEST = np.finfo(np.float64).max
cdef double _SMALLEST_NORMAL = np.finfo(np.float64).smallest_normal
cdef Py_ssize_t _SMALL = 256
cdef object _isnan = np.isnan
cdef object _any = np.any


cdef bint same_shape(ndarray a, ndarray b) noexcept:
    cdef int k
    if cnp.PyArray_NDIM(a) != cnp.PyArray_NDIM(b):
        return False
    for k in range(cnp.PyArray_NDIM(a)):
        if cnp.PyArray_DIM(a, k) != cnp.PyArray_DIM(b, k):
            return False
    return True


cdef bint same_layout(ndarray a, ndarray b) noexcept:
    """Equal shapes, and equal strides along every axis longer than one."""
    cdef int k
    if not same_shape(a, b):
        return False
    for k in range(cnp.PyArray_NDIM(a)):
        if cnp.PyArray_DIM(a, k) > 1 and cnp.PyArray_STRIDE(a, k) != cnp.PyArray_STRIDE(b, k):
            return False
    return True


cdef void _extent(ndarray a, Py_ssize_t* low, Py_ssize_t* high) noexcept:
    """Byte range that `a` occupies, relative to its first element; `high` is exclusive."""
    cdef Py_ssize_t reach
    cdef int k
    low[0] = 0
    high[0] = cnp.PyArray_ITEMSIZE(a)
    for k in range(cnp.PyArray_NDIM(a)):
        reach = (cnp.PyArray_DIM(a, k) - 1) * cnp.PyArray_STRIDE(a, k)
        if reach < 0:
            low[0] += reach
        else:
            high[0] += reach


cdef bint lies_within(ndarray view, ndarray base) noexcept:
    """Whether every byte of `view` is in the byte range of `base`."""
    cdef Py_ssize_t low, high, base_low, base_high
    if cnp.PyArray_SIZE(view) == 0 or cnp.PyArray_SIZE(base) == 0:
        return False
    _extent(view, &low, &high)
    _extent(base, &base_low, &base_high)
    return (cnp.PyArray_BYTES(view) + low >= cnp.PyArray_BYTES(base) + base_low
            and cnp.PyArray_BYTES(view) + high <= cnp.PyArray_BYTES(base) + base_high)


cdef bint repeats_itself(ndarray a) noexcept:
    """Whether several elements of `a` may share memory (broadcast views, sliding windows).

    They do not if along the axes, sorted by stride, each step clears all that lies below it. So it
    is with every slice, transpose, reshape or diagonal of an array with this property.
    """
    cdef Py_ssize_t[64] strides
    cdef Py_ssize_t[64] dims
    cdef Py_ssize_t stride, dim, reach
    cdef int k, j, n = 0
    if cnp.PyArray_IS_C_CONTIGUOUS(a) or cnp.PyArray_SIZE(a) == 0:
        return False
    for k in range(cnp.PyArray_NDIM(a)):
        dim = cnp.PyArray_DIM(a, k)
        if dim == 1:
            continue
        stride = cnp.PyArray_STRIDE(a, k)
        stride = -stride if stride < 0 else stride
        j = n
        while j > 0 and strides[j - 1] > stride:
            strides[j] = strides[j - 1]
            dims[j] = dims[j - 1]
            j -= 1
        strides[j] = stride
        dims[j] = dim
        n += 1
    reach = cnp.PyArray_ITEMSIZE(a)
    for k in range(n):
        if strides[k] < reach:
            return True
        reach += (dims[k] - 1) * strides[k]
    return False


cdef ndarray _view_at(ndarray owner, char* data, ndarray like):
    """A writable array over `owner`'s memory, with the dtype, shape and strides of `like`."""
    cdef cnp.PyArray_Descr* descr = cnp.PyArray_DESCR(like)
    cdef ndarray view
    Py_INCREF(<object>descr)
    view = PyArray_NewFromDescr(
        <PyTypeObject*>ndarray, descr, cnp.PyArray_NDIM(like), cnp.PyArray_DIMS(like),
        cnp.PyArray_STRIDES(like), data, cnp.NPY_ARRAY_WRITEABLE, NULL)
    Py_INCREF(owner)
    cnp.PyArray_SetBaseObject(view, owner)
    return view


cdef ndarray empty_as(ndarray a):
    """An uninitialised array with the shape, dtype and strides of `a`.

    Where `a` repeats memory, a C-ordered array of its shape.
    """
    cdef Py_ssize_t low, high
    cdef ndarray made = PyArray_NewLikeArray(a, cnp.NPY_KEEPORDER, NULL, 0)
    cdef cnp.npy_intp size
    cdef ndarray block
    if same_layout(made, a):
        return made
    if repeats_itself(a) or cnp.PyArray_SIZE(a) == 0:
        return made
    _extent(a, &low, &high)
    size = high - low
    block = cnp.PyArray_EMPTY(1, &size, cnp.NPY_UINT8, 0)
    return _view_at(block, cnp.PyArray_BYTES(block) - low, a)


cdef ndarray zeros_as(ndarray a):
    """As `empty_as`, filled with zeros."""
    cdef ndarray made
    cdef cnp.PyArray_Descr* descr
    if cnp.PyArray_IS_C_CONTIGUOUS(a):
        descr = cnp.PyArray_DESCR(a)
        Py_INCREF(<object>descr)
        return PyArray_Zeros(cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a), descr, 0)
    made = empty_as(a)
    made.fill(0)
    return made


cdef ndarray copy_as(ndarray a):
    """A copy of `a` with its strides (layout alone changes the bits of a product or a sum)."""
    cdef ndarray made
    if cnp.PyArray_IS_C_CONTIGUOUS(a):
        return cnp.PyArray_NewCopy(a, cnp.NPY_CORDER)
    if repeats_itself(a):
        return _copy_repeating(a)
    made = empty_as(a)
    made[...] = a
    return made


cdef ndarray _copy_repeating(ndarray a):
    """A copy of a broadcast view: the distinct elements once, seen through the same strides."""
    cdef Py_ssize_t low, high
    cdef cnp.npy_intp size
    cdef ndarray block, made
    _extent(a, &low, &high)
    size = high - low
    block = cnp.PyArray_EMPTY(1, &size, cnp.NPY_UINT8, 0)
    made = _view_at(block, cnp.PyArray_BYTES(block) - low, a)
    distinct = tuple([slice(0, 1) if a.strides[k] == 0 else slice(None) for k in range(a.ndim)])
    made[distinct] = a[distinct]
    made.flags.writeable = False
    return made


cdef ndarray window(ndarray buffer, ndarray base, ndarray view):
    """The part of `buffer`, laid out like `base`, that corresponds to `view`, a view of `base`."""
    return _view_at(buffer, cnp.PyArray_BYTES(buffer)
                    + (cnp.PyArray_BYTES(view) - cnp.PyArray_BYTES(base)), view)


cdef ndarray element(ndarray buffer, Py_ssize_t offset):
    """The 0-d array at a byte offset from the first element of `buffer`."""
    cdef cnp.PyArray_Descr* descr = cnp.PyArray_DESCR(buffer)
    cdef ndarray view
    Py_INCREF(<object>descr)
    view = PyArray_NewFromDescr(
        <PyTypeObject*>ndarray, descr, 0, NULL, NULL,
        cnp.PyArray_BYTES(buffer) + offset, cnp.NPY_ARRAY_WRITEABLE, NULL)
    Py_INCREF(buffer)
    cnp.PyArray_SetBaseObject(view, buffer)
    return view


cdef bint is_plain_float64(ndarray a) noexcept:
    """Native, aligned float64: its elements can be read and written as C doubles."""
    return cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT64 and cnp.PyArray_ISBEHAVED_RO(a)


cdef bint same_bytes(ndarray a, ndarray b) noexcept:
    """Bitwise equality of two arrays of one layout that are contiguous in any order."""
    return memcmp(cnp.PyArray_BYTES(a), cnp.PyArray_BYTES(b), cnp.PyArray_NBYTES(a)) == 0


@cython.boundscheck(False)
cdef int add_into(ndarray into, object c) except -1:
    """``into += c`` for equal shapes and dtypes."""
    cdef double* x
    cdef double* y
    cdef Py_ssize_t k, n
    # Below about a thousand elements a plain loop is faster than calling the ufunc.
    if type(c) is ndarray and cnp.PyArray_SIZE(into) < 1024 \
            and is_plain_float64(into) and is_plain_float64(<ndarray>c) \
            and cnp.PyArray_IS_C_CONTIGUOUS(into) and cnp.PyArray_IS_C_CONTIGUOUS(<ndarray>c) \
            and same_shape(into, <ndarray>c):
        x = <double*>cnp.PyArray_DATA(into)
        y = <double*>cnp.PyArray_DATA(<ndarray>c)
        n = cnp.PyArray_SIZE(into)
        for k in range(n):
            x[k] += y[k]
        return 0
    _add(into, c, into)
    return 0


cdef bint has_nan(ndarray a) except -1:
    """Whether there is a NaN in `a` (made to cost little where there is none)."""
    cdef double* x
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef Py_ssize_t k, n = cnp.PyArray_SIZE(a)
    if is_plain_float64(a) and (cnp.PyArray_IS_C_CONTIGUOUS(a) or cnp.PyArray_IS_F_CONTIGUOUS(a)):
        # A sum of squares is NaN only if a term is; four sums do not wait for each other.
        x = <double*>cnp.PyArray_DATA(a)
        for k in range(0, n - 3, 4):
            s0 += x[k] * x[k]
            s1 += x[k + 1] * x[k + 1]
            s2 += x[k + 2] * x[k + 2]
            s3 += x[k + 3] * x[k + 3]
        for k in range(n - n % 4, n):
            s0 += x[k] * x[k]
        s0 += s1 + s2 + s3
        return s0 != s0
    return bool(_any(_isnan(a)))


# -- small arithmetic ----------------------------------------------------------------------------
# For some dozens of elements NumPy's time goes into finding the loop, not into running it. These
# loops give the same bits (IEEE arithmetic is exact to the last one) in a quarter of the time, and
# leave whatever might warn or behave specially to NumPy.

cdef inline bint _is_small(ndarray a) noexcept:
    return (cnp.PyArray_SIZE(a) <= _SMALL and cnp.PyArray_NDIM(a) > 0 and is_plain_float64(a)
            and cnp.PyArray_IS_C_CONTIGUOUS(a))


cdef ndarray _new_like(ndarray a):
    return cnp.PyArray_EMPTY(cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a), cnp.NPY_FLOAT64, 0)


@cython.cdivision(True)
cdef object small_arithmetic(Operation operation, object a, object b):
    """``a op b`` for small float64 arrays, or such an array and a float; None: ask NumPy."""
    cdef double* x
    cdef double* y
    cdef double* z
    cdef double r, size, u = 0.0, v = 0.0
    cdef Py_ssize_t k, n, x_step = 1, y_step = 1
    cdef ndarray made
    if type(a) is ndarray:
        if not _is_small(<ndarray>a):
            return None
        x = <double*>cnp.PyArray_DATA(<ndarray>a)
        if type(b) is ndarray:
            if not _is_small(<ndarray>b) or not same_shape(<ndarray>a, <ndarray>b):
                return None
            y = <double*>cnp.PyArray_DATA(<ndarray>b)
        elif type(b) is float or type(b) is _float64:
            v = b
            y = &v
            y_step = 0
        else:
            return None
        made = _new_like(<ndarray>a)
    else:
        if type(b) is not ndarray or not (type(a) is float or type(a) is _float64) \
                or not _is_small(<ndarray>b):
            return None
        u = a
        x = &u
        x_step = 0
        y = <double*>cnp.PyArray_DATA(<ndarray>b)
        made = _new_like(<ndarray>b)
    z = <double*>cnp.PyArray_DATA(made)
    n = cnp.PyArray_SIZE(made)
    for k in range(n):
        if operation == PRODUCT:
            r = x[k * x_step] * y[k * y_step]
        elif operation == SUM:
            r = x[k * x_step] + y[k * y_step]
        elif operation == DIFFERENCE:
            r = x[k * x_step] - y[k * y_step]
        else:
            if y[k * y_step] == 0.0:
                return None
            r = x[k * x_step] / y[k * y_step]
        size = fabs(r)
        # Overflow, NaN, underflow: NumPy decides what to warn of.
        if not size <= _LARGEST:
            return None
        if size < _SMALLEST_NORMAL and (r != 0.0 or operation >= PRODUCT):
            return None
        z[k] = r
    return made


cdef ndarray small_sum(ndarray a, ndarray b):
    """``a + b`` for small float64 arrays of one shape (in a sweep, where nothing warns), or None."""
    cdef double* x
    cdef double* y
    cdef double* z
    cdef Py_ssize_t k
    cdef ndarray made
    if not (_is_small(a) and _is_small(b) and same_shape(a, b)):
        return None
    made = _new_like(a)
    x = <double*>cnp.PyArray_DATA(a)
    y = <double*>cnp.PyArray_DATA(b)
    z = <double*>cnp.PyArray_DATA(made)
    for k in range(cnp.PyArray_SIZE(a)):
        z[k] = x[k] + y[k]
    return made
