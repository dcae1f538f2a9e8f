"""Values as arguments of operations."""

import functools
import math
import random

import numpy as np
import pytest

from hybridad.recording.tracing.encoding import (
    arrays_in,
    encode,
    has_active,
    has_known,
    is_constant_object,
)
from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.recorder import Recorder
from hybridad.recording.tracing.values import Dynamic, Text
from hybridad.trace.ir import Ref


def known():
    recorder, x = Recorder(), float("2.5")
    recorder.know(x, 7)
    return recorder, x


def test_what_is_known_becomes_a_reference():
    recorder, x = known()
    assert encode(recorder, (1, [x, "a"], {"k": x}, slice(0, None))) == (
        1, [Ref(7), "a"], {"k": Ref(7)}, slice(0, None))
    plain = encode(recorder, [Dynamic(3), Text("t")])
    assert plain == [3, "t"] and [type(v) for v in plain] == [int, str]
    assert encode(recorder, np.float32) is np.float32


@pytest.mark.parametrize("x", [np.ones(2), object(), [object()], {"k": np.ones(1)}])
def test_unknown_origins_are_refused(x):
    recorder, _ = known()
    with pytest.raises(NotTraced):
        encode(recorder, x)


def test_keys_that_are_numbers_of_the_run_are_refused():
    recorder, x = known()
    with pytest.raises(NotTraced, match="keys"):
        encode(recorder, {x: 1})


def test_looking_into_containers():
    recorder, x = known()
    recorder.active.add(7)
    events = [2.0]
    for holder in (x, [x], {"k": (x,)}, slice(x)):
        assert has_known(recorder, holder)
    assert not has_known(recorder, [2.5, {"k": "x"}])
    assert has_active(recorder, functools.partial(len, [x]))
    assert has_active(recorder, lambda: x)
    assert not has_active(recorder, [1.0, lambda: events])
    a = np.ones(2)
    assert [v is a for v in arrays_in(([a], {"k": a}, 3.0))] == [True, True]


@pytest.mark.parametrize(("x", "constant"), [
    (len, True), (math.sin, True), (np.sin, True), (np.sum, True), (int, True), (math, True),
    (np.random.rand, True), (random.random, True), (random.randrange, True),
    (random.randrange.__self__, True), ([].append, False), (random.Random(1), False), (3, False),
])
def test_objects_that_are_code(x, constant):
    assert is_constant_object(x) is constant
