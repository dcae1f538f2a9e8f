"""Times of several functions, taken in turn in one process, as medians with their spread."""

import gc
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_info

__all__ = ["Spread", "blas", "compare", "notes", "yardstick"]

BLOCK = 2e-3  # seconds that one reading takes at least
SHORT = 1e-2  # seconds of a call that first runs unmeasured, as the one before has left its marks
REFERENCE_YARDSTICK = 0.35  # µs, on the machine that the project's goals were set on


@dataclass(frozen=True, slots=True)
class Spread:
    """A median, with the quartiles around it."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, readings):
        low, middle, high = np.quantile(readings, [0.25, 0.5, 0.75])
        return cls(float(middle), float(low), float(high))


def compare(
    contenders: Mapping[str, Callable[[], object]], seconds: float, least: int = 5
) -> dict[str, np.ndarray]:
    """Seconds of one call of each contender, a reading each a round, for about so long.

    Long calls get at least so many rounds. The garbage collector runs as it does for a user.
    """
    repeats, short = {}, set()
    for name, run in contenders.items():
        run()
        taken = _reading(run, 1)
        repeats[name] = max(1, int(BLOCK / taken))
        if taken < SHORT:
            short.add(name)
    readings = {name: [] for name in contenders}
    gc.collect()
    start, rounds = time.perf_counter(), 0
    while rounds < least or time.perf_counter() - start < seconds:
        for name, run in contenders.items():
            if name in short:
                run()
            readings[name].append(_reading(run, repeats[name]))
        rounds += 1
    return {name: np.array(taken) for name, taken in readings.items()}


def _reading(run, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        run()
    return (time.perf_counter() - start) / repeat


def yardstick() -> float:
    """µs of `np.add` on two arrays of 4 elements: how fast this machine runs small operations."""
    a, b = np.ones(4), np.ones(4)
    add = np.add
    readings = []
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(10_000):
            add(a, b)
        readings.append((time.perf_counter() - start) / 10_000)
    return 1e6 * float(np.median(readings))


def blas() -> str:
    """Which BLAS NumPy runs, and with which kernel."""
    libraries = [found for found in threadpool_info() if found["user_api"] == "blas"]
    return "; ".join(
        f"{found['internal_api']} {found.get('version')}, kernel {found.get('architecture')}, "
        f"{found['num_threads']} thread" + ("s" if found["num_threads"] > 1 else "")
        for found in libraries
    )


def notes() -> list[str]:
    """What in the environment makes the figures other than they should be."""
    names = [name for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ]
    if not names:
        return []
    setting = " ".join(f"{name}={os.environ[name]}" for name in names)
    return [f"{setting} is set and may slow NumPy: unset it (env -u NAME) for figures that count"]
