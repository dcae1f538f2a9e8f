"""The names of the engines, and what the environment asks for."""

import os

from hybridad.errors import ArgumentError, message

__all__ = ["check_engine", "is_strict", "verifies"]

_ENGINES = ("auto", "tape", "sct")


def check_engine(engine):
    """Raise ArgumentError unless `engine` names one."""
    if engine not in _ENGINES:
        raise ArgumentError(message(
            f"There is no engine {engine!r}.",
            f"Write one of {', '.join(map(repr, _ENGINES))}."))


def is_strict():
    """Whether errors of hybridad's own are to be raised and not answered by the tape."""
    return os.environ.get("HYBRIDAD_STRICT", "0") not in ("", "0")


def verifies():
    """Whether every answer of specialized code is compared with that of the tape by default."""
    return os.environ.get("HYBRIDAD_VERIFY", "0") not in ("", "0")
