"""Cases of `hybridad.rules.factorizations`.

Functions that read one triangle of a Hermitian matrix are differentiated as functions of Hermitian
matrices: their calls make the argument Hermitian first, so only the tape can run them
(`tests/rules/test_linalg.py` has them directly). The same holds for calls that make a function of
singular or eigenvectors independent of the phases, which LAPACK chooses.
"""

import numpy as np

from tests.rules.cases import arg, case

REGULAR = arg(3, 3, domain="regular")
SPD, SPDS = arg(3, 3, domain="spd"), arg(2, 3, 3, domain="spd")
HERMITIAN, HERMITIANS = arg(3, 3, domain="hermitian"), arg(2, 3, 3, domain="hermitian")


def hermitian(x):
    return (x + np.conj(np.swapaxes(x, -1, -2))) * 0.5


# factorizations of Hermitian matrices

case(np.linalg.cholesky, SPD, call=lambda x: np.linalg.cholesky(hermitian(x)))
case(np.linalg.cholesky, SPDS, call=lambda x: np.linalg.cholesky(hermitian(x)))
case(np.linalg.cholesky, SPDS, call=lambda x: np.linalg.cholesky(hermitian(x), upper=True))
for _u in ("L", "U"):
    case(np.linalg.eigvalsh, HERMITIAN, call=lambda x, u=_u: np.linalg.eigvalsh(hermitian(x), u))
    case(np.linalg.eigvalsh, HERMITIANS,
         call=lambda x, u=_u: np.linalg.eigvalsh(hermitian(x), UPLO=u))
    case(np.linalg.eigh, HERMITIANS, call=lambda x, u=_u: np.linalg.eigh(hermitian(x), UPLO=u)[0])
    case(np.linalg.eigh, HERMITIAN, dtypes="fd",
         call=lambda x, u=_u: np.linalg.eigh(hermitian(x), u).eigenvectors)


def _function_of(x):
    """exp of a Hermitian matrix, by its eigenvectors: free of their phases."""
    w, v = np.linalg.eigh(hermitian(x))
    return (v * np.exp(w * 0.1)[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2))


case(np.linalg.eigh, HERMITIANS, call=_function_of)

# eigenvalues of general matrices: distinct and real


def _tilted(x):
    """A matrix that is not normal, with eigenvalues near 1, 3, 5."""
    return x * 0.03 + np.array([[1.0, 0.4, 0.1], [0.0, 3.0, -0.3], [0.2, 0.0, 5.0]])


def _projections(x):
    """Products of right and left eigenvectors, free of phases and lengths."""
    w, v = np.linalg.eig(_tilted(x))
    return (v * np.sin(w)[..., None, :]) @ np.linalg.inv(v)


case(np.linalg.eigvals, arg(3, 3), call=lambda x: np.linalg.eigvals(_tilted(x)))
case(np.linalg.eigvals, arg(2, 3, 3), call=lambda x: np.linalg.eigvals(_tilted(x)))
case(np.linalg.eig, arg(2, 3, 3), call=lambda x: np.linalg.eig(_tilted(x))[0])
case(np.linalg.eig, arg(2, 3, 3), call=lambda x: np.abs(np.linalg.eig(_tilted(x))[1]))
case(np.linalg.eig, arg(2, 3, 3), call=_projections)

# svd, qr

for _shape in ((3, 3), (2, 4, 2), (2, 2, 4)):
    _a = arg(*_shape, domain="apart")
    case(np.linalg.svdvals, _a)
    case(np.linalg.svd, _a, call=lambda x: np.linalg.svd(x, compute_uv=False), note="values")
    case(np.linalg.svd, _a, call=lambda x: np.linalg.svd(x, False)[1], note="S")
    case(np.linalg.svd, _a, dtypes="fd", note="U",
         call=lambda x: np.linalg.svd(x, full_matrices=False)[0])
    case(np.linalg.svd, _a, dtypes="fd", note="Vh",
         call=lambda x: np.linalg.svd(x, full_matrices=False)[2])
case(np.linalg.svd, arg(3, 3, domain="apart"), call=lambda x: np.linalg.svd(x).U, dtypes="fd")
case(np.linalg.svd, arg(3, 3, domain="apart"), call=lambda x: np.linalg.svd(x).S)
for _shape in ((3, 3), (2, 3, 3)):
    _a = arg(*_shape, domain="hermitian")
    case(np.linalg.svd, _a, note="hermitian values",
         call=lambda x: np.linalg.svd(hermitian(x), compute_uv=False, hermitian=True))
    case(np.linalg.svd, _a, note="hermitian S",
         call=lambda x: np.linalg.svd(hermitian(x), hermitian=True).S)
    case(np.linalg.svd, _a, note="hermitian U", dtypes="fd",
         call=lambda x: np.linalg.svd(hermitian(x), hermitian=True).U)
    case(np.linalg.svd, _a, note="hermitian Vh", dtypes="fd",
         call=lambda x: np.linalg.svd(hermitian(x), False, hermitian=True).Vh)


def _polar(x):
    """The unitary factor, free of the phases of the singular vectors."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return (u * np.exp(-s)[..., None, :]) @ vh


case(np.linalg.svd, arg(2, 4, 3, domain="apart"), call=_polar, note="polar")
case(np.linalg.svd, arg(2, 3, 4, domain="apart"), call=_polar, note="polar")
for _shape in ((3, 3), (2, 4, 2), (2, 2, 4)):
    _a = arg(*_shape, domain="regular")
    case(np.linalg.qr, _a, call=lambda x: np.linalg.qr(x)[0], note="Q")
    case(np.linalg.qr, _a, call=lambda x: np.linalg.qr(x).R, note="R")
    case(np.linalg.qr, _a, call=lambda x: np.linalg.qr(x, "r"), note="r")
case(np.linalg.qr, REGULAR, call=lambda x: np.linalg.qr(x, mode="complete")[0], note="complete")
