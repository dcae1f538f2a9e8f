"""Instrumenting: the source of a function is rewritten into its recording form."""

from hybridad.recording.instrument.form import Form, bind, make_form
from hybridad.recording.instrument.source import NoSource

__all__ = ["Form", "NoSource", "bind", "make_form"]
