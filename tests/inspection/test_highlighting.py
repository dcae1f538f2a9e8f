"""Source that shows itself: plain, in colors, as HTML."""

import io
import sys

import pytest

from hybridad.inspection import Source

TEXT = "def f(x):\n    return x < 2.0  # less\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """What makes standard output a terminal: in the test, for pytest replaces it before."""
    def show():
        screen = Terminal()
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setattr(sys, "stdout", screen)
        return screen

    return show


def test_it_is_a_text():
    source = Source(TEXT)
    assert source == TEXT and isinstance(source, str) and source.count("x") == 2
    exec(source, space := {})
    assert space["f"](1.0) is True


def test_it_is_plain_where_nobody_sees_colors(monkeypatch):
    assert repr(Source(TEXT)) == TEXT
    monkeypatch.setattr(sys, "stdout", None)
    assert repr(Source(TEXT)) == TEXT


def test_a_prompt_shows_it_in_colors(terminal):
    terminal()
    shown = repr(Source(TEXT))
    assert "\x1b[" in shown and "\x1b[" not in str(Source(TEXT))


def test_print_shows_it_plain(terminal):
    screen = terminal()
    print(Source(TEXT))
    assert screen.getvalue() == TEXT + "\n"


def test_no_color(terminal, monkeypatch):
    terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    assert repr(Source(TEXT)) == TEXT


def test_a_notebook_shows_it_in_colors():
    shown = Source(TEXT)._repr_html_()
    assert "<span style=" in shown and "&lt;" in shown and "x < 2.0" not in shown
    bundle = Source(TEXT)._repr_mimebundle_()
    assert bundle == {"text/plain": TEXT, "text/html": shown}


def test_without_pygments_it_is_plain(terminal, monkeypatch):
    terminal()
    monkeypatch.setitem(sys.modules, "pygments", None)
    assert repr(Source(TEXT)) == TEXT
    assert Source(TEXT)._repr_html_() == \
        "<pre>def f(x):\n    return x &lt; 2.0  # less\n</pre>"
