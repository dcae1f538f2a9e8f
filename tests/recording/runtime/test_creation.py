"""New arrays, constant ones to be filled and those with active fill values and ends."""

import numpy as np
import pytest
from hybridad._record import active, is_wrapper

import hybridad
from tests.recording.agreement import agrees_at
from tests.recording.runtime.formed import Stand, agrees, form


@pytest.mark.parametrize("expression", [
    "np.full(3, s)",
    "np.full((2, 3), a)",
    "np.full((2, 3), x)",
    "np.full((2, 3), [s, a, 1.0])",
    "np.full((2, 3), s, order='F')",
    "np.full(2, s, dtype=np.float32)",
    "np.full(2, s, np.complex128)",
    "np.full(2, w)",
    "np.full(2, s, dtype=int)",
    "np.full((), o)",
    "np.full(shape=2, fill_value=e)",
    "np.full_like(x, s)",
    "np.full_like(b, s, dtype=float)",
    "np.full_like(k, s)",
    "np.full_like([1.0, 2.0], s)",
    "np.full_like([s, 2.0], a)",
    "np.zeros_like([s, a])",
    "np.ones_like(x, dtype=int)",
    "np.linspace(s, a, 4)",
    "np.linspace(0.0, s, 4, endpoint=False)",
    "np.linspace(0, s, num=3, retstep=True)",
    "np.linspace([s, a], 2.0, 3)",
    "np.linspace([s, a], 2.0, 3, dtype=np.float32)",
    "np.linspace(s, a, 4, dtype=int)",
    "np.logspace(s, a, 3)",
    "np.logspace([s, a], 1.0, 3, base=a)",
    "np.geomspace(s, 5.0, 4)",
    "np.geomspace([s, a], 5.0, 4, axis=-1)",
    "np.arange(s)",
    "np.arange(s, 3.0)",
    "np.arange(s, 3.0, a)",
    "np.arange(0, 3.0 * a, s)",
    "np.arange(0.0, a)",
    "np.arange(1, 4.5, step=s)",
    "np.arange(start=s, stop=2.0)",
    "np.arange(stop=a, start=0)",
    "np.arange(s, 3.0, dtype=np.float32)",
    "np.arange(s, 3.0, dtype=int)",
    "np.arange(3.0, s, -a)",
    "np.arange(a, s)",
    "np.meshgrid(x, [s, a])",
    "np.meshgrid([s, a], [1.0, 2.0], indexing='ij')",
    "np.vander([s, a], 3)",
    "np.diagflat([s, a])",
    "np.tri(3) * x",
    "np.eye(3) @ x",
    "np.identity(3) @ x",
    "np.indices((2, 2)) * s",
    "np.ones((2, 3), order='F') * s",
    "np.ones_like(r) * s",
    "np.linspace(0.0, 1.0, 3, retstep=True)[1] * s",
])
def test_followed(expression):
    agrees(expression)


@pytest.mark.parametrize("expression", [
    "np.full(3, s * s) ** 2",
    "np.arange(s * s, 3.0, a * s) ** 2",
    "np.linspace(s * s, a, 4) ** 2",
    "np.geomspace(s * s, a, 3)",
])
def test_second_order(expression):
    agrees(expression, order=2)


@pytest.mark.parametrize("create", [
    lambda site, x: site.call(np.zeros, x.shape),
    lambda site, x: site.call(np.zeros, shape=x.shape, dtype=float),
    lambda site, x: site.call(np.ones, len(x), dtype=np.float64),
    lambda site, x: site.call(np.full, 3, 2.0),
    lambda site, x: site.call(np.full_like, [1.0, 2.0, 3.0], 2.0),
    lambda site, x: site.call(np.zeros_like, np.ones(3)),
    lambda site, x: site.call(np.arange, 3.0),
    lambda site, x: site.call(np.linspace, 0.0, 1.0, 3),
    lambda site, x: site.call(np.linspace, 0.0, 1.0, 3, retstep=True)[0],
    lambda site, x: site.call(np.eye, 3)[1],
    lambda site, x: site.call(np.meshgrid, [1.0, 2.0, 3.0])[0],
    lambda site, x: site.call(np.arange, 0.0, 2.5 + 0.0 * x[0], 1.0),
])
def test_fresh_arrays_can_be_filled(create):
    site = Stand()

    def f(x):
        out = create(site, x)
        assert is_wrapper(out) == is_wrapper(x)
        assert not active(out) or is_wrapper(x)
        for k in range(2):
            out[k] = x[k] * x[k + 1]
        return out

    agrees_at(f, (np.array([0.7, 0.2, 1.4]),), order=2)


def test_integers_stay_plain():
    site = Stand()

    def f(x):
        for made in (site.call(np.zeros, 3, int), site.call(np.arange, 3),
                     site.call(np.full, 2, 1), site.call(np.ones, 2, dtype=bool)):
            assert type(made) is np.ndarray
        return x.sum()

    hybridad.grad(f)(np.ones(2))


def test_the_number_of_points_is_a_decision():
    site = Stand()
    hybridad.grad(lambda x: site.call(np.arange, 0.0, x, 1.0).sum() + x)(2.5)
    assert site.guards == [("shape", 3)]


@pytest.mark.parametrize(("expression", "error"), [
    ("np.zeros(s)", TypeError),
    ("np.full((2, 2), x)", ValueError),
    ("np.arange(s, a, x)", ValueError),
    ("np.arange(s, np.inf)", ValueError),
    ("np.arange()", TypeError),
    ("np.linspace(s, a, -1)", ValueError),
])
def test_errors_are_those_of_plain_numpy(expression, error):
    f, args = form(expression)
    with pytest.raises(error) as plainly:
        f(*args)
    with pytest.raises(error) as recorded:
        hybridad.vjp(f, *args)
    assert str(recorded.value) == str(plainly.value)
