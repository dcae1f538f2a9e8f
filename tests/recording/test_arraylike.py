"""Lists and tuples with wrappers inside become arrays, on record."""

import numpy as np
import pytest
from hybridad._record import active, is_wrapper, raw_of

import hybridad
from hybridad.recording.arraylike import as_array, convert, holds_wrapper, plain
from tests.recording.agreement import agrees, agrees_at, compiled


def test_helpers_on_plain_values():
    for x in (1.0, "text", None, [1.0, 2.0], (1, [2.0]), {"a": 1.0}, np.ones(2), range(3)):
        assert not holds_wrapper(x)
        assert convert(x) is x
        assert plain(x) == x if not isinstance(x, np.ndarray) else plain(x) is x
    assert as_array([1, 2]).tolist() == [1, 2]
    assert as_array((1.0, 2)).dtype == np.float64
    assert as_array([[1], [2]]).shape == (2, 1)
    assert as_array(3.0) == 3.0
    array = np.ones(2)
    assert as_array(array) is array


def test_helpers_on_wrappers():
    def f(x, s):
        assert holds_wrapper(x)
        assert holds_wrapper([1.0, (2.0, [s])])
        assert not holds_wrapper({"x": x})  # no array-like
        assert plain([x, (s, 1), {"s": s}]) == [raw_of(x), (raw_of(s), 1), {"s": raw_of(s)}]
        assert convert(x) is x
        for made in (convert([s, 1.0]), as_array([s, 1.0]), convert((s, s)), convert([[s], [2]])):
            assert active(made)
            assert type(raw_of(made)) is np.ndarray
        return (x * s).sum()

    hybridad.grad(f, argnums=(0, 1))(np.array([7.0]), 3.0)


@pytest.mark.parametrize("expression", [
    "x[:2] + [s, 1.0]",
    "x + [s, a, 1]",
    "x + (s, a, 1)",
    "[s, a, 1] - x",
    "m * [x, y, [1.0, s, 2.0]]",
    "m * ([x, y, (1.0, s, 2.0)])",
    "m + [[s], [1.0], [a]]",
    "m * [x + 1.0, y, x]",
    "np.concatenate([x, [s, 1.0]])",
    "np.concatenate([[[s, a, 1.0]], m])",
    "np.stack([x, [s, a, 1.0]])",
    "np.dot(x, [s, a, 1.0])",
    "np.where(b, x, [s, a, 1.0])",
    "np.linalg.solve([[s, 0.0], [1.0, a]], x[:2])",
    "np.cross(x, [s, 1.0, a])",
    "np.append(x, [s])",
    "np.inner(x, [s, a, s])",
    "np.interp(s, [0.0, 0.5, 1.0], [s, a, 1.0])",
    "np.maximum(x, [s, s, 0.1])",
    "h * [s, 1.0, 2.0]",
    "h + [1, 2, 3]",
    "h + [e, e, e]",
    "x * [e, 1, 2]",
    "x * [o, s, a]",
    "x * [w, 1.0, s]",
    "x + [s, 1j, 2]",
    "x + [True, s, 2]",
    "x + [np.float32(1.0), s, np.int64(2)]",
    "x == [s, a, 0.45]",
    "x > [s, 0.1, a]",
])
def test_followed(expression):
    agrees(expression)


@pytest.mark.parametrize("write", [
    lambda x, s: x.__setitem__(slice(0, 2), [s, 1.0]),
    lambda x, s: x.__setitem__([0, 2], [s, s * 2]),
    lambda x, s: x.__setitem__(slice(None), (s, [s][0], 1)),
    lambda x, s: x.__setitem__(np.array([True, False, True]), [s, 1.0]),
    lambda x, s: x.__iadd__([s, 1.0, s]),
    lambda x, s: np.copyto(x, [s, 1.0, s]),
    lambda x, s: x.put([0, 1], [s, s]),
], ids=["slice", "list", "all", "mask", "iadd", "copyto", "put"])
def test_writes_of_lists(write):
    def f(x, s):
        write(x, s)
        return x * x

    agrees_at(f, (np.array([0.7, 0.2, 0.5]), 0.6))
    agrees_at(f, (np.array([0.7, 0.2, 0.5], dtype=np.float32), np.float64(0.6)))


@pytest.mark.parametrize(("expression", "error"), [
    ("x + [s, 1.0]", ValueError),
    ("x + [[s], [1.0, 2.0]]", ValueError),
    ("x + [s, 'text', 1.0]", TypeError),
    ("x + [s, None, 1.0]", TypeError),
    ("np.concatenate([x, [[s]]])", ValueError),
    ("np.stack([x, [s]])", ValueError),
])
def test_errors_are_those_of_plain_numpy(expression, error):
    f, args = compiled(expression)
    with pytest.raises(error):
        f(*args)
    with pytest.raises(error):
        hybridad.vjp(f, *args)


def test_a_list_is_read_when_it_is_used():
    def f(x, s):
        weights = [s, 1.0]
        y = x * weights
        weights[0] = 5.0
        return y + x * weights

    agrees_at(f, (np.array([0.7, 0.2]), 0.6))


def test_elements_are_copied():
    def f(x, y):
        rows = [x, y]
        made = np.stack(rows) * 1.0
        x[0] = 3.0
        return made + [x, y]

    agrees_at(f, (np.array([0.7, 0.2]), np.array([0.4, 0.1])))


def test_second_order_through_lists():
    def f(x, s):
        return (x * [s * s, s]) ** 2 + np.concatenate([[s], x[:1] * [s]])

    agrees_at(f, (np.array([0.7, 0.2]), np.array(0.6)), order=2)


def test_result_is_a_wrapper_only_where_something_is():
    def f(x):
        zeros = np.zeros_like(x)
        made = convert([zeros, [1.0, 2.0]])
        assert is_wrapper(made)
        assert not active(made)
        return x.sum()

    hybridad.grad(f)(np.array([1.0, 2.0]))
