"""What can be asked about, and which code it is about."""

import functools
import re

import numpy as np
import pytest

from hybridad import ArgumentError, UnsupportedError, grad, value_and_grad
from hybridad.inspection.subject import Subject
from tests.inspection import programs
from tests.inspection.programs import evaluated, kink, noting


def entry(vg, *args, **kwargs):
    return Subject(vg, "source(vg)").entry(args, kwargs)


class Model:
    """Has gradients as methods."""

    factor = 3.0

    @functools.partial(value_and_grad, argnums=1)
    def loss(self, x):
        return x * x

    twice = grad(kink)


def test_partials_and_methods_bring_arguments():
    model = Model()
    found = Subject(functools.partial(model.loss, 2.0, k=1), "f")
    assert found.arguments((3,), {"n": 4}) == ((model, 2.0, 3), {"k": 1, "n": 4})
    assert found.name == "loss"
    inner = functools.partial(functools.partial(value_and_grad(kink), 1.0, a=1), 2.0, a=2)
    assert Subject(inner, "f").arguments((3.0,), {}) == ((1.0, 2.0, 3.0), {"a": 2})


def test_the_entry_of_a_method_is_found():
    model = Model()
    assert model.loss(2.0) == (4.0, 4.0)
    assert entry(model.loss, 3.0).signature.keys == (1,)


def test_the_function_is_called_once_if_nothing_is_known():
    programs.seen.clear()
    g = grad(noting)
    first = entry(g, 2.0)
    assert programs.seen == [2.0] and first.function is not None
    assert entry(g, 3.0) is first and entry(g) is first
    assert programs.seen == [2.0]


def test_without_arguments_there_must_be_one():
    g = grad(lambda w: np.sum(w * w))
    with pytest.raises(ArgumentError, match=r"Nothing of <lambda> has been specialized yet"):
        entry(g)
    g(np.ones(2))
    g(np.ones(3))
    with pytest.raises(ArgumentError) as caught:
        entry(g)
    lines = str(caught.value).split("\n")
    assert lines[0] == "<lambda> has been called with arguments of 2 kinds:"
    assert sorted(lines[1:3]) == ["  (w: float64[2])", "  (w: float64[3])"]
    assert lines[-1] == "Give the arguments of one of them."
    assert entry(g, np.zeros(3)).signature.parts() == {"argument 0": "float64[3]"}


def test_arguments_by_name_are_arguments():
    g = grad(lambda w, n: w * n, argnums="w")
    assert entry(g, w=2.0, n=3) is entry(g, w=4.0, n=3)


def test_what_stays_on_the_tape_has_none():
    with pytest.raises(UnsupportedError) as caught:
        entry(grad(evaluated), 2.0)
    text = str(caught.value)
    assert text.startswith("There is no source of evaluated for these arguments: <module> ran ")
    assert "test_subject.py" in text and text.endswith("hybridad.explain(vg) tells more.")


def test_within_a_run_there_is_none():
    inner = grad(kink)

    def outer(x):
        entry(inner, x)
        return x * x

    with pytest.raises(UnsupportedError, match="the tape has answered the call"):
        value_and_grad(outer, engine="tape")(2.0)


def test_the_tape_has_none():
    with pytest.raises(ArgumentError, match=re.escape('with engine="tape", which makes no')):
        entry(grad(kink, engine="tape"), 2.0)


@pytest.mark.parametrize(("other", "name"), [
    (kink, "kink"), (functools.partial(kink, 1.0), "kink"), (len, "len"), (Model().__init__, ""),
    (3.0, "3.0"), (None, "None"),
])
def test_anything_else_is_refused(other, name):
    with pytest.raises(ArgumentError, match=re.escape(f"{name} is not a differentiated")) as caught:
        Subject(other, "source(vg)")
    assert str(caught.value).endswith("source(vg) after vg = value_and_grad(f).")
