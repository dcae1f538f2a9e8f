"""Memory layout: copies, windows, snapshots, and the small loops that stand in for NumPy's."""

import itertools
import warnings

import numpy as np
import pytest
from hybridad._record import leaf, raw_of, repeats, shares_storage, view_of
from hybridad._tape import Tape

from hybridad import UnsupportedError, grad, value_and_grad, vjp
from tests.mutation.checks import same_bits
from tests.recording.unfound import unfound

RNG = np.random.default_rng(0)


def layouts():
    """Arrays of many layouts, by name."""
    base = RNG.standard_normal((4, 6, 5))
    read_only = RNG.standard_normal((3, 4))
    read_only.flags.writeable = False
    pairs = np.array([(1.0, 2), (3.0, 4)], dtype=[("a", "f8"), ("b", "i4")])
    bytes_ = np.frombuffer(b"\0" + base[0].tobytes(), dtype="u1")
    return {
        "c": base.copy(),
        "fortran": np.asfortranarray(base),
        "transposed": base.transpose(1, 2, 0),
        "strided": base[::2, 1::2, ::-1],
        "backwards": base[::-1, ::-1, ::-1],
        "mixed": base.transpose(2, 0, 1)[::-1, :, ::2],
        "one row": base[:1, 2:3],
        "vector": base[0, 0],
        "column": base[:, 1, 1],
        "back": base[0, 0, ::-1],
        "every third": base[0, 0, ::-3],
        "diagonal": base[0, :5].diagonal(),
        "scalar": np.array(1.5),
        "scalar view": base[1, 1, 1, ...],
        "empty": base[:0],
        "empty middle": base[:, :0],
        "read only": read_only,
        "broadcast": np.broadcast_to(base[0, 0], (3, 5)),
        "broadcast middle": np.broadcast_to(base[:, :1], (4, 3, 5)),
        "broadcast number": np.broadcast_to(2.0, (2, 3)),
        "windows": np.lib.stride_tricks.sliding_window_view(base[0, 0], 3),
        "windows with gaps": np.lib.stride_tricks.sliding_window_view(base[0, 0], 3)[::2, ::2],
        "fields": pairs["a"],
        "unaligned": bytes_[1:].view("f8").reshape(6, 5),
        "half": base.astype("e"),
        "single": base.astype("f"),
        "complex": base + 1j,
        "complex real": (base + 1j).real,
        "complex imag": (base + 1j).imag,
    }


LAYOUTS = layouts()


def strides(a):
    """Strides along the axes that matter."""
    return [s for s, n in zip(a.strides, a.shape) if n > 1]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_leaf_is_a_copy_in_the_same_layout(name):
    x = LAYOUTS[name]
    copy = raw_of(leaf(Tape(), x))
    assert not np.shares_memory(copy, x)
    np.testing.assert_array_equal(copy, x)
    assert copy.dtype == x.dtype and copy.shape == x.shape
    if x.size and name not in ("fields", "complex real", "complex imag"):
        assert [np.sign(s) for s in strides(copy)] == [np.sign(s) for s in strides(x)]
        assert np.argsort(np.abs(strides(copy)), kind="stable").tolist() == np.argsort(
            np.abs(strides(x)), kind="stable").tolist()


@pytest.mark.parametrize("name", LAYOUTS)
def test_results_have_the_bits_of_plain_code_in_any_layout(name):
    """Layout alone changes the bits of a product or a sum."""
    x = LAYOUTS[name]

    def f(x):
        product = x.T @ x if 0 < x.ndim < 3 and x.size else x
        return np.sum(np.real(x * x)) + np.sum(np.abs(product))

    value, g = value_and_grad(f)(x)
    assert same_bits(value, f(x))
    assert g.shape == x.shape and g.dtype == x.dtype


def test_what_repeats_memory_is_known():
    def shows(x):
        return repeats(leaf(Tape(), x))

    one, two = np.arange(6.0), np.arange(12.0).reshape(3, 4)
    strided = np.lib.stride_tricks.as_strided
    assert not any(map(shows, (one, two, two.T, two[::-1, ::2], one[:0], one[:1], np.array(1.0),
                               np.broadcast_to(one, (1, 6)), one[None], two[:, :1])))
    assert all(map(shows, (np.broadcast_to(one, (2, 6)), np.broadcast_to(1.0, (3,)),
                           np.broadcast_to(two[:, :1], (3, 4)),
                           np.lib.stride_tricks.sliding_window_view(one, 2),
                           strided(one, (3, 3), (8, 8)), strided(one, (2, 2, 2), (16, 8, 8)))))
    # More room than elements, and still one of them twice.
    assert shows(strided(one, (2, 2), (16, 16))) and shows(strided(one, (2, 3), (16, 16)))


def test_what_shares_the_storage_is_known():
    tape = Tape()
    x = leaf(tape, np.arange(12.0).reshape(3, 4))
    raw = raw_of(x)
    for view in (raw[1:], raw.T, raw[::-1, ::2], raw[1, 2, ...], raw.reshape(-1), raw[:, :1],
                 raw.view("D"), np.broadcast_to(raw[0], (2, 4))):
        assert shares_storage(x, view)
    for other in (raw.copy(), np.zeros(3), raw[1:].copy().T, np.zeros((3, 4))[1:]):
        assert not shares_storage(x, other)
    assert shares_storage(view_of(x, raw[1:2]), raw[1:2, ::2])


def random_view(x, rng):
    """A random chain of views."""
    for _ in range(rng.integers(1, 5)):
        kind = rng.integers(5)
        if x.ndim and kind == 0:
            x = x[tuple(slice(*sorted(rng.integers(0, n + 1, 2)), rng.integers(1, 3))
                        for n in x.shape)]
        elif x.ndim and kind == 1:
            x = x[tuple(slice(None, None, rng.choice([-1, 1, -2])) for _ in x.shape)]
        elif x.ndim > 1 and kind == 2:
            x = x.transpose(tuple(rng.permutation(x.ndim).tolist()))
        elif x.ndim and kind == 3 and x.shape[0]:
            x = x[rng.integers(x.shape[0]), ...]
        elif kind == 4:
            x = x[..., None]
    return x


@pytest.mark.parametrize("name", [n for n in LAYOUTS if LAYOUTS[n].dtype == "d"
                                  and LAYOUTS[n].size])
def test_windows_correspond_to_views(name):
    """The cotangent of a view lands where the view lies, for random views of every layout."""
    x = LAYOUTS[name]
    for seed in range(30):
        rng, again = np.random.default_rng(seed), np.random.default_rng(seed)
        expected = np.zeros(x.shape)
        part = random_view(expected, again)
        weights = np.random.default_rng(100 + seed).standard_normal(part.shape)
        part += weights
        value, pullback = vjp(lambda x: random_view(x, rng), x)  # noqa: B023
        assert value.shape == weights.shape
        np.testing.assert_allclose(pullback(weights)[0], expected)


def test_writes_go_through_random_views():
    x = RNG.standard_normal((4, 6, 5))
    for seed in range(60):
        w = RNG.standard_normal(x.shape)

        def f(x):
            y = x * 2.0
            z = y * y
            v = random_view(y, np.random.default_rng(seed))  # noqa: B023
            v *= 0.5
            return np.sum(y * w) + np.sum(z)  # noqa: B023

        value, g = value_and_grad(f)(x)
        assert same_bits(value, f(x))
        half = np.ones(x.shape)
        random_view(half, np.random.default_rng(seed))[...] = 0.5
        np.testing.assert_allclose(g, 2.0 * half * w + 8.0 * x)


_SIZES = [1, 3, 255, 256, 257, 300]
_OPERATIONS = [np.add, np.subtract, np.multiply, np.divide]
_SYMBOLS = {np.add: lambda a, b: a + b, np.subtract: lambda a, b: a - b,
            np.multiply: lambda a, b: a * b, np.divide: lambda a, b: a / b}
_SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -2.3e-308, 1e-310,
                     1.7976931348623157e308, 1e200, -1e200, 1e-200, 3.0, 0.1,
                     2.2250738585072014e-308])


def _outcome(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function()
    return np.asarray(raw_of(result)), sorted(str(w.message) for w in caught)


@pytest.mark.parametrize("operation", _OPERATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("size", _SIZES)
def test_small_arithmetic_has_the_bits_of_numpy(operation, size):
    symbol = _SYMBOLS[operation]
    rng = np.random.default_rng(size)
    a, b = rng.standard_normal(size) * 10.0 ** rng.integers(-5, 5, size), rng.standard_normal(size)
    x = leaf(Tape(), a)
    for other in (b, 2.5, np.float64(-0.3), b.reshape(-1, 1)[:, 0], a):
        assert same_bits(raw_of(symbol(x, other)), operation(a, other))
        assert same_bits(raw_of(symbol(other, x)), operation(other, a))


@pytest.mark.parametrize("operation", _OPERATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("state", ["warn", "ignore", "raise"])
def test_small_arithmetic_warns_as_numpy(operation, state):
    symbol = _SYMBOLS[operation]
    for a, b in itertools.product(_SPECIAL, repeat=2):
        pair = np.array([1.0, a]), np.array([2.0, b])
        x = leaf(Tape(), pair[0])
        for ours, plain in ((lambda: symbol(x, pair[1]), lambda: operation(*pair)),  # noqa: B023
                            (lambda: symbol(x, float(b)), lambda: operation(pair[0], float(b)))):  # noqa: B023
            with np.errstate(all=state):
                try:
                    expected, said = _outcome(plain)
                except FloatingPointError as error:
                    with pytest.raises(FloatingPointError) as found:
                        ours()
                    assert str(found.value) == str(error)
                    continue
                got, heard = _outcome(ours)
            assert got.tobytes() == expected.tobytes() or np.array_equal(
                got, expected, equal_nan=True), (a, b)
            assert heard == said, (a, b)


@pytest.mark.parametrize("size", [1, 3, 512, 513, 700])
@pytest.mark.parametrize("dtype", ["d", "f", "D"])
def test_zero_cotangents_stay_zero_where_the_derivative_is_infinite(size, dtype):
    """A NaN is found wherever it is, in arrays of any size, layout and dtype."""
    for place in {0, size // 2, size - 1}:
        x = np.ones(size, dtype)
        x[place] = 0.0
        for view in (lambda a: a, lambda a: a[::-1], lambda a: np.stack([a, a])[:, ::-1].T):
            def f(x):
                y = view(x)  # noqa: B023
                return np.sum(np.real(np.where(np.abs(y) > 0.0, y * np.log(y + 0.0 * y), 0.0)))

            with np.errstate(all="ignore"):
                g = grad(f)(x)
            assert np.all(np.isfinite(g)) and g[place] == 0.0


def test_snapshots_are_taken_of_what_may_change():
    """Plain operands of every kind of memory are read by the rules as they were when used."""
    base = np.arange(1.0, 9.0)
    kinds = {
        "array": lambda: np.arange(1.0, 5.0),
        "view": lambda: base[:4],
        "strided": lambda: base[::2],
        "backwards": lambda: base[3::-1],
        "frozen view": lambda: _frozen(base[:4]),
        "broadcast": lambda: np.broadcast_to(base[:1], (4,)),
        "zero-d": lambda: base[0, ...],
        "single": lambda: base[:4].astype("f"),
        "memoryview": lambda: np.asarray(memoryview(base))[:4],
        "from bytes": lambda: np.frombuffer(bytearray(base[:4].tobytes())),
        "transposed": lambda: base.reshape(4, 2).T[0],
        "large": lambda: np.ones((4, 3000))[:, 7],
    }
    x = np.array([0.5, 1.0, -2.0, 3.0])
    for name, make in kinds.items():
        plain = make()
        owner = plain
        while isinstance(owner.base, np.ndarray):
            owner = owner.base

        def f(x):
            total = 0.0
            for _ in range(3):
                total = total + np.sum(x * plain)  # noqa: B023
                if owner.flags.writeable:  # noqa: B023
                    owner[...] = owner * 2.0  # noqa: B023
            return total

        start = owner.copy()
        expected = np.broadcast_to(plain, (4,)) * 7.0
        for g in (f, unfound(f)):
            try:
                found = grad(g)(x)
            except UnsupportedError as refusal:
                assert g is f and name == "broadcast" and "is not a view of it" in str(refusal)
            else:
                np.testing.assert_allclose(found, expected, err_msg=name)
            owner[...] = start


def _frozen(x):
    x.flags.writeable = False
    return x
