"""Printing a trace as Python: a function that a person would want to read."""

from hybridad.sct.emit.function import emit, needs_run
from hybridad.sct.emit.source import ExitPoint, Source

__all__ = ["ExitPoint", "Source", "emit", "needs_run"]
