"""Source code that shows itself in colors, where there are any."""

import html
import os
import sys

__all__ = ["Source"]


class Source(str):
    """Python source: a str that a prompt or a notebook shows highlighted.

    Printed, it is plain text. Without pygments it is so everywhere.

    Examples
    --------
    >>> from hybridad.inspection import Source
    >>> Source("x = 1")
    x = 1
    """

    __slots__ = ()

    def __repr__(self):
        if not _is_terminal():
            return str(self)
        return _highlighted(self, "TerminalFormatter") or str(self)

    def _repr_html_(self):
        shown = _highlighted(self, "HtmlFormatter", noclasses=True)
        return shown or f"<pre>{html.escape(self)}</pre>"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _is_terminal():
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _highlighted(text, formatter, **options):
    """`text` as a formatter of pygments writes it; None without pygments."""
    try:
        from pygments import formatters, highlight
        from pygments.lexers import PythonLexer
    except ImportError:
        return None
    made = getattr(formatters, formatter)(**options)
    return highlight(text, PythonLexer(), made).rstrip("\n")
