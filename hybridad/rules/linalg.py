"""`numpy.linalg`: norms, solves, inverses, powers, determinants; matrices may be stacked.

Sources: Giles, "An extended collection of matrix derivative results" (2008); Golub and Pereyra,
"The differentiation of pseudo-inverses" (1973) for `pinv`; Najfeld and Havel, "Derivatives of the
matrix exponential" (1995) for the block triangular matrix of `matrix_power`.

The derivative of a determinant is the matrix of cofactors (`_cofactors`), which exists for
singular matrices too.
"""

import numpy as np

from hybridad.rules.declare import constant, rule
from hybridad.rules.factorizations import H, T, hermitian_part, row
from hybridad.rules.products import conj
from hybridad.rules.spaces import expand, where_nonzero

# norms


def _sign(x, size):
    """The derivative of abs(x); 0 at 0."""
    return np.conj(x) / where_nonzero(size, size) if x.dtype.kind == "c" else np.sign(x)


def _vector_norm(g, ans, x, ord=2, axis=None, keepdims=False):
    if ord == 0:
        return None
    if ord is None or ord == 2:
        f = g / where_nonzero(ans, ans)
        return conj(x) * (f if axis is None else expand(f, x, axis, keepdims))
    size = np.abs(x)
    if ord in (np.inf, -np.inf):
        largest = size == expand(ans, x, axis, keepdims)
        share = largest / np.sum(largest, axis=axis, keepdims=True)
        return expand(g, x, axis, keepdims) * share * _sign(x, size)
    if ord == 1:
        return expand(g, x, axis, keepdims) * _sign(x, size)
    g = expand(np.where(ans == 0, 0.0, g), x, axis, keepdims)
    norm = expand(where_nonzero(ans, ans), x, axis, keepdims)
    if ord > 2:
        return g / norm * conj(x) * (size / norm) ** (ord - 2)
    return g * _sign(x, size) * (where_nonzero(size, size) / norm) ** (ord - 1)


def _matrix_norm(g, ans, x, ord="fro", axis=(-2, -1), keepdims=False):
    if ord in (None, "fro", "f"):
        return _vector_norm(g, ans, x, 2, axis, keepdims)
    x = np.moveaxis(x, axis, (-2, -1))
    g = np.reshape(g, (*x.shape[:-2], 1, 1))
    if ord in ("nuc", 2, -2):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        weights = np.sign(s)
        if ord != "nuc":
            weights = weights * np.eye(s.shape[-1], dtype=s.dtype)[0 if ord == 2 else -1]
        c = g * conj((u * row(weights)) @ vh)
    else:
        size = np.abs(x)
        sums = np.sum(size, axis=-2 if abs(ord) == 1 else -1, keepdims=True)
        best = (np.max if ord > 0 else np.min)(sums, axis=(-2, -1), keepdims=True)
        best = sums == best
        c = g * (best / np.sum(best, axis=(-2, -1), keepdims=True)) * _sign(x, size)
    return np.moveaxis(c, (-2, -1), axis)


def _norm(g, ans, x, ord=None, axis=None, keepdims=False):
    if axis is None and ord is not None and x.ndim == 2:
        axis = (0, 1)
    if isinstance(axis, tuple) and len(axis) == 2:
        return _matrix_norm(g, ans, x, ord, axis, keepdims)
    return _vector_norm(g, ans, x, ord, axis, keepdims)


def _norm_jvp(vjp, axis=None):
    """The tangent of a real number is the pairing with its gradient."""

    def jvp(t, ans, x, ord=None, axis=axis, keepdims=False):
        gradient = vjp(np.ones_like(ans), ans, x, ord, axis, keepdims)
        if gradient is None:
            return None
        return np.real(np.sum(gradient * t, axis=axis, keepdims=keepdims))

    return jvp


rule(np.linalg.norm, _norm, jvps=[_norm_jvp(_norm)])
rule(np.linalg.vector_norm, _vector_norm, params=("x",),
     jvps=[lambda t, ans, x, ord=2, axis=None, keepdims=False:
           _norm_jvp(_vector_norm)(t, ans, x, ord, axis, keepdims)])
rule(np.linalg.matrix_norm, lambda g, ans, x, ord="fro", keepdims=False:
     _matrix_norm(g, ans, x, ord, (-2, -1), keepdims), params=("x",),
     jvps=[lambda t, ans, x, ord="fro", keepdims=False:
           _norm_jvp(_matrix_norm)(t, ans, x, ord, (-2, -1), keepdims)])


def _cond(g, ans, x, p=None):
    g = g * ans
    if p is None or p in (2, -2):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        ends = np.eye(s.shape[-1], dtype=s.dtype)
        ends = (ends[-1] - ends[0]) if p == -2 else (ends[0] - ends[-1])
        return conj((u * row(g[..., None] * ends / s)) @ vh)
    y = np.linalg.inv(x)
    of_x, of_y = (np.linalg.norm(z, p, (-2, -1)) for z in (x, y))
    g_y = _matrix_norm(g / of_y, of_y, y, p)
    return _matrix_norm(g / of_x, of_x, x, p) - T(y) @ g_y @ T(y)


rule(np.linalg.cond, _cond, jvps=[
    lambda t, ans, x, p=None:
        np.real(np.sum(_cond(np.ones_like(ans), ans, x, p) * t, axis=(-2, -1)))])
constant(np.linalg.matrix_rank)


# solve, inverses, powers. NumPy 2: `b` of `solve` is a vector only if it has one dimension.


def _column(x, b):
    return x[..., None] if b.ndim == 1 else x


def _solve_a(g, ans, a, b):
    if b.ndim == 1 and a.ndim == 2:
        return -np.linalg.solve(a.T, g)[:, None] * ans
    return -(np.linalg.solve(T(a), _column(g, b)) @ T(_column(ans, b)))


def _solve_b(g, ans, a, b):
    x = np.linalg.solve(T(a), _column(g, b))
    return x[..., 0] if b.ndim == 1 else x


def _solve_a_jvp(t, ans, a, b):
    x = -np.linalg.solve(a, t @ _column(ans, b))
    return x[..., 0] if b.ndim == 1 else x


rule(np.linalg.solve, _solve_a, _solve_b,
     jvps=[_solve_a_jvp, lambda t, ans, a, b: np.linalg.solve(a, t)])
rule(np.linalg.inv, lambda g, ans, a: -(T(ans) @ g @ T(ans)),
     jvps=[lambda t, ans, a: -(ans @ t @ ans)])


def _read(a, hermitian):
    """The matrix that is read: with ``hermitian=True`` the lower triangle tells the upper one."""
    if not hermitian:
        return a
    lower = np.tril(a, -1)
    return lower + H(lower) + np.eye(a.shape[-1], dtype=a.dtype) * np.real(a)


def _residuals(p, a):
    """I - A P and I - P A, the projections off the column and the row space."""
    m, n = a.shape[-2:]
    return np.eye(m, dtype=a.dtype) - a @ p, np.eye(n, dtype=a.dtype) - p @ a


def _pinv(g, ans, a, rcond=None, hermitian=False, rtol=None):
    left, right = _residuals(ans, _read(a, hermitian))
    pt, ph = T(ans), H(ans)
    c = conj(left @ T(g) @ ans @ ph + ph @ ans @ T(g) @ right) - pt @ g @ pt
    return hermitian_part(c) if hermitian else c


def _pinv_jvp(t, ans, a, rcond=None, hermitian=False, rtol=None):
    left, right = _residuals(ans, _read(a, hermitian))
    t = hermitian_part(t) if hermitian else t
    th, ph = H(t), H(ans)
    return ans @ ph @ th @ left + right @ th @ ph @ ans - ans @ t @ ans


def _matrix_power(g, a, n):
    """The sum of a^i g a^(n-1-i): the corner of the power of a block triangular matrix."""
    if n == 0:
        return None
    if n == 1:
        return g
    if n == 2:
        return a @ g + g @ a
    upper = np.concatenate([a, g], axis=-1)
    lower = np.concatenate([np.zeros_like(a), a], axis=-1)
    k = a.shape[-1]
    return np.linalg.matrix_power(np.concatenate([upper, lower], axis=-2), n)[..., :k, k:]


rule(np.linalg.pinv, _pinv, jvps=[_pinv_jvp])
rule(np.linalg.matrix_power, lambda g, ans, a, n: _matrix_power(g, T(a), n),
     jvps=[lambda t, ans, a, n: _matrix_power(t, a, n)])


# det, slogdet


def _is_singular(a, det):
    """Whether a determinant is rounding error, by Hadamard's bound."""
    bound = np.sqrt(np.prod(np.sum(np.abs(a) ** 2, axis=-1), axis=-1))
    return np.abs(det) <= a.shape[-1] * np.finfo(a.dtype).eps * bound


def _cofactors(a, det):
    """The matrix of cofactors, the gradient of the determinant.

    Up to three rows they are written out. From four rows on they are ``det * inv(a).T`` where `a`
    is regular. Where it is not, a matrix of rank one is added, b = a + s u v^T, and the cofactors
    of `a` follow from those of `b`: by Sherman, Morrison and the determinant lemma
    adj(a) = det(b) ((1 - s v^T w u) w + s (w u)(v^T w)), w = inv(b). That is an identity of
    polynomials in `a`, so it is exact, also to higher orders, whenever the rank is at least n - 1.
    Of lower rank all cofactors are 0; there (n > 3) derivatives of the cofactors are taken as 0.
    """
    n = a.shape[-1]
    if n <= 1:
        return np.ones_like(a)
    if n == 2:
        return a[..., ::-1, ::-1] * np.array([[1, -1], [-1, 1]], dtype=a.dtype)
    if n == 3:
        return np.cross(np.roll(a, -1, axis=-2), np.roll(a, -2, axis=-2))
    u, v = np.cos(np.arange(n)).astype(a.dtype), np.sin(1 + np.arange(n)).astype(a.dtype)
    scale = np.where(_is_singular(a, det), np.max(np.abs(a), axis=(-2, -1)), 0)[..., None, None]
    b = a + scale * np.outer(u, v)
    det = np.linalg.det(b)
    lost = _is_singular(b, det)[..., None, None]
    w = np.linalg.inv(np.where(lost, np.eye(n, dtype=a.dtype), b))
    wu, vw = (w @ u)[..., :, None], (v @ w)[..., None, :]
    adjugate = (1 - scale * (vw @ u)[..., None]) * w + scale * (wu * vw)
    return np.where(lost, 0, det[..., None, None]) * T(adjugate)


def _inverse(g, ans, a):
    """The inverse, where the cotangent is 0 also of singular matrices."""
    skip = (g == 0) & (ans[1] == -np.inf)
    return np.linalg.inv(np.where(skip[..., None, None], np.eye(a.shape[-1], dtype=a.dtype), a))


def _log_rate(t, a):
    """trace(inv(a) t), the derivative of log det."""
    return np.trace(np.linalg.solve(a, t), axis1=-2, axis2=-1)


def _slogdet_sign(g, ans, a):
    if a.dtype.kind != "c":
        return None
    return 1j * np.imag(g * ans[0])[..., None, None] * T(_inverse(g, ans, a))


def _slogdet_sign_jvp(t, ans, a):
    return ans[0] * 1j * np.imag(_log_rate(t, a)) if a.dtype.kind == "c" else None


rule(np.linalg.det, lambda g, ans, a: g[..., None, None] * _cofactors(a, ans),
     jvps=[lambda t, ans, a: np.sum(_cofactors(a, ans) * t, axis=(-2, -1))])
rule(np.linalg.slogdet, _slogdet_sign, jvps=[_slogdet_sign_jvp], out=0)
rule(np.linalg.slogdet, lambda g, ans, a: g[..., None, None] * T(_inverse(g, ans, a)),
     jvps=[lambda t, ans, a: np.real(_log_rate(t, a))], out=1)
