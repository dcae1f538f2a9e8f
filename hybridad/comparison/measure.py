"""Time a plain run and value and gradient, and hold the gradient against finite differences."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

import hybridad
from hybridad.comparison.problems import PROBLEMS, Problem, ProblemError, find, read

__all__ = ["Comparison", "compare", "measure", "worst_difference"]

STEPS = 1e-3, 1e-4, 1e-5, 1e-6  # of each element's size: long against rounding, short for kinks
CLOSE = 1e-9  # as near as finite differences come: no other step is tried
TOLERANCE = 1e-6
BATCH = 5e-3  # seconds: short runs are timed in batches


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one problem showed; times are medians in seconds."""

    problem: str
    title: str
    value: float
    same_value: bool
    gradient_norm: float
    plain_seconds: float
    gradient_seconds: float
    ratio: float
    worst_difference: float

    @property
    def agrees(self) -> bool:
        """The value is the plain run's, bit for bit, and the gradient the finite differences'."""
        return self.same_value and self.worst_difference <= TOLERANCE


def compare(
    problems: str | Iterable[str] | None = None,
    *,
    data: str | Path | None = None,
    seconds: float = 0.5,
    progress: Callable[[float, int, str], object] | None = None,
) -> tuple[Comparison, ...]:
    """Differentiate real models on real data; one record a problem.

    `problems` names them (all by default, see `PROBLEMS`), `data` is a file for the one problem
    named. Each is timed for about `seconds`. `progress(done, total, text)` is told what goes on.
    """
    names = [problems] if isinstance(problems, str) else list(problems or PROBLEMS)
    chosen = [find(name) for name in names]
    if data is not None and len(chosen) != 1:
        raise ProblemError("a data file needs exactly one problem to go with it")
    inputs = [read(problem, data) for problem in chosen]
    tell = progress or (lambda done, total, text: None)
    records = []
    for index, (problem, args) in enumerate(zip(chosen, inputs)):

        def step(part, doing, index=index, name=problem.name):
            tell(index + part, len(chosen), f"{name}: {doing}")

        records.append(measure(problem, args, seconds, step))
    tell(len(chosen), len(chosen), "done")
    return tuple(records)


def measure(problem: Problem, args: tuple, seconds: float, step: Callable) -> Comparison:
    """One problem: its answer, the check of it, and the times."""
    step(0.0, "plain run")
    plain = problem.function(*args)
    step(0.1, "gradient")
    differentiate = hybridad.value_and_grad(problem.function, argnums=problem.argnums)
    value, gradients = differentiate(*args)
    step(0.2, "finite differences")
    worst = worst_difference(problem.function, args, problem.argnums, gradients)
    times = interleaved(
        (problem.function, differentiate),
        args,
        seconds,
        lambda part: step(0.5 + part / 2, "timing"),
    )
    plain_seconds, gradient_seconds = map(median, times)
    return Comparison(
        problem=problem.name,
        title=problem.title,
        value=float(value),
        same_value=bool(value == plain),
        gradient_norm=math.sqrt(sum(float(np.sum(np.square(g))) for g in gradients)),
        plain_seconds=plain_seconds,
        gradient_seconds=gradient_seconds,
        ratio=gradient_seconds / plain_seconds,
        worst_difference=worst,
    )


def interleaved(functions, args, seconds, step):
    """Times of one run of each function, taken in turn for about so many seconds."""
    repeats = [max(1, int(BATCH / elapsed(function, args, 1))) for function in functions]
    times = [[] for _ in functions]
    start = time.perf_counter()
    while not times[0] or (spent := time.perf_counter() - start) < seconds:
        step(spent / seconds if times[0] else 0.0)
        for function, repeat, taken in zip(functions, repeats, times):
            taken.append(elapsed(function, args, repeat))
    return times


def elapsed(function, args, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        function(*args)
    return (time.perf_counter() - start) / repeat


def worst_difference(function, args, argnums, gradients, directions=3, seed=0) -> float:
    """The largest relative difference of the gradient from central differences of 4th order.

    Each argument has directions of its own, scaled to the size of its elements, so that neither
    a large argument nor a large element hides a wrong small one.
    """
    rng = np.random.default_rng(seed)
    worst = 0.0
    for argnum, gradient in zip(argnums, gradients):
        x = np.asarray(args[argnum])
        size = np.maximum(np.abs(x), 0.01 * np.max(np.abs(x), initial=0.0))
        size = np.where(size == 0.0, 1.0, size)
        scaled = np.asarray(gradient) * size
        norm = float(np.linalg.norm(scaled))
        for _ in range(directions):
            direction = rng.standard_normal(x.shape)

            def along(distance, argnum=argnum, move=direction * size):
                moved = args[argnum] + distance * move
                return float(function(*args[:argnum], moved, *args[argnum + 1 :]))

            answer = float(np.sum(scaled * direction))
            worst = max(worst, difference(along, answer, norm))
    return worst


def difference(along, answer, norm):
    """Relative difference of a directional derivative; the best of the steps."""
    best = math.inf
    for step in STEPS:
        near, far = along(step) - along(-step), along(2 * step) - along(-2 * step)
        expected = (8.0 * near - far) / (12.0 * step)
        scale = max(norm, abs(expected)) or 1.0
        best = min(best, abs(answer - expected) / scale)  # in this order a NaN is not taken
        if best <= CLOSE:
            break
    return best
