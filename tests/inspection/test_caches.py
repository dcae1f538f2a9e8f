"""`cache_info` and `cache_clear`."""

import functools
import re

import pytest

import hybridad
from hybridad import ArgumentError, cache_clear, cache_info, explain, grad, value_and_grad
from tests.inspection.programs import kink


def test_counts():
    g = grad(kink)
    assert cache_info(g) == (0, 0, 0, 0, 0, 0)
    assert [g(x) for x in (2.0, 3.0, 0.5, 0.25, 2.0)] == [4.0, 6.0, 3.0, 3.0, 4.0]
    known = cache_info(g)
    assert (known.hits, known.exits, known.recordings, known.signatures) == (3, 1, 2, 1)
    assert known._fields == ("hits", "exits", "recordings", "fallbacks", "paths", "signatures")


def test_clearing_forgets_code_and_counts_but_not_calls():
    g = grad(kink)
    for x in (2.0, 3.0, 4.0):
        g(x)
    assert cache_clear(g) is None
    assert cache_info(g) == (0, 0, 0, 0, 0, 0)
    assert (explain(g).calls, explain(g).engine, explain(g).specializations) == (3, "sct", ())
    assert g(2.0) == 4.0
    assert cache_info(g).recordings == 1 and explain(g).engine == "tape"
    assert g(2.0) == 4.0
    assert cache_info(g).hits == 1 and (explain(g).calls, explain(g).engine) == (5, "sct")


def test_the_tape_caches_nothing():
    g = grad(kink, engine="tape")
    assert g(2.0) == g(2.0) == 4.0
    cache_clear(g)
    assert cache_info(g) == (0, 0, 0, 0, 0, 0)


def test_functions_share_nothing():
    first, second = grad(kink), grad(kink)
    first(2.0)
    assert cache_info(second).recordings == 0
    cache_clear(second)
    assert cache_info(first).recordings == 1


def test_partials_are_seen_through():
    vg = value_and_grad(kink)
    vg(2.0)
    assert cache_info(functools.partial(vg, 2.0)).recordings == 1


@pytest.mark.parametrize("ask", [cache_info, cache_clear])
def test_anything_else_is_refused(ask):
    with pytest.raises(ArgumentError, match=re.escape("after vg = value_and_grad(f)")) as caught:
        ask(kink)
    assert f"{ask.__name__}(vg)" in str(caught.value)


def test_they_are_public():
    assert {"cache_info", "cache_clear"} <= set(hybridad.__all__)
