"""Random rearrangements of arrays being recorded: the stream and the result of plain NumPy."""

import numpy as np
import pytest
from hybridad._record import is_wrapper

import hybridad
from tests.recording.agreement import agrees_at
from tests.recording.runtime.formed import Stand

SITE = Stand()
X = np.arange(24.0).reshape(6, 4) / 7.0

GENERATOR = lambda: np.random.default_rng(3)
LEGACY = lambda: np.random.RandomState(3)


def check(make, use, *args, order=1):
    """Agreement, also in what the generator draws next."""

    def f(*args):
        rng = make()
        result = use(rng, *args)
        return result, rng.uniform(), args

    agrees_at(f, args or (X,), order)


@pytest.mark.parametrize("make", [GENERATOR, LEGACY])
@pytest.mark.parametrize("change", [
    lambda x: x, lambda x: x[0], lambda x: x[:, 1], lambda x: x.T, lambda x: x[::-2],
    lambda x: x[:1], lambda x: x[:0], lambda x: x.reshape(2, 3, 4),
], ids=["rows", "row", "column", "F", "strided", "one", "none", "3d"])
def test_shuffle_and_permutation(make, change):
    check(make, lambda rng, x: SITE.call(rng.shuffle, change(x)))
    check(make, lambda rng, x: SITE.call(rng.permutation, change(x)))
    check(make, lambda rng, x: SITE.call(rng.permutation, change(x) * x[0, 1]))
    check(make, lambda rng, x: SITE.call(rng.shuffle, change(x)), X.astype(np.float32))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_along_an_axis(axis):
    check(GENERATOR, lambda rng, x: SITE.call(rng.shuffle, x, axis=axis))
    check(GENERATOR, lambda rng, x: SITE.call(rng.shuffle, x.T, axis))
    check(GENERATOR, lambda rng, x: SITE.call(rng.permutation, x, axis=axis))
    check(GENERATOR, lambda rng, x: SITE.call(rng.permuted, x, axis=axis))
    check(GENERATOR, lambda rng, x: SITE.call(rng.permuted, x.T, axis=axis))
    check(GENERATOR, lambda rng, x: SITE.call(rng.choice, x, 3, axis=axis))


def test_permuted():
    check(GENERATOR, lambda rng, x: SITE.call(rng.permuted, x))
    check(GENERATOR, lambda rng, x: SITE.call(rng.permuted, [x[0, 1], x[0, 2], 1.0]))

    def into_itself(rng, x):
        assert SITE.call(rng.permuted, x, axis=1, out=x) is x

    check(GENERATOR, into_itself)

    def into_another(rng, x):
        out = SITE.call(np.zeros, x.shape)
        SITE.call(rng.permuted, x, out=out)
        SITE.call(rng.permuted, np.ones((6, 4)), out=x)
        return out

    check(GENERATOR, into_another)


@pytest.mark.parametrize("make", [GENERATOR, LEGACY])
def test_choice(make):
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    for options in ({}, {"size": 3}, {"size": (2, 3)}, {"size": 2, "replace": False},
                    {"size": 3, "p": weights}, {"p": weights}):
        check(make, lambda rng, x, o=options: SITE.call(rng.choice, x[1], **o))
        check(make, lambda rng, x, o=options: SITE.call(rng.choice, [*x[1]], **o))
    check(make, lambda rng, x: SITE.call(rng.choice, 4, 3, True, x[1] / x[1].sum()))


@pytest.mark.parametrize("make", [GENERATOR, LEGACY])
def test_lists(make):
    check(make, lambda rng, x: SITE.call(rng.permutation, [x[0, 1], x[0, 2], 1.0]))

    def shuffled(rng, x):
        rows = [x[0, 1], 2.0, x[1, 1] * x[0, 1]]
        SITE.call(rng.shuffle, rows)
        return rows

    check(make, shuffled)
    check(make, lambda rng, x: SITE.call(rng.permutation, 5) * x[0, 0])


def test_the_global_generator():
    def f(x):
        np.random.seed(3)  # noqa: NPY002
        SITE.call(np.random.shuffle, x)
        return SITE.call(np.random.permutation, x) * x, np.random.random()  # noqa: NPY002

    agrees_at(f, (X,))


def test_second_order():
    check(GENERATOR, lambda rng, x: (SITE.call(rng.shuffle, x), SITE.call(rng.permutation, x)**3),
          X[:2, :2] + 0.5, order=2)


def test_constant_results_can_be_written_into():
    def f(x):
        made = SITE.call(GENERATOR().permutation, np.ones(2))
        assert is_wrapper(made) == is_wrapper(x)
        made[0] = x[0, 0]
        return made

    agrees_at(f, (X,))


@pytest.mark.parametrize("use", [
    lambda rng, x: SITE.call(rng.choice, x[0], 9, replace=False),
    lambda rng, x: SITE.call(rng.choice, x[0], p=np.ones(3) / 3.0),
    lambda rng, x: SITE.call(rng.choice, x[:0]),
    lambda rng, x: SITE.call(rng.shuffle, np.broadcast_to(x, (2, 6, 4))),
    lambda rng, x: SITE.call(rng.shuffle, x[0, 0]),
    lambda rng, x: SITE.call(rng.permutation, x[0, 0]),
])
@pytest.mark.parametrize("make", [GENERATOR, LEGACY])
def test_errors_are_those_of_plain_numpy(make, use):
    with pytest.raises((ValueError, TypeError, IndexError)) as plainly:
        use(make(), X)
    with pytest.raises(type(plainly.value)) as recorded:
        hybridad.vjp(lambda x: use(make(), x), X)
    assert str(recorded.value) == str(plainly.value)


def test_matrices_are_refused_by_the_legacy_choice():
    for value in (X, X[0]):
        use = lambda x: SITE.call(LEGACY().choice, x, 2)
        if value.ndim == 1:
            agrees_at(use, (value,))
            continue
        with pytest.raises(ValueError, match="1-dimensional"):
            hybridad.vjp(use, value)
