"""Decisions."""

import numpy as np
import pytest

from hybridad.sct.emit import emit
from hybridad.sct.load import Exit, load
from hybridad.trace.text import parse


def test_an_unseen_side_is_an_exit_that_repeats_the_decision():
    source = emit(parse("""
        %0 = input 0  : float  x
        %1 = %0 > 0.0  : bool  # a.py:3
        branch bool %1  # a.py:3
          True:
            return %0
    """))
    assert "if not x > 0.0:" in source.text
    function = load(source)
    assert function(1.0) == (1.0,)
    assert function(float("nan")).number == 0
    (point,) = source.exits
    assert (point.number, point.place.line) == (0, 3)


def test_both_sides():
    function = load(emit(parse("""
        %0 = input 0  : float  x
        %1 = %0 > 0.0  : bool
        branch bool %1
          True:
            %2 = %0 * 2.0
            return %2
          False:
            %3 = -%0
            return %3
    """)))
    assert [function(x) for x in (1.0, -1.0)] == [(2.0,), (1.0,)]


@pytest.mark.parametrize("kind, outcomes, values", [
    ("int", (2, 3), (2.9, 3.1, 4.0)),
    ("index", (2, 3), (2, np.int64(3), 5)),
    ("str", ("'2'", "'3'"), (2, 3, 4)),
    ("shape", ("(2,)", "(3, 1)"), (np.ones(2), np.ones((3, 1)), np.ones(3))),
    ("value", ("2.0", "None"), (2.0, None, 3.0)),
])
def test_other_decisions(kind, outcomes, values):
    function = load(emit(parse(f"""
        %0 = input 0  : float  x
        branch {kind} %0
          {outcomes[0]}:
            return 1.0
          {outcomes[1]}:
            return 2.0
    """)))
    assert function(values[0]) == (1.0,)
    assert function(values[1]) == (2.0,)
    assert type(function(values[2])) is Exit


def test_names_of_the_sides_are_independent():
    text = emit(parse("""
        %0 = input 0  : float  x
        %1 = %0 > 0.0  : bool
        branch bool %1
          True:
            %2 = %0 * 2.0  : float  r
            %4 = %2 * %2
            return %4
          False:
            %3 = %0 * 3.0  : float  r
            %5 = %3 * %3
            return %5
    """)).text
    assert "r = x * 2.0" in text
    assert "r = x * 3.0" in text


def test_hundreds_of_sides_do_not_nest():
    lines, indent = ["%0 = input 0  : float  x"], 0
    for k in range(300):
        pad = " " * indent
        lines += [f"{pad}%{k + 1} = %0 > {k}.0", f"{pad}branch bool %{k + 1}", f"{pad} False:",
                  f"{pad}  return {k}.0", f"{pad} True:"]
        indent += 2
    lines.append(" " * indent + "return %0")
    function = load(emit(parse("\n".join(lines))))
    assert [function(x) for x in (0.0, 17.5, 1000.0)] == [(0.0,), (18.0,), (1000.0,)]
