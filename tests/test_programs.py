"""Small programs as people write them, none of them with differentiation in mind.

Each is run as it stands: its value must be that of the plain call, bit for bit and without a
change to its arguments, its derivatives are compared with finite differences or the complex step,
in both modes and to second order, and its result in a run inside another must be the same.
"""

import copy
import math
from collections import deque, namedtuple
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from scipy import special

from hybridad import grad, jvp, value_and_grad, vjp
from hybridad.testing import check_grads
from hybridad.tree import flatten, is_floating
from tests.mutation.checks import differentiates

rng = np.random.default_rng(7)
PROGRAMS = []


def program(*args, order=2, **options):
    """Enter a function into the corpus, with arguments that it is run on."""
    def enter(f):
        PROGRAMS.append(pytest.param(f, args, order, options, id=f.__name__))
        return f

    return enter


def normal(*shape):
    return rng.standard_normal(shape)


def positive(*shape):
    return rng.uniform(0.5, 1.5, shape)


def covariance(n):
    a = normal(n, n)
    return a @ a.T + n * np.eye(n)


# Regression and classification ------------------------------------------------------------------


@program(normal(3), normal(8, 3), normal(8))
def least_squares(w, X, y):
    r = X @ w - y
    return r @ r / len(y)


@program({"w": normal(3), "b": 0.3}, normal(8, 3), normal(8), 0.1)
def ridge(params, X, y, penalty):
    prediction = X @ params["w"] + params["b"]
    return np.mean((prediction - y) ** 2) + penalty * np.sum(params["w"] ** 2)


@program(normal(3), normal(8, 3), normal(8))
def normal_equations(w0, X, y):
    w = np.linalg.solve(X.T @ X + np.eye(3) * np.sum(w0**2), X.T @ y + w0)
    return np.sum((X @ w - y) ** 2)


@program(normal(3, 4), normal(4), normal(6, 3), np.array([0, 1, 2, 3, 1, 0]))
def softmax_regression(W, b, X, labels):
    logits = X @ W + b
    logits = logits - np.max(logits, axis=1, keepdims=True)
    log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


@program(normal(3), normal(8, 3), np.array([0, 1, 1, 0, 1, 0, 1, 1.0]))
def logistic(w, X, y):
    z = X @ w
    return np.sum(np.logaddexp(0.0, z) - y * z)


@program(normal(3), normal(8, 3), normal(8))
def huber(w, X, y, delta=0.7):
    r = np.abs(X @ w - y)
    return np.sum(np.where(r <= delta, 0.5 * r**2, delta * (r - 0.5 * delta)))


@program(normal(4), normal(6, 4), np.sign(normal(6)), order=1)
def hinge(w, X, y):
    margins = 1.0 - y * (X @ w)
    return np.sum(np.maximum(margins, 0.0)) + 0.5 * w.dot(w)


@program(normal(2), positive(7), np.array([0, 3, 1, 2, 5, 0, 1.0]))
def poisson_likelihood(w, x, counts):
    rate = np.exp(w[0] + w[1] * np.log(x))
    return np.sum(rate - counts * np.log(rate) + special.gammaln(counts + 1.0))


@program(normal(5), np.linspace(-1.0, 1.0, 9), normal(9))
def polynomial_fit(c, x, y):
    p = np.zeros_like(x) + c[0]
    for a in c[1:]:
        p = p * x + a
    return np.sqrt(np.mean((p - y) ** 2))


@program(normal(5), 0.7)
def horner(c, x):
    total = 0.0
    for k in range(len(c) - 1, -1, -1):
        total = total * x + c[k]
    return total


@program(normal(3), normal(6, 3), normal(6), normal(6))
def heteroscedastic(w, X, y, noise):
    sigma = np.exp(0.5 * np.tanh(noise))
    return np.sum(np.log(sigma) + 0.5 * ((y - X @ w) / sigma) ** 2)


@program(positive(4), normal(6, 4))
def weighted_pca_loss(s, X):
    Y = (X - X.mean(axis=0)) * s
    C = Y.T @ Y / (len(X) - 1)
    return -np.sum(np.log(np.linalg.eigvalsh(C))[-2:]) + np.trace(C)


@program(normal(6, 2), normal(5, 2))
def low_rank_factorization(U, V):
    target = np.arange(30.0).reshape(6, 5) / 10.0
    mask = (np.arange(30).reshape(6, 5) % 3) > 0
    residual = (U @ V.T - target)[mask]
    return np.sum(residual**2) + 0.01 * (np.linalg.norm(U) + np.linalg.norm(V))


@program(normal(4, 3))
def pca_reconstruction(W):
    Q, _ = np.linalg.qr(W)
    X = np.sin(np.arange(20.0)).reshape(5, 4)
    return np.sum((X - X @ Q @ Q.T) ** 2)


@program(normal(3, 2), normal(9, 2), order=1)
def kmeans(centers, points):
    distances = ((points[:, None, :] - centers[None]) ** 2).sum(-1)
    return distances.min(axis=1).sum()


@program(normal(3), normal(3, 2), positive(3), normal(7, 2))
def gaussian_mixture(weights, means, scales, points):
    squares = np.sum((points[:, np.newaxis] - means) ** 2, axis=2) / scales**2
    terms = weights - 2.0 * np.log(scales) - 0.5 * squares
    top = terms.max(axis=1)
    logs = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
    return logs.sum() - len(points) * np.log(np.exp(weights).sum())


@program(normal(6), normal(6), order=1)
def ranking_loss(scores, x):
    s = scores * x
    difference = s[:, None] - s[None, :]
    upper = np.triu(np.ones((6, 6)), k=1)
    return np.sum(np.clip(1.0 - difference, 0.0, None) * upper)


@program(normal(8), order=1)
def sorted_quantile_loss(x):
    y = np.sort(x)
    return y[2] * 0.5 + np.median(x) + np.max(x) - np.min(x) + np.ptp(x) ** 2


@program(normal(4, 3), normal(4, 3))
def cosine_similarity(a, b):
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b /= np.sqrt(np.sum(b**2, axis=1))[:, None]
    return np.einsum("ij,ij->i", a, b)


@program(normal(6), normal(6))
def correlation(x, y):
    x, y = x - x.mean(), y - y.mean()
    return (x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum())


# Networks ---------------------------------------------------------------------------------------


@program([(normal(3, 4), normal(4)), (normal(4, 4), normal(4)), (normal(4, 2), normal(2))],
         normal(5, 3), normal(5, 2))
def mlp(layers, x, y):
    for W, b in layers[:-1]:
        x = np.tanh(x @ W + b)
    W, b = layers[-1]
    return np.mean((x @ W + b - y) ** 2)


@program({"q": normal(4, 4), "k": normal(4, 4), "v": normal(4, 4), "o": normal(4, 4)}, normal(5, 4))
def attention_block(p, x, heads=2):
    n, d = x.shape
    q, k, v = (np.reshape(x @ p[name], (n, heads, d // heads)).transpose(1, 0, 2) for name in "qkv")
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(d // heads)
    scores = np.where(np.tri(n) > 0, scores, -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    y = (weights @ v).transpose(1, 0, 2).reshape(n, d) @ p["o"]
    y = x + y
    mean, var = y.mean(axis=-1, keepdims=True), y.var(axis=-1, keepdims=True)
    return np.sum(((y - mean) / np.sqrt(var + 1e-5)) ** 3)


@program(normal(3, 3), normal(6, 7))
def convolution_by_slices(kernel, image):
    h, w = kernel.shape
    H, W = image.shape
    out = np.zeros_like(image[h - 1:, w - 1:])
    for i in range(h):
        for j in range(w):
            out += kernel[i, j] * image[i:i + H - h + 1, j:j + W - w + 1]
    return np.sum(np.maximum(out, 0.1 * out))


@program(normal(4, 3), normal(10, 3))
def convolution_by_windows(kernel, signal):
    windows = sliding_window_view(signal, 4, axis=0)
    y = np.einsum("nck,kc->n", windows, kernel)
    pooled = y[:len(y) // 2 * 2].reshape(-1, 2).max(axis=1)
    return np.sum(np.log1p(np.exp(pooled)))


@program({"wx": normal(2, 3), "wh": normal(3, 3), "b": normal(3)}, normal(6, 2), normal(3))
def recurrent_network(p, xs, h):
    outputs = []
    for x in xs:
        h = np.tanh(x @ p["wx"] + h @ p["wh"] + p["b"])
        outputs.append(h)
    return np.sum(np.stack(outputs) ** 2) + np.concatenate(outputs).max()


Gates = namedtuple("Gates", "W U b")


@program(Gates(normal(2, 12), normal(3, 12), normal(12)), normal(4, 5, 2))
def lstm(p, xs):
    h = np.tanh(p.b[:3]) * np.ones((5, 1))
    c = h * 0.5
    for x in xs:
        i, f, o, g = np.split(x @ p.W + h @ p.U + p.b, 4, axis=1)
        c = special.expit(f) * c + special.expit(i) * np.tanh(g)
        h = special.expit(o) * np.tanh(c)
    return np.mean(h * h)


@program(normal(4), normal(4))
def batch_norm(scale, shift):
    x = np.outer(np.arange(5.0), scale) + np.sin(np.outer(np.ones(5), shift))
    y = (x - np.mean(x, 0)) / np.std(x, 0)
    return np.sum(np.abs(y * scale + shift) ** 1.5)


@program(normal(3, 5))
def group_softmax(x):
    e = np.exp(x)
    for row in e:
        row /= row.sum()
    return -(e * np.log(e)).sum()


@program(normal(4, 3), np.array([[0, 2], [1, 1], [3, 0]]))
def embedding_lookup(table, tokens):
    vectors = table[tokens]
    pooled = vectors.mean(axis=1)
    return np.sum(np.tanh(pooled @ table.T)[:, 0])


@program(normal(5, 3), np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [0, 2]]))
def graph_network(x, edges):
    for _ in range(2):
        messages = np.tanh(x[edges[:, 0]] - x[edges[:, 1]])
        gathered = np.zeros_like(x)
        np.add.at(gathered, edges[:, 1], messages)
        x = x + 0.5 * gathered
    return np.sum(x * x)


@program(normal(6), order=1)
def mixture_of_experts(x):
    gates = np.argsort(x)[-2:]
    chosen = x[gates]
    weights = np.exp(chosen) / np.sum(np.exp(chosen))
    return weights @ np.sin(chosen)


# Dynamics ---------------------------------------------------------------------------------------


@program(normal(2), np.array([1.0, 0.4, 0.3, 0.8]))
def lotka_volterra_rk4(x, p):
    def field(z):
        return np.stack([p[0] * z[0] - p[1] * z[0] * z[1], p[2] * z[0] * z[1] - p[3] * z[1]])

    h = 0.1
    for _ in range(10):
        k1 = field(x)
        k2 = field(x + 0.5 * h * k1)
        k3 = field(x + 0.5 * h * k2)
        k4 = field(x + h * k3)
        x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return x


@program(normal(3), 10.0, 28.0, 8.0 / 3.0)
def lorenz_in_place(x, sigma, rho, beta):
    d = np.zeros_like(x)
    for _ in range(15):
        d[0] = sigma * (x[1] - x[0])
        d[1] = x[0] * (rho - x[2]) - x[1]
        d[2] = x[0] * x[1] - beta * x[2]
        x += 0.01 * d
    return x


@program(positive(2), normal(4, 2), normal(4, 2))
def verlet_particles(mass, x, v):
    dt, energy = 0.05, []
    for _ in range(4):
        r = x[:, None] - x[None, :]
        inverse = 1.0 / (np.sum(r**2, axis=-1) + 0.3) ** 1.5
        force = -np.sum(r * inverse[..., None], axis=1) * mass
        v = v + dt * force
        x = x + dt * v
        energy.append(0.5 * np.sum(mass * v**2))
    return np.array(0.0) * x[0, 0] + sum(energy) + np.sum(np.abs(x))


@program(normal(8), 0.2)
def heat_equation(u, alpha):
    for _ in range(6):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[0], u[-1] = u[1], u[-2]
    return u


@program(normal(10), 0.4)
def advection_with_roll(u, c):
    for _ in range(5):
        u = u - c * (u - np.roll(u, 1)) * np.where(u > 0, 1.0, 0.5)
    return np.sum(u**2)


@program(normal(6, 6), normal(6, 6))
def wave_equation(u, previous):
    for _ in range(3):
        laplacian = -4.0 * u
        laplacian[1:] += u[:-1]
        laplacian[:-1] += u[1:]
        laplacian[:, 1:] += u[:, :-1]
        laplacian[:, :-1] += u[:, 1:]
        u, previous = 2.0 * u - previous + 0.1 * laplacian, u
    return np.sum(u * previous)


@program(np.array([0.8, 0.2]), 0.3)
def pendulum_with_events(state, damping):
    """The branch depends on the state, the number of steps on a tolerance."""
    angle, speed = state
    steps = 0
    while abs(speed) > 0.05 and steps < 30:
        speed = speed - 0.1 * np.sin(angle) - 0.1 * damping * speed
        angle = angle + 0.1 * speed
        if angle > 0.9:
            speed = -0.7 * speed
        steps += 1
    return angle * speed


@program(normal(3), covariance(3), normal(3, 3), covariance(3), normal(2, 3), covariance(2),
         normal(4, 2))
def kalman_filter(x, P, F, Q, H, R, observations):
    total = 0.0
    for z in observations:
        x, P = F @ x, F @ P @ F.T + Q
        innovation = z - H @ x
        S = H @ P @ H.T + R
        K = np.linalg.solve(S, H @ P).T
        x = x + K @ innovation
        P = P - K @ S @ K.T
        total += 0.5 * (np.linalg.slogdet(S)[1] + innovation @ np.linalg.solve(S, innovation))
    return total


@program(normal(4), normal(4, 4), normal(4, 2), covariance(4), covariance(2))
def linear_quadratic_regulator(x, A, B, Q, R):
    A, P = 0.3 * A, Q
    for _ in range(5):
        K = np.linalg.inv(R + B.T @ P @ B) @ B.T @ P @ A
        P = Q + A.T @ P @ (A - B @ K)
    return x @ P @ x


@program(normal(3), positive(3))
def implicit_euler_by_newton(y, k):
    h = 0.1
    for _ in range(3):
        z = y
        for _ in range(4):
            f = z - y + h * k * z**3
            z = z - f / (1.0 + 3.0 * h * k * z**2)
        y = z
    return np.sum(y)


@program(np.array([0.3, 0.6]))
def logistic_map(p):
    r, x = 3.0 + p[0], p[1]
    orbit = deque(maxlen=3)
    for _ in range(8):
        x = r * x * (1.0 - x)
        orbit.append(x)
    return sum(orbit) / len(orbit)


@program(normal(2), normal(2), positive(2))
def two_link_arm(q, target, lengths):
    angles = np.cumsum(q)
    x = np.sum(lengths * np.cos(angles))
    y = np.sum(lengths * np.sin(angles))
    return np.hypot(x - target[0], y - target[1])


@program(normal(4), normal(3))
def quaternion_rotation(q, v):
    w, x, y, z = q / np.sqrt(np.dot(q, q))
    R = np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)]),
        np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)]),
        np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])])
    return R @ v


@program(normal(3), normal(5, 3))
def rodrigues_projection(r, points):
    theta = np.sqrt(np.sum(r * r))
    axis = r / theta
    rotated = (points * np.cos(theta) + np.cross(axis, points) * np.sin(theta)
               + axis * (points @ axis)[:, None] * (1.0 - np.cos(theta)))
    image = rotated[:, :2] / (rotated[:, 2:] + 4.0)
    radius = np.sum(image**2, axis=1, keepdims=True)
    return image * (1.0 + 0.1 * radius + 0.01 * radius**2)


# Statistics and Gaussian processes --------------------------------------------------------------


@program({"length": 0.8, "scale": 1.2, "noise": 0.3}, normal(6, 2), normal(6))
def gp_likelihood(p, X, y):
    squares = np.sum((X[:, None] - X[None]) ** 2, axis=-1)
    K = p["scale"] ** 2 * np.exp(-0.5 * squares / p["length"] ** 2)
    K = K + p["noise"] ** 2 * np.eye(len(X))
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(L))) + 0.5 * len(X) * np.log(2.0 * np.pi)


@program(normal(3), normal(5, 3))
def kernel_mean_discrepancy(shift, X):
    Y = X[::-1] + shift

    def kernel(a, b):
        return np.exp(-np.sum(np.square(a[:, None, :] - b[None, :, :]), -1)).mean()

    return kernel(X, X) + kernel(Y, Y) - 2.0 * kernel(X, Y)


@program(normal(3), positive(3), normal(10, 3))
def variational_bound(mean, scale, noise):
    z = mean + scale * noise
    log_joint = -0.5 * np.sum(z**2, axis=1) - np.sum(np.log1p(np.exp(-z)), axis=1)
    entropy = np.sum(np.log(scale))
    return np.mean(log_joint) + entropy


@program(positive(3), positive(3))
def beta_divergence(a, b):
    total = a + b
    return np.sum(special.gammaln(total) - special.gammaln(a) - special.gammaln(b)
                  + (a - 1.0) * (special.digamma(a) - special.digamma(total)))


@program(normal(3), normal(3, 3), normal(3, 4), np.array([0, 2, 1, 3, 0]))
def hidden_markov_forward(start, transition, emission, symbols):
    def normalize(a):
        return a - np.log(np.sum(np.exp(a), axis=-1, keepdims=True))

    alpha, T, E = normalize(start), normalize(transition), normalize(emission)
    alpha = alpha + E[:, symbols[0]]
    for s in symbols[1:]:
        scores = alpha[:, None] + T
        top = np.max(scores, axis=0)
        alpha = top + np.log(np.sum(np.exp(scores - top), axis=0)) + E[:, s]
    return np.logaddexp.reduce(alpha)


@program(normal(4, 4), normal(6, 4), order=1)
def viterbi(T, scores):
    best = scores[0]
    for k in range(1, len(scores)):
        best = np.max(best[:, None] + T, axis=0) + scores[k]
    return np.max(best)


@program(100.0, 95.0, 0.2, 0.03, normal(50), order=1)
def option_pricing_monte_carlo(spot, strike, volatility, rate, normals):
    terminal = spot * np.exp((rate - 0.5 * volatility**2) + volatility * normals)
    payoff = np.maximum(terminal - strike, 0.0)
    return np.exp(-rate) * np.mean(payoff)


@program(100.0, 95.0, 0.2, 0.03, 1.5)
def black_scholes(S, K, sigma, r, T):
    d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    cdf = lambda z: 0.5 * special.erfc(-z / math.sqrt(2.0))
    return S * cdf(d1) - K * np.exp(-r * T) * cdf(d2)


@program(np.array([100.0, 0.2]), normal(5, 4))
def asian_option_path(p, normals):
    steps = np.exp(-0.005 + p[1] * 0.1 * normals)
    paths = p[0] * np.cumprod(steps, axis=1)
    return np.mean(np.log1p(np.exp(np.mean(paths, axis=1) - 100.0)))


@program(positive(4), order=1)
def american_option_tree(p):
    """Backward induction on a binomial tree, in place."""
    spot, up = 100.0 * p[0], 1.0 + 0.1 * p[1]
    down, q = 1.0 / up, 0.5 * p[2]
    n = 5
    values = np.maximum(105.0 * p[3] - spot * up ** np.arange(n + 1) * down ** np.arange(n, -1, -1),
                        0.0)
    for step in range(n - 1, -1, -1):
        prices = spot * up ** np.arange(step + 1) * down ** np.arange(step, -1, -1)
        values[:step + 1] = 0.99 * (q * values[1:step + 2] + (1.0 - q) * values[:step + 1])
        values[:step + 1] = np.maximum(values[:step + 1], 105.0 * p[3] - prices)
    return values[0]


@program(normal(4), covariance(4))
def markowitz(mean, C):
    w = np.linalg.solve(C, mean)
    w = w / np.sum(w**2)
    return mean.dot(w) / np.sqrt(w.dot(C).dot(w))


@program(normal(6), 0.3)
def exponential_smoothing(y, a):
    level, trend, errors = y[0], y[1] - y[0], []
    for value in y[2:]:
        errors.append(value - (level + trend))
        level, trend = (a * value + (1 - a) * (level + trend),
                        trend + a * a * errors[-1])
    return np.mean(np.stack(errors) ** 2)


@program(np.array([0.1, 0.2, 0.6]), normal(8))
def garch_likelihood(p, r):
    h = np.zeros_like(r)
    h[0] = np.var(r)
    for t in range(1, len(r)):
        h[t] = p[0] + p[1] * r[t - 1] ** 2 + p[2] * h[t - 1]
    return 0.5 * np.sum(np.log(h) + r**2 / h)


# Dynamic programming, search, algorithms --------------------------------------------------------


@program(normal(5), normal(6), order=1)
def dynamic_time_warping(a, b):
    cost = np.square(a[:, None] - b[None, :])
    D = np.cumsum(cost, axis=1)
    D[:, 0] = np.cumsum(cost[:, 0])
    for i in range(1, len(a)):
        for j in range(1, len(b)):
            D[i, j] = cost[i, j] + np.minimum(np.minimum(D[i - 1, j], D[i, j - 1]), D[i - 1, j - 1])
    return D[-1, -1]


@program(positive(6, 6), order=1)
def shortest_paths(W):
    D = W.copy()
    np.fill_diagonal(D, 0.0)
    for k in range(len(D)):
        D = np.minimum(D, D[:, k:k + 1] + D[k])
    return np.sum(D)


@program(normal(5), positive(5), order=1)
def knapsack_relaxed(values, weights):
    order = np.argsort(values / weights)[::-1]
    capacity, total = 2.0, 0.0
    for k in order:
        if weights[k] <= capacity:
            total = total + values[k]
            capacity = capacity - weights[k]
        else:
            return total + values[k] * capacity / weights[k]
    return total


@program(normal(4, 4))
def gaussian_elimination(A):
    """In place, with pivoting by rows."""
    A = A + 3.0 * np.eye(4)
    n, sign = len(A), 1.0
    for k in range(n - 1):
        pivot = k + int(np.argmax(np.abs(A[k:, k])))
        if pivot != k:
            A[[k, pivot]] = A[[pivot, k]]
            sign = -sign
        for i in range(k + 1, n):
            A[i, k:] -= A[i, k] / A[k, k] * A[k, k:]
    return sign * np.prod(np.diagonal(A))


@program(covariance(4))
def cholesky_by_hand(A):
    L = np.zeros_like(A)
    for i in range(len(A)):
        for j in range(i + 1):
            s = A[i, j] - np.dot(L[i, :j], L[j, :j])
            L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
    return L


@program(normal(4, 3))
def gram_schmidt(V):
    basis = []
    for v in V.T:
        w = v - sum((np.dot(v, b) * b for b in basis), 0.0 * v)
        basis.append(w / np.linalg.norm(w))
    return np.array(1.0) * np.sum(np.abs(np.stack(basis)) ** 3)


@program(covariance(4), normal(4))
def conjugate_gradients(A, b):
    x = np.zeros_like(b)
    r = b - A @ x
    p, rr = r.copy(), r @ r
    for _ in range(4):
        Ap = A @ p
        alpha = rr / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p = r + new / rr * p
        rr = new
    return x


@program(covariance(3), normal(3))
def power_iteration(A, v):
    for _ in range(30):
        v = A @ v
        v = v / np.linalg.norm(v)
    return v @ A @ v


@program(2.0)
def newton_square_root(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


@program(normal(3), 0.5, order=1)
def bisection_then_polish(c, x):
    lo, hi = -5.0, 5.0
    f = lambda t: t**3 + c[0] ** 2 * t + c[1]
    for _ in range(20):
        mid = 0.5 * (lo + hi)
        if f(mid) > 0:
            hi = mid
        else:
            lo = mid
    t = lo
    for _ in range(3):
        t = t - f(t) / (3.0 * t**2 + c[0] ** 2)
    return t * x


@program(normal(8))
def simpson(y):
    return (y[0] + 4.0 * y[1:-1:2].sum() + 2.0 * y[2:-1:2].sum() + y[-1]) / 3.0


@program(np.array([0.3, 1.7]))
def quadrature(p):
    nodes, weights = np.polynomial.legendre.leggauss(12)
    t = 0.5 * (nodes + 1.0) * p[1]
    return 0.5 * p[1] * np.sum(weights * np.exp(-p[0] * t) * np.cos(t))


@program(normal(6), order=1)
def insertion_sort(x):
    for i in range(1, len(x)):
        j = i
        while j > 0 and x[j - 1] > x[j]:
            x[j - 1], x[j] = x[j] * 1.0, x[j - 1] * 1.0
            j -= 1
    return np.dot(x, np.arange(len(x)))


@program(normal(8))
def fft_by_hand(x):
    def transform(a):
        if len(a) == 1:
            return a
        even, odd = transform(a[::2]), transform(a[1::2])
        twiddled = np.exp(-2j * np.pi * np.arange(len(a) // 2) / len(a)) * odd
        return np.concatenate([even + twiddled, even - twiddled])

    return np.abs(transform(x + 0j)) ** 2


@program(normal(4), normal(5))
def convolution_by_outer(a, b):
    product = np.outer(a, b)
    return np.stack([np.trace(product[::-1], offset=k) for k in range(-3, 5)])


@program(normal(7), positive(3))
def running_mean_and_filters(x, taps):
    padded = np.pad(x, 2, mode="edge")
    smooth = np.convolve(padded, taps / taps.sum(), mode="valid")
    return np.sum(np.diff(smooth) ** 2) + np.sum(np.gradient(x) ** 2)


# Images, rays, signals --------------------------------------------------------------------------


@program(normal(3), np.array([0.3, -0.2, 1.0]))
def ray_marching(center, direction):
    """Sphere tracing until a tolerance is met."""
    d = direction / np.linalg.norm(direction)
    p = np.zeros_like(center) - np.array([0.0, 0.0, 4.0])
    travelled = 0.0
    for _ in range(50):
        distance = np.linalg.norm(p - 0.1 * center) - 1.0
        if distance < 1e-10:
            break
        p = p + distance * d
        travelled = travelled + distance
    normal = (p - 0.1 * center) / np.linalg.norm(p - 0.1 * center)
    return travelled + np.maximum(0.0, -normal @ d)


@dataclass
class Sphere:
    center: np.ndarray
    radius: float
    color: np.ndarray


@program([Sphere(np.array([0.1, 0.2, 3.0]), 1.0, positive(3)),
          Sphere(np.array([-0.7, 0.1, 2.5]), 0.6, positive(3))], order=1)
def ray_tracer(scene):
    light = np.array([1.0, 1.0, -1.0]) / np.sqrt(3.0)
    total = 0.0
    for u in np.linspace(-0.4, 0.4, 4):
        d = np.array([u, 0.05, 1.0])
        d = d / np.linalg.norm(d)
        nearest, found = np.inf, None
        for sphere in scene:
            b = d @ sphere.center
            discriminant = b * b - sphere.center @ sphere.center + sphere.radius**2
            if discriminant > 0:
                t = b - np.sqrt(discriminant)
                if t < nearest:
                    nearest, found = t, sphere
        if found is not None:
            n = (nearest * d - found.center) / found.radius
            total = total + np.sum(found.color) * np.maximum(n @ light, 0.0)
    return total


@program(positive(5, 5))
def total_variation_denoising(u):
    noisy = np.cos(np.arange(25.0)).reshape(5, 5)
    dx, dy = np.diff(u, axis=0)[:, :-1], np.diff(u, axis=1)[:-1]
    return np.sum(np.sqrt(dx**2 + dy**2 + 1e-3)) + np.sum((u - noisy) ** 2)


@program(np.array([0.4, 1.3]), normal(5, 5))
def bilinear_interpolation(where, image):
    base = np.floor(where).astype(int)
    fx, fy = where - base
    i, j = base
    return ((1 - fx) * (1 - fy) * image[i, j] + fx * (1 - fy) * image[i + 1, j]
            + (1 - fx) * fy * image[i, j + 1] + fx * fy * image[i + 1, j + 1])


@program(positive(4), np.array([0.0, 0.3, 0.5, 0.9]), np.array([0.1, 0.4, 0.77]))
def table_lookup(table, grid, x):
    return np.interp(x, grid, table**2)


@program(normal(16), normal(16))
def spectral_filter(signal, gains):
    spectrum = np.fft.rfft(signal)
    spectrum = spectrum * np.exp(-np.abs(gains[:9]))
    return np.fft.irfft(spectrum, n=16) * np.hanning(16)


@program(normal(4, 4) + 1j * normal(4, 4), positive(4, 4))
def phase_retrieval(x, magnitudes):
    return np.sum((np.abs(np.fft.fft2(x)) - magnitudes) ** 2)


@program(normal(6), positive(6), np.linspace(0.0, 1.0, 5))
def harmonic_synthesis(phase, amplitude, t):
    waves = amplitude[:, None] * np.exp(1j * (np.outer(np.arange(1, 7), t) + phase[:, None]))
    return np.angle(waves.sum(axis=0)) + np.real(waves).max(axis=0)


@program(normal(3) + 1j * normal(3))
def complex_polynomial(c):
    z = np.exp(2j * np.pi * np.arange(7) / 7)
    p = np.zeros_like(z) + c[0]
    for a in c[1:]:
        p = p * z + a
    return np.log(np.abs(p))


# Physics ----------------------------------------------------------------------------------------


@program(normal(3))
def gate_fidelity(theta):
    X = np.array([[0, 1], [1, 0]], dtype=complex)
    Y = np.array([[0, -1j], [1j, 0]])
    Z = np.diag([1.0 + 0j, -1.0])
    U = np.eye(2, dtype=complex)
    for pauli, angle in zip((X, Y, Z), theta):
        U = (np.cos(angle / 2) * np.eye(2) - 1j * np.sin(angle / 2) * pauli) @ U
    target = np.array([[1, 1], [1, -1]]) / np.sqrt(2.0)
    return np.abs(np.trace(target.conj().T @ U)) ** 2 / 4.0


@program(normal(4))
def variational_eigensolver(angles):
    state = np.array([1.0, 0.0, 0.0, 0.0]) + 0j * angles
    for k, a in enumerate(angles):
        c, s = np.cos(a), np.sin(a)
        state = state.reshape(2, 2)
        rotated = np.stack([c * state[0] - s * state[1], s * state[0] + 1j * c * state[1]])
        state = (rotated if k % 2 else rotated.T).reshape(-1)
    H = np.diag([1.0, -0.5, 0.3, 0.7]) + 0.1 * np.ones((4, 4))
    return np.real(np.vdot(state, H @ state)) / np.real(np.vdot(state, state))


@program(normal(5, 3))
def lennard_jones(x):
    i, j = np.triu_indices(5, k=1)
    r2 = np.sum((x[i] - x[j]) ** 2, axis=1)
    s = 1.0 / (r2 + 0.5) ** 3
    return np.sum(4.0 * (s * s - s))


@program(normal(6), 0.4)
def ising_mean_field(h, J):
    m = np.tanh(h)
    for _ in range(5):
        m = 0.5 * m + 0.5 * np.tanh(h + J * (np.roll(m, 1) + np.roll(m, -1)))
    return -J * np.sum(m * np.roll(m, 1)) - np.sum(h * m)


@program(positive(3), np.linspace(0.1, 2.0, 6))
def planck_fit(p, frequency):
    return p[0] * frequency**3 / np.expm1(p[1] * frequency) + np.arctan2(p[2], frequency)


@program(normal(3, 3))
def matrix_exponential_by_series(A):
    term = total = np.eye(3) + 0.0 * A
    for k in range(1, 14):
        term = term @ A / k
        total = total + term
    return total


@program(normal(3, 3), normal(3, 3))
def finite_strain(F, G):
    F = np.eye(3) + 0.1 * F
    C = F.T @ F
    J = np.linalg.det(F)
    energy = 0.5 * (np.trace(C) - 3.0) - np.log(J) + 0.5 * np.log(J) ** 2
    return energy + np.sum(np.linalg.inv(F).T * G)


@program(normal(5), positive(4))
def spring_chain(x, k):
    stretch = np.diff(np.concatenate([x, x[:1] ** 2]))[:4]
    return 0.5 * np.sum(k * (stretch - 1.0) ** 2) + np.sum(np.log(np.cosh(x)))


@program(np.array([0.2, 0.5]), normal(4, 4))
def poisson_by_jacobi(p, f):
    u = np.zeros_like(f) * p[0]
    for _ in range(6):
        padded = np.pad(u, 1)
        padded[0, :] = p[1]
        u = 0.25 * (padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2]
                    - p[0] * f)
    return u


# Derivatives inside -----------------------------------------------------------------------------


@program({"w": normal(1, 5), "b": normal(5), "v": normal(5)}, np.linspace(0.1, 1.0, 4), order=1)
def physics_informed_network(p, ts):
    """u'' + u = 0, u(0) = 1, by derivatives of the network with respect to its input."""
    u = lambda t: np.tanh(t * p["w"][0] + p["b"]) @ p["v"]
    residual = 0.0
    for t in ts:
        residual = residual + (grad(grad(u))(t) + u(t)) ** 2
    return residual / len(ts) + (u(0.0) - 1.0) ** 2


@program(normal(4), normal(3, 4), normal(3))
def maml(w, X, y):
    loss = lambda w, k: (X[k] @ w - y[k]) ** 2 + 0.1 * np.sum(w**4)
    total = 0.0
    for k in range(3):
        adapted = w - 0.1 * grad(loss)(w, k)
        adapted -= 0.1 * grad(loss)(adapted, k)
        total += loss(adapted, (k + 1) % 3)
    return total


@program(normal(2), normal(2), np.array([1.0, 0.3]), order=1)
def hamiltonian_leapfrog(q, p, k):
    potential = lambda q: 0.5 * np.sum(k * q**2) + 0.1 * np.prod(q) ** 2
    for _ in range(5):
        p = p - 0.05 * grad(potential)(q)
        q = q + 0.1 * p
        p = p - 0.05 * grad(potential)(q)
    return np.concatenate([q, p])


@program(normal(2), normal(2), positive(2), order=1)
def lagrangian_mechanics(q, v, m):
    L = lambda q, v: 0.5 * m[0] * v[0] ** 2 + 0.5 * m[1] * (v @ v + v[0] * v[1] * np.cos(
        q[0] - q[1])) + np.cos(q[0]) + 0.5 * np.cos(q[1])
    mass = np.stack([jvp(lambda v: grad(L, 1)(q, v), (v,), (e,))[1] for e in np.eye(2)])
    coriolis = jvp(lambda q: grad(L, 1)(q, v), (q,), (v,))[1]
    return np.linalg.solve(mass, grad(L)(q, v) - coriolis)


@program(normal(3), positive(3))
def newton_by_jvp(a, b):
    f = lambda x: x**3 + b * x - a
    x = np.zeros_like(a)
    for _ in range(8):
        value, slope = jvp(f, (x,), (np.ones(3),))
        x = x - value / slope
    return x


@program(normal(3), covariance(3), order=1)
def laplace_approximation(m, A):
    energy = lambda x: 0.5 * (x - m) @ A @ (x - m) + np.sum(np.log(np.cosh(x)))
    x = m
    for _ in range(6):
        H = np.stack([jvp(grad(energy), (x,), (e,))[1] for e in np.eye(3)])
        x = x - np.linalg.solve(H, grad(energy)(x))
    return energy(x) + 0.5 * np.linalg.slogdet(H)[1]


@program(normal(3, 3), normal(3), normal(5, 3), order=1)
def score_matching(W, b, data):
    energy = lambda x: -np.sum(np.log1p(np.exp(W @ x + b))) + 0.5 * x @ x
    total = 0.0
    for x in data:
        score = grad(energy)(x)
        trace = sum(jvp(grad(energy), (x,), (e,))[1] @ e for e in np.eye(3))
        total = total + 0.5 * score @ score - trace
    return total


@program({"w": normal(3, 4), "v": normal(4)}, normal(4, 3))
def gradient_penalty(p, x):
    critic = lambda x: np.sum(np.tanh(x @ p["w"]) @ p["v"])
    g = grad(critic)(x)
    return np.mean((np.sqrt(np.sum(g**2, axis=1) + 1e-3) - 1.0) ** 2)


@program(normal(3), normal(3))
def conjugate_gradients_on_the_hessian(x, b):
    f = lambda x: np.sum(np.cosh(x)) + 0.5 * np.sum(x) ** 2
    product = lambda v: jvp(grad(f), (x,), (v,))[1]
    s, r = np.zeros_like(b), b * 1.0
    p = r
    for _ in range(3):
        Hp = product(p)
        alpha = (r @ r) / (p @ Hp)
        s = s + alpha * p
        old, r = r, r - alpha * Hp
        p = r + (r @ r) / (old @ old) * p
    return s


@program(normal(4), 0.3, normal(3, 4))
def langevin(x, step, noise):
    energy = lambda x: np.sum(x**4 / 4 - x**2 / 2) + np.sum(x[1:] * x[:-1])
    for n in noise:
        g = grad(energy)(x)
        g[0] *= 0.5
        x = x - 0.1 * step * g + np.sqrt(0.2 * step) * n
    return x


@program(normal(3, 2), normal(3), order=1)
def gauss_newton(A, y):
    model = lambda w: np.tanh(A @ w) + 0.1 * (A @ w) ** 2
    w = np.zeros_like(A[0])
    for _ in range(4):
        value, pullback = vjp(model, w)
        J = np.stack([pullback(e)[0] for e in np.eye(3)])
        w = w + np.linalg.solve(J.T @ J + 0.1 * np.eye(2), J.T @ (y - value))
    return np.sum((model(w) - y) ** 2)


@program(normal(2), positive(2), order=1)
def sensitivity_equations(x, p):
    field = lambda x, p: np.stack([p[0] * x[1], -p[1] * np.sin(x[0])])
    s = np.eye(2) * 1.0
    for _ in range(6):
        step = [jvp(field, (x, p), (s[k], None))[1] for k in range(2)]
        x = x + 0.1 * field(x, p)
        s = s + 0.1 * np.stack(step)
    return np.linalg.det(s) + s[0, 1]


@program(normal(3))
def curl_and_divergence(x):
    field = lambda x: np.stack([x[1] ** 2 * x[2], np.sin(x[0]) * x[2], x[0] * x[1] ** 3])
    J = [jvp(field, (x,), (e,))[1] for e in np.eye(3)]
    curl = np.stack([J[1][2] - J[2][1], J[2][0] - J[0][2], J[0][1] - J[1][0]])
    return curl * sum(J[k][k] for k in range(3))


@program(normal(3), normal(3))
def jacobian_buffers(x, y):
    """Fills an array that is active by rows, reads it again inside an inner run."""
    J = np.zeros_like(np.outer(x, y))
    J[0] = x * y

    def f(z):
        work = J[0, ::-1] * z
        work[1:] *= J[0, 1:]
        return np.sin(z) * work + J[1]

    value, pullback = vjp(f, x)
    for k, e in enumerate(np.eye(3)):
        J[k] += pullback(e)[0]
    return J @ value + np.sum(J[0])


# Python's own ways ------------------------------------------------------------------------------


@program(normal(6))
def comprehension_and_builtins(x):
    squares = [a * a for a in x]
    return sum(squares) + max(squares) - min(a for a in x) + reduce(lambda a, b: a * 0.5 + b, x)


@program(normal(4), normal(4))
def containers_of_state(x, y):
    state = {"pos": list(x), "momentum": tuple(y), "log": []}
    for k in range(3):
        state["pos"][k], state["pos"][k + 1] = state["pos"][k + 1] * y[k], state["pos"][k]
        state["log"].append(state["pos"][k] - state["momentum"][k])
    (first, *rest), *_ = [state["log"]]
    return first * sum(rest) + np.prod(np.stack(state["pos"]))


@program(normal(3))
def dispatch_on_isinstance(x):
    def total(a):
        if isinstance(a, np.ndarray):
            return sum(total(item) for item in a)
        if isinstance(a, (float, np.floating)):
            return a * a
        raise TypeError(type(a))

    return total(x) + total(np.outer(x, x))


class Optimizer:
    """Keeps state between steps, as optimizers do."""

    def __init__(self, rate):
        self.rate, self.velocity = rate, None

    def step(self, w, g):
        self.velocity = g if self.velocity is None else 0.9 * self.velocity + g
        return w - self.rate * self.velocity


@program(normal(3), 0.1)
def learning_to_learn(w, rate):
    """Through the steps of an optimizer whose gradients come from hybridad."""
    loss = lambda w: np.sum((w - 1.0) ** 4) + w[0] * w[1]
    optimizer = Optimizer(rate)
    for _ in range(3):
        w = optimizer.step(w, grad(loss)(w))
    return loss(w)


@program(normal(3), order=1)
def hessian_trace(x):
    f = lambda x: np.sum(np.sin(x) * x) + np.prod(x)
    return sum(jvp(grad(f), (x,), (e,))[1] @ e for e in np.eye(3))


@program(normal(3))
def jacobian_determinant(x):
    f = lambda x: np.stack([x[0] * x[1] + x[2], np.sin(x[1]) * x[2], x[0] ** 2 + 3.0 * x[2]])
    rows = [vjp(f, x)[1](e)[0] for e in np.eye(3)]
    return np.linalg.det(np.stack(rows))


@program(normal(4), normal(4))
def walrus_and_ternary(x, y):
    best = 0.0
    for a, b in zip(x, y):
        best = c if (c := a * b) > best else best * 0.9 + 0.1 * c
    return best


@program(normal(3, 4))
def rows_and_transposes(A):
    B = A.T.copy()
    B[0], B[1] = B[1] * 2.0, B[0].copy()
    view = B.reshape(-1)[::2]
    view *= 3.0
    for row in A:
        row += B[:, 0].mean()
    A[:, [0, 2]] = A[:, [2, 0]]
    A[A < -0.5] *= 2.0
    return A @ B


@program(normal(6))
def in_place_ufuncs(x):
    out = np.zeros_like(x)
    np.multiply(x, x, out=out)
    np.add(out, 1.0, out=out)
    np.sqrt(out, out=out)
    np.divide(x, out, out=out, where=np.array([1, 0, 1, 1, 0, 1], bool))
    x **= 2
    x -= out
    return np.cumsum(x)[::-1] * out


@program(normal(2, 3), 0.5)
def mixed_broadcasting(x, s):
    row = x[:, :1] * s
    grid = row + x[None, 1] - np.arange(3)
    return (grid / (1.0 + row**2)).swapaxes(0, 1).sum(axis=(0,)) ** 2 * s


@program(normal(4).astype("f"), normal(4), order=1)
def mixed_precision(x, y):
    z = x * np.float32(2.0) + y.astype(np.float32)
    return np.sum(np.tanh(z).astype("d") * y)


@program(np.asfortranarray(normal(4, 3)), normal(8)[::-2])
def layouts(A, v):
    B = A.T @ v
    return np.ravel(A, order="F")[:3] * B + A.flatten("F")[3:6]


@program(3.0, 2.0)
def plain_floats(a, b):
    c = (a + b) * (a - b) / a**2
    d = -c if c < 0 else +c
    return d**0.5 + abs(b - a) * 3 + a // 2 + (a % 1.7) + divmod(b, 0.7)[1]


@program(1.0 + 2.0j, 0.5)
def plain_complex(z, r):
    w = z * z.conjugate() + r * z
    return abs(w) + w.real * w.imag


# The checks -------------------------------------------------------------------------------------


def same(a, b):
    """Whether two results have the same types and bits."""
    (a, s), (b, t) = flatten(a), flatten(b)
    return s == t and all(type(x) is type(y) and np.asarray(x).dtype == np.asarray(y).dtype
                          and np.asarray(x).tobytes() == np.asarray(y).tobytes()
                          for x, y in zip(a, b))


def alike(a, b):
    """Whether two results have the same types, and values up to rounding."""
    (a, s), (b, t) = flatten(a), flatten(b)
    return s == t and all(type(x) is type(y) and np.asarray(x).dtype == np.asarray(y).dtype
                          and np.allclose(x, y, rtol=1e-12) for x, y in zip(a, b))


@pytest.mark.parametrize("f, args, order, options", PROGRAMS)
def test_program(f, args, order, options):
    active = [k for k, a in enumerate(args) if all(map(is_floating, flatten(a)[0]))]
    before = copy.deepcopy(args)
    plain = f(*copy.deepcopy(args))
    value, pullback = vjp(f, *copy.deepcopy(args), argnums=active)
    pushed, _ = jvp(f, copy.deepcopy(args), (None,) * len(active), argnums=active)
    agree = alike if differentiates(f) else same
    assert agree(value, plain) and agree(pushed, plain)
    check_grads(f, args, order=order, argnums=active, directions=1, **options)
    assert same(args, before), "arguments are as before"
    # The same inside another run, from where nothing in it can be told from a constant.
    cotangent = np.ones_like(np.asarray(plain))[()]
    expected = pullback(cotangent)
    inside = []

    def outside(scale):
        _, p = vjp(lambda *a: f(*a) * scale, *copy.deepcopy(args), argnums=active)
        inside.append(p(cotangent))
        return scale * 1.0

    value_and_grad(outside)(1.0)
    for g, h in zip(flatten(tuple(inside[0]))[0], flatten(tuple(expected))[0]):
        assert np.allclose(np.asarray(g * 1.0), h, rtol=1e-12, atol=1e-300)


def test_there_are_many():
    assert len(PROGRAMS) >= 110 and len({p.id for p in PROGRAMS}) == len(PROGRAMS)
