"""Effects: what `f` does besides computing, how it is undone, done again, and made plain.

The journal is told before something is changed; methods of builtin containers, which change things
in C, are called through here; and when a run ends no wrapper is left behind.
"""

from hybridad.recording.effects.afterlife import settle
from hybridad.recording.effects.containers import CONTAINERS, MEANINGS, call_method
from hybridad.recording.effects.journal import Journal
from hybridad.recording.effects.writes import note_writes

__all__ = ["CONTAINERS", "MEANINGS", "Journal", "call_method", "note_writes", "settle"]
