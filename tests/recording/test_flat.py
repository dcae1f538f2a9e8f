"""``x.flat`` of arrays being recorded: reads, writes, iteration."""

import numpy as np
import pytest
from hybridad._record import is_wrapper

import hybridad
from hybridad.recording.flat import Flat
from tests.recording.agreement import agrees_at

X = np.array([[0.7, 0.2, 1.4], [0.1, -0.6, 0.9]])


def flat(x):
    return Flat(x) if is_wrapper(x) else x.flat


@pytest.mark.parametrize("use", [
    lambda x: [flat(x)[k] * k for k in range(-6, 6)],
    lambda x: flat(x)[1:5:2] * flat(x)[[0, -1]],
    lambda x: flat(x.T)[np.array([0, 1, 5])] * 2.0,
    lambda x: flat(x)[np.arange(6) % 2 == 0],
    lambda x: flat(x)[...],
    lambda x: flat(x)[np.int64(2)] * flat(x)[(2,)],
    lambda x: [v * v for v in flat(x[:, ::2])],
    lambda x: list(enumerate(flat(x))),
    lambda x: (np.sum(flat(x)), np.add(flat(x), 1.0), np.concatenate([flat(x), flat(x)])),
    lambda x: (flat(x).copy(), len(flat(x)), flat(x).base, (flat(x) == 0.7).sum()),
    lambda x: isinstance(flat(x), np.flatiter),
    lambda x: (flat(x) != 0.7).sum(),
    lambda x: next(flat(x[0])),
], ids=range(13))
def test_reads(use):
    agrees_at(use, (X,))
    agrees_at(use, (X.T.astype(np.float32),))


def test_the_place_is_told():
    def f(x):
        counter, places = flat(x), []
        for _ in counter:
            places.append((counter.index, counter.coords))
        return places, counter.index, list(counter), next(counter, "none")

    agrees_at(f, (X,))
    agrees_at(lambda x: (flat(x).coords, [*flat(x)]), (np.array(0.5),))


@pytest.mark.parametrize(("index", "value"), [
    (2, lambda s: s),
    (-1, lambda s: s * s),
    (np.int64(3), lambda s: 2.0),
    (0, lambda s: np.float32(2.0)),
    (slice(1, 5), lambda s: s),
    (slice(0, 5), lambda s: [s, 1.0]),
    (slice(0, 2), lambda s: [s, 1.0, s * s]),
    ([0, 5, 2], lambda s: np.stack([s, 2.0 * s, 3.0 * s])),
    ([0, 0, 2], lambda s: [s, 2.0 * s]),
    (np.array([True, False] * 3), lambda s: s),
    (Ellipsis, lambda s: s),
    (slice(3, 3), lambda s: s),
    (slice(0, 3), lambda s: []),
])
def test_writes(index, value):
    def f(x, s):
        flat(x)[index] = value(s)
        flat(x.T)[1] = x[0, 0] * s
        return x * s

    agrees_at(f, (X, 0.6))
    agrees_at(f, (X[:, ::-1].astype(np.float32), np.float64(0.6)), order=1)


@pytest.mark.parametrize("use", [
    lambda x: flat(x)[6],
    lambda x: flat(x).__setitem__(0, [1.0]),
    lambda x: flat(x)[0, 1],
    lambda x: flat(x).__setitem__(0, [1.0, 2.0]),
    lambda x: flat(x).__setitem__(9, 1.0),
    lambda x: hash(flat(x)),
], ids=range(6))
def test_errors_are_those_of_plain_numpy(use):
    with pytest.raises((IndexError, ValueError, TypeError)) as plainly:
        use(X.copy())
    with pytest.raises(type(plainly.value)):
        hybridad.vjp(use, X)
