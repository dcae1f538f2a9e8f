"""What can be asked of products with derivatives, and of their matrices."""

import runpy

import numpy as np
import pytest

from hybridad import (
    ArgumentError,
    cache_clear,
    cache_info,
    explain,
    export,
    grad,
    hessian,
    hvp,
    jacobian,
    source,
    value_and_grad,
)

X = np.array([0.3, 0.5, 0.7])


def made(kind, **options):
    """A function of a function of its own, whose code nothing else knows, and its arguments."""
    def f(x):
        return np.sum(np.sin(x) * x**2)

    def vector(x):
        return np.sin(x) * x

    if kind is jacobian:
        return jacobian(vector, **options), (X,)
    return kind(f, **options), ((X, X) if kind is hvp else (X,))


KINDS = pytest.mark.parametrize(("kind", "options", "text"), [
    (hessian, {}, "# tangent of"), (hvp, {}, "# tangent of"), (jacobian, {}, "def pullback("),
    (jacobian, {"mode": "forward"}, "# tangent of"), (hvp, {"engine": "sct"}, "# tangent of"),
])


@KINDS
def test_what_they_have_done(kind, options, text):
    g, args = made(kind, **options)
    assert str(explain(g)).endswith("nothing has run yet; call it, then ask again.")
    for _ in range(3):
        g(*args)
    assert cache_info(g)[:4] == (2, 0, 1, 0)
    assert explain(g).engine == "sct" and explain(g).calls == 3
    assert text in source(g, *args)
    cache_clear(g)
    assert cache_info(g) == (0, 0, 0, 0, 0, 0)
    assert text in source(g, *args)     # it was called for that
    assert cache_info(g).recordings == 1
    assert text in source(g)


@KINDS
def test_what_there_is_of_gradients_only(kind, options, text, tmp_path):
    g, args = made(kind, **options)
    what = f"path=True is for gradients; this gives the {kind.__name__}"
    with pytest.raises(ArgumentError, match=what):
        source(g, *args, path=True)
    with pytest.raises(ArgumentError, match="export is for gradients"):
        export(g, tmp_path / "adjoint.py", *args)


@pytest.mark.parametrize("kind", [hessian, hvp, jacobian])
def test_no_account_of_the_tape(kind):
    g, _ = made(kind, engine="tape")
    for ask in (explain, cache_info, cache_clear, source):
        with pytest.raises(ArgumentError, match='with engine="tape", of which no account is kept'):
            ask(g)


def penalty(x):
    return np.sum(grad(lambda y: np.sum(np.sin(y) * y**2))(x) ** 2)


def test_gradients_inside_of_gradients(tmp_path):
    vg = value_and_grad(penalty)
    value, gradient = vg(X)
    text = source(vg, X)
    assert text.count("# adjoint of") >= 2 and "pull" not in text and "variable" not in text
    assert "adjoint of" in source(vg, X, path=True)
    path = export(vg, tmp_path / "adjoint.py", X)
    assert "hybridad" not in [line.split()[1] for line in path.read_text("utf-8").splitlines()
                              if line.startswith(("import", "from"))]
    found = runpy.run_path(path)["penalty_value_and_grad"](X)
    assert found[0] == value
    np.testing.assert_allclose(found[1], gradient, rtol=1e-12)
