"""What enters from outside, and what must hold of it."""

import types

import numpy as np
import pytest

from hybridad.recording.effects import Journal
from hybridad.recording.tracing import SharedMemory, trace
from tests.recording.tracing.follow import X, follow, kinds, targets

K = 2.0


def checks_of(f):
    events, _ = kinds(f, X.copy())
    return targets(events, "check")


@pytest.mark.parametrize(("value", "check"), [
    (2.0, "type"), (np.float32(2), "type"), (2, "equal"), (True, "equal"), ("name", "equal"),
    (None, "equal"), ((1, "a"), "equal"), (np.ones(3), "array"), ([1.0], "type"), (np.tanh, "is"),
    (float, "is"), (lambda x: x, "code"), (types.SimpleNamespace(), "type"),
])
def test_each_kind_of_value_has_its_check(value, check):
    def f(x):
        value  # noqa: B018
        return np.sum(x)

    assert checks_of(f)[0] == check


def test_what_was_read_before_is_not_read_again_until_something_changes():
    box = [1.0]

    def f(x):
        return np.sum(x) * box[0] * box[0]

    def g(x):
        s = np.sum(x) * box[0]
        box.append(2.0)
        return s * box[0]

    assert targets(kinds(f, X.copy())[0], "read").count("item") == 1
    assert targets(kinds(g, X.copy())[0], "read").count("item") == 2


def test_an_int_that_varies_is_guarded_by_its_type():
    n = 3

    def f(x):
        return np.sum(x) * n

    events, _ = kinds(f, X.copy())
    (check,) = [e for e in events if getattr(e, "target", None) == "equal"]
    events, _ = kinds(f, X.copy(), dynamic={check.kwargs["recipe"]})
    assert "equal" not in targets(events, "check")


def test_the_same_object_by_two_ways_is_checked_to_be_the_same():
    a = [1.0]
    b = a

    def f(x):
        return np.sum(x) * a[0] + b[0]

    assert "is" in checks_of(f)


def test_reads_of_all_kinds():
    w = np.ones(3)
    space = types.SimpleNamespace(k=3.0, table={"a": [1.0, 2.0]})

    def f(x, d=0.5, *, e=1.5):
        return np.sum(x * w) * K * space.k * space.table["a"][1] * d + e

    assert set(targets(kinds(f, X.copy())[0], "read")) == {
        "function", "global", "cell", "attribute", "item", "default"}
    follow(f, X)


def test_memory_that_views_from_outside_share():
    buffer = np.ones((2, 3))
    row = buffer[1]

    def f(x):
        row[:] = x
        return np.sum(buffer)

    with pytest.raises(SharedMemory, match="has been written to otherwise") as caught:
        kinds(f, X.copy())
    assert caught.value.owner is buffer
    events, *_ = trace(f, (X.copy(),), {}, [0], Journal(keeps=True), shared={id(buffer)})
    assert "window" in targets(events, "check")
