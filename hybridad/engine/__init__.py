"""The engine: the only room that knows the ways to a derivative and chooses between them.

`tape` answers by recording and sweeping. `auto` answers by specialized code (`answer`), has the
tape answer what that does not know, and makes code of it (`learn`).
"""

from hybridad.engine.auto import Engine
from hybridad.engine.basis import units
from hybridad.engine.fitting import Like
from hybridad.engine.functions import engine_for, finder, linear
from hybridad.engine.options import check_engine, verifies
from hybridad.engine.tape import run, value_and_cotangents

__all__ = ["Engine", "Like", "check_engine", "engine_for", "finder", "linear", "run", "units",
           "value_and_cotangents", "verifies"]
