"""Models as people write them: networks, likelihoods, filters, simulations, clustering."""

# ruff: noqa: E701, E702, RUF007

import math

import numpy as np

from tests.programs import A, Scene, program

rng = np.random.default_rng(7)
DATA = rng.normal(size=(6, 2))
TARGETS = np.sin(DATA.sum(axis=1))
WORDS = rng.normal(size=(5, 3))


def normal(*shape):
    return rng.normal(size=shape) * 0.7


def sigmoid(v):
    return 1.0 / (1.0 + np.exp(-v))


@program(*({"W": normal(5, 8), "b": normal(8), "h": normal(2)} for _ in range(3)))
def lstm_cell():
    xs = rng.normal(size=(3, 3))
    class Cell:
        def __init__(self, p): self.W, self.b, self.h, self.c = p["W"], p["b"], p["h"], np.zeros(2)
        def step(self, x):
            z = np.concatenate([x, self.h]) @ self.W + self.b
            i, f, o, g = np.split(z, 4)
            self.c = sigmoid(f) * self.c + sigmoid(i) * np.tanh(g)
            self.h = sigmoid(o) * np.tanh(self.c)
            return self.h
    def f(p):
        cell, loss = Cell(p), 0.0
        for x in xs: loss += np.sum(cell.step(x) ** 2)
        return loss / len(xs)
    def before(k):
        xs[0] = k
    xs[:] = WORDS[:3]
    return Scene(f, before=before)


@program(*(([(normal(2, 4), normal(4)), (normal(4, 1), normal(1))],) for _ in range(3)))
def perceptron_with_leaky_units():
    def f(layers):
        h = DATA
        for W, b in layers[:-1]:
            z = h @ W + b
            h = np.where(z > 0, z, 0.1 * z)
        W, b = layers[-1]
        r = (h @ W + b)[:, 0] - TARGETS
        penalty = sum(np.sum(W**2) for W, _ in layers)
        return np.mean(r**2) + 1e-2 * penalty
    return f


@program(*(normal(3, 3) for _ in range(3)))
def attention_with_mask():
    def f(W):
        q, k, v = WORDS @ W, WORDS, WORDS * 0.5
        scores = q @ k.T / math.sqrt(3)
        for i in range(len(scores)): scores[i, i + 1:] = -np.inf
        scores -= scores.max(axis=1, keepdims=True)
        weights = np.exp(scores)
        weights /= weights.sum(axis=1)[:, None]
        return np.sum((weights @ v) ** 2)
    return f


@program(*((normal(3, 3), normal(3)) for _ in range(3)), argnums=(0, 1))
def recurrent_network_over_a_sentence():
    sentence = [0, 3, 1]
    def f(W, h):
        loss, seen = 0.0, []
        for word, following in zip(sentence, sentence[1:]):
            h = np.tanh(W @ h + WORDS[word])
            seen.append(h)
            logits = WORDS @ h
            loss -= logits[following] - np.log(np.sum(np.exp(logits)))
        return loss + np.sum(seen[0] * seen[-1])
    def before(k):
        sentence.append((k * 2 + 1) % 5)
    return Scene(f, lambda: sentence, before)


@program(A(1, 0.3), A(0.6, 1.2), A(2, 0.1))
def gaussian_process_with_jitter():
    def f(p):
        d = DATA[:, None] - DATA[None]
        K = p[0] ** 2 * np.exp(-0.5 * np.sum(d**2, -1) / 1e2)
        for scale in (-0.05, 0.1, 1.0):
            try:
                L = np.linalg.cholesky(K + scale * p[1] * np.eye(len(K)))
                break
            except np.linalg.LinAlgError: continue
        a = np.linalg.solve(L, TARGETS)
        return 0.5 * a @ a + np.sum(np.log(np.diagonal(L)))
    return f


@program(A([0, 0.5], [1, -1]), A([-1, 0.2], [0.3, 1]), A([0.1, -0.4], [0.2, 1.3]))
def kmeans_with_assignments():
    def f(centers):
        c = centers.copy()
        for _ in range(2):
            groups = [[] for _ in c]
            for p in DATA: groups[int(np.argmin([np.sum((p - q) ** 2) for q in c]))].append(p)
            for k, g in enumerate(groups):
                if g: c[k] = 0.5 * c[k] + 0.5 * np.mean(g, axis=0)
        return sum(min(np.sum((p - q) ** 2) for q in c) for p in DATA)
    return f


@program((A(0.4, -1, 1), 2), (A(-0.2, -0.5, 0.8), 1), (A(1, 0.3, -0.7), 3))
def em_step_of_a_mixture():
    def f(p, steps):
        w, mu = sigmoid(p[0]), [p[1], p[2]]
        points = DATA[:, 0]
        for _ in range(steps):
            a = w * np.exp(-0.5 * (points - mu[0]) ** 2)
            b = (1 - w) * np.exp(-0.5 * (points - mu[1]) ** 2)
            r = a / (a + b)
            w = r.mean()
            mu[0], mu[1] = r @ points / r.sum(), (1 - r) @ points / (1 - r).sum()
        return np.sum(np.log(a + b)) + w * mu[0]
    return f


@program(A(0.3, 0.9, 1.1), A(1.0, 0.5, 0.4), A(0.1, 1.0, 2.0))
def kalman_filter():
    measured = np.array([0.1, 0.5, np.nan, 0.9, 1.4])
    def f(p):
        q, F, r = p[0], np.array([[1.0, p[1]], [0.0, 1.0]]), p[2]
        x, P, loglik = np.zeros(2), np.eye(2), 0.0
        for z in measured:
            x = F @ x; P = F @ P @ F.T + q * np.eye(2)
            if np.isnan(z): continue
            S = P[0, 0] + r
            K = P[:, 0] / S
            e = z - x[0]
            x = x + K * e; P = P - np.outer(K, P[0])
            loglik -= 0.5 * (e * e / S + np.log(S))
        return loglik
    def before(k):
        measured[k] = k * 0.3
    return Scene(f, before=before)


@program(A(1.0, 0.2, 0.05), A(0.9, 0.4, 0.01), A(1.2, 0.3, 0.1))
def option_price_by_monte_carlo():
    def f(p):
        spot, vol, rate = p
        paths = np.random.default_rng(2)
        payoff = 0.0
        for _ in range(16):
            s, low = spot, spot
            for _ in range(3):
                s = s * np.exp((rate - vol**2 / 2) / 3 + vol * math.sqrt(1 / 3) * paths.normal())
                low = min(low, s)
            if low > 0.7: payoff = payoff + max(s - 1.0, 0.0)
        return np.exp(-rate) * payoff / 16
    return f


@program(A(1, 0.5, 0.3), A(0.2, 1.5, 0.6), A(-1, 0.8, 0.2))
def sde_euler_maruyama():
    stream = np.random.default_rng(3)
    def f(p):
        y, path = p[0], np.zeros(6)
        for n in range(6):
            y = y + p[1] * (1.0 - y) * 0.1 + p[2] * np.sqrt(abs(y)) * stream.normal() * 0.3
            path[n] = y
        return path.mean() + path[-1] ** 2
    return Scene(f, lambda: stream)


@program(A(0, 0, 3, 1), A(0.2, 0.1, 4, 0.5), A(3, 3, 3, 0.5))
def ray_sphere_intersection():
    def f(s):
        light, total = A(1, 1, -1) / math.sqrt(3), 0.0
        for px in (-0.1, 0.0, 0.15):
            d = np.array([px, 0.1, 1.0]); d /= np.linalg.norm(d)
            oc = -s[:3]
            b, c = oc @ d, oc @ oc - s[3] ** 2
            disc = b * b - c
            if disc < 0:
                total = total + 0.1 * s[3]
                continue
            t = -b - math.sqrt(disc)
            n = (t * d - s[:3]) / s[3]
            total = total + max(n @ light, 0.05 * s[3]) + 0.01 * t
        return total
    return f


@program(*((normal(3), normal(3), A(1, 0.1, 0.02)) for _ in range(3)), argnums=(0, 1, 2))
def bundle_adjustment_residual():
    points = [A(0.3, -0.2, 4), A(1, 0.5, 5)]
    def rotate(r, X):
        theta = np.sqrt(r @ r)
        if theta < 1e-8: return X + np.cross(r, X)
        w = r / theta
        c, s = np.cos(theta), np.sin(theta)
        return X * c + np.cross(w, X) * s + w * (w @ X) * (1.0 - c)
    def f(r, t, camera):
        focal, k1, k2 = camera
        error = 0.0
        for X in points:
            P = rotate(r * 0.3, X) + t * 0.3
            u = P[:2] / P[2]
            rr = u @ u
            e = focal * (1.0 + k1 * rr + k2 * rr * rr) * u - X[:2] * 0.1
            error = error + e @ e
        return error
    return f


@program(A(0.3, 1.1, -0.4), A(2.0, 0.2, 0.9), A(-1, 0.5, 0.1))
def quantum_circuit():
    def gate(angle):
        return np.array([[np.cos(angle / 2), -1j * np.sin(angle / 2)],
                         [-1j * np.sin(angle / 2), np.cos(angle / 2)]])
    def f(angles):
        state = np.zeros(4, dtype=complex); state[0] = 1.0
        for k, a in enumerate(angles):
            U = np.kron(gate(a), np.eye(2)) if k % 2 == 0 else np.kron(np.eye(2), gate(a))
            state = U @ state
            state[[2, 3]] = state[[3, 2]]
            state *= np.exp(1j * a * np.arange(4) * 0.1)
        probability = np.abs(state) ** 2
        return probability @ A(1, 2, -1, 0.5) + (np.conj(state[0]) * state[3]).imag
    return f


@program(A(1, 2, 0.5, 3, 1.4), A(0.3, 1, 2, 0.1, 2.2), A(2, 0.2, 1, 1.5, 0.4))
def edit_distance_by_dynamic_programming():
    reference = [1.1, 0.9, 2.4]
    def f(x):
        n, m = len(x), len(reference)
        D = np.full((n + 1, m + 1), np.inf)
        D[0, 0] = 0.0
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                cost = abs(x[i - 1] - reference[j - 1])
                D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
        return D[n, m]
    def before(k):
        if k: reference.append(k * 0.7 + 0.1)
    return Scene(f, before=before)


@program(*(normal(3, 3) for _ in range(3)))
def hidden_markov_forward_and_viterbi():
    seen = [0, 2, 1, 1]
    def f(T):
        P = np.exp(T); P /= P.sum(axis=1, keepdims=True)
        alpha, best, back = np.ones(3) / 3, np.zeros(3), []
        for o in seen:
            alpha = (alpha @ P) * (0.2 + 0.6 * (np.arange(3) == o))
            scores = best[:, None] + T
            back.append(np.argmax(scores, axis=0))
            best = np.max(scores, axis=0)
        state = int(np.argmax(best)); path = [state]
        for b in reversed(back): state = int(b[state]); path.append(state)
        return np.log(alpha.sum()) + best.max() + sum(T[i, j] for i, j in zip(path[1:], path)) * 0.1
    return f


@program(A(0.4, 0.8, 0.2), A(0.85, 0.15, 0.5), A(0.2, 0.3, 0.5))
def cellular_automaton_with_rates():
    def f(p):
        grid = np.zeros((3, 4)); grid[1, 1:3] = p[:2]; grid[0, 0] = p[2]
        for _ in range(3):
            total = sum(np.roll(grid, s, axis=a) for a in (0, 1) for s in (-1, 1))
            for i in range(3):
                for j in range(4):
                    if total[i, j] > 0.9: grid[i, j] *= 0.5
                    elif total[i, j] > 0.27: grid[i, j] += 0.3 * p[0] * total[i, j]
        return np.sum(grid**2)
    return f


@program(A(1.5, -0.6, 0.2), A(0.5, 0.4, -1.0), A(-1, 0.9, 0.3))
def logistic_regression_trained_inside():
    labels = (TARGETS > 0).astype(float)
    log = []
    def f(w0):
        w, velocity = w0, np.zeros(3)
        X = np.hstack([DATA, np.ones((6, 1))])
        for epoch in range(4):
            p = sigmoid(X @ w)
            velocity = 0.8 * velocity - 0.3 * X.T @ (p - labels) / 6
            w = w + velocity
            if epoch % 2: log.append(f"{epoch}: {np.mean((p > 0.5) == labels):.2f}")
        return -np.mean(labels * np.log(p) + (1 - labels) * np.log1p(-p))
    return Scene(f, lambda: log)


@program(A(0.5, 0.3, 0.1), A(1.2, -0.3, 0.4), A(-0.4, 0.9, 0.2))
def decision_tree_of_dicts():
    tree = {"on": 0, "at": 0.0, "low": {"leaf": 1.0},
            "high": {"on": 1, "at": 0.2, "low": {"leaf": 2.0}, "high": {"leaf": -1.0}}}
    def predict(node, x, w):
        while "leaf" not in node: node = node["low" if x[node["on"]] < node["at"] else "high"]
        return node["leaf"] * w[0] + x @ w[1:]
    def f(w):
        errors = [predict(tree, x, w) - y for x, y in zip(DATA, TARGETS)]
        return sum(e * e for e in errors) + predict(tree, w[:2], w)
    def before(k):
        tree["high"]["at"] = 0.11 * k
        if k == 2: tree["low"] = {"leaf": 3.0}
    return Scene(f, before=before)


@program(*(normal(2, 2) + 2.0 * np.eye(2) for _ in range(3)))
def normalizing_flow_likelihood():
    class Flow:
        def __init__(self, W): self.layers = [self.linear(W), self.bend(0.3)]
        def linear(self, W): return lambda z: (z @ W.T, np.log(np.abs(np.linalg.det(W))))
        def bend(self, a):
            def apply(z):
                slope = 1.0 + a * (1 - np.tanh(z) ** 2)
                return z + a * np.tanh(z), np.sum(np.log(slope), axis=1)
            return apply
        def __call__(self, z):
            total = 0.0
            for layer in self.layers: z, ld = layer(z); total = total + ld
            return z, total
    def f(W):
        z, logdet = Flow(W)(DATA)
        return np.mean(-0.5 * np.sum(z**2, axis=1) + logdet)
    return f


@program(A(0.2, 1.0), A(0.6, 0.3), A(-0.5, 0.8))
def policy_gradient_rollout():
    stream = np.random.default_rng(21)
    def f(w):
        position, loss = 0.0, 0.0
        for _ in range(5):
            p = sigmoid(w[0] * position + w[1])
            right = stream.random() < float(p)
            loss = loss - np.log(p if right else 1.0 - p) * (1.0 - abs(position - 0.5))
            position += 0.25 if right else -0.25
        return loss
    return Scene(f, lambda: stream)
