"""How functions are called in a run: entered, as they are, or as code from outside."""

import collections
import functools
import json
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hybridad._forms import is_form

import hybridad
from hybridad import LostDerivativeError
from hybridad.recording.facts import Reason
from hybridad.recording.forms import form_of, package_form
from tests.recording.runtime.whole import POINT, agrees, close_to_differences
from tests.recording.unfound import unfound


def helper(x, scale=2.0):
    def inner(y):
        return y * scale

    return inner(x) + sum(inner(v) for v in x)


def made_by_exec(text, **names):
    exec(text, names)
    return names["f"]


# ---- what is known of a function ---------------------------------------------------------------

def test_the_users_functions_have_a_form():
    code, _ = form_of(helper)
    assert code is not helper.__code__ and is_form(code) and not is_form(helper.__code__)
    for name in "co_filename co_name co_qualname co_firstlineno co_argcount".split():
        assert getattr(code, name) == getattr(helper.__code__, name)
    nested = [c for c in code.co_consts if hasattr(c, "co_code")]
    assert nested and all(map(is_form, nested))


def test_others_are_called_as_they_are_or_from_outside():
    @dataclass
    class Plain:
        x: float

    for own in (hybridad.grad, Plain.__init__, collections.namedtuple("P", "a").__new__):
        assert form_of(own) == (None, "plain")
    assert form_of(json.dumps) == (None, "foreign")
    assert form_of(functools.total_ordering)[0] is not None


def test_no_source_is_a_reason():
    f = made_by_exec("def f(x):\n    return x * 2.0")
    made, reason = form_of(f)
    assert made is None and isinstance(reason, Reason)
    assert reason.text.startswith("no source for f: it was made by exec, eval or a code generator")
    assert reason.frame == ("<string>", 1, "f")
    assert form_of(unfound(helper))[1].text.startswith("no source for helper: its source has been")


# ---- without source ----------------------------------------------------------------------------

def test_functions_without_source_are_followed_by_protocols():
    text = "def f(x):\n    y = [x[0] * v for v in x]\n    return sum(y) + np.sum(x * x) * len(y)"
    f = made_by_exec(text, np=np)
    explanation = agrees(f, followed=False)
    assert "no source for f: it was made by exec" in explanation.reason
    assert explanation.frame == ("<string>", 1, "f")


def test_one_of_several_functions_without_source():
    f = made_by_exec("def f(y): return y * y if y > 0 else -y")

    def loss(x):
        return sum(f(v) * 3.0 for v in x) + helper(x)[0]

    explanation = agrees(loss, followed=False)
    assert [r.text.split(":")[0] for r in explanation.reasons] == [
        "no source for f", "f ran outside the recording form"]
    assert explanation.entries > 10 and explanation.guards == 3


def test_lambdas_and_functions_on_one_line():
    f, g = (lambda x: np.sum(x * x)), (lambda x: np.sum(x) * x[0])

    def h(x): return f(x) * g(x)

    for function in (f, g, h):
        agrees(function)


def test_code_that_is_used_twice_has_one_form():
    def make(scale):
        def f(x, power=2):
            return scale * x[0] ** power

        return f

    for scale, x in ((2.0, POINT), (3.0, -POINT)):
        value, grad = hybridad.value_and_grad(make(scale))(x)
        assert value == scale * x[0] ** 2 and grad[0] == scale * 2.0 * x[0]


def test_defaults_and_cells_are_those_of_the_function():
    level = 1.0

    def f(x, a=[0.5], *, b=2.0):  # noqa: B006
        return x[0] * a[0] * b * level

    vg = hybridad.value_and_grad(f)
    assert vg(POINT)[1][0] == 1.0
    f.__defaults__ = ([1.5],)
    f.__kwdefaults__["b"] = 3.0
    level = 2.0
    assert vg(POINT)[1][0] == 9.0 and vg(POINT, b=1.0)[1][0] == 3.0


# ---- installed packages ------------------------------------------------------------------------

PACKAGE = '''
import numpy as np

calls = []
table = np.ones(3)


def energy(x, weights=None):
    calls.append(type(x).__name__)
    buffer = np.empty_like(table)
    for k in range(len(x)):
        buffer[k] = x[k] * x[k]
    return np.sum(buffer * (table if weights is None else weights))


def scaled(n):
    calls.append("scaled")
    table[0] = n
    return table


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.maximum(self.w * x, 0.0)


def apply(f, *args):
    return f(*args)
'''


@pytest.fixture
def somebody(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "somebodys_fit.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(folder))
    import somebodys_fit

    yield somebodys_fit
    del sys.modules["somebodys_fit"]


def test_functions_of_packages_are_entered_with_differentiated_values(somebody):
    def f(x):
        return somebody.energy(x) + somebody.energy(x, weights=[1.0, x[0], 2.0])

    value = f(POINT)
    somebody.calls.clear()
    vg = hybridad.value_and_grad(f)
    found, grad = vg(POINT)
    assert found == value and len(somebody.calls) == 2
    close_to_differences(f, POINT, grad)
    assert package_form(somebody.energy).__code__ is not somebody.energy.__code__
    assert package_form(helper) is None and package_form(json.dumps) is None
    assert form_of(somebody.energy) == (None, "foreign")


def test_functions_of_packages_get_plain_values_otherwise(somebody):
    def f(x):
        ones = np.ones(3)
        t = somebody.scaled(3.0)
        t[1] = 5.0
        return somebody.energy(ones) * x[0] + np.sum(t * x)

    value, grad = hybridad.value_and_grad(f)(POINT)
    assert somebody.calls == ["scaled", "ndarray"]
    np.testing.assert_array_equal(grad, [9.0 + 3.0, 5.0, 1.0])
    np.testing.assert_array_equal(somebody.table, [3.0, 5.0, 1.0])
    assert type(somebody.table) is np.ndarray and value == f(POINT)


def test_classes_and_callbacks_of_packages(somebody):
    def f(x):
        buffer = np.zeros(2)

        def mine(y):
            buffer[0] = y
            return buffer[0] * 2.0

        layer = somebody.Layer(x[0])
        return np.sum(layer(x)) + np.sum(somebody.Layer(2.0)(x)) + somebody.apply(mine, x[1])

    agrees(f, followed=False)


def test_a_package_without_source_is_followed_by_protocols(somebody, tmp_path):
    (tmp_path / "site-packages" / "somebodys_fit.py").write_text("")
    energy = somebody.scaled  # its file says nothing any more

    assert package_form(energy) is None
    with pytest.raises(LostDerivativeError, match="written into a plain array"):
        hybridad.grad(lambda x: np.sum(energy(x[0]) * x))(POINT)
