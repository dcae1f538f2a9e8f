"""The function that hybridad has generated for some arguments, without what is around it."""

import functools
from collections.abc import Callable

import hybridad

__all__ = ["generated", "refusal"]


def refusal(differentiated: Callable, calls: list[tuple]) -> str | None:
    """Why calls are not answered by specialized code, if they are not; makes them three times."""
    for args in calls * 2:
        differentiated(*args)
    ask = getattr(hybridad, "cache_info", None)
    if ask is None:
        return "there is no specializer"
    before = ask(differentiated).hits
    for args in calls:
        differentiated(*args)
    hits = ask(differentiated).hits - before
    if hits == len(calls):
        return None
    reason = hybridad.explain(differentiated).reason or f"{hits} hits in {len(calls)} calls"
    return f"stays on the tape: {reason}"


def generated(differentiated: Callable, args: tuple) -> Callable | None:
    """A call of the generated function alone, with what a call with these arguments gives it.

    None if there is more than one and so no knowing which. What it reads outside state with is
    made once: to make it is a part of every call, not of the function.
    """
    entries = list(differentiated.__hybridad__.engine.cache.entries.values())
    if len(entries) != 1 or entries[0].function is None:
        return None
    (entry,) = entries
    code, given = entry.function, []

    def spy(*leaves):
        given[:] = leaves
        return code(*leaves)

    entry.function = spy
    try:
        differentiated(*args)
    finally:
        entry.function = code
    return functools.partial(code, *given)
