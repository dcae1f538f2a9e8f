"""Ints that differ from call to call do not make new code for each."""

import numpy as np
import pytest

from hybridad import cache_info, value_and_grad

COUNTER = 0
DATA = np.random.default_rng(3).normal(size=(40, 3))
LABELS = np.random.default_rng(4).normal(size=40)


def compare(make, calls, engine, most):
    """`calls` of what `make` gives, plainly, on the tape and by `engine`; `most` recordings."""
    plain, taped, found = make(), value_and_grad(make(), engine="tape"), make()
    g = value_and_grad(found, engine=engine)
    for args in calls:
        value = plain(*args)
        again, wanted = taped(*args)
        v, gradient = g(*args)
        assert type(v) is type(value) and v == value == again
        np.testing.assert_allclose(gradient, wanted, rtol=1e-12)
    info = cache_info(g)
    assert info.recordings <= most, info
    assert info.hits >= len(calls) - most, info
    return info


ENGINES = pytest.mark.parametrize("engine", ["auto", "sct"])
X = np.array([0.5, -1.25, 2.0])


class Trainer:
    def __init__(self, batch=8):
        self.t, self.batch = 0, batch
        self.rng = np.random.default_rng(7)

    def loss(self, w):
        self.t += 1
        start = (self.t * self.batch) % len(DATA)
        x, y = DATA[start:start + self.batch], LABELS[start:start + self.batch]
        one = self.rng.integers(len(DATA))
        r = x @ w - y
        return np.mean(r ** 2) / (1.0 + 0.01 * self.t) + (DATA[one] @ w) ** 2


@ENGINES
def test_training_makes_few_recordings(engine):
    """A step counter, a slice that moves by it, a random index."""
    made = []

    def make():
        made.append(Trainer())
        return made[-1].loss

    compare(make, [(X * (1 + 0.01 * k),) for k in range(100)], engine, 3)
    assert [trainer.t for trainer in made] == [100] * 3
    assert len({str(trainer.rng.bit_generator.state) for trainer in made}) == 1


@ENGINES
def test_a_counter_that_decides(engine):
    """Right on every exit, also where the guard fails after the counter was changed."""
    class Model:
        def __init__(self):
            self.t = 0

        def __call__(self, x):
            self.t += 1
            if x.sum() > self.t:
                return np.sum(x ** 2) * self.t
            return np.sum(x) + self.t

    made = []

    def make():
        made.append(Model())
        return made[-1]

    sums = [5.0, 1.0, 9.0, 2.0, 2.0, 50.0, 6.5, 8.5, 1.0, 99.0, 99.0, 1.0]
    compare(make, [(np.full(3, s / 3),) for s in sums], engine, 4)
    assert [model.t for model in made] == [len(sums)] * 3


@ENGINES
def test_an_argument_that_is_an_int(engine):
    def f(x, n):
        return np.sum(x ** 2) * n + x[n % 3]

    compare(lambda: f, [(X, n) for n in (3, 3, 4, 5, 6, 7, 11, 0, -2)], engine, 3)


@ENGINES
def test_an_int_among_arguments_in_containers(engine):
    def f(x, options):
        return np.sum(x ** 2) * options["n"] + x[options["k"]]

    compare(lambda: f, [(X, {"n": n, "k": n % 3}) for n in range(3, 15)], engine, 4)


@ENGINES
def test_an_int_decides_a_shape(engine):
    """The code is for the shape; each has a recording of its own, and all come back."""
    def f(x, n):
        return np.sum(np.ones(n)) * np.sum(x[:n])

    calls = [(X, n) for n in (1, 2, 3, 1, 2, 3, 1, 2, 3)]
    info = compare(lambda: f, calls, engine, 6)
    assert info.hits >= 3


@ENGINES
def test_an_int_is_a_trip_count(engine):
    def f(x, n):
        y = x
        for k in range(n):
            y = np.sin(y) + k * x
        return np.sum(y)

    compare(lambda: f, [(X, n) for n in (3, 4, 9, 2, 0, 1, 5, 30, 0, 7)], engine, 5)


@ENGINES
def test_a_length_that_grows(engine):
    def make():
        history = []

        def f(x):
            history.append(float(np.sum(x)))
            return np.sum(x ** 2) * len(history)
        return f

    compare(make, [(X * k,) for k in range(1, 13)], engine, 3)


@ENGINES
def test_a_global_counter(engine):
    def make():
        globals()["COUNTER"] = 0

        def f(x):
            global COUNTER
            COUNTER += 1
            return np.sum(x) * COUNTER
        return f

    for _ in range(1):
        plain = make()
        wanted = [plain(X) for _ in range(10)]
        g = value_and_grad(make(), engine=engine, verify=False)
        for value in wanted:
            v, gradient = g(X)
            assert v == value and gradient.tolist() == [float(COUNTER)] * 3
        assert COUNTER == 10 and cache_info(g).recordings <= 3


@ENGINES
def test_a_counter_in_a_cell_and_in_a_list(engine):
    def make():
        n, box = 0, [0]

        def f(x):
            nonlocal n
            n += 1
            box[0] += 2
            return np.sum(x) * n + x[0] * box[0]
        return f

    compare(make, [(X,)] * 12, engine, 4)


@ENGINES
def test_bools_and_texts_are_known_by_what_they_are(engine):
    def f(x, flag, name):
        return np.sum(x) if flag and name == "a" else np.sum(x ** 2)

    calls = [(X, flag, name) for _ in range(3) for flag in (True, False) for name in "ab"]
    compare(lambda: f, calls, engine, 4)
