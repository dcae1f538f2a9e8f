"""What no rule can do is refused at the call: what, the user's line, what to write instead."""

import ast
from pathlib import Path

import numpy as np
import pytest

import hybridad
import hybridad.testing
from hybridad.errors import MissingRuleError, UnsupportedError, is_users
from hybridad.rules import refusals
from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.refusals import fixed

special = pytest.importorskip("scipy.special")

X = np.array([0.3, 1.2, 2.5, 0.7])
TALL = np.linspace(0.1, 1.0, 6).reshape(3, 2) ** 2
Z = np.array([0.5 + 1j, 2.0])

UNSUPPORTED = [
    # call, argument, what, remedy
    (lambda x: np.linalg.svd(x), TALL, "not unique", "full_matrices=False"),
    (lambda x: np.linalg.svd(x).S, TALL, "not unique", "full_matrices=False"),
    (lambda x: np.linalg.svd(a=x.T, full_matrices=True)[1], TALL, "not unique", "full_matrices"),
    (lambda x: np.linalg.qr(x, "raw"), TALL, "qr(mode='raw') has", "np.linalg.qr(a)"),
    (lambda x: np.linalg.qr(x, mode="complete"), TALL, "more rows than columns", "reduced"),
    (lambda x: np.pad(x, 1, "maximum"), X, "np.pad(mode='maximum')", "np.concatenate"),
    (lambda x: np.pad(x, (0, 1), mode="median"), X, "np.pad(mode='median')", "np.concatenate"),
    (lambda x: np.pad(x, 1, mode="minimum", stat_length=2), X, "'minimum'", "np.concatenate"),
    (lambda x: np.pad(x, 1, lambda v, width, axis, kwargs: None), X, "<lambda>", "np.concatenate"),
    (lambda x: special.psi(x), Z, "complex", "real arguments"),
    (lambda x: special.psi(x, where=[True, False], out=np.zeros_like(x)), Z, "complex", "real"),
    (lambda x: special.digamma(x[0]), Z, "complex", "real arguments"),
]

BY_PARAMETER = [
    # call, argument, function, parameter
    (lambda x: np.gradient(X, x), X, "np.gradient", "coordinates"),
    (lambda x: np.gradient(np.ones((4, 4)), 0.5, x), X, "np.gradient", "coordinates"),
    (lambda x: np.gradient(x, x, edge_order=2), X, "np.gradient", "coordinates"),
    (lambda x: special.zeta(x + 2.0, 1.5), X, "scipy.special.zeta", "x"),
    (lambda x: special.gammainc(x, 0.5), X, "scipy.special.gammainc", "a"),
    (lambda x: special.gammaincc(x, 0.5), X, "scipy.special.gammaincc", "a"),
    (lambda x: special.betainc(x, 0.5, 0.5), X, "scipy.special.betainc", "a"),
    (lambda x: special.betainc(0.5, x, 0.5), X, "scipy.special.betainc", "b"),
    (lambda x: special.jv(x, 1.0), X, "scipy.special.jv", "v"),
    (lambda x: special.jv(x[0], x), X, "scipy.special.jv", "v"),
    (lambda x: special.yv(x, 1.0), X, "scipy.special.yv", "v"),
    (lambda x: special.iv(x, 1.0, out=np.zeros_like(x)), X, "scipy.special.iv", "v"),
    (lambda x: special.kv(x, 1.0, dtype=float), X, "scipy.special.kv", "v"),
    (lambda x: special.kv.outer(x, X), X, "scipy.special.kv", "v"),
]


def refused(call, x, error):
    """The three parts of the text by which every way to a derivative refuses the call."""
    texts = set()
    for differentiate in (lambda f: hybridad.vjp(f, x), lambda f: hybridad.jvp(f, (x,), (x,)),
                          lambda f: hybridad.grad(f)(x)):
        reached = []

        def f(x, reached=reached):
            y = x * 1.0
            call(y)
            reached.append(True)
            return np.sum(np.real(y))

        with pytest.raises(error) as caught:
            differentiate(f)
        assert not reached and isinstance(caught.value, NotImplementedError)
        texts.add(str(caught.value))
    (text,) = texts
    what, where, remedy = text.splitlines()
    line = call.__code__.co_firstlineno
    assert where.startswith(f"  at {__file__}:{line}  ")
    return what, remedy


@pytest.mark.parametrize("k", range(len(UNSUPPORTED)))
def test_unsupported(k):
    call, x, what, remedy = UNSUPPORTED[k]
    said, advice = refused(call, x, UnsupportedError)
    assert what in said and remedy in advice


@pytest.mark.parametrize("k", range(len(BY_PARAMETER)))
def test_derivative_by_a_parameter(k):
    call, x, name, parameter = BY_PARAMETER[k]
    said, advice = refused(call, x, MissingRuleError)
    assert said == f"{name} has no derivative by its parameter {parameter}."
    assert advice.startswith(f"Pass {parameter} as a value that does not depend on")


def test_polygamma_by_its_order():
    check = PRIMITIVES[special.polygamma].check

    def f(x):
        check(1, x)
        check(x, 1.5)
        return x

    with pytest.raises(MissingRuleError, match="polygamma has no derivative by its parameter n"):
        hybridad.grad(f)(2.0)


@pytest.mark.parametrize("k", range(len(UNSUPPORTED)))
def test_nothing_is_refused_without_an_active_argument(k):
    call, x, *_ = UNSUPPORTED[k]

    def f(w):
        constant = np.empty_like(w, shape=x.shape, dtype=x.dtype)
        constant[...] = x
        found.append(call(constant))
        return w

    found = []
    assert hybridad.grad(f)(1.5) == 1.0
    parts = found[0] if isinstance(found[0], tuple) else found
    expected = call(x)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for part, plain in zip(parts, expected):
        np.testing.assert_array_equal(part, plain)


@pytest.mark.parametrize("call", [
    lambda x: np.linalg.svd(x, full_matrices=False).U,
    lambda x: np.linalg.svd(x, compute_uv=False),
    lambda x: np.linalg.svd(x.T @ x).U,
    lambda x: np.linalg.qr(x.T, mode="complete").Q,
    lambda x: np.gradient(x[:, 0], x[0, 0]),
    lambda x: np.gradient(x[:, 0], [0.0, 1.0, 3.0]),
    lambda x: special.jv(1.5, x),
    lambda x: special.gammainc(np.ones((3, 2)), x),
    lambda x: special.betainc(1.5, 0.5, x),
    lambda x: special.psi(x),
])
def test_neighbours_of_what_is_refused_are_followed(call):
    hybridad.testing.check_grads(call, (0.9 * TALL,), order=1)


def test_the_call_itself_comes_first():
    """A call that NumPy refuses fails as it does plainly, whatever the rule says."""
    for call, error in ((lambda x: np.pad(x, 1, "nonsense"), ValueError),
                        (lambda x: np.linalg.qr(x, "nonsense"), ValueError),
                        (lambda x: np.linalg.svd(x), np.linalg.LinAlgError)):
        with pytest.raises(error) as caught:
            hybridad.grad(lambda x, call=call: np.sum(call(x)))(X)
        assert not isinstance(caught.value, hybridad.HybridadError)


def test_a_refused_write_leaves_the_target():
    def f(x):
        y = x * 1.0
        with pytest.raises(MissingRuleError):
            special.jv(x, 1.0, out=y)
        return np.sum(y)

    value, g = hybridad.value_and_grad(f)(X)
    assert value == np.sum(X) and np.array_equal(g, np.ones(4))


def test_fixed_looks_at_keywords_too():
    check = fixed("f", b=1)

    def f(x):
        check(x, 1.0)
        check(x, b=1.0)
        check(x)
        check(x, b=x)

    with pytest.raises(MissingRuleError, match="f has no derivative by its parameter b"):
        hybridad.grad(f)(1.0)


def test_no_rule_raises():
    """Errors come from checks, at the call, never from a sweep."""
    folder = Path(refusals.__file__).parent
    assert not is_users(str(folder / "shapes.py"))
    for path in folder.glob("*.py"):
        if path.stem in ("refusals", "compositions"):  # these run where the user calls
            continue
        raised = [node.lineno for node in ast.walk(ast.parse(path.read_text("utf-8")))
                  if isinstance(node, ast.Raise)]
        assert not raised, f"{path} raises in lines {raised}"
