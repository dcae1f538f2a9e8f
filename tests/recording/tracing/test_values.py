"""Objects by which values are told apart."""

import numpy as np
import pytest

from hybridad.recording.tracing.values import (
    Dynamic,
    Text,
    another,
    aval_of,
    is_number,
    is_static,
    layout_of,
    outgoing,
)


@pytest.mark.parametrize("x", [2.5, -0.0, float("inf"), 1j, 2 ** 70, 7, "text", np.float32(2.5),
                               np.int8(3), np.complex64(1j), Dynamic(3), Text("t")])
def test_another_is_equal_and_not_the_same(x):
    made = another(x)
    assert made is not x and made == x and str(made) == str(x)
    assert type(made) is {int: Dynamic, str: Text}.get(type(x), type(x))
    assert outgoing(made) == x and type(outgoing(made)) is {Dynamic: int, Text: str}.get(
        type(x), type(x))


def test_nan_and_the_sign_of_zero_are_kept():
    assert np.isnan(another(float("nan"))) and np.signbit(another(-0.0))


def test_what_goes_out_is_plain_and_keeps_its_containers():
    inner = [Dynamic(1), Text("a")]
    x = {"k": inner, Text("t"): (Dynamic(2), 3.0)}
    assert outgoing(x) is x and x["k"] is inner
    assert [type(item) for item in inner] == [int, str]
    assert type(x["t"][0]) is int and all(type(key) is str for key in x)
    same = (1, "a")
    assert outgoing(same) is same


@pytest.mark.parametrize(("x", "number", "static"), [
    (1.0, True, False), (1, True, False), (True, False, True), ("a", False, True),
    (None, False, True), (np.float32(1), True, False), (np.bool_(True), False, True),
    ((1, "a"), False, True), ((1.0,), False, False), ([1], False, False), (Dynamic(2), True, False),
])
def test_numbers_and_static_values(x, number, static):
    assert (is_number(x), is_static(x)) == (number, static)


def test_what_is_known_of_values():
    x = np.zeros((2, 3), np.float32)
    assert [layout_of(x), layout_of(x.T), layout_of(x[:, ::2])] == ["C", "F", "A"]
    aval = aval_of(x.T)
    assert (aval.kind, aval.dtype, aval.shape, aval.layout) == ("array", "<f4", (3, 2), "F")
    assert [aval_of(v).dtype for v in (1.0, Dynamic(1), np.float32(1), Text("a"))] == [
        "float", "int", "<f4", "str"]
