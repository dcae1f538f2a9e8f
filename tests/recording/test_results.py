"""`recording.results`: what leaves a run is plain, has memory of its own, and plain keys."""

import numpy as np
import pytest
from hybridad._record import is_wrapper

import hybridad
from hybridad.errors import ResultError, ScopeError
from hybridad.recording.results import check_scope, check_scopes, owned, plain_copy, with_plain_keys
from hybridad.recording.run import tape_in_progress

X = np.array([0.5, -1.25, 2.0])
OUTSIDE = np.ones(3)


def test_plain_copy():
    def f(x):
        made, kept = plain_copy(x), plain_copy(OUTSIDE)
        assert type(made) is np.ndarray and made.flags.owndata and made.tolist() == X.tolist()
        assert kept is OUTSIDE and plain_copy("text") == "text"
        assert type(plain_copy(x[0])) is np.float64
        return np.sum(x)

    hybridad.grad(f)(X)


def test_an_outside_array_with_differentiated_values_is_copied():
    buffer = np.ones(3)

    def f(x):
        buffer[:] = x
        return buffer

    value, pullback = hybridad.vjp(f, X)
    assert value is not buffer and value.tolist() == X.tolist()
    buffer[:] = 7.0
    assert value.tolist() == X.tolist()
    assert pullback(np.ones(3))[0].tolist() == [1.0, 1.0, 1.0]


def test_owned():
    def f(x):
        copy = owned(x)
        copy *= 3.0
        assert owned(x[0]) is not None and owned(2.0) == 2.0
        return np.sum(x * copy)

    assert np.allclose(hybridad.grad(f)(X), 6.0 * X)


def test_with_plain_keys():
    def f(x):
        plain = {"a": [x], "b": (1, {2: x})}
        assert with_plain_keys(plain) is plain
        keyed = with_plain_keys([{x[0]: x[1]}, x])
        assert not any(map(is_wrapper, keyed[0])) and keyed[1] is x
        assert list(with_plain_keys({"a": {x[0]: 1.0}})["a"]) == [0.5]
        return np.sum(x)

    hybridad.grad(f)(X)


def test_results_with_differentiated_keys():
    value, _ = hybridad.vjp(lambda x: {x[0]: x[1] * 2.0}, X)
    assert value == {0.5: -2.5} and type(next(iter(value))) is np.float64


def test_aux_must_be_there():
    with pytest.raises(ResultError, match="returned float64, not a pair"):
        hybridad.value_and_grad(lambda x: np.sum(x), has_aux=True)(X)


def test_aux_is_plain():
    def f(x):
        return np.sum(x), {"x": x, "text": "t", "object": Opaque}

    (_, aux), _ = hybridad.value_and_grad(f, has_aux=True)(X)
    assert type(aux["x"]) is np.ndarray and aux["object"] is Opaque


class Opaque:
    """A leaf."""


def test_check_scope():
    kept = []

    def f(x):
        check_scopes([x, 1.0], tape_in_progress(), "f")
        kept.append(x[0])
        with pytest.raises(ScopeError, match="the run of f was used in the run of g"):
            check_scope(x, None, "g")
        return np.sum(x)

    hybridad.grad(f)(X)
    check_scope(kept[0], None, "g")  # plain by now
