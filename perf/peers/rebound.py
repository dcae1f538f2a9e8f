"""The problems' modules once more, with another library as `np`.

Those that fill arrays in place are rewritten where a user would (`without_writes`).
"""

import importlib.util

from perf.peers.without_writes import REWRITTEN

__all__ = ["load"]

SAME = {"mixture_whole": "mixture"}  # once it is rewritten without writes


def load(name: str, numpy):
    """A copy of the module of a problem whose `np` is `numpy`; the plain one keeps its own."""
    name = SAME.get(name, name)
    spec = importlib.util.find_spec(f"perf.problems.{name}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.np = numpy
    if name in REWRITTEN:
        vars(module).update(REWRITTEN[name](module))
    return module
