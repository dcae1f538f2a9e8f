"""Cases of `hybridad.rules.products`."""

import warnings

import numpy as np

from tests.rules.cases import arg, case

VECTOR, MATRIX = arg(3), arg(3, 3)

# matmul and dot: every combination of dimensions, broadcast batches, complex

_PAIRS = [
    (arg(2, 3), arg(3, 4)), (arg(2, 3), arg(3)), (arg(3), arg(3, 4)), (arg(3), arg(3)),
    (arg(1, 3), arg(3, 1)), (arg(0, 3), arg(3, 2)), (arg(2, 0), arg(0, 3)),
    (arg(5, 2, 3), arg(3)), (arg(5, 2, 3), arg(3, 4)), (arg(0, 2, 3), arg(3, 4)),
]
for _x, _y in _PAIRS:
    case(np.matmul, _x, _y)
    case(np.dot, _x, _y)
for _x, _y in [
    (arg(3), arg(5, 3, 4)), (arg(2, 3), arg(5, 3, 4)), (arg(5, 2, 3), arg(5, 3, 4)),
    (arg(1, 2, 3), arg(5, 3, 4)), (arg(2, 1, 2, 3), arg(5, 3, 4)), (arg(1, 1, 3), arg(1, 3, 1)),
]:
    case(np.matmul, _x, _y)
case(np.matmul, MATRIX, call=lambda x: np.matmul(x, np.arange(3.0)))
case(np.matmul, MATRIX, call=lambda x: np.matmul(x, x), note="same")
case(np.linalg.matmul, arg(2, 3), arg(3, 4))
case(np.linalg.matmul, arg(5, 2, 3), arg(3, 4))
for _x, _y in [
    (arg(), arg()), (arg(), arg(2, 3)), (arg(2, 3), arg()), (arg(3), arg(2, 3, 4)),
    (arg(2, 3), arg(4, 3, 2)), (arg(2, 2, 3), arg(2, 3, 4)), (arg(2, 2, 3), arg(1, 2, 3, 4)),
]:
    case(np.dot, _x, _y)

# vecdot, matvec, vecmat, inner, outer, vdot

case(np.vecdot, arg(3), arg(3))
case(np.vecdot, arg(2, 3), arg(3))
case(np.vecdot, arg(2, 1, 3), arg(4, 3))
case(np.vecdot, arg(3, 2), arg(3, 2), call=lambda x, y: np.vecdot(x, y, axis=0))
case(np.vecdot, arg(2, 3, 4), arg(3, 1), call=lambda x, y: np.vecdot(x, y, axis=-2))
case(np.linalg.vecdot, arg(2, 3), arg(3))
case(np.linalg.vecdot, arg(3, 2), arg(3, 2), call=lambda x, y: np.linalg.vecdot(x, y, axis=0))
if hasattr(np, "matvec"):
    for _x, _y in [(arg(2, 3), arg(3)), (arg(4, 2, 3), arg(3)), (arg(2, 3), arg(4, 3)),
                   (arg(4, 1, 2, 3), arg(5, 3))]:
        case(np.matvec, _x, _y)
    for _x, _y in [(arg(3), arg(3, 2)), (arg(4, 3), arg(3, 2)), (arg(3), arg(4, 3, 2)),
                   (arg(4, 1, 3), arg(5, 3, 2))]:
        case(np.vecmat, _x, _y)
for _x, _y in [(arg(), arg()), (arg(), arg(3)), (arg(3), arg(3)), (arg(2, 3), arg(3)),
               (arg(3), arg(2, 3)), (arg(2, 3), arg(4, 5, 3)), (arg(2, 2, 3), arg(2, 3))]:
    case(np.inner, _x, _y)
case(np.outer, arg(3), arg(2))
case(np.outer, arg(2, 2), arg(3))
case(np.outer, arg(), arg(3))
case(np.linalg.outer, arg(3), arg(2))
case(np.vdot, arg(3), arg(3))
case(np.vdot, arg(2, 3), arg(2, 3))
case(np.vdot, arg(2, 3), arg(6))
case(np.vdot, arg(), arg())

# trace and the views of numpy.linalg

case(np.trace, MATRIX)
case(np.trace, arg(2, 4), call=lambda x: np.trace(x, 1))
case(np.trace, arg(4, 2), call=lambda x: np.trace(x, offset=-1))
case(np.trace, arg(2, 4), call=lambda x: np.trace(x, 1, 1, 0))
case(np.trace, arg(2, 4), call=lambda x: np.trace(x, offset=-1, axis1=-1, axis2=0))
case(np.trace, arg(2, 3, 4))
case(np.trace, arg(2, 3, 4), call=lambda x: np.trace(x, axis1=-1, axis2=0))
case(np.trace, arg(2, 3, 4), call=lambda x: np.trace(x, 1, 2, 1))
case(np.trace, arg(2, 3), call=lambda x: np.trace(x, offset=5), note="empty")
case(np.linalg.trace, arg(2, 3, 4))
case(np.linalg.trace, arg(2, 3), call=lambda x: np.linalg.trace(x, offset=1))
case(np.linalg.diagonal, arg(2, 3, 3))
case(np.linalg.matrix_transpose, arg(2, 3, 4))

# tensordot, kron

case(np.tensordot, arg(2, 3, 4), arg(3, 4, 5))
case(np.tensordot, arg(2, 3), arg(3, 4), call=lambda x, y: np.tensordot(x, y, 1))
case(np.tensordot, arg(2, 3), arg(4), call=lambda x, y: np.tensordot(x, y, axes=0))
case(np.tensordot, arg(2, 3), arg(2, 3), call=lambda x, y: np.tensordot(x, y, axes=2))
case(np.tensordot, arg(2, 3, 4), arg(4, 5, 2),
     call=lambda x, y: np.tensordot(x, y, axes=((2, 0), (0, 2))))
case(np.tensordot, arg(2, 3, 4), arg(4, 5, 2, 3),
     call=lambda x, y: np.tensordot(x, y, axes=([1, -1, 0], [-1, 0, 2])))
case(np.tensordot, arg(2, 3), arg(4, 2), call=lambda x, y: np.tensordot(x, y, axes=(0, -1)))
case(np.linalg.tensordot, arg(2, 3, 4), arg(3, 4, 5))
case(np.linalg.tensordot, arg(2, 3), arg(4, 2),
     call=lambda x, y: np.linalg.tensordot(x, y, axes=((0,), (1,))))
for _x, _y in [(arg(2, 3), arg(3, 2)), (arg(3), arg(2)), (arg(3), arg(2, 2)), (arg(2, 2), arg(3)),
               (arg(), arg(3)), (arg(2, 3), arg()), (arg(2, 1, 2), arg(2, 3)), (arg(), arg())]:
    case(np.kron, _x, _y)

# einsum

case(np.einsum, arg(2, 3), arg(3, 4), call=lambda x, y: np.einsum("ij,jk->ik", x, y))
case(np.einsum, arg(2, 3), arg(3, 4), call=lambda x, y: np.einsum("ij , jk", x, y))
case(np.einsum, arg(2, 3), arg(3, 4), call=lambda x, y: np.einsum("ba,ac", x, y))
case(np.einsum, arg(2, 3), call=lambda x: np.einsum("ij->ji", x))
case(np.einsum, arg(2, 3), call=lambda x: np.einsum("ba", x), note="implicit")
case(np.einsum, arg(2, 3), call=lambda x: np.einsum("ij->", x), note="sum")
case(np.einsum, arg(2, 3), call=lambda x: np.einsum("ij->i", x), note="row sums")
case(np.einsum, MATRIX, call=lambda x: np.einsum("ii", x), note="trace")
case(np.einsum, MATRIX, call=lambda x: np.einsum("ii->i", x), note="diagonal")
case(np.einsum, arg(3, 3, 3), call=lambda x: np.einsum("iii->i", x), note="diagonal")
case(np.einsum, arg(3, 2, 3), arg(2), call=lambda x, y: np.einsum("iji,j->", x, y))
case(np.einsum, MATRIX, arg(3), call=lambda x, y: np.einsum("ii,i->i", x, y))
case(np.einsum, arg(2, 3), arg(2), call=lambda x, y: np.einsum("ij,i->i", x, y), note="lone")
case(np.einsum, arg(3), arg(4), call=lambda x, y: np.einsum("i,j->", x, y), note="lone")
case(np.einsum, arg(3), arg(3), call=lambda x, y: np.einsum("i,i", x, y))
case(np.einsum, arg(2, 3), arg(3, 4), arg(4, 2),
     call=lambda x, y, z: np.einsum("ij,jk,ki->", x, y, z))
case(np.einsum, arg(2, 3), arg(3, 4), arg(4, 5), arg(2),
     call=lambda x, y, z, w: np.einsum("ij,jk,kl,i->il", x, y, z, w, optimize=True))
case(np.einsum, arg(2, 3), arg(3, 4), arg(4, 5),
     call=lambda x, y, z: np.einsum("ij,jk,kl->il", x, y, z,
                                    optimize=["einsum_path", (0, 1), (0, 1)]))
case(np.einsum, arg(5, 2, 3), arg(3, 4), call=lambda x, y: np.einsum("...ij,jk->...ik", x, y))
case(np.einsum, arg(5, 2, 3), arg(5, 3, 4), call=lambda x, y: np.einsum("...ij,...jk", x, y))
case(np.einsum, arg(2, 5, 3), arg(4, 1, 3), call=lambda x, y: np.einsum("i...,j...->...ij", x, y))
case(np.einsum, arg(2, 3), arg(4, 2, 3), call=lambda x, y: np.einsum("...,...", x, y))
case(np.einsum, arg(2, 3, 3), call=lambda x: np.einsum("...ii->...i", x), note="diagonals")
case(np.einsum, arg(2, 3, 3), call=lambda x: np.einsum("...ii", x), note="traces")
case(np.einsum, arg(1, 3), arg(2, 3), call=lambda x, y: np.einsum("ij,ij->i", x, y), note="one")
case(np.einsum, arg(3), call=lambda x: np.einsum("i,i->", x, x), note="same")
case(np.einsum, arg(), arg(3), call=lambda x, y: np.einsum(",i->i", x, y))

# cross


def _plane(x, y, **axes):
    """np.cross of plane vectors, which NumPy 2 deprecates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return np.cross(x, y, **axes)


case(np.cross, VECTOR, VECTOR)
case(np.cross, arg(4, 3), VECTOR)
case(np.cross, arg(2, 1, 3), arg(4, 3))
case(np.cross, arg(3, 4), arg(3, 4), call=lambda x, y: np.cross(x, y, axis=0))
case(np.cross, arg(3, 4), arg(4, 3), call=lambda x, y: np.cross(x, y, 0, 1, 0))
case(np.cross, arg(2, 3, 4), arg(4, 3),
     call=lambda x, y: np.cross(x, y, axisa=1, axisb=-1, axisc=0))
if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # later ones have lost it
    case(np.cross, arg(2), arg(2), call=_plane, note="plane")
    case(np.cross, arg(4, 2), arg(2), call=_plane, note="plane")
    case(np.cross, arg(2, 4), arg(4, 3), call=lambda x, y: _plane(x, y, axisa=0, axisc=0),
         note="mixed")
    case(np.cross, VECTOR, arg(4, 2), call=_plane, note="mixed")
case(np.linalg.cross, arg(4, 3), VECTOR)
case(np.linalg.cross, arg(3, 4), arg(3, 4), call=lambda x, y: np.linalg.cross(x, y, axis=0))

# convolve and correlate

for _n, _m in [(5, 3), (3, 5), (5, 2), (2, 5), (4, 4), (3, 3), (4, 1), (1, 4), (4, 6), (7, 4)]:
    for _mode in ("full", "same", "valid"):
        case(np.convolve, arg(_n), arg(_m), call=lambda x, y, m=_mode: np.convolve(x, y, m),
             note=_mode)
        case(np.correlate, arg(_n), arg(_m), call=lambda x, y, m=_mode: np.correlate(x, y, mode=m),
             note=_mode)
case(np.convolve, arg(4), arg(3))
case(np.convolve, arg(), arg(3))
case(np.correlate, arg(4), arg(3))

# polynomials

case(np.polyval, arg(4), arg())
case(np.polyval, arg(4), arg(5))
case(np.polyval, arg(4), arg(2, 3))
case(np.polyval, arg(1), arg(2))
case(np.polyval, arg(3, 2), arg(), note="several")
case(np.polyval, arg(3, 2), arg(2), note="several")
case(np.polyval, arg(4, 1, 2), arg(3, 1), note="several")
case(np.polyval, arg(1, 2), arg(3, 2), note="several")
case(np.polyval, arg(3), call=lambda p: np.polyval(p, 0.5))
case(np.vander, arg(3))
case(np.vander, arg(3), call=lambda x: np.vander(x, 4), note="N")
case(np.vander, arg(3), call=lambda x: np.vander(x, 5, True), note="increasing")
case(np.vander, arg(3), call=lambda x: np.vander(x, N=2, increasing=True), note="increasing")
case(np.vander, arg(3), call=lambda x: np.vander(x, 1), note="constant")
