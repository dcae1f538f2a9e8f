"""All that has a traced meaning in recording form: functions, instances, methods, indexing."""

from hybridad.recording.effects import MEANINGS as _CONTAINERS
from hybridad.recording.runtime import (
    conversion,
    creation,
    folding,
    grids,
    iteration,
    iterators,
    mathematics,
    operators,
    python,
    shuffling,
    vectorized,
)

__all__ = ["FUNCTIONS", "INDEXED", "INSTANCES", "METHODS"]

FUNCTIONS = {}
"""Callable -> ``handler(site, *args, **kwargs)``."""

for table in (_CONTAINERS, conversion.MEANINGS, creation.MEANINGS, folding.MEANINGS,
              iteration.MEANINGS, iterators.MEANINGS, mathematics.MEANINGS, operators.MEANINGS,
              python.MEANINGS, vectorized.MEANINGS):
    FUNCTIONS.update(table)

for (kind, name), method in shuffling.METHOD_MEANINGS.items():
    FUNCTIONS[getattr(kind, name)] = method  # bound methods are taken apart: the object comes first

INSTANCES = {**operators.INSTANCES, **vectorized.CALL_MEANINGS}
"""Class -> ``handler(site, instance, *args, **kwargs)`` of a call of its instances."""

METHODS = {**vectorized.METHOD_MEANINGS}
"""(class, name) -> ``handler(site, instance, *args, **kwargs)``."""

INDEXED = {**grids.ITEM_MEANINGS}
"""Class -> ``handler(site, instance, index)``."""
