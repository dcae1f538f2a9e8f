"""Random numbers: every stream advances as in plain Python, and every draw is a new one."""

# ruff: noqa: E701, E702, NPY002

import random

import numpy as np
from scipy import stats

from tests.programs import A, Scene, program


def _seeded(f, *generators):
    """A scene whose global streams begin anew, and whose state is where all streams stand."""
    np.random.seed(3)
    random.seed(5)
    def state():
        words = np.random.get_state()
        return [int(words[1][:9].sum()), words[2], hash(random.getstate()), *generators]
    return Scene(f, state)


@program()
def legacy_global_stream():
    def f(x):
        a = np.random.rand(3); b = np.random.randn(); c = np.random.normal(size=3)
        np.random.shuffle(a)
        return np.sum(x * a * c) + b * x[0] + np.random.uniform(1.0, 2.0) * np.random.randint(5)
    return _seeded(f)


@program()
def generator_of_the_outside():
    rng = np.random.default_rng(0)
    def f(x):
        mask = rng.random(3) > 0.4
        noise = rng.normal(size=3) * 0.1
        return np.sum(x * mask * 2.0 + noise * x**2) + rng.standard_normal() * x[0]
    return _seeded(f, rng)


@program()
def draws_on_one_side_of_a_branch():
    rng = np.random.default_rng(1)
    def f(x):
        e = rng.random(3)
        if x[0] > 0: return np.sum(e * x) * rng.random()
        return np.sum(e * x * x) + rng.integers(0, 10) * x[0]
    return _seeded(f, rng)


@program()
def generator_made_inside():
    def f(x):
        rng = np.random.default_rng(3)
        old = np.random.RandomState(2)
        return np.sum(x * rng.normal(size=3)) * rng.integers(1, 5) + old.rand() * x[0]
    return f


@program()
def python_random():
    own = random.Random(7)
    def f(x):
        a = random.random(); b = random.gauss(0.0, 1.0); c = own.choice([1.0, 2.0, 3.0])
        order = [0, 1, 2]; random.shuffle(order)
        k = own.sample(range(10), 2)
        return x[order[0]] * a + x[order[1]] * b * c + x[order[2]] * k[0] + random.randint(1, 6)
    return _seeded(f, own)


@program()
def scipy_distributions():
    rng = np.random.default_rng(4)
    def f(x):
        a = stats.norm.rvs(size=3, random_state=rng)
        b = stats.gamma.rvs(2.0, random_state=rng)
        return np.sum(x * a) * b + stats.norm.rvs() * x[0]
    return _seeded(f, rng)


@program()
def reparametrized_normal():
    rng = np.random.default_rng(5)
    def f(x):
        mu, log_sigma = x[0], x[1] * 0.3
        total = 0.0
        for _ in range(4): total = total + np.tanh(mu + np.exp(log_sigma) * rng.standard_normal())
        return total / 4.0 * x[2]
    return _seeded(f, rng)


@program()
def minibatches_by_permutation():
    rng = np.random.default_rng(6)
    X = np.arange(12.0).reshape(4, 3) / 10.0
    def f(x):
        loss = 0.0
        order = rng.permutation(4)
        for i in range(0, 4, 2):
            batch = X[order[i:i + 2]]
            loss = loss + np.mean((batch @ x) ** 2) * (i + 1)
        return loss
    return _seeded(f, rng)


@program()
def random_branches_and_counts():
    rng = np.random.default_rng(8)
    def f(x):
        y = x[0]
        for _ in range(rng.poisson(3.0)):
            if rng.random() < 0.5: y = y * x[1] * 0.5
            else: y = y + x[2]
        return y + rng.choice(3, p=[0.2, 0.5, 0.3]) * x[1]
    return _seeded(f, rng)


@program()
def bootstrap_of_the_argument():
    rng = np.random.default_rng(9)
    def f(x):
        picked = x[rng.integers(0, 3, size=4)]
        which = rng.choice(3, size=2, replace=False)
        return np.mean(picked) ** 2 + np.prod(x[which]) * np.std(picked + np.arange(4.0))
    return _seeded(f, rng)


@program()
def metropolis_chain():
    rng = np.random.default_rng(10)
    def f(x):
        y, energy = 0.5, 0.0
        for _ in range(5):
            trial = y + rng.normal() * 0.5
            if np.log(rng.random()) < (y**2 - trial**2): y = trial
            energy = energy + x[0] * y + x[1] * y**2
        return energy * x[2]
    return _seeded(f, rng)


@program()
def spawned_and_saved_generators():
    rng = np.random.default_rng(11)
    def f(x):
        saved = rng.bit_generator.state
        a = rng.random()
        rng.bit_generator.state = saved
        again = rng.random() == a
        child = np.random.default_rng(rng.integers(1000))
        return x[0] * a * (2.0 if again else 3.0) + x[1] * child.random() + x[2] ** 2
    return _seeded(f, rng)


@program(refusable=True)
def random_numbers_into_a_captured_array():
    rng = np.random.default_rng(12)
    buf = np.zeros(3)
    def f(x):
        rng.random(out=buf)
        z = buf * x
        rng.shuffle(buf)
        return np.sum(z * buf)
    return _seeded(f, rng, buf)


@program(A(1, 2, 3), A(-1, 0.5, 2), A(2, 1, 0.3))
def dropout_network():
    rng = np.random.default_rng(13)
    training = [True]
    W = rng.normal(size=(4, 3))
    def f(x):
        h = np.tanh(W @ x)
        if training[0]:
            keep = rng.binomial(1, 0.6, size=4)
            h = h * keep / 0.6
        return np.sum(h**2)
    def before(k):
        training[0] = k != 1
    return Scene(f, lambda: [rng], before)
