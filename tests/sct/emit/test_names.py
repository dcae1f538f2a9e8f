"""Names of variables."""

import pytest

from hybridad.sct.emit import emit
from hybridad.sct.emit.names import Names, readable
from hybridad.sct.load import load
from hybridad.trace.text import parse


def test_a_name_bound_again_gets_a_version():
    block = parse("""
        %0 = input 0, differentiated=True  : float  x
        %1 = %0 * %0  : float  r
        %2 = %1 + %0  : float  r
        %3 = %2 * %1  : float  r
        return %3
    """)
    source = emit(block)
    assert [row.strip() for row in source.text.splitlines()[-4:]] == [
        "r = x * x", "r_1 = r + x", "r_2 = r_1 * r", "return (r_2,)"]
    assert load(source)(3.0) == (((3.0 * 3.0 + 3.0) * 9.0),)


@pytest.mark.parametrize("name, expected", [
    ("x", "x"), ("state[0].w", "state_0_w"), ("sum", "sum_"), ("np", "np_"), ("lambda", "lambda_"),
    (None, "t"), ("0", "t0"), ("_x", "x"),
])
def test_readable(name, expected):
    assert readable(name) == expected


def test_versions_skip_names_that_are_taken():
    names = Names(("r_1",))
    assert [names.new("r") for _ in range(3)] == ["r", "r_2", "r_3"]


def test_a_copy_goes_on_by_itself():
    names = Names()
    names.new("r")
    other = names.copy()
    assert other.new("r") == "r_1"
    assert names.new("r") == "r_1"


def test_parameters_may_be_called_like_what_the_text_uses():
    block = parse("""
        %0 = input 0  : float64[2] C m0  np
        %1 = input 1  : float  len
        %2 = np.sum(%0)  : float64
        %3 = %2 * %1  : float64
        return %3
    """)
    assert load(emit(block))([1.0, 2.0], 2.0) == (6.0,)
