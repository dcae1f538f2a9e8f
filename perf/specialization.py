"""What it costs to specialize: for each recorded operation, with their number, against JAX."""

import importlib
import importlib.util
import linecache
import time
import warnings
from collections.abc import Callable

import numpy as np

import hybridad
from perf.peers import jax_peer

__all__ = ["costs", "first_call"]

OPERATIONS = 2_000, 20_000  # the most statements that are specialized, see `hybridad.cache`
TRIALS = 3


def lines(operations: int) -> Callable:
    """A function without loops: at most so many operations, each in a line of its own."""
    parts = ["import numpy as np", "def f(y, c):"]
    parts += ["    y = np.sin(y)", "    y = y * c", "    y = y + c", "    y = np.tanh(y)"] * (
        operations // 4 - 1)
    source = "\n".join([*parts, "    return np.sum(y)", ""])
    name = f"<{operations} lines>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    namespace = {"__name__": "perf_lines"}
    exec(compile(source, name, "exec"), namespace)
    return namespace["f"]


def loop(operations: int) -> Callable:
    """The same operations in a loop."""

    def f(y, c):
        for _ in range(operations // 4 - 1):
            y = np.sin(y)
            y = y * c
            y = y + c
            y = np.tanh(y)
        return np.sum(y)

    return f


KINDS = {"lines": lines, "loop": loop}


def _seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def cost(function: Callable, args: tuple) -> dict:
    """Seconds to specialize a function: its first call less one that the tape answers.

    "code": of these, making code of what was recorded, for each further signature again.
    """
    tape = hybridad.value_and_grad(function, engine="tape")
    tape(*args)  # makes the recording form, which all share
    answered = min(_seconds(lambda: tape(*args)) for _ in range(TRIALS))
    first = []
    with warnings.catch_warnings(action="ignore"):  # of what stays on the tape: that is shown
        for _ in range(TRIALS):
            fresh = hybridad.value_and_grad(function)
            first.append(_seconds(lambda fresh=fresh: fresh(*args)))
    fresh(*args)
    explained = hybridad.explain(fresh)
    return {
        "operations": hybridad.explain(tape).entries,
        "engine": explained.engine,
        "reason": explained.reason,
        "tape": answered,
        "specialize": float(np.median(first)) - answered,
        "code": explained.specializations[0].seconds_specializing,
    }


def costs() -> dict[str, list[dict]]:
    """The costs of both kinds at both numbers of operations."""
    args = np.array([0.1, 0.5, -0.7, 1.1]), np.array([0.9, 0.4, 0.3, 0.8])
    return {kind: [cost(make(operations), args) for operations in OPERATIONS]
            for kind, make in KINDS.items()}


def first_call() -> dict[str, float | str]:
    """Seconds of the LSTM's first call (record, answer, specialize), and of compiling by JAX."""
    name, size = "lstm", "16x16x20"
    spec = importlib.util.find_spec(f"perf.problems.{name}")
    taken = []
    for _ in range(TRIALS):
        module = importlib.util.module_from_spec(spec)  # nothing is known of its functions
        spec.loader.exec_module(module)
        args = module.make(size, seed=0)
        fresh = hybridad.value_and_grad(module.f, module.ARGNUMS)
        taken.append(_seconds(lambda fresh=fresh, args=args: fresh(*args)))
    found = {"hybridad": float(np.median(taken))}
    if reason := jax_peer.refusal(name, size):
        return found | {"absent": reason}
    prepared = jax_peer.prepare(args)
    return found | {"jax": _seconds(lambda: jax_peer.compile_for(name, module.ARGNUMS, prepared))}
