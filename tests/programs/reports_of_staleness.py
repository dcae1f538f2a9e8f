"""After public reports of stale traces, lost effects and broken state: sequences of calls.

PYTEST_DONT_REWRITE: an assertion fails here as it does at a user's.
"""

# ruff: noqa: E701

import numpy as np

from tests.programs import A, Scene, program


@program(A(1, 2), A(1, 2), A(1, 2))
def class_attribute_changes():  # jax-ml/jax#1348; pytorch/pytorch#176851
    class State: factor = 1.0
    def f(x):
        return np.sum(x * State.factor) ** 2
    def before(k):
        State.factor = (1.0, 10.0, 1.0, -2.0)[k]
    return Scene(f, lambda: State.factor, before)


@program(A(1, 2, 3), A(1, 2, 3), A(1, 2, 3), A(1, 2, 3), A(1, 2, 3))
def fresh_dropout_mask():  # tinygrad#9108; google/objax#208
    rng = np.random.default_rng(0)
    def f(x):
        mask = rng.random(3) > 0.5
        return np.sum(x * mask * 2.0)
    return Scene(f, lambda: rng)


@program(A(1, 2), A(3, 4), A(5, 6))
def log_of_every_call():  # pytorch/pytorch#169253, #197896
    log = []
    def f(x):
        y = np.sum(x**2)
        log.append(1)
        print("called", len(log))
        return y
    return Scene(f, lambda: log)


@program(A(3, 2, 1), A(1, 2, 3), A(1, 3, 2))
def column_of_the_argmax():  # pytorch/pytorch#117496
    table = A([1, 2], [30, 40], [500, 600])
    def f(x):
        k = int(np.argmax(x))
        return table[k, 0] * x[0] + table[k, 1] * x[1] * x[k]
    return f


@program(A(1, 2), A(-1, -2), A(-6, 1), A(2, 1))
def branch_flips():  # casadi/casadi#1792
    def f(x):
        if np.sum(x) > 0: return np.sum(x**2)
        elif x[0] < -5: return np.sum(np.sin(x))
        return np.sum(-3.0 * x)
    return f


@program(2.0, 1e4, 0.01, 2.0)
def newton_for_a_root():  # jax-ml/jax#8239; google-deepmind/mujoco#2259
    def f(a):
        x = a
        while abs(x * x - a) > 1e-13 * a: x = 0.5 * (x + a / x)
        return x
    return Scene(f, gradient=lambda a: 0.5 / np.sqrt(a))


@program(A(1, -2, 3, 4), A(1, 2, 30, 4), A(-1, -2, -3, 4))
def skip_and_stop():  # pytorch/pytorch#96064
    def f(x):
        s = 0.0
        for v in x:
            if v < 0: continue
            if v > 10: break
            s = s + v * s + v
        return s
    return f


@program(2.0, 3.0, 1.5)
def jitter_on_failure():  # pytorch/pytorch#137284
    def f(s):
        K = np.array([[1.0, 1.0], [1.0, 1.0]]) * s
        try: L = np.linalg.cholesky(K - 1e-3 * np.eye(2))
        except np.linalg.LinAlgError: L = np.linalg.cholesky(K + 0.5 * np.eye(2))
        return np.sum(L**2)
    return Scene(f, gradient=lambda s: 2.0)


@program(2.0, 0.5, 1.2)
def world_of_objects():  # jax-ml/jax#1567, #15817
    made = []
    class World:
        def __init__(self, v): self.p, self.v, self.trace = 0.0, v, []; made.append(self)  # noqa: E702
        def step(self, dt, g):
            self.v = self.v - g * dt
            self.p = self.p + self.v * dt
            self.trace.append(self.p)
    def f(g):
        w = World(1.0)
        for _ in range(3): w.step(0.5, g)
        return w.p**2 + w.trace[0]
    return Scene(f, lambda: made)


@program(A(1.3, .7, .8), A(0, 0, 2), A(-1, .8, 1.1))
def rosenbrock():
    return lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@program(np.ones(5), np.arange(5.0), -np.ones(5))
def repeated_sums():  # HIPS/autograd#103; pytorch/pytorch#1111
    def f(x):
        r = 0
        for _ in range(10): r = r + np.sum(x * x)
        return r
    return f


@program(A(1, 2), A(4, 2), A(-1, 2), A(2, 2))
def assertion_on_a_known_path():  # HIPS/autograd#515
    def f(x):
        assert np.all(x > 0), "domain"
        return np.sum(np.log(x))
    return f


@program(A(1, -1), A(1, 2), A(1, -1), A(1, 3))
def raises_then_works():  # jax-ml/jax#18910
    def f(x):
        y = x * x
        y[0] += 1.0
        if x[1] < 0: raise ValueError("negative")
        return np.sum(y * y)
    return f


@program(*(np.linspace(1, 2, n) for n in (0, 1, 2, 3, 5, 8, 13, 3, 1)))
def many_shapes():  # ml-explore/mlx#4464; jax-ml/jax#11923
    return lambda x: np.sum(np.cumsum(x) ** 2) if x.size else 0.0 * np.sum(x)


@program((A(1, 2), 1.0), (A(1, 2), float("nan")), (A(1, 2), -1.0))
def not_a_number_takes_else():  # stan-dev/stan#857
    def f(x, t):
        if t > 0: return np.sum(x**2)
        return np.sum(3.0 * x)
    return f


@program(A(1, 2), A(0.5, -1), A(3, 1))
def cubes():  # pytorch/pytorch#67887; also run in threads
    return lambda x: np.sum(x**3)
