"""How a call is taken apart: keywords, `out`, lists, sequences, several results, views."""

import copy
import inspect

import numpy as np
import pytest
from hybridad._record import active, is_wrapper, raw_of, storage_node

import hybridad
from hybridad.errors import ArgumentError, LostDerivativeError, MissingRuleError
from hybridad.recording.calls import call, first_wrapper, write_out
from hybridad.rules.declare import PRIMITIVES
from tests.recording.agreement import agrees, agrees_at, compiled, frozen, resolves, run, same
from tests.recording.unfound import unfound

KEYWORDS = """
np.sum(a=x)
np.sum(a=r, axis=1)
np.sum(r, 1)
np.sum(r, axis=1, dtype=None, out=None)
np.mean(a=r, axis=0, keepdims=True)
np.average(a=x, weights=y)
np.cross(a=x, b=y)
np.tensordot(a=r, b=m, axes=1)
np.kron(a=x, b=r)
np.outer(a=x, b=y)
np.quantile(a=v, q=0.3)
np.quantile(v, [0.25, 0.5], method="lower")
np.interp(x=x, xp=[0.0, 1.0], fp=[1.0, 3.0])
np.interp(x, xp=[0.0, 1.0], fp=[s, a])
np.trapezoid(y=y, x=np.sort(x))
np.trapezoid(y, dx=s)
np.diff(a=v, n=2)
np.diff(v, append=s)
np.full_like(a=x, fill_value=s)
np.full_like(x, fill_value=s, dtype=np.float32)
np.clip(a=v, a_min=0.0, a_max=s)
np.linalg.solve(a=m, b=x)
np.linalg.solve(m, b=x)
np.linalg.norm(x=x)
np.linalg.norm(m, ord="fro", axis=(0, 1))
np.take(a=x, indices=[0, 1])
np.repeat(a=x, repeats=2, axis=0)
np.broadcast_to(array=x, shape=(2, 3))
np.transpose(a=c, axes=(2, 0, 1))
np.moveaxis(a=c, source=0, destination=-1)
np.stack(arrays=[x, y], axis=1)
np.hstack(tup=(x, y))
np.vstack(tup=[x, [1.0, s, 2.0]])
np.append(arr=x, values=y, axis=0)
np.polyval(p=x, x=s)
np.bincount(k, weights=x, minlength=5)
np.nan_to_num(x=x, nan=s)
np.sort(a=v, axis=0, kind="stable")
np.fft.fft(a=x, n=4)
np.einsum("ij,j->i", m, x, optimize="greedy")
np.copy(a=x, order="F")
np.astype(x, np.float32, copy=False)
""".split("\n")[1:-1]

OUT = """
np.sum(m, axis=0, out=x)
np.sum(m, 0, None, x)
np.sum(m, 0, None, x, False)
np.mean(m, 0, None, x)
np.std(m, 0, None, x)
np.max(m, 1, x)
np.prod(m, axis=1, out=x)
np.cumsum(x, 0, None, y)
np.cumprod(x, out=y)
np.dot(m, x, out=y)
np.dot(m, x, y)
np.outer(x, y, m)
np.trace(m, out=o)
np.take(m, [0, 1, 2], 1, m)
np.take(x, k, out=x)
np.clip(v, 0.0, 1.0, v)
np.compress(b, m, axis=1, out=m[:, :2])
np.concatenate([x, y], 0, v)
np.concatenate([x, y], out=v)
np.stack([x, y, x], out=m)
np.stack([x, y, x], 1, m)
np.einsum("ij,j->i", m, x, out=x)
np.median(m, axis=0, out=x)
np.quantile(m, 0.3, 0, x)
np.ptp(m, 1, x)
np.nansum(m, axis=0, out=x)
np.matmul(m, m, m)
np.fft.fft(z, out=z)
np.round(y, 1, out=x)
np.argmax(m, axis=0, out=np.zeros(3, np.intp))
np.all(m, axis=0, out=np.zeros(3, bool))
np.sum(np.ones((3, 3)), axis=0, out=x)
np.sum(m, axis=0, out=h)
np.sum(m, axis=0, out=m[0])
np.sum(m, axis=0, out=m[:, 0])
np.sum(m, axis=0, out=x[::-1])
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", KEYWORDS + OUT)
def test_followed(expression):
    agrees(expression)


@pytest.mark.parametrize("expression", [
    "np.sum(x, initial=s)",
    "np.max(x, axis=None, out=None, keepdims=False, initial=s)",
    "np.pad(x, 1, constant_values=s)",
    "np.pad(x, (1, 1), constant_values=(s, a))",
    "np.std(v, mean=np.mean(v, keepdims=True))",
    "np.interp(x, [0.0, 1.0], [1.0, 2.0], left=s)",
])
def test_argument_without_derivative(expression):
    f, args = compiled(expression)
    with pytest.raises(MissingRuleError) as caught:
        hybridad.vjp(f, *args)
    name = expression.split("(")[0].removeprefix("np.")
    assert str(caught.value).startswith(name + " ")


@pytest.mark.parametrize("expression", [
    "np.sum(x, out=np.zeros(()))", "np.sum(m, 0, None, np.zeros(3))", "np.dot(m, x, np.zeros(3))",
    "np.concatenate([x, y], 0, np.zeros(6))", "np.stack([x, y], out=np.zeros((2, 3)))",
    "np.cumsum(x, out=np.zeros(3))", "np.choose(k, [x, y, x], out=np.zeros(3))",
    "np.clip(x, 0.0, 1.0, np.zeros(3))", "np.einsum('i,i', x, y, out=np.zeros(()))",
])
def test_a_plain_array_as_out_loses_the_derivative(expression):
    f, args = compiled(expression)
    with pytest.raises(LostDerivativeError, match="a plain array"):
        hybridad.vjp(f, *args)


def test_out_of_another_type_is_cast_as_plain_code_does():
    for expression in ("np.sum(m, axis=0, out=h)", "np.dot(m, z, out=z)"):
        agrees(expression)
    f, args = compiled("np.dot(m, z, out=x)")
    with pytest.raises(ValueError, match="output array"):
        hybridad.vjp(f, *args)


def test_each_result_is_what_plain_code_gives():
    """Types of results of functions with several, in their own containers."""
    for expression in ("np.linalg.slogdet(m)", "np.linalg.svd(m)", "np.linalg.eigh(m + m.T)",
                       "np.linalg.qr(r)", "np.modf(v)", "np.frexp(v)", "np.divmod(v, 0.7)",
                       "np.split(v, 3)", "np.array_split(v, 4)", "np.hsplit(r, 3)",
                       "np.broadcast_arrays(x, 1.0)", "np.unstack(m)", "np.gradient(m)",
                       "np.meshgrid(x, y)", "np.nonzero(x)", "np.where(x)"):
        f, args = compiled(expression)
        same(run(f, args)[0], frozen(f(*args)))


def test_unused_results_and_unused_cotangents():
    def f(m):
        _, d, _ = np.linalg.svd(m)
        whole, _ = np.modf(d)
        return d[0] + whole[1]

    agrees_at(f, (np.array([[2.0, 0.3], [0.4, 3.0]]),))


def test_views_are_views_and_copies_are_copies():
    def f(x):
        x = x * 1.0
        for view in (np.transpose(x), np.reshape(x, 4), np.swapaxes(x, 0, 1), np.ravel(x),
                     np.squeeze(x), np.expand_dims(x, 0), np.moveaxis(x, 0, 1), np.diagonal(x),
                     np.split(x, 2)[0], np.atleast_3d(x), np.flip(x), np.rot90(x), np.real(x),
                     np.broadcast_arrays(x, x)[0], np.matrix_transpose(x), np.hsplit(x, 2)[1]):
            assert storage_node(view) == storage_node(x)
        for made in (np.copy(x), np.repeat(x, 1), np.tile(x, 1), np.roll(x, 1), np.sort(x),
                     np.take(x, [0, 1], axis=0), np.concatenate([x]), np.triu(x), np.diagflat(x)):
            assert storage_node(made) != storage_node(x)
        assert np.atleast_2d(x) is x
        return x.sum()

    hybridad.grad(f)(np.array([[1.0, 2.0], [3.0, 4.0]]))


ALIASES = """
np.real(m + 1j * m)
np.imag(m + 1j * m)
np.real(m)
np.flip(m)
np.flip(m, 0)
np.fliplr(m)
np.rot90(m)
np.rot90(m, 2)
np.split(m, 3)[1]
np.split(m, 3, axis=1)[1]
np.array_split(v, 4)[2]
np.hsplit(m, 3)[0]
np.vsplit(m, 3)[0]
np.dsplit(c, 2)[1]
np.unstack(m)[1]
np.unstack(m, axis=1)[1]
np.einsum("ii->i", m)
np.einsum("ij->ji", m)
np.einsum(m, [0, 0], [0])
np.meshgrid(x, y, copy=False, sparse=True)[0]
np.broadcast_arrays(x, y)[0]
np.broadcast_arrays(m, x)[0]
np.atleast_1d(x)
np.atleast_2d(x)
np.atleast_3d(x)
np.expand_dims(x, 1)
np.squeeze(c[:1])
np.moveaxis(c, 0, 2)
np.rollaxis(c, 2)
np.swapaxes(c, 0, 2)
np.transpose(c)
np.permute_dims(c, (2, 1, 0))
np.trim_zeros(x)
np.matrix_transpose(m)
np.linalg.matrix_transpose(m)
np.astype(x, np.float64, copy=False)
np.ravel(m)
np.ravel(m.T)
np.ravel(m.T, order="F")
np.reshape(m, 9)
np.reshape(m, 9, order="F")
np.reshape(m.T, 9, order="F")
np.reshape(m[:, :2], 6)
np.nan_to_num(m, copy=False)
np.nan_to_num(m[1:], copy=False)
np.linalg.matrix_power(m, 1)
np.resize(m, (3, 3))
np.diagonal(m).copy()
np.copy(m)
np.tile(m, 1)
np.take(m, [0, 1, 2], axis=0)
np.apply_along_axis(lambda t: t, 0, m)
np.apply_over_axes(np.sum, m, [])
np.choose([0], [m])
np.clip(m, None, 9.0)
np.fft.fftshift(x)
np.concatenate([m])
np.block([m])
np.block(m)
np.stack([m])[0]
np.nan_to_num(m)
np.piecewise(x, [x > 0], [lambda t: t])
np.where(m > 0, m, m)
np.pad(m, 0)
np.insert(x, [], [])
np.delete(x, [])
np.repeat(x, 1)
np.roll(x, 0)
np.sort(m)
np.triu(m, -5)
np.partition(m, 1)
np.conj(m)
np.positive(m)
np.median(m, axis=0)
np.angle(m) + m
m.squeeze()
m.conj()
m.conjugate()
m.real
m.view()
m.T
m.mT
m.diagonal().copy()
m.ravel()
m.flatten()
m.reshape(-1)
m.swapaxes(0, 1)
m.transpose()
m.astype(float, copy=False)
m[...]
m[1:]
m[1:, ::-1]
m[None]
m[:, None]
m[np.array([0, 1])]
m[m > 1]
m[:, np.array([0, 1])]
m[1]
m.copy()
+m
m[:, 0]
m[::-1]
m[1:].base
m.T.base
m.reshape(-1)[::2]
(m + 1j * m).view(float)
(m + 1j * m).real
(m + 1j * m).imag
v.view(complex)
list(m)[1]
tuple(m)[1]
next(iter(m))
[*zip(m, m)][0][1]
[*enumerate(m)][1][1]
np.lib.stride_tricks.sliding_window_view(x, 2).copy()
""".split("\n")[1:-1]
"""Views, copies, and what is the one or the other by layout or version."""


@pytest.mark.parametrize("expression", [e for e in ALIASES if resolves(e)])
def test_writes_reach_what_they_reach_in_plain_code(expression):
    take, args = compiled(expression)

    def f(*args):
        args = [x * 1.0 for x in args]
        taken = take(*args)
        taken[...] = taken * taken + 1.0
        before = args[0] * 2.0
        first = args[0]
        first *= 3.0
        taken += 1.0
        return taken * 1.0, before, args

    agrees_at(f, args)


def test_broadcast_views_follow_their_source():
    def f(x, y):
        x = x * 1.0
        wide = np.broadcast_to(x, (2, 2))
        before = wide * 1.0
        x[0] = y[0] * y[1]
        row = wide[1]
        return before, wide * y, row * x

    agrees_at(f, (np.array([0.5, 0.7]), np.array([1.3, 0.4])))


def test_constants_do_not_make_anything_active():
    def f(x):
        for made in (np.floor(x), np.round(x), np.ceil(x), np.zeros_like(x), np.rint(x)):
            assert is_wrapper(made)
            assert not active(made)
        for made in (np.argmax(x), np.shape(x), np.isfinite(x), np.argsort(x), np.round(x[0])):
            assert not is_wrapper(made)
        return (x * np.floor(x)).sum()

    assert hybridad.grad(f)(np.array([1.5, 2.5])).tolist() == [1.0, 2.0]


def test_first_wrapper():
    @unfound  # so that arrays made inside are no wrappers
    def f(x, s):
        assert first_wrapper((1.0, [2.0, (s, x)])) is s
        assert first_wrapper((np.ones(2), x)) is x
        assert first_wrapper((1.0, [2.0], {"x": x})) is None
        return (x * s).sum()

    hybridad.grad(f, argnums=(0, 1))(np.array([1.0]), 2.0)


def test_call_and_write_out_directly():
    @unfound  # for it records by itself
    def f(x):
        tripled = call(PRIMITIVES[np.copy], lambda raw: raw.copy(), (x,), {})
        assert active(tripled)
        out = np.zeros_like(x)
        made = write_out(PRIMITIVES[np.exp], (x,), None, out, lambda t: np.exp(raw_of(x), out=t))
        assert made is out
        write_out(PRIMITIVES[np.exp], (x,), None, out, lambda t: np.exp(raw_of(x), out=t),
                  where=np.array([True, False]))
        with pytest.raises(MissingRuleError, match="the_name"):
            call(None, the_name, (x,), {})
        with pytest.raises(ArgumentError, match="MaskedArray"):
            call(PRIMITIVES[np.copy], np.copy, (np.ma.array([1.0]),), {})
        return (tripled * out).sum()

    def the_name(x):
        raise AssertionError("never called with a differentiated value")

    x = np.array([0.5, 0.7])
    value, g = hybridad.value_and_grad(f)(x)
    assert value == (x * np.exp(x)).sum()
    np.testing.assert_allclose(g, np.exp(x) * (1.0 + x), rtol=1e-15)


@pytest.mark.parametrize("function", [f for f in PRIMITIVES if not isinstance(f, np.ufunc)],
                         ids=lambda f: f.__name__)
def test_every_primitive_knows_where_out_is(function):
    """A rule that is called with ``out`` by position would take it for another argument."""
    from hybridad.recording.calls import _parameter_names

    try:
        signature = inspect.signature(function)
    except ValueError:
        pytest.skip("compiled, without a signature in this NumPy")
    names = _parameter_names(PRIMITIVES[function])
    positional = [p.name for p in signature.parameters.values()
                  if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    assert list(names) == positional


def test_builtins_without_signature(monkeypatch):
    """Before NumPy 2.4 the compiled functions had none."""
    from hybridad.recording import calls

    def refuse(function):
        raise ValueError("no signature found")

    monkeypatch.setattr(calls.inspect, "signature", refuse)
    names = calls._parameter_names.__wrapped__
    assert names(PRIMITIVES[np.dot]) == ("a", "b", "out")
    assert names(PRIMITIVES[np.concatenate]) == ("arrays", "axis", "out")


MASK = np.array([True, False, True])
TWO = np.array([0, 1])


@pytest.mark.parametrize(("use", "static"), [
    (lambda x, k: np.sum(x * x, where=k), MASK),
    (lambda x, k: (x * x).sum(where=k), MASK),
    (lambda x, k: np.mean(x * x, where=k), MASK),
    (lambda x, k: np.add.reduce(x * x, where=k), MASK),
    (lambda x, k: np.add(x * x, x, where=k, out=np.zeros_like(x)), MASK),
    (lambda x, k: np.where(k, x * x, x), MASK),
    (lambda x, k: np.compress(k, x * x), MASK),
    (lambda x, k: np.extract(k, x * x), MASK),
    (lambda x, k: np.select([k], [x * x], 0.5), MASK),
    (lambda x, k: (x * x)[k], MASK),
    (lambda x, k: np.putmask(x, k, x * x) or x, MASK),
    (lambda x, k: np.place(x, k, x * x) or x, MASK),
    (lambda x, k: np.copyto(x, x * x, where=k) or x, MASK),
    (lambda x, k: x.__setitem__(k, x[:2] * x[1:]) or x, MASK),
    (lambda x, k: np.take(x * x, k), TWO),
    (lambda x, k: np.take(x * x, indices=k), TWO),
    (lambda x, k: (x * x).take(indices=k), TWO),
    (lambda x, k: (x * x)[k], TWO),
    (lambda x, k: np.delete(x * x, k), TWO),
    (lambda x, k: np.insert(x * x, k, x[0]), TWO),
    (lambda x, k: np.put(x, k, x[1:] ** 2) or x, TWO),
    (lambda x, k: x.__setitem__(k, x[1:] ** 2) or x, TWO),
    (lambda x, k: np.add.at(x, k, x[1:] ** 2) or x, TWO),
    (lambda x, k: np.add.at(x, (k,), x[1:] ** 2) or x, TWO),
    (lambda x, k: np.multiply.at(x, k, x[1:]) or x, TWO),
    (lambda x, k: np.take_along_axis(x * x, k, axis=0), TWO),
    (lambda x, k: np.put_along_axis(x, k, x[1:] ** 2, axis=0) or x, TWO),
    (lambda x, k: np.choose(k, [x[:2] ** 2, x[1:]]), TWO),
    (lambda x, k: np.repeat(x * x, k), np.array([1, 0, 2])),
    (lambda x, k: np.repeat(x * x, repeats=k), np.array([1, 0, 2])),
    (lambda x, k: np.bincount(k, weights=x * x, minlength=3), np.array([0, 1, 0])),
    (lambda x, k: np.interp(x, xp=k, fp=[1.0, 2.0, 5.0]), np.array([0.1, 0.5, 0.8])),
    (lambda x, k: np.interp(x, xp=[0.1, 0.5, 0.8], fp=k), np.array([0.1, 0.5, 0.9])),
    (lambda x, k: np.average(x * x, weights=k), np.array([1.0, 2.0, 4.0])),
    (lambda x, k: np.trapezoid(x * x, x=k), np.array([1.0, 2.0, 4.0])),
    (lambda x, k: np.gradient(x * x, k), np.array([1.0, 2.0, 4.0])),
    (lambda x, k: np.quantile(x * x, q=k), np.array([0.2, 0.7])),
    (lambda x, k: np.dot(x * x, k), np.array([1.0, 2.0, 4.0])),
    (lambda x, k: np.convolve(x * x, v=k), np.array([1.0, 2.0, 4.0])),
    (lambda x, k: np.clip(x * x, k, None), np.array([0.01, 0.2, 0.1])),
    (lambda x, k: np.einsum("i,i->i", x * x, k), np.array([1.0, 2.0, 4.0])),
    (lambda x, k: np.polyval(k, x), np.array([1.0, 2.0, 4.0])),
    (lambda x, k: np.pad(x * x, k), [1, 2]),
    (lambda x, k: np.pad(x * x, pad_width=k), [1, 2]),
    (lambda x, k: np.tile(x * x, k), [2, 1]),
    (lambda x, k: np.roll(x * x, k, axis=(0,)), [1]),
    (lambda x, k: np.split(x * x, k)[0] * 1.0, [1, 2]),
    (lambda x, k: np.transpose(np.outer(x, x * x), axes=k) * 1.0, [1, 0]),
    (lambda x, k: np.tensordot(np.outer(x, x * x), np.ones((3, 2)), axes=k), [[1], [0]]),
])
def test_what_was_passed_may_be_written_to_afterwards(use, static):
    """The rule must see static arrays and lists as they were at the call."""

    def f(x):
        x = x * 1.0
        given = copy.deepcopy(static)
        found = use(x, given)
        if type(given) is list:
            given.reverse()
        elif given.dtype == bool:
            given[...] = ~given
        else:
            given[...] = given[::-1].copy()
        return found

    agrees_at(f, (np.array([0.75, 0.3, 0.6]),))
