"""NumPy's iterators over arrays being recorded."""

import numpy as np
import pytest
from hybridad._record import is_wrapper

import hybridad
from hybridad.errors import UnsupportedError
from tests.recording.agreement import agrees_at
from tests.recording.runtime.formed import Stand, form

SITE = Stand()
X = np.array([[0.7, 0.2, 1.4], [0.1, -0.6, 0.9]])


def enumerate_all(x):
    return [(place, v * v) for place, v in SITE.call(np.ndenumerate, x)]


def test_ndenumerate():
    agrees_at(enumerate_all, (X,))
    agrees_at(lambda x: enumerate_all(x.T), (X,))
    agrees_at(lambda x: enumerate_all([x[0, 0], 2.0]), (X,))
    agrees_at(enumerate_all, (np.array(0.5),))
    agrees_at(enumerate_all, (0.5,))
    agrees_at(lambda x: enumerate_all(np.arange(3)), (X,))

    def f(x):
        entries = SITE.call(np.ndenumerate, x)
        assert isinstance(entries, np.ndenumerate)
        for (i, j), v in entries:
            x[i, (j + 1) % 3] = v * 2.0     # seen by the elements that come
        return x

    agrees_at(f, (X,))


def test_broadcast():
    def f(x, y):
        pairs = SITE.call(np.broadcast, x, y)
        assert isinstance(pairs, np.broadcast)
        first = next(pairs)
        rest = [u * v for u, v in pairs]
        pairs.reset()
        third = next(pairs)
        factors = [v * v for v in pairs.iters[1]]
        pairs.reset()
        again = [u + v for u, v in pairs]
        return (first, rest, again, third, factors, pairs.shape, pairs.ndim, pairs.nd, pairs.size,
                pairs.numiter, pairs.index)

    agrees_at(f, (X, np.array([1.5, 2.5, 0.3])))
    agrees_at(lambda x: [u * v for u, v in SITE.call(np.broadcast, x, [x[0, 0], 1.0, 2.0])], (X,))
    assert type(SITE.call(np.broadcast, X, 1.0)) is np.broadcast


def test_flat():
    agrees_at(lambda x: [v * v for v in SITE.attr(x, "flat")], (X,))


@pytest.mark.parametrize("make", [
    lambda x: x, lambda x: x.T, lambda x: x[:, ::-1], lambda x: x[0, 1:2][0:1].reshape(()),
], ids=["C", "F", "backwards", "scalar"])
@pytest.mark.parametrize("order", ["K", "C", "F"])
def test_nditer_reads(make, order):
    def f(x):
        return [2.0 * v * v for v in SITE.call(np.nditer, make(x), order=order)]

    agrees_at(f, (X,))


def test_nditer_tells_where_it_is():
    def f(x):
        it = SITE.call(np.nditer, x, flags=["multi_index", "c_index"])
        assert isinstance(it, np.nditer)
        found = []
        while not it.finished:
            found.append((it.multi_index, it.index, it[0] * it.value, it.itersize, it.shape))
            it.iternext()
        return found, len(it)

    agrees_at(f, (X.T,))


def test_nditer_of_several():
    agrees_at(lambda x, y: [u * v for u, v in SITE.call(np.nditer, [x, y])],
              (X, np.array([1.5, 2.5, 0.3])))
    agrees_at(lambda x: [u * v for u, v in SITE.call(np.nditer, (x, [1, 2, 3]))], (X,))


def test_nditer_writes():
    def f(x):
        with SITE.call(np.nditer, x, op_flags=["readwrite"]) as it:
            for v in it:
                v[...] = v * v
        return x

    agrees_at(f, (X,))

    def g(x):
        with SITE.call(np.nditer, x, op_flags=[["readwrite"]]) as it:
            for _ in it:
                it[0] = it[0] * 3.0
        it.close()
        return x

    agrees_at(g, (X.T,))


@pytest.mark.parametrize("options", [
    {"flags": ["external_loop"]}, {"flags": ["buffered"]}, {"op_dtypes": ["f8"]},
])
def test_nditer_refuses_buffers(options):
    with pytest.raises(UnsupportedError, match=r"np\.ndindex"):
        hybridad.vjp(lambda x: SITE.call(np.nditer, x, **options), X)


def test_nditer_refuses_arrays_of_its_own():
    with pytest.raises(UnsupportedError, match=r"np\.ndindex"):
        hybridad.vjp(lambda x: SITE.call(np.nditer, [x, None]), X)


@pytest.mark.parametrize("use", [
    lambda x: SITE.call(np.nditer, x).multi_index,
    lambda x: SITE.call(np.broadcast, x, x[0, :2]),
    lambda x: SITE.call(np.nditer, [x, x[0, :2]]),
    lambda x: SITE.call(np.nditer, x, flags=["none"]) if not is_wrapper(x) else
    SITE.call(np.nditer, x, order="none"),
], ids=range(4))
def test_errors_are_those_of_plain_numpy(use):
    with pytest.raises(ValueError):
        use(X)
    with pytest.raises(ValueError):
        hybridad.vjp(use, X)


def test_ndindex_is_plain():
    f, args = form("[0.5 * s for _ in np.ndindex(2, 2)]")
    agrees_at(f, args)
