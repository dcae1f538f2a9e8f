"""Memory: of a recorded operation, and the most that a gradient of an MLP holds at once.

A recorded operation's is the resident memory of 10^6 of them, less their ndarrays; each reading is
taken in a process of its own: `python -m perf.memory tape 1000000`. Peaks are `tracemalloc`'s.
"""

import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

__all__ = ["peak", "per_operation"]

OPERATIONS = 1_000_000


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def arrays(operations):
    """Bytes that the ndarrays of so many operations take (the list that holds them is not new)."""
    y = np.ones(4)
    kept = [None] * operations
    before = resident()
    for i in range(operations):
        y = np.sin(y)
        kept[i] = y
    return resident() - before


def tape(operations):
    """Bytes that so many recorded operations take, their ndarrays with them."""
    import hybridad

    grown = []

    def f(y):
        before = resident()
        for _ in range(operations):
            y = np.sin(y)
        grown.append(resident() - before)
        return np.sum(y)

    differentiate = hybridad.value_and_grad(f)
    _, gradient = differentiate(np.ones(4))
    if not np.all(np.isfinite(gradient)):
        raise ArithmeticError("the gradient of the measured run is not finite")
    return grown[0]


def per_operation(operations: int | None = None) -> dict[str, float]:
    """Bytes an operation: of the tape with its arrays, of the arrays alone, and the difference."""
    operations = operations or OPERATIONS
    found = {
        what: _measure_apart(what, operations) / operations for what in ("tape", "arrays")
    }
    return {**found, "difference": found["tape"] - found["arrays"]}


def _measure_apart(what, operations):
    done = subprocess.run(
        [sys.executable, "-m", "perf.memory", what, str(operations)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"measuring {what} failed:\n{done.stderr}")
    return int(done.stdout)


def peak(run: Callable[[], object]) -> int:
    """The most bytes that a call holds at once beside what there was before; its answer counts."""
    run()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        answer = run()
        highest = tracemalloc.get_traced_memory()[1]
        del answer
    finally:
        tracemalloc.stop()
    return highest - before


if __name__ == "__main__":
    print({"tape": tape, "arrays": arrays}[sys.argv[1]](int(sys.argv[2])))
