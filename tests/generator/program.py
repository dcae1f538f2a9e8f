"""A generated program: its source, how to load it, and its calls with what they should give."""

import linecache
import re
import zlib
from dataclasses import dataclass

import numpy as np

__all__ = ["Call", "Program", "RunTooLong", "Trail"]

_IMPORTS = """\
import contextlib
import copy
import functools
import io
import math
import operator

import numpy as np

"""
_MOST_DECISIONS = 4000


class RunTooLong(Exception):
    """A run decides so often that the program is of no use as a test."""


class Trail:
    """What one run of a traced program did: its decisions, and the arrays that it wrote into."""

    def __init__(self):
        self.decisions = []
        self.writes = set()

    def clear(self):
        """Forget the run before."""
        self.decisions.clear()
        self.writes.clear()

    def decided(self, value):
        """Note a decision; returns it."""
        if len(self.decisions) == _MOST_DECISIONS:
            raise RunTooLong
        self.decisions.append(tuple(np.ravel(value).tolist()))
        return value

    def wrote(self, array):
        """Note a write into an array."""
        self.writes.add("write")
        if array.base is not None:
            self.writes.add("view")


@dataclass(frozen=True)
class Call:
    """One call of `f`: what changes before it, its arguments (source texts), what it should do.

    `slope` is the derivative along `direction` (source texts, one for each differentiated
    argument) by finite differences, None where the function is not smooth around the arguments;
    `state` is what is outside after the call, and `given` are the arguments after it.
    """

    changes: tuple
    arguments: tuple
    value: object
    given: tuple
    state: dict
    decisions: int
    writes: frozenset
    direction: tuple = ()
    slope: float | None = None


@dataclass(frozen=True)
class Program:
    """Source of a module with a function `f`, with marks (see `Writer`), and some calls of it."""

    marked: str
    differentiated: tuple
    calls: tuple

    @property
    def source(self):
        """The program as a user would have written it."""
        return _IMPORTS + re.sub("⟪.*?⟫|[⟦⟧]", "", self.marked)

    @property
    def traced(self):
        """The same program, which notes decisions on data and writes into arrays."""
        noted = re.sub("⟪(.*?)⟫(.*)", r"\2; _wrote(\1)", self.marked)
        return _IMPORTS + noted.replace("⟦", "_decided(").replace("⟧", ")")

    @property
    def filename(self):
        """The name under which the source is known to `linecache`."""
        return f"<generated program {zlib.crc32(self.marked.encode()):08x}>"

    def load(self, trail=None):
        """A new namespace of the module; with a `trail`, of the traced program."""
        source = self.traced if trail else self.source
        name = self.filename.replace("program", "traced program") if trail else self.filename
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        namespace = {"__name__": "generated_program"}
        if trail:
            namespace |= {"_decided": trail.decided, "_wrote": trail.wrote}
        exec(compile(source, name, "exec"), namespace)
        return namespace

    def unload(self):
        """Let `linecache` forget the source."""
        for name in (self.filename, self.filename.replace("program", "traced program")):
            linecache.cache.pop(name, None)

    def _repr_pretty_(self, printer, cycle):
        """How hypothesis prints a program that fails."""
        printer.text(repr(self))

    def __repr__(self):
        """A file to paste, which makes the calls."""
        lines = [self.source, "", "from hybridad import value_and_grad", ""]
        for call in self.calls:
            lines += call.changes
            arguments = ", ".join(call.arguments)
            lines += [f"print(value_and_grad(f, {self.differentiated})({arguments}))",
                      f"# {call.value!r}; along ({', '.join(call.direction)}) the slope is "
                      f"{call.slope!r}", ""]
        return "\n" + "\n".join(lines)
