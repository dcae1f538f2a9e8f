"""`check_grads` accepts what is right, and cannot be fooled by what is wrong."""

from contextlib import contextmanager

import numpy as np
import pytest

from hybridad.errors import ArgumentError, GradientCheckError, ResultError
from hybridad.testing import check_grads, subject
from hybridad.tree import flatten, unflatten

rng = np.random.default_rng(1)
X, W = rng.standard_normal((3, 4)), rng.standard_normal((4, 2))
SINGLE = {"modes": "rev", "order": 1}


@contextmanager
def wrong(mode, corrupt, monkeypatch):
    """hybridad with its cotangents (mode "rev") or tangents ("fwd") corrupted."""
    right = subject.api

    class Wrong:
        @staticmethod
        def vjp(f, *args):
            value, pullback = right.vjp(f, *args)

            def other(v):
                leaves, treedef = flatten(tuple(pullback(v)))
                return unflatten(treedef, corrupt(leaves))

            return value, other if mode == "rev" else pullback

        @staticmethod
        def jvp(f, primals, tangents):
            value, tangent = right.jvp(f, primals, tangents)
            leaves, treedef = flatten(tangent)
            return value, unflatten(treedef, corrupt(leaves)) if mode == "fwd" else tangent

    with monkeypatch.context() as patch:
        patch.setattr(subject, "api", Wrong)
        yield


def refusal(f, *args, **options):
    with pytest.raises(GradientCheckError) as caught:
        check_grads(f, args, **options)
    return str(caught.value)


# What is right ----------------------------------------------------------------------------------


@pytest.mark.parametrize("f, args", [
    (lambda x, w: np.tanh(x @ w), (X, W)),
    (lambda x, w: np.sum(np.tanh(x @ w)), (X, W)),
    (lambda p: {"y": np.tanh(p["x"] @ p["w"]), "z": [p["x"][0] * 2.0]}, ({"x": X, "w": W},)),
    (lambda z: np.exp(z) * z, (X[0] + 1j * X[1],)),
    (lambda z: np.real(z * np.conj(z)), (X[0] + 1j * X[1],)),
    (lambda x: np.exp(1j * x), (X,)),
    (lambda x, n: x**n, (np.abs(X), 3)),
    (lambda x: np.sum(np.maximum(x, 0.0)), (rng.standard_normal(300),)),
    (lambda x: np.log(x), (np.array([1e-6, 1.0, 1e6]),)),
    (lambda x, y: x * 1e8 + y * 1e-8, (X, X + 1.0)),
    (lambda x: np.sum(x * 0.0), (X,)),
    (lambda x, a: a["scale"] * x, (X, {"scale": 2, "name": "a"})),
])
def test_accepts(f, args):
    check_grads(f, args)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_precisions(dtype):
    check_grads(lambda x: np.sum(np.sin(x) * x), (X.astype(dtype),))


def test_single_precision_inside():
    check_grads(lambda x: np.sin(x.astype("f")), (X.astype("f"),), order=1)


def test_third_order():
    check_grads(lambda x: np.sin(x) * x, (X[0],), order=3, directions=1)


def test_argnums_by_position_and_name():
    def f(a, b, *, c=1.0):
        return a * np.sign(b) * c

    for argnums in (0, -2, "a", (0,), ("a",), ("a", "c"), ["c"]):
        check_grads(f, (X, X), argnums=argnums, kwargs={"c": np.array(2.0)}, order=1)


def test_what_f_writes_to_is_restored():
    def f(x, buffer, generator):
        buffer[:] += 1.0
        return x * np.sum(buffer) * generator.random()

    buffer, generator = np.zeros(2), np.random.default_rng(3)
    before = generator.bit_generator.state
    check_grads(f, (X, buffer, generator), argnums=0)
    assert np.all(buffer == 0.0) and generator.bit_generator.state == before


# What is wrong ----------------------------------------------------------------------------------


def test_permuted_cotangent(monkeypatch):
    with wrong("rev", lambda leaves: [leaves[0][::-1].copy()], monkeypatch):
        report = refusal(lambda x: np.sin(x), X[0])
    assert "reverse-mode derivative" in report and "argument x" in report
    assert "4 of 4 elements" in report and "complex step" in report and "seed 0" in report


def test_permuted_tangent(monkeypatch):
    with wrong("fwd", lambda leaves: [leaves[0][::-1].copy()], monkeypatch):
        report = refusal(lambda x: np.sin(x), X[0])
    assert "forward-mode derivative" in report and "d f(...)[" in report


def test_one_wrong_element_of_many_is_named(monkeypatch):
    def corrupt(leaves):
        one = leaves[1].copy()
        one[17, 23] *= 1.001
        return [leaves[0], one]

    with wrong("rev", corrupt, monkeypatch):
        report = refusal(lambda p: np.sum(np.exp(p["b"]) * p["a"]),
                         {"a": np.ones(40), "b": rng.standard_normal((50, 40))}, order=1)
    assert "argument p['b']" in report and "p['b'][17, 23]: got" in report
    assert "1 of " in report and "float64[50, 40]" in report


def test_small_arguments_beside_large_ones(monkeypatch):
    with wrong("rev", lambda leaves: [leaves[0], leaves[1] * 2.0], monkeypatch):
        report = refusal(lambda x, y: np.sum(np.sin(x)) * 1e9 + np.sum(np.sin(y)), X, X, **SINGLE)
    assert "argument y" in report


def test_small_elements_beside_large_ones(monkeypatch):
    scale = np.array([1e9, 1.0, 1.0, 1.0])
    with wrong("rev", lambda leaves: [leaves[0] * [1.0, 1.0, 2.0, 1.0]], monkeypatch):
        report = refusal(lambda x: np.sum(np.sin(x) * scale), X[0], **SINGLE)
    assert "x[2]: got" in report and "1 of 4" in report


def test_small_results_beside_large_ones(monkeypatch):
    def corrupt(leaves):
        return [leaves[0], leaves[1] * 2.0]

    with wrong("rev", corrupt, monkeypatch):
        refusal(lambda x, y: (np.sin(x) * 1e9, np.sin(y)), X, X, **SINGLE)
    with wrong("fwd", corrupt, monkeypatch):
        report = refusal(lambda x: (np.sin(x) * 1e9, np.sin(x)), X, modes="fwd", order=1)
    assert "f(...)[1]" in report


def test_conjugate(monkeypatch):
    with wrong("rev", lambda leaves: [np.conj(leaves[0])], monkeypatch):
        report = refusal(lambda z: np.exp(z), X[0] + 1j * X[1])
    assert "argument z" in report and "j, expected" in report
    with wrong("fwd", lambda leaves: [np.conj(leaves[0])], monkeypatch):
        assert "Im f(...)" in refusal(lambda z: np.exp(z), X[0] + 1j * X[1], modes="fwd")


def test_zero_and_sign(monkeypatch):
    for factor in (0.0, -1.0):
        with wrong("rev", lambda leaves, c=factor: [leaves[0] * c], monkeypatch):
            refusal(lambda x: np.tanh(x), X)


def test_single_precision_is_checked_too(monkeypatch):
    with wrong("rev", lambda leaves: [leaves[0] * np.float32(1.01)], monkeypatch):
        refusal(lambda x: np.tanh(x), X.astype("f"), **SINGLE)


def test_modes_are_checked_against_each_other(monkeypatch):
    # Too small an error for finite differences of this function, which do not see 1e-6.
    with wrong("rev", lambda leaves: [leaves[0] * (1.0 + 1e-5)], monkeypatch):
        report = refusal(lambda x: np.abs(x) * 1e-6 + 1e4 * np.cos(1e4), X, order=1, rtol=1e-7)
    assert "forward mode" in report or "central" in report


def test_not_finite(monkeypatch):
    with wrong("rev", lambda leaves: [leaves[0] / 0.0], monkeypatch), np.errstate(all="ignore"):
        report = refusal(lambda x: np.tanh(x), X)
    assert "not finite" in report and "cotangent of x[0, 0]" in report
    with np.errstate(all="ignore"):
        assert "f(...)[1] is nan" in refusal(lambda x: np.sqrt(x), np.array([1.0, -1.0]))


def test_shape_and_dtype(monkeypatch):
    with wrong("rev", lambda leaves: [leaves[0].astype("f")], monkeypatch):
        assert "float32[3, 4], but x is float64[3, 4]" in refusal(lambda x: np.tanh(x), X)
    with wrong("fwd", lambda leaves: [leaves[0].ravel()], monkeypatch):
        assert "float64[12], but f(...) is float64[3, 4]" in refusal(
            lambda x: np.tanh(x), X, modes="fwd")


def test_structure(monkeypatch):
    right = subject.api.vjp

    def vjp(f, *args):
        value, pullback = right(f, *args)
        return value, lambda v: pullback(v)[0]

    monkeypatch.setattr(subject.api, "vjp", vjp)
    assert "another structure than the arguments" in refusal(lambda x: np.tanh(x["a"]), {"a": X})


@pytest.mark.parametrize("change", [lambda y: y + 1e-16 + 1e-15 * y, lambda y: y[0]])
def test_value_of_the_plain_function(change, monkeypatch):
    for name in ("vjp", "jvp"):
        right = getattr(subject.api, name)

        def other(f, *args, right=right):
            value, more = right(f, *args)
            return change(value), more

        with monkeypatch.context() as patch:
            patch.setattr(subject.api, name, other)
            report = refusal(lambda x: np.tanh(x), X, modes="rev" if name == "vjp" else "fwd")
        assert f"the value that {name} returns" in report


def test_arguments_that_are_modified(monkeypatch):
    right = subject.api.vjp

    def vjp(f, *args):
        answer = right(f, *args)
        args[0]["a"][1, 2] = 7.0
        return answer

    monkeypatch.setattr(subject.api, "vjp", vjp)
    assert "modified the argument p['a'][1, 2]" in refusal(lambda p: np.tanh(p["a"]), {"a": X})
    assert 7.0 not in X


def test_wrong_second_derivative(monkeypatch):
    right = subject.api.vjp
    depth = []

    def vjp(f, *args):
        # Wrong only for what is itself a derivative.
        value, pullback = right(f, *args)
        second = "derivative" in getattr(f, "__qualname__", "")
        depth.append(second)
        return value, (lambda v: tuple(2.0 * g for g in pullback(v))) if second else pullback

    monkeypatch.setattr(subject.api, "vjp", vjp)
    report = refusal(lambda x: np.sin(x), X[0], modes="rev")
    assert "order 2: reverse over reverse" in report and True in depth
    check_grads(lambda x: np.sin(x), (X[0],), modes="rev", order=1)


# What cannot be checked -------------------------------------------------------------------------


def test_functions_that_cannot_be_checked():
    generator = np.random.default_rng(0)
    report = refusal(lambda x: x * generator.random(), X)
    assert "two plain runs" in report

    def narrow(x):
        if np.any(x != 1.0):
            raise ValueError("only at 1")
        return x * 1.0

    assert "cannot be evaluated near" in refusal(narrow, np.ones(2))
    assert "not smooth" in refusal(lambda x: np.where(x < 1.0, x, x + 1.0), np.ones(2), order=1)


def test_arguments_that_cannot_be_checked():
    with pytest.raises(ArgumentError, match="No argument"):
        check_grads(lambda n: n * 1.0, (3,))
    with pytest.raises(ArgumentError, match=r"p\['n'\] is int"):
        check_grads(lambda p: p["x"] * p["n"], ({"x": 1.0, "n": 3},))
    with pytest.raises(ArgumentError, match="argnums names 'q'"):
        check_grads(lambda x: x, (X,), argnums="q")
    with pytest.raises(ArgumentError, match="argnums names 2"):
        check_grads(lambda x: x, (X,), argnums=2)
    with pytest.raises(ArgumentError, match="modes"):
        check_grads(lambda x: x, (X,), modes="forward")
    with pytest.raises(ResultError, match="int"):
        check_grads(lambda x: 3, (X,))


def test_seed_and_directions():
    seen, plain = [], type(X)

    def f(x):
        if type(x) is plain:
            seen.append(x.copy())
        return np.sin(x)

    runs = []
    for options in ({}, {}, {"seed": 1}, {"directions": 6}):
        del seen[:]
        check_grads(f, (X[0],), order=1, **options)
        runs.append(np.stack(seen))
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0][:5], runs[2][:5])
    assert len(runs[0]) < len(runs[3])


def test_arguments_keep_their_layout():
    """What `ravel("K")` gives depends on the memory layout, which a step must not change."""
    weights = np.arange(6.0) ** 2
    check_grads(lambda x: np.sum(x.ravel("K") * weights),
                (np.asfortranarray(np.arange(1.0, 7.0).reshape(2, 3)),))
