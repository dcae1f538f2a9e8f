"""Exact points of the linear-algebra rules, and what the cases cannot check by themselves."""

import itertools

import numpy as np
import pytest

from hybridad.rules import factorizations, linalg, products  # noqa: F401 - they fill the registry
from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.spaces import project
from tests.rules.direct import directional, pair, random_like

DTYPES = pytest.mark.parametrize("dtype", ["d", "D"])


def draw(rng, *shape, dtype="d"):
    return random_like(np.zeros(shape, dtype), rng)


def hermitian(x):
    return (x + np.conj(np.swapaxes(x, -1, -2))) / 2.0


def vjp(p, g, *args, out=None, **kwargs):
    """The projected cotangent of the first argument by the rule of `p`."""
    primitive = PRIMITIVES[p] if out is None else PRIMITIVES[p].outs[out]
    with np.errstate(all="ignore"):
        c = primitive.vjps[0](g, p(*args, **kwargs), *args, **kwargs)
    return np.zeros_like(args[0]) if c is None else project(c, args[0])


def jvp(p, t, *args, out=None, **kwargs):
    primitive = PRIMITIVES[p] if out is None else PRIMITIVES[p].outs[out]
    return primitive.jvps[0](t, p(*args, **kwargs), *args, **kwargs)


def minors(a):
    """Cofactors by their definition."""
    n = len(a)
    c = np.zeros_like(a)
    for i, j in itertools.product(range(n), range(n)):
        c[i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1))
    return c


# norms


@DTYPES
@pytest.mark.parametrize("ord", [None, 1, 2, 3, 2.5, 1.5, 0.5, -1, np.inf, -np.inf, 0])
def test_vector_norm_at_zero_has_gradient_zero(ord, dtype):
    g = vjp(np.linalg.norm, np.float64(1.0), np.zeros(3, dtype), ord)
    assert np.array_equal(g, np.zeros(3))


@DTYPES
@pytest.mark.parametrize("ord", [None, "fro", "nuc", 1, 2, -1, -2, np.inf, -np.inf])
def test_matrix_norm_at_zero_has_gradient_zero(ord, dtype):
    g = vjp(np.linalg.norm, np.float64(1.0), np.zeros((2, 3), dtype), ord, (0, 1))
    assert np.array_equal(g, np.zeros((2, 3)))


@pytest.mark.parametrize("ord", [1, 1.5, 3])
def test_norm_with_a_zero_component_is_finite(ord):
    x = np.array([3.0, 0.0, -4.0])
    g = vjp(np.linalg.norm, np.float64(1.0), x, ord)
    assert g[1] == 0.0
    np.testing.assert_allclose(g @ x, np.linalg.norm(x, ord))


def test_ties_of_the_maximum_norm_share():
    g = vjp(np.linalg.norm, np.float64(1.0), np.array([2.0, -2.0, 1.0]), np.inf)
    np.testing.assert_array_equal(g, [0.5, -0.5, 0.0])


def test_one_zero_row_of_norms():
    g = vjp(np.linalg.norm, np.ones(2), np.array([[0.0, 0.0], [3.0, 4.0]]), axis=1)
    np.testing.assert_allclose(g, [[0.0, 0.0], [0.6, 0.8]])


# solve


def test_solve_of_a_stack_with_a_vector():
    rng = np.random.default_rng(0)
    a, b = draw(rng, 2, 3, 3) + 4.0 * np.eye(3), draw(rng, 3)
    x = np.linalg.solve(a, b)
    g = draw(rng, 2, 3)
    by_a, by_b = (rule(g, x, a, b) for rule in PRIMITIVES[np.linalg.solve].vjps)
    each = np.stack([np.linalg.solve(m.T, v) for m, v in zip(a, g)])
    np.testing.assert_allclose(project(by_b, b), each.sum(0))
    np.testing.assert_allclose(by_a, -each[:, :, None] * x[:, None, :])


# determinants


@DTYPES
@pytest.mark.parametrize("n", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("near", [0.0, 1e-14, 1e-8])
def test_det_of_a_singular_matrix(n, near, dtype):
    rng = np.random.default_rng(n)
    a = draw(rng, n, n, dtype=dtype)
    a[-1] = 2.0 * a[0] - a[-2] if n > 2 else 3.0 * a[0]
    a = a + near * draw(rng, n, n)
    scale = np.max(np.abs(minors(a)))
    np.testing.assert_allclose(vjp(np.linalg.det, a.dtype.type(1.0), a), minors(a),
                               atol=1e-12 * scale)


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_det_of_a_matrix_with_a_zero_column(n):
    a = draw(np.random.default_rng(1), n, n)
    a[:, 1] = 0.0
    assert np.linalg.det(a) == 0.0
    np.testing.assert_allclose(vjp(np.linalg.det, np.float64(1.0), a), minors(a), atol=1e-12)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_det_of_rank_n_minus_two(n):
    rng = np.random.default_rng(2)
    a = draw(rng, n, n - 2) @ draw(rng, n - 2, n)
    for singular in (a, np.zeros((n, n)), np.diag(np.arange(n) > 1) * 1.0):
        g = vjp(np.linalg.det, np.float64(1.0), singular)
        np.testing.assert_allclose(g, np.zeros((n, n)), atol=1e-12)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_second_derivative_of_det_at_a_singular_matrix(n):
    rng = np.random.default_rng(3)
    a, t = draw(rng, n, n - 1) @ draw(rng, n - 1, n), draw(rng, n, n)
    numeric = directional(lambda x: vjp(np.linalg.det, np.float64(1.0), x), [a], [t])
    np.testing.assert_allclose(numeric, directional(minors, [a], [t]), rtol=1e-7, atol=1e-9)


def test_log_determinant_of_a_singular_matrix_that_nobody_uses():
    a = np.stack([np.ones((2, 2)), 2.0 * np.eye(2)])
    g = vjp(np.linalg.slogdet, np.array([0.0, 1.0]), a, out=1)
    np.testing.assert_array_equal(g, [np.zeros((2, 2)), 0.5 * np.eye(2)])


def test_multiple_powers_of_a_nilpotent_matrix():
    a = np.array([[0.0, 1.0], [0.0, 0.0]])
    g = vjp(np.linalg.matrix_power, np.ones((2, 2)), a, 3)
    np.testing.assert_allclose(g, [[0.0, 0.0], [1.0, 0.0]])


# functions of Hermitian matrices: Hermitian tangents, either triangle


HERMITIAN = [
    (np.linalg.cholesky, None, {}), (np.linalg.cholesky, None, {"upper": True}),
    (np.linalg.eigvalsh, None, {}), (np.linalg.eigvalsh, None, {"UPLO": "U"}),
    (np.linalg.eigh, 0, {}), (np.linalg.eigh, 0, {"UPLO": "U"}),
    (np.linalg.eigh, 1, {}), (np.linalg.eigh, 1, {"UPLO": "U"}),
]


@DTYPES
@pytest.mark.parametrize("p, out, options", HERMITIAN)
def test_functions_of_hermitian_matrices(p, out, options, dtype):
    rng = np.random.default_rng(4)
    b = draw(rng, 2, 4, 4, dtype=dtype)
    a = hermitian(b @ np.conj(np.swapaxes(b, -1, -2)) + np.diag([1.0, 3.0, 6.0, 9.0]))
    t = draw(rng, 2, 4, 4, dtype=dtype)
    tangent = jvp(p, t, a, out=out, **options)
    if out != 1 or dtype == "d":
        numeric = directional(
            lambda x: p(x, **options) if out is None else p(x, **options)[out], [a], [hermitian(t)])
        np.testing.assert_allclose(tangent, numeric, rtol=1e-7, atol=1e-8)
    g = random_like(tangent, rng)
    c = vjp(p, g, a, out=out, **options)
    np.testing.assert_allclose(c, hermitian(c), atol=1e-14)
    np.testing.assert_allclose(pair(c, t), pair(g, tangent), rtol=1e-10)


# singular vectors and eigenvectors: whatever does not depend on their phases


def polar(u, s, vh):
    return (u * np.exp(-s)[..., None, :]) @ vh


def from_eigh(w, v):
    return (v * np.exp(0.1 * w)[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2))


def from_eig(w, v):
    return (v * np.sin(w)[..., None, :]) @ np.linalg.inv(v)


@DTYPES
@pytest.mark.parametrize("p, options, function, shape", [
    (np.linalg.svd, {"full_matrices": False}, polar, (2, 4, 3)),
    (np.linalg.svd, {"full_matrices": False}, polar, (2, 3, 4)),
    (np.linalg.svd, {}, polar, (3, 3)),
    (np.linalg.eigh, {}, from_eigh, (2, 3, 3)),
    (np.linalg.eig, {}, from_eig, (2, 3, 3)),
])
def test_functions_that_do_not_depend_on_phases(p, options, function, shape, dtype):
    rng = np.random.default_rng(5)
    a, t = draw(rng, *shape, dtype=dtype), draw(rng, *shape, dtype=dtype)
    if p is np.linalg.eigh:
        a, t = hermitian(a), hermitian(t)
    if p is np.linalg.eig:
        a = 0.1 * a + np.diag([1.0, 2.0, 3.0])
    factors = p(a, **options)
    tangents = [jvp(p, t, a, out=k, **options) for k in range(len(factors))]
    numeric = directional(lambda x: function(*p(x, **options)), [a], [t])
    np.testing.assert_allclose(directional(function, factors, tangents), numeric,
                               rtol=1e-6, atol=1e-7)
    for k, tangent in enumerate(tangents):
        g = random_like(tangent, rng)
        np.testing.assert_allclose(pair(vjp(p, g, a, out=k, **options), t), pair(g, tangent),
                                   rtol=1e-9, atol=1e-9)


@DTYPES
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 2), (2, 2, 4)])
def test_single_outputs_of_svd_and_qr(shape, dtype):
    rng = np.random.default_rng(6)
    a, t = draw(rng, *shape, dtype=dtype), draw(rng, *shape, dtype=dtype)
    for p, options in [(np.linalg.svd, {"compute_uv": False}), (np.linalg.qr, {"mode": "r"})]:
        tangent = jvp(p, t, a, **options)
        numeric = directional(lambda x, p=p, options=options: p(x, **options), [a], [t])
        np.testing.assert_allclose(tangent, numeric, rtol=1e-7, atol=1e-8)
        g = random_like(tangent, rng)
        np.testing.assert_allclose(pair(vjp(p, g, a, **options), t), pair(g, tangent), rtol=1e-9)


@pytest.mark.parametrize("p, out", [(np.linalg.eigh, 1), (np.linalg.svd, 0), (np.linalg.svd, 2)])
def test_equal_values_leave_a_zero_cotangent_zero(p, out):
    c = vjp(p, np.zeros((3, 3)), np.eye(3), out=out)
    assert np.array_equal(c, np.zeros((3, 3)))


def test_equal_eigenvalues_are_never_silently_wrong():
    g = np.arange(9.0).reshape(3, 3)
    assert not np.all(np.isfinite(vjp(np.linalg.eigh, g, np.eye(3), out=1)))


# hermitian=True reads the lower triangle


@DTYPES
@pytest.mark.parametrize("values", [(3.0, -1.0, 0.5), (1.0, 3.0, 4.0)])
def test_hermitian_options_read_the_lower_triangle(values, dtype):
    rng = np.random.default_rng(3)
    q = np.linalg.qr(draw(rng, 3, 3, dtype=dtype))[0]
    a = hermitian((q * values) @ np.conj(q.T))
    t = hermitian(draw(rng, 3, 3, dtype=dtype))
    spoilt = a + np.triu(np.ones((3, 3)), 1)
    same = np.asarray
    places = [(np.linalg.pinv, None, {}, same), (np.linalg.svd, 1, {}, same),
              (np.linalg.svd, None, {"compute_uv": False}, same)]
    if dtype == "d":    # of complex vectors LAPACK chooses the phases, of real ones the signs
        places += [(np.linalg.svd, 0, {}, np.abs), (np.linalg.svd, 2, {}, np.abs)]
    for p, out, options, function in places:
        options = {**options, "hermitian": True}

        def result(x, p=p, out=out, options=options, function=function):
            return function(p(x, **options) if out is None else p(x, **options)[out])

        sign = np.sign(p(a, **options)[out]) if function is np.abs else 1.0
        slope = directional(result, (a,), (t,))
        found = sign * jvp(p, t, spoilt, out=out, **options)
        np.testing.assert_allclose(found, slope, atol=1e-8)
        g = draw(rng, *slope.shape, dtype=slope.dtype)
        c = vjp(p, sign * g, spoilt, out=out, **options)
        np.testing.assert_allclose(c, np.conj(c.T))
        np.testing.assert_allclose(pair(c, t), pair(g, slope), atol=1e-8)


def test_hermitian_svd_at_opposite_eigenvalues():
    # Equal singular values, whose vectors are yet those of distinct eigenvalues.
    a = np.diag([2.0, -2.0, 0.5])
    a[0, 1] = a[1, 0] = 1.0
    c = vjp(np.linalg.svd, np.ones((3, 3)), a, out=0, hermitian=True)
    assert np.all(np.isfinite(c)) and np.array_equal(c, c.T)
