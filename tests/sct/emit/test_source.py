"""Lines, places and exits."""

from hybridad.sct.emit import emit
from hybridad.sct.emit.source import Page
from hybridad.trace.text import parse


def test_lines_know_their_places():
    source = emit(parse("""
        %0 = input 0  : float  x
        %1 = %0 * 2.0  : float  r  # a.py:7
        %2 = %1 * %1  : float  # a.py:8
        return %2  # a.py:9
    """))
    rows = source.text.splitlines()
    assert source.lines[rows.index("    r = x * 2.0") + 1].line == 7
    assert source.lines[rows.index("    value = r * r") + 1].line == 8
    assert source.lines[len(rows)].line == 9


def test_lines_know_their_places_behind_a_while_that_was_shortened():
    source = emit(parse("""
        %0 = input 0  : float  x
        loop %1 while  # a.py:2
          phi %2 = %0 -> %3  : float  y
          %4 = %2 > 1.0  : bool  # a.py:2
          branch bool %4  # a.py:2
            True:
              %5 = %2 / 2.0  : float  y  # a.py:3
              next %5
            False:
              leave %2  leaf 1  uncounted
        return %3  # a.py:4
    """))
    rows = source.text.splitlines()
    assert source.lines[rows.index("    while y > 1.0:") + 1].line == 2
    assert source.lines[rows.index("        y = y / 2.0") + 1].line == 3
    assert source.lines[rows.index("    return (y,)") + 1].line == 4


def test_exits_are_numbered():
    page = Page()
    assert page.leave(None, "a") == "return Exit(0)"
    assert page.leave(None, "b", "recipe") == "return Exit(1)"
    assert [point.reason for point in page.exits] == ["a", "b"]
    assert [point.recipe for point in page.exits] == [None, "recipe"]
