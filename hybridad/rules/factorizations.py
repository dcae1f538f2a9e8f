"""Factorizations of `numpy.linalg`: `cholesky`, eigenvalues and vectors, `svd`, `qr`.

Sources: Giles, "An extended collection of matrix derivative results" (2008); Murray,
"Differentiation of the Cholesky decomposition" (2016); Seeger et al., "Auto-differentiating linear
algebra" (2017); Wan and Zhang, "Automatic differentiation for complex valued SVD" (2019); Roberts
and Roberts, "QR and LQ decomposition matrix backpropagation" (2020).

- Cotangents pair as Re(sum(g * t)). The literature's pairing is Re(sum(conj(g) * t)); where a
  formula is taken from it, `conj` goes in and out.
- Functions of Hermitian matrices that read one triangle only (`cholesky`, `eigh`, `eigvalsh`) are
  differentiated as functions of Hermitian matrices: a tangent enters through its Hermitian part,
  a cotangent comes back Hermitian (before the final `conj`), whichever triangle is read.
- Eigenvectors and singular vectors are differentiated with v^H dv = 0 (`eig`: real part 0; `svd`:
  the phases go to U): exact for real matrices, and for every function that does not depend on the
  phases. Where two values coincide the derivative of their vectors does not exist: it is 0 for a
  zero cotangent, and otherwise infinite or NaN rather than silently wrong.
"""

import numpy as np

from hybridad.rules.declare import rule
from hybridad.rules.products import conj
from hybridad.rules.refusals import refuse
from hybridad.rules.spaces import where_nonzero

__all__ = ["H", "T", "hermitian_part", "row"]


def T(x):
    """The plain transpose of matrices."""
    return np.swapaxes(x, -1, -2)


def H(x):
    """The conjugate transpose of matrices."""
    return conj(np.swapaxes(x, -1, -2))


def row(x):
    """A vector as a row: ``m * row(x)`` scales the columns of a matrix."""
    return x[..., None, :]


def hermitian_part(x):
    """The Hermitian part of matrices."""
    return (x + H(x)) * 0.5


def _differences(x):
    """The matrix x_j - x_i."""
    return row(x) - x[..., None]


def _quotient(n, d):
    """n / d off the diagonal, 0 on it and wherever `n` is 0."""
    n = n * (1.0 - np.eye(n.shape[-1], dtype=np.finfo(n.dtype).dtype))
    return n / where_nonzero(n, d)


def _lower_half(x):
    """The lower triangle with half of the diagonal."""
    n = x.shape[-1]
    return x * (np.tri(n, k=-1) + 0.5 * np.eye(n)).astype(np.finfo(x.dtype).dtype)


# cholesky: dL = L phi(L^-1 dA L^-H), phi the lower triangle with half of the diagonal


def _cholesky(g, ans, a, upper=False):
    g, low = (H(g), H(ans)) if upper else (g, ans)
    inverse = np.linalg.inv(low)
    return conj(hermitian_part(H(inverse) @ _lower_half(H(low) @ conj(g)) @ inverse))


def _cholesky_jvp(t, ans, a, upper=False):
    low = H(ans) if upper else ans
    inverse = np.linalg.inv(low)
    t = low @ _lower_half(inverse @ hermitian_part(t) @ H(inverse))
    return H(t) if upper else t


rule(np.linalg.cholesky, _cholesky, jvps=[_cholesky_jvp])


# eigenvalues: dw = diag(X), dV = V (X / (w_j - w_i)), X = V^-1 dA V


def _eigvalsh(g, v):
    return (conj(v) * row(g)) @ T(v)


def _eigvalsh_jvp(t, v):
    return np.real(np.sum(conj(v) * (hermitian_part(t) @ v), axis=-2))


def _eigh_vectors(g, ans, a, UPLO="L"):
    w, v = ans
    m = H(v) @ conj(g)
    return conj(v @ (_quotient(m - H(m), _differences(w)) * 0.5) @ H(v))


def _eigh_vectors_jvp(t, ans, a, UPLO="L"):
    w, v = ans
    return v @ _quotient(H(v) @ hermitian_part(t) @ v, _differences(w))


rule(np.linalg.eigvalsh,
     lambda g, ans, a, UPLO="L": _eigvalsh(g, np.linalg.eigh(a, UPLO)[1]),
     jvps=[lambda t, ans, a, UPLO="L": _eigvalsh_jvp(t, np.linalg.eigh(a, UPLO)[1])])
rule(np.linalg.eigh, lambda g, ans, a, UPLO="L": _eigvalsh(g, ans[1]),
     jvps=[lambda t, ans, a, UPLO="L": _eigvalsh_jvp(t, ans[1])], out=0)
rule(np.linalg.eigh, _eigh_vectors, jvps=[_eigh_vectors_jvp], out=1)


def _eigvals(g, v):
    """The cotangent V^-T diag(g) V^T."""
    return np.linalg.solve(T(v), g[..., None] * T(v))


def _eigvals_jvp(t, v):
    return np.sum(T(np.linalg.inv(v)) * (t @ v), axis=-2)


def _vectors_of(a, values):
    """Eigenvectors in the order of `values`, which `eigvals` may give otherwise than `eig`."""
    w, v = np.linalg.eig(a)
    order = np.argmin(np.abs(values[..., None] - row(w)), axis=-1)
    return np.take_along_axis(v, row(order), axis=-1)


def _eig_vectors(g, ans, a):
    w, v = ans
    m = H(v) @ conj(g)
    unit = H(v) @ v * row(np.real(np.diagonal(m, axis1=-2, axis2=-1)))
    x = _quotient(m - unit, conj(_differences(w)))
    return conj(np.linalg.solve(H(v), x @ H(v)))


def _eig_vectors_jvp(t, ans, a):
    w, v = ans
    t = v @ _quotient(np.linalg.solve(v, t @ v), _differences(w))
    return t - v * np.real(np.sum(conj(v) * t, axis=-2, keepdims=True))


rule(np.linalg.eigvals, lambda g, ans, a: _eigvals(g, _vectors_of(a, ans)),
     jvps=[lambda t, ans, a: _eigvals_jvp(t, _vectors_of(a, ans))])
rule(np.linalg.eig, lambda g, ans, a: _eigvals(g, ans[1]),
     jvps=[lambda t, ans, a: _eigvals_jvp(t, ans[1])], out=0)
rule(np.linalg.eig, _eig_vectors, jvps=[_eig_vectors_jvp], out=1)


# svd: X = U^H dA V, dS = Re diag X, U and V by Wan and Zhang


def _refuse_full(a, full_matrices=True, compute_uv=True, hermitian=False):
    if full_matrices and compute_uv and a.shape[-1] != a.shape[-2]:
        refuse("The full singular vectors of a matrix that is not square are not unique: "
               "they have no derivative.",
               "Write np.linalg.svd(a, full_matrices=False).")


def _eigen(u, s, vh):
    """Eigenvalues, eigenvectors and signs behind a decomposition with ``hermitian=True``."""
    sign = np.sign(np.real(np.sum(u * T(vh), axis=-2)))
    return (s * sign, u), sign


def _gaps(s):
    """s_j^2 - s_i^2."""
    return _differences(s) * (row(s) + s[..., None])


def _svdvals(g, u, vh):
    return (conj(u) * row(g)) @ conj(vh)


def _svdvals_jvp(t, u, vh):
    return np.real(np.sum(conj(u) * (t @ H(vh)), axis=-2))


def _svd_single(g, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    return _svd_s(g, np.linalg.svd(a, False, True, hermitian), a, hermitian=hermitian)


def _svd_single_jvp(t, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    return _svd_s_jvp(t, np.linalg.svd(a, False, True, hermitian), a, hermitian=hermitian)


def _svd_s(g, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    u, _, vh = ans
    c = _svdvals(g, u, vh)
    return hermitian_part(c) if hermitian else c


def _svd_s_jvp(t, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    u, _, vh = ans
    return _svdvals_jvp(hermitian_part(t) if hermitian else t, u, vh)


def _phases(x, s):
    """The imaginary diagonal that fixes the phases: all of them go to U."""
    if x.dtype.kind != "c":
        return 0.0
    n = np.imag(x) * np.eye(s.shape[-1], dtype=s.dtype)
    return 1j * (n / where_nonzero(n, row(s)))


def _svd_u(g, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        return _eigh_vectors(g, _eigen(*ans)[0], a)
    u, s, vh = ans
    g = conj(g)
    m = H(u) @ g
    c = u @ (_quotient(m - H(m), _gaps(s)) * row(s) + _phases(m, s))
    if u.shape[-2] > u.shape[-1]:
        rest = g - u @ m
        c = c + rest / where_nonzero(rest, row(s))
    return conj(c @ vh)


def _svd_u_jvp(t, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        return _eigh_vectors_jvp(t, _eigen(*ans)[0], a)
    u, s, vh = ans
    tv = t @ H(vh)
    x = H(u) @ tv
    xs = x * row(s)
    t = u @ (_quotient(xs + H(xs), _gaps(s)) + _phases(x, s))
    if u.shape[-2] > u.shape[-1]:
        rest = tv - u @ x
        t = t + rest / where_nonzero(rest, row(s))
    return t


def _svd_vh(g, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        eigen, sign = _eigen(*ans)
        return _eigh_vectors(H(g * sign[..., None]), eigen, a)
    u, s, vh = ans
    g = T(g)
    m = vh @ g
    c = s[..., None] * _quotient(m - H(m), _gaps(s)) @ vh
    if vh.shape[-1] > vh.shape[-2]:
        rest = g - H(vh) @ m
        c = c + H(rest / where_nonzero(rest, row(s)))
    return conj(u @ c)


def _svd_vh_jvp(t, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        eigen, sign = _eigen(*ans)
        return H(_eigh_vectors_jvp(t, eigen, a)) * sign[..., None]
    u, s, vh = ans
    ut = H(u) @ t
    x = ut @ H(vh)
    sx = s[..., None] * x
    t = H(_quotient(sx + H(sx), _gaps(s))) @ vh
    if vh.shape[-1] > vh.shape[-2]:
        rest = ut - x @ vh
        t = t + rest / where_nonzero(rest, s[..., None])
    return t


rule(np.linalg.svdvals,
     lambda g, ans, x: _svd_single(g, ans, x),
     jvps=[lambda t, ans, x: _svd_single_jvp(t, ans, x)])
rule(np.linalg.svd, _svd_single, jvps=[_svd_single_jvp], check=_refuse_full)
rule(np.linalg.svd, _svd_u, jvps=[_svd_u_jvp], out=0)
rule(np.linalg.svd, _svd_s, jvps=[_svd_s_jvp], out=1)
rule(np.linalg.svd, _svd_vh, jvps=[_svd_vh_jvp], out=2)


# qr: W = skew part of Q^H dA R^-1, dQ = Q W + what leaves the column space, dR = (... - W) R


def _refuse_mode(a, mode="reduced"):
    tall = a.shape[-2] > a.shape[-1]
    if mode not in ("reduced", "complete", "r") or (mode == "complete" and tall):
        shape = " of a matrix with more rows than columns" if mode == "complete" else ""
        refuse(f"np.linalg.qr(mode={mode!r}){shape} has no derivative rule.",
               "Write np.linalg.qr(a), the reduced decomposition.")


def _qr_cotangent(g_q, g_r, q, r, a):
    k = r.shape[-2]         # R's further columns are Q^H times A's
    first, rest = r[..., :k], a[..., k:]
    wide = rest.shape[-1] > 0
    c = 0.0 if g_q is None else conj(g_q)
    d = 0.0 if g_q is None else H(q) @ c
    if g_r is not None:
        g_r = conj(g_r)
        if wide:
            c = c + rest @ H(g_r[..., k:])
            d = d + H(q) @ rest @ H(g_r[..., k:])
        d = d - g_r[..., :k] @ H(first)
    c = c + q @ (_lower_half(d - H(d)) - d)
    c = H(np.linalg.solve(first, H(c)))
    if wide:
        of_rest = np.zeros_like(rest) if g_r is None else q @ g_r[..., k:]
        c = np.concatenate([c, of_rest], axis=-1)
    return conj(c)


def _qr_tangents(t, q, r, a):
    k = r.shape[-2]         # R's further columns are Q^H times A's
    first = r[..., :k]
    y = H(np.linalg.solve(H(first), H(t[..., :k])))
    x = H(q) @ y
    half = _lower_half(x)
    skew = half - H(half)
    t_q = y + q @ (skew - x)
    t_r = (x - skew) @ first
    if a.shape[-1] > k:
        t_r = np.concatenate([t_r, H(t_q) @ a[..., k:] + H(q) @ t[..., k:]], axis=-1)
    return t_q, t_r


def _qr_single(g, ans, a, mode="reduced"):
    return _qr_cotangent(None, g, *np.linalg.qr(a), a)


def _qr_single_jvp(t, ans, a, mode="reduced"):
    return _qr_tangents(t, *np.linalg.qr(a), a)[1]


rule(np.linalg.qr, _qr_single, jvps=[_qr_single_jvp], check=_refuse_mode)
rule(np.linalg.qr,
     lambda g, ans, a, mode="reduced": _qr_cotangent(g, None, ans[0], ans[1], a),
     jvps=[lambda t, ans, a, mode="reduced": _qr_tangents(t, ans[0], ans[1], a)[0]], out=0)
rule(np.linalg.qr,
     lambda g, ans, a, mode="reduced": _qr_cotangent(None, g, ans[0], ans[1], a),
     jvps=[lambda t, ans, a, mode="reduced": _qr_tangents(t, ans[0], ans[1], a)[1]], out=1)
