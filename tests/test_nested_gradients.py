"""Gradients of gradients, whichever engines are asked: what the tape alone gives."""

import itertools

import numpy as np
import pytest

from hybridad import grad, jvp, tree, value_and_grad, vjp

X, Y = np.array([.3, .7, 1.1]), np.array([.5, -.2, 1.4])
V, C = np.array([1., -2., .5]), np.array([.2, .4, .6])


def smooth(x):
    return np.sum(np.sin(x) * x[::-1] ** 2) + np.prod(x)


def stateful(x):
    y = x * 1.0
    y[0] *= x[1]
    for _ in range(2):
        y = y * np.cos(y) + x
    return np.sum(y ** 2)


def branching(x):
    return np.sum(x ** 3) if x[0] > 0.4 else np.sum(x ** 2) * x[0]


def product(f, inner, outer):
    g = grad(f, engine=inner)
    return grad(lambda x: np.vdot(g(x), V), engine=outer)


def product_made_inside(f, inner, outer):
    return grad(lambda x: np.vdot(grad(f, engine=inner)(x), V), engine=outer)


def penalty(f, inner, outer):
    g = grad(f, engine=inner)
    return value_and_grad(lambda x: np.sum(g(x) ** 2) + f(x), engine=outer)


def pushed(f, inner, outer):
    g = grad(f, engine=inner)
    return lambda x: jvp(g, (x,), (V,))


def pulled(f, inner, outer):
    g = grad(f, engine=inner)

    def both(x):
        y, pullback = vjp(g, x)
        return y, pullback(V)

    return both


def value_too(f, inner, outer):
    both = value_and_grad(f, engine=inner)

    def product(x):
        value, g = both(x)
        return value * np.sum(g)

    return value_and_grad(product, engine=outer)


def elsewhere(f, inner, outer):
    g = grad(f, engine=inner)
    return value_and_grad(lambda x: np.sum(g(C) * x ** 2), engine=outer)


def closing_over(f, inner, outer):
    return value_and_grad(lambda x: np.sum(grad(
        lambda z: np.sum(z ** 2 * x) + f(z), engine=inner)(x) * x), engine=outer)


def confusing(f, inner, outer):
    return value_and_grad(lambda x: np.sum(grad(
        lambda z: np.sum(z * x), engine=inner)(np.ones(3)) * f(x)), engine=outer)


def directional(f, inner, outer):
    return value_and_grad(lambda x: jvp(f, (x,), (V,))[1], engine=outer)


def descent(f, inner, outer):
    g = grad(f, engine=inner)

    def end(x):
        for _ in range(3):
            x = x - 0.01 * g(x)
        return np.sum(x ** 2)

    return value_and_grad(end, engine=outer)


def warm(f, inner, outer):
    g = grad(f, engine=inner)
    for x in (X, X, Y):
        g(x)
    return value_and_grad(lambda x: np.vdot(g(x), V), engine=outer)


FORMS = [product, product_made_inside, penalty, pushed, pulled, value_too, elsewhere, closing_over,
         confusing, directional, descent, warm]
ENGINES = ("auto", "tape")


@pytest.fixture(autouse=True)
def strict(monkeypatch):
    monkeypatch.setenv("HYBRIDAD_STRICT", "1")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("f", [smooth, stateful, branching], ids=lambda f: f.__name__)
def test_engines_agree(form, f):
    right = form(f, "tape", "tape")
    for inner, outer in itertools.product(ENGINES, ENGINES):
        made = form(f, inner, outer)
        for x in (X, Y, X, X):
            found, _ = tree.flatten(made(x.copy()))
            expected, _ = tree.flatten(right(x.copy()))
            for a, b in zip(found, expected, strict=True):
                assert type(a) is type(b)
                np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("f", [smooth, stateful])
def test_a_product_with_the_hessian_by_differences(f):
    g, h = grad(f), 1e-6
    g(X)
    expected = (g(X + h * V) - g(X - h * V)) / (2 * h)
    assert g.__hybridad__.engine.hits
    np.testing.assert_allclose(product(f, "auto", "auto")(X), expected, rtol=1e-7)
    np.testing.assert_allclose(pushed(f, "auto", "auto")(X)[1], expected, rtol=1e-7)


@pytest.mark.parametrize("engines", list(itertools.product(ENGINES, repeat=3)),
                         ids="-".join)
def test_three_levels_of_a_number(engines):
    derivatives = [lambda x: x ** 3 * np.sin(x)]
    for engine in engines:
        derivatives.append(grad(derivatives[-1], engine=engine))
    for x in (.3, .7, .3, .3):
        s, c = np.sin(x), np.cos(x)
        expected = [3 * x ** 2 * s + x ** 3 * c, 6 * x * s + 6 * x ** 2 * c - x ** 3 * s,
                    6 * s + 18 * x * c - 9 * x ** 2 * s - x ** 3 * c]
        np.testing.assert_allclose([d(x) for d in derivatives[1:]], expected, rtol=1e-12)
