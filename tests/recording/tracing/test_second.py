"""From the arguments of a call to the events of a path."""

import numpy as np
import pytest

from hybridad.recording.effects import Journal
from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.second import trace
from hybridad.trace.ir import Node, Ref, Return
from tests.recording.tracing.follow import X


def _inputs(events):
    return [e for e in events if type(e) is Node and e.op == "input"]


def test_leaves_are_numbered_in_order_and_named_after_parameters():
    def f(p, flag, n, q=2.0):
        return np.sum(p["a"]) * p["b"] + q * n

    events, result, hidden = trace(f, ({"a": X.copy(), "b": 2.0}, True, 3), {"q": 4.0}, [0, "q"],
                                   Journal(keeps=True))
    found = _inputs(events)
    assert [(e.target, e.name) for e in found] == [(0, "p_0"), (1, "p_1"), (2, "n"), (3, "q")]
    assert [e.kwargs for e in found] == [{"differentiated": True}] * 2 + [{}] \
        + [{"differentiated": True}]
    assert result == 1.25 * 2.0 + 12.0 and hidden == {}


def test_the_result_is_the_end_of_the_path():
    events, _, _ = trace(lambda x: (x[0], [x[1]]), (X.copy(),), {}, [0], Journal(keeps=True))
    end = events[-1]
    assert type(end) is Return and type(end.value[0]) is Ref and type(end.value[1][0]) is Ref


def test_an_array_that_is_passed_twice_has_one_memory():
    events, _, _ = trace(lambda w, a, b: np.sum(w * a * b), (X.copy(), X, X), {}, [0],
                         Journal(keeps=True))
    _, a, b = _inputs(events)
    assert a.memory == b.memory


def test_layouts_of_differentiated_arguments_are_kept():
    x = np.ones((3, 4))[:, ::2]
    events, _, _ = trace(lambda x: np.sum(x), (x,), {}, [0], Journal(keeps=True))
    assert _inputs(events)[0].example.strides == x.strides


def test_a_loop_that_carries_something_unseen_is_told():
    class Box:
        def __init__(self):
            self.n = 0

    def looking_at(box):
        return lambda: box

    def f(x):
        look, total = looking_at(Box()), 0.0    # what is behind it no name tells
        for v in x:
            look().n += 1
            total = total + v * look().n
        return total

    _, result, hidden = trace(f, (X.copy(),), {}, [0], Journal(keeps=True))
    assert result == 0.5 - 2.5 + 6.0
    assert list(hidden.values()) == ["a Box is changed in the loop"]


def test_what_was_refused_inside_a_bare_except_is_refused():
    def f(x):
        try:
            np.apply_over_axes(lambda v, a: v, x, 0)
        except BaseException:
            pass
        return np.sum(x)

    with pytest.raises(NotTraced, match="calls functions"):
        trace(f, (X.copy(),), {}, [0], Journal(keeps=True))
