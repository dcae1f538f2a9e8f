"""What is known of code objects, and recording forms bound to functions."""

import gc
import weakref
from types import FunctionType

import numpy as np
import pytest
from hybridad._forms import is_form, is_known, remember_form

import hybridad
from hybridad import _forms
from hybridad.recording.forms import form_of
from tests.recording.unfound import unfound

X = np.array([2.0, 3.0])


@pytest.fixture
def asked():
    """The functions whose form is asked for."""
    seen = []

    def make_form(function, blocks):
        seen.append(function)
        return form_of(function, blocks)

    _forms.install(make_form)
    yield seen
    _forms.install(form_of)


def test_a_form_is_made_once_per_code_object(asked):
    def make(k):
        def f(x):
            return x[0] * k

        return f

    for k in (1.0, 2.0):
        assert hybridad.grad(make(k))(X)[0] == k
    assert [f.__name__ for f in asked] == ["f"]
    assert is_known(make(0).__code__) and not is_known(make.__code__)


def test_a_function_that_is_not_entered_is_asked_for_once(asked):
    f = unfound(lambda x: x[0] * x[1])
    vg = hybridad.value_and_grad(lambda x: f(x) + f(x))
    for _ in range(2):
        assert list(vg(X)[1]) == [6.0, 4.0]
        assert "no source for" in hybridad.explain(vg).reason
    assert len([g for g in asked if g is f]) == 1


def test_code_that_is_gone_is_forgotten():
    def f(x):
        return x[0] * 2.0

    code = f.__code__.replace(co_name="temporary")
    g = FunctionType(code, globals())
    assert hybridad.grad(g)(X)[0] == 2.0
    assert is_known(code)
    gone = weakref.ref(code)
    del code, g
    gc.collect()
    assert gone() is None


def test_what_is_part_of_a_form():
    def f(x):
        return sum(v * 2.0 for v in x)

    code, _ = form_of(f)
    assert is_form(code) and not is_form(f.__code__)
    assert all(is_form(c) for c in code.co_consts if hasattr(c, "co_code"))
    twin = code.replace(co_name="twin")
    assert not is_form(twin)
    remember_form(twin)
    assert is_form(twin) and is_known(twin)


def test_a_bound_form_has_everything_of_its_function():
    seen = []

    def make(a, b, c):
        def f(x, y=1.0, *rest, z=2.0, **more):
            """The text."""
            def inner():
                return c * x[0] + a
            seen.append((y, rest, z, more, f.__name__, f.__defaults__))
            return inner() * b + x[1] * y * z

        return f

    f = make(2.0, 3.0, 5.0)
    assert list(hybridad.grad(f)(X)) == [15.0, 2.0]
    assert list(hybridad.grad(f)(X, 4.0, 7, z=3.0, w=8)) == [15.0, 12.0]
    assert seen == [(1.0, (), 2.0, {}, "f", (1.0,)), (4.0, (7,), 3.0, {"w": 8}, "f", (1.0,))]


def test_a_cell_is_shared_with_the_function():
    total = 1.0

    def f(x):
        nonlocal total
        total = total * 2.0
        return x[0] * total

    assert hybridad.grad(f)(X)[0] == 2.0 and total == 2.0
    assert hybridad.grad(f)(X)[0] == 4.0 and total == 4.0


def test_errors_of_making_a_form_reach_the_caller():
    def broken(function, blocks):
        raise ZeroDivisionError("no form today")

    def f(x):
        return x[0]

    _forms.install(broken)
    try:
        with pytest.raises(ZeroDivisionError, match="no form today"):
            hybridad.grad(f)(X)
        assert not is_known(f.__code__)
    finally:
        _forms.install(form_of)
    assert hybridad.grad(f)(X)[0] == 1.0
