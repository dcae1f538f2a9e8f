"""The second run of a function, with plain values: writes down a path, from which code is made.

Sites of its recording form are `TraceSite`s, written in Python. Where a value came from is known by
the identity of the object: every operation gives a new object, which is noted with the operation.
"""

from hybridad.recording.tracing.effects import call_foreign
from hybridad.recording.tracing.memory import NotTraced, SharedMemory
from hybridad.recording.tracing.second import trace

__all__ = ["NotTraced", "SharedMemory", "call_foreign", "trace"]
