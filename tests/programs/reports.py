"""After public reports of what AD libraries get wrong: kinks, indices, dtypes, products, factors.

The reports are named where one is public; the programs were written for this corpus.

PYTEST_DONT_REWRITE: an assertion fails here as it does at a user's.
"""

# ruff: noqa: E701

import functools
import math

import numpy as np
from scipy import special

from tests.programs import A, Scene, program

B = np.array([[1, 0, 2], [0, 1, 1.0]])
H = 3.0


def _declared(f, gradient):
    return Scene(f, gradient=gradient)


# Mutation


@program(A([1, .5], [2, -1], [.3, 4]), A([2, .5], [1, 1], [3, .4]), A([.1, 1], [-1, 2], [0, 1]))
def rows_filled_in_a_loop():  # HIPS/autograd#177, #58
    def f(p):
        out = np.zeros(len(p))
        for i in range(len(p)): out[i] = np.sum(p[0] * p[i])
        return np.sum(out**2)
    return f


@program(A(1, 2, 3, 4), A(0, 1, -1, 2), A(3, 3, 1, 1))
def write_through_a_slice():  # pytorch/pytorch#3313
    def f(x):
        whole = x + 0.0
        middle = whole[1:3]
        middle *= 3.0
        return np.sum(whole**2)
    return _declared(f, lambda x: 2 * x * A(1, 9, 9, 1))


@program(A(.1, .7), A(1, -.5), A(.3, .3))
def overwritten_after_use():  # the "modified by an inplace operation" reports
    def f(x):
        y = np.exp(x)
        product = y * y
        y += 1.0
        y *= x
        return np.sum(product * y)
    return f


@program((A(1, 2, 3), 4.0), (A(0, 1, 1), -2.0), (A(2, 2, 1), 0.5), argnums=(0, 1))
def assigned_value_is_broadcast():  # pymc-devs/pytensor#266
    def f(x, s):
        rows, one = np.zeros((2, 3)), np.zeros(1)
        rows[:] = x
        one[...] = s
        return np.sum(rows**2) + np.sum(one**2)
    return _declared(f, lambda x, s: (4 * x, 2 * s))


@program(A(3, 4, 5), A(1, 0, 2), A(-1, 2, 2))
def argument_clobbered():  # jax-ml/jax#5233
    def f(x):
        x[0] = 0.0
        return np.sum(x**2)
    return _declared(f, lambda x: 2 * x * A(0, 1, 1))


# Kinks and removable singularities


@program(A(0, .25, 4), A(.5, 0, 9), A(2.25, 16, 0))
def root_in_the_other_branch_of_where():  # jax-ml/jax#5798
    def f(x):
        return np.sum(np.where(x < 1.0, x, np.sqrt(np.abs(x))))
    return _declared(f, lambda x: np.where(x < 1, 1.0, 0.5 / np.sqrt(np.maximum(x, 1.0))))


@program(np.zeros(3), A(1, 2, 2), np.zeros(3))
def gauss_bell_of_a_norm():  # HIPS/autograd#183, #268, #586
    def f(x):
        return np.exp(-np.linalg.norm(x) ** 2 / 4.0)
    return _declared(f, lambda x: -x / 2.0 * np.exp(-x @ x / 4.0))


@program(A(1, 3, 3), A(2, 1, 0), A(5, 5, 5))
def maximum_of_ties():  # jax-ml/jax#13600; HIPS/autograd#212
    return _declared(lambda x: np.max(x), lambda x: (x == x.max()) / np.sum(x == x.max()))


@program(A(-2, 0, 3), A(0, 0, 1), A(1, -1, 0))
def absolute_value_at_zero():  # jax-ml/jax#10515
    return _declared(lambda x: np.sum(np.abs(x)), np.sign)


@program(0.0, 2.0, -1.5)
def monomials_at_zero():  # Theano/Theano#2995; jax-ml/jax#12409
    return _declared(lambda x: np.sum(x ** np.arange(4)), lambda x: 1 + 2 * x + 3 * x * x)


@program((A(0, 2, 3), A(0, 0, 3)), (A(1, 2, 3), A(0, 1, 3)), (A(0, 0, 0), A(1, 0, 1)),
         argnums=(0, 1))
def product_with_zeros():  # pytorch/pytorch#773
    def others(x): return np.array([np.prod(np.delete(x, i)) for i in range(3)])
    return _declared(lambda x, y: np.prod(x) + np.prod(y), lambda x, y: (others(x), others(y)))


@program(A(2, 2, 2), A(1, 2, 4), A(0, 0, 0))
def deviation_of_equal_numbers():  # jax-ml/jax#11716; pytorch/pytorch#4320
    def gradient(x):
        s = np.std(x)
        return (x - x.mean()) / (3 * s) if s else np.zeros(3)
    return _declared(lambda x: np.std(x), gradient)


@program(A(-1000, 0, 1000), A(1, -1, 0), A(-30, 500, 2))
def softplus_of_large_numbers():  # pytorch/pytorch#49724
    return _declared(lambda x: np.sum(np.logaddexp(0.0, x)), special.expit)


# Indexing, broadcasting, dtypes


@program(A(1, 2, 3), A(-1, .5, 2), A(0, 1, 1))
def repeated_indices():  # pytorch/pytorch#1528; HIPS/autograd#263
    def f(x):
        picked = x[np.array([0, 0, 2])]
        return np.sum(picked**2 * A(1, 4, 9))
    return _declared(f, lambda x: x * A(10, 0, 18))


@program(*((A([a], [2]), A([3, 4, a]), b) for a, b in ((1, 2.0), (.5, .3), (2, 1.2))),
         argnums=(0, 1, 2))
def outer_product_by_broadcasting():  # pytorch/pytorch#1787
    return lambda a, b, s: np.sum((a * b + s) ** 2 / (1.0 + s * a))


@program(np.float32([.5, 1.5]), np.float32([-.5, .25]), np.float32([1, 0]))
def single_precision_stays():  # HIPS/autograd#671, #172
    def f(x):
        y = np.exp(1.0 * x**2)
        assert y.dtype == np.float32
        return np.sum(y)
    return _declared(f, lambda x: 2 * x * np.exp(x**2))


@program((3.0, np.array(2.0)), (-1.0, np.array(0.5)), (0.5, np.array(4.0)), argnums=(0, 1))
def python_number_and_array_without_axes():  # HIPS/autograd#232; rsokl/MyGrad#373
    def f(x, y):
        square = x * x
        return square * y
    return f


# Complex numbers, transforms, interpolation


@program(0.1, 0.7, 2.2)
def response_of_a_filter():  # HIPS/autograd#77
    def f(x):
        z = np.exp(1j * np.linspace(0, 3, 10)); p = np.exp(1j * x - 0.1)  # noqa: E702
        h = z + 1.0
        h /= (z - p) * (z - np.conj(p))
        return np.mean(np.abs(h))
    return f


@program(A(1, 2, -1, .5, 3), A(0, 1, 0, 2, 1), A(3, 1, .1, 1, -1))
def power_spectrum():  # HIPS/autograd#187
    return lambda x: np.sum(np.arange(3) * np.abs(np.fft.rfft(x)) ** 2)


@program((A(.5, 1.25, 2.9), A(1, 4, 9, 16)), (A(.1, 2.25, 1.9), A(1, 0, 2, -1)),
         (A(1.5, 1.7, .2), A(3, 1, 1, 2)), argnums=(0, 1))
def interpolation():  # casadi/casadi#1484
    return lambda x, fp: np.sum(np.interp(x, np.arange(4.0), fp) ** 2)


# Products and factors


@program(*((A(2, a), A(4), A([1, a], [3, 4])) for a in (3, .5, -1)), argnums=(0, 1, 2))
def einsum_with_repeated_labels():  # HIPS/autograd#376, #510
    def f(x, y, W):
        return np.einsum("i,i", x, y) + np.sum(np.einsum("n,nn->n", x, W) ** 2)
    return f


@program(*((A(1, a, 3), B * a, A(2, -1)) for a in (2, .5, -1)), argnums=(0, 1, 2))
def vectors_on_either_side_of_a_matrix():  # google/tangent#59
    return lambda x, M, y: (M @ x) @ y + np.dot(x, x) * np.dot(y @ M, x)


@program(A([1, 2], [2, 4]), A([1, 2], [3, 5]), A([0, 0], [0, 3]))
def determinant_of_a_singular_matrix():  # HIPS/autograd#549; jax-ml/jax#2380
    return _declared(lambda X: np.linalg.det(X), lambda X: A([X[1, 1], -X[1, 0]],
                                                             [-X[0, 1], X[0, 0]]))


@program(np.diag(A(2, 2, 5)), np.diag(A(1, 2, 3)), np.eye(3))
def repeated_eigenvalues():  # HIPS/autograd#527; pytorch/pytorch#23133
    def f(X):
        return np.sum(np.linalg.eigvalsh((X + X.T) / 2) ** 2)
    return _declared(f, lambda X: X + X.T)


@program(A([1, 2], [3, 4], [5, 7]), A([1, 0], [.5, 2], [1, -1]), A([2, 1], [1, 3], [0, 1]))
def norms_of_matrices():  # jax-ml/jax#2311
    def f(X):
        s = np.linalg.svd(X, compute_uv=False)
        nuclear = np.linalg.norm(X, "nuc")
        return np.sum(s) + np.linalg.norm(X, 2) + nuclear * np.linalg.norm(X)
    return f


@program(A([1, .2], [.4, 2]), A([0, 1], [1, .5]), A([2, -1], [.3, 1]))
def log_determinant_by_cholesky():  # HIPS/autograd#56; pytorch/pytorch#18825
    def f(X):
        return 2.0 * np.sum(np.log(np.diag(np.linalg.cholesky(X @ X.T + np.eye(2)))))
    return f


@program(*((np.stack([A([3, 1], [a, 2]), A([2, 0], [1, 4])]), A(1, a)) for a in (1, .5, 2)),
         argnums=(0, 1))
def stack_of_systems():  # harvard-edge/cs249r_book#1781; tensorflow#122823
    def f(M, b):
        x = np.linalg.solve(M, np.broadcast_to(b[:, None], (2, 2, 1)))
        return np.sum(x**2) + np.sum(np.linalg.slogdet(M)[1])
    return f


# Python idioms


@program(A(.3, 2), A(1.2, -1), A(-.7, .5))
def rotation_matrix():  # HIPS/autograd#304, #515
    def f(th):
        c, s = np.cos(th[0]), np.sin(th[0])
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], dtype=np.float64)
        return np.sum(R @ np.array([th[1], 1.0, th[0]]) * A(1, 2, 3))
    return f


@program(*(({"w": A([.1, .2]) * a, "b": .3}, A(1, 2)) for a in (1, 3, -1)))
def linear_model_of_a_dict():
    def f(params, x):
        return np.mean(np.power(params["w"] * x + params["b"] - (2 * x + 3), 2))
    return f


@program((A(1, 2, 3), A(4, 5, 6)), (A(0, 1, -1), A(.5, 2, 1)), (A(2, 2, 1), A(1, 0, 1)),
         argnums=(0, 1))
def builtins_mixed():  # google/tangent#58; HIPS/autograd#757
    def f(x, y):
        first, *rest = x
        s = sum(a * b for a, b in zip(x, y))
        t = sum([i * b**2 for i, b in enumerate(y)])
        return s * first + t + np.mean([first, rest[0], y[1]])
    return f


@program((A(1, 2), 3.0), (A(.5, -1), 1.0), (A(2, .3), -.5), argnums=(0, 1))
def decorators_and_partial():  # pytorch/pytorch#118470; HIPS/autograd#246
    def doubled(g):
        @functools.wraps(g)
        def inner(*a, **k): return 2.0 * g(*a, **k)
        return inner
    def f(x, k, *, scale=0.5):
        @doubled
        def poly(v, *c, shift=0.0): return sum(a * v**i for i, a in enumerate(c)) + shift
        shifted = functools.partial(poly, shift=scale)
        return np.sum((lambda u: shifted(u, 1.0, k, k * k))(x))
    return f


@program(A(1.5, 2), A(1.52, -1), A(1.48, 0.5))
def introspection():  # HIPS/autograd#515, #229
    def f(x):
        text = f"x0={x[0]:.1f} n={len(x)} {x.shape} {x}"
        assert text.startswith("x0=1.5 n=2 (2,)")
        scale = 2.0 if isinstance(x, np.ndarray) else 0.0
        return np.sum(x**2) * scale * x.ndim * len(x.shape)
    return f


@program(A(1.5, 2), A(-1, .5), A(.2, 3))
def superfluous_float():  # HIPS/autograd#283, #427
    return _declared(lambda x: 2.0 * float(x[0]) * x[1], lambda x: 2.0 * x[::-1])


@program(A(.2, .3), A(-1, .5), A(.7, 0))
def exponential_of_math():  # HIPS/autograd#246
    return lambda x: math.exp(np.dot(x, x))


@program(A(.5, 2.5), A(1.2, .7), A(3, 1.1))
def special_functions():  # HIPS/autograd#493
    def f(x):
        return np.sum(special.gammaln(x) + special.erf(x) * special.expit(-x) + special.digamma(x))
    return f


@program(0.5, 1.5, -0.3)
def chain_of_many_steps():  # karpathy/micrograd#90; hidet-org/hidet#504
    def f(x):
        y = x
        for _ in range(300): y = y * 1.0005
        return y
    return _declared(f, lambda x: 1.0005**300)


@program(*(tuple(float(i + k) for i in range(40)) for k in range(3)), argnums=tuple(range(40)))
def forty_arguments():
    return _declared(lambda *a: sum(v * v + v for v in a), lambda *a: tuple(2 * v + 1 for v in a))


@program((A(1, 2), 3.0), (A(0, 1), -1.0), (A(2, 2), .5), argnums=(0, 1))
def argument_without_influence():  # HIPS/autograd#232
    return lambda x, s: s**2 + 0.0 * np.sum(np.ones_like(x))


@program(1.7, 0.4, -1.1, second=True)
def second_derivative_with_a_global():  # FluxML/Zygote.jl#1013
    return lambda x: x * x * H + x**3


@program(1.3, 0.6, -0.9, second=True)
def recursive_helper():  # google/tangent#77
    def f(x):
        def power(y, n):
            if n == 0: return 1.0
            h = power(y, n // 2)
            return h * h * y if n % 2 else h * h
        return power(x, 7)
    return f
