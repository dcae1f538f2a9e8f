"""Random loop programs under an engine: `python -m tests.generator.loops --count 3000`.

Each program (`loop_source`) runs at six trip counts in random order. At each it is called twice
with the same arguments, later once more with others; values are held against plain Python bit for
bit, gradients against complex steps, Hessian-vector products against differences of those.
"""

import argparse
import random
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np

import hybridad
from hybridad.errors import SpecializationWarning
from tests.generator.loop_oracle import LoopProgram
from tests.generator.loop_programs import SIZE, loop_source
from tests.generator.observation import same
from tests.generator.shrinking import shrink

__all__ = ["TRIPS", "Outcome", "check_program", "check_source", "main"]

TRIPS = (0, 1, 2, 3, 7, 70)
_WITH_HVP = (2, 3, 7)
_TOLERANCE = {"gradient": 1e-9, "Hessian-vector product": 1e-5}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an engine made of one program.

    Attributes
    ----------
    verdict : {"right", "wrong", "refused"}
    detail : str
        What is wrong or was refused. An internal error is wrong, too.
    hits, recordings : int
        As `hybridad.cache_info` has them; 0 where there is no cache.
    specialized : bool
        Whether every call that repeated one was a hit.
    reason : str
        Why it was not specialized.
    gradients, hvps : int
        How many were compared.
    """

    seed: int
    verdict: str
    detail: str = ""
    hits: int = 0
    recordings: int = 0
    specialized: bool = False
    reason: str = ""
    gradients: int = 0
    hvps: int = 0


class _WrongError(Exception):
    """An engine's answer is not what it should be."""


class _Check:
    """One program, its differentiated function, and how often what was compared."""

    def __init__(self, source, seed, engine, value_and_grad):
        self.program = LoopProgram(source, str(seed))
        self.engine = engine
        self.differentiated = value_and_grad(self.program.function, (0, 1), engine=engine)
        self.seed = seed
        self.gradients = self.hvps = self.repeats = self.repeat_hits = self.nested_hits = 0

    def run(self):
        rng = random.Random(self.seed)
        trips = rng.sample(TRIPS, len(TRIPS))
        for n in trips:
            point = self._point(n, 0)
            expected = self.program.value(*point), self.program.gradient(*point)
            self._call(point, expected)
            hits = cached(self.differentiated).hits
            self._call(point, expected)
            self.repeats += 1
            self.repeat_hits += cached(self.differentiated).hits > hits
        for n in rng.sample(TRIPS, len(TRIPS)):
            point = self._point(n, 1)
            self._call(point, (self.program.value(*point), self.program.gradient(*point)))
        self._call_hvp(self._point(rng.choice(_WITH_HVP), 0))

    def _point(self, n, which):
        rng = np.random.default_rng((self.seed, n, which))
        return rng.uniform(-1.2, 1.2, SIZE), float(rng.uniform(-1.2, 1.2)), n

    def _call(self, point, expected):
        x, w, n = point
        passed = x.copy()
        value, gradient = self.differentiated(passed, w, n)
        if not same(value, expected[0]):
            raise _WrongError(f"n = {n}: the value is {value!r}, in plain Python {expected[0]!r}")
        if passed.tobytes() != x.tobytes():
            raise _WrongError(f"n = {n}: x was modified")
        if expected[1] is not None:
            self.gradients += 1
            self._compare("gradient", n, gradient, expected[1])

    def _call_hvp(self, point):
        x, w, n = point
        rng = np.random.default_rng((self.seed, n, 2))
        tx, tw = rng.uniform(-1.0, 1.0, SIZE), float(rng.uniform(-1.0, 1.0))
        expected = self.program.hvp(x, w, n, tx, tw)
        if expected is None:
            return
        gradient = hybridad.grad(self.program.function, (0, 1), engine=self.engine)
        for found in (self._forward_over_reverse if self.seed % 2 else self._reverse_over_reverse)(
                gradient, (x, w, n), tx, tw):
            self.hvps += 1
            self._compare("Hessian-vector product", n, found, expected)

    def _forward_over_reverse(self, gradient, point, tx, tw):
        for _ in range(2):
            yield hybridad.jvp(gradient, point, (tx, tw), argnums=(0, 1), engine=self.engine)[1]

    def _reverse_over_reverse(self, gradient, point, tx, tw):
        def slope(x, w, n):
            g_x, g_w = gradient(x, w, n)
            return np.sum(g_x * tx) + g_w * tw

        product = hybridad.grad(slope, (0, 1), engine=self.engine)
        yield product(*point)
        yield product(*point)
        self.nested_hits += cached(product).hits

    def _compare(self, what, n, found, expected):
        by_x, by_w = found
        if np.shape(by_x) != (SIZE,) or np.shape(by_w) != ():
            raise _WrongError(f"n = {n}: the {what} has shapes {np.shape(by_x)}, {np.shape(by_w)}")
        found = np.append(by_x, by_w)
        apart = np.max(np.abs(found - expected)) / (1.0 + np.max(np.abs(expected)))
        if not apart <= _TOLERANCE[what]:
            raise _WrongError(f"n = {n}: the {what} is {found}, by differences {expected}")

    def outcome(self, verdict, detail=""):
        info = cached(self.differentiated)
        specialized = self.repeats == self.repeat_hits == len(TRIPS)
        reason = "" if specialized else hybridad.explain(self.differentiated).reason or (
            f"{self.repeat_hits} hits in {self.repeats} repeated calls")
        return Outcome(self.seed, verdict, detail, info.hits, info.recordings, specialized, reason,
                       self.gradients, self.hvps)


@dataclass(frozen=True, slots=True)
class _NoCache:
    hits: int = 0
    recordings: int = 0


def cached(differentiated):
    """What the cache of a differentiated function did; zeros where there is none."""
    ask = getattr(hybridad, "cache_info", None)
    return ask(differentiated) if ask and hasattr(differentiated, "__hybridad__") else _NoCache()


def check_program(seed: int, engine: str, value_and_grad=hybridad.value_and_grad) -> Outcome:
    """Call the program of a seed in all ways and compare.

    Parameters
    ----------
    seed : int
    engine : str
        An engine of hybridad.
    value_and_grad : callable
        Something else in place of `hybridad.value_and_grad`, which is checked.

    Returns
    -------
    Outcome
    """
    return check_source(loop_source(seed), seed, engine, value_and_grad)


def check_source(source, seed, engine, value_and_grad=hybridad.value_and_grad):
    """The same for another program with the arguments of a seed."""
    check = _Check(source, seed, engine, value_and_grad)
    try:
        with warnings.catch_warnings(action="ignore", category=SpecializationWarning):
            check.run()
    except _WrongError as error:
        return check.outcome("wrong", str(error))
    except hybridad.HybridadError as error:
        return check.outcome("refused", str(error))
    except Exception as error:  # of hybridad's own, as plain Python has run the program
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return check.outcome("wrong", f"{error!r} at {frame.filename}:{frame.lineno}")
    finally:
        check.program.unload()
    return check.outcome("right")


def main(argv=None) -> int:
    """The command line; returns how many programs were not right, at most 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.generator.loops", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many programs")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--show", type=int, metavar="SEED", help="print one program, run nothing")
    parser.add_argument("--shrink", type=int, metavar="SEED", help="print a smaller one like it")
    options = parser.parse_args(argv)
    if options.show is not None:
        print(loop_source(options.show))
        return 0
    if options.shrink is not None:
        print(_shrunk(options.shrink, options.engine))
        return 0
    start = time.perf_counter()
    outcomes = []
    try:
        for seed in range(options.start, options.start + options.count):
            outcomes.append(check_program(seed, options.engine))
            if outcomes[-1].verdict != "right":
                print(f"seed {seed} {outcomes[-1].verdict}: {outcomes[-1].detail}", flush=True)
    except KeyboardInterrupt:
        print(f"interrupted after {len(outcomes)}")
    print_table(outcomes, time.perf_counter() - start)
    return int(any(outcome.verdict != "right" for outcome in outcomes))


def _shrunk(seed, engine):
    """The smallest program found with which an engine fails as it does with that of a seed."""

    def failure(source):
        outcome = check_source(source, seed, engine)
        text = outcome.detail or outcome.reason
        return outcome.verdict, re.sub(r"-?\d[-+.\de]*", "#", text)[:40]

    wanted = failure(loop_source(seed))
    return f"# {wanted}\n" + shrink(loop_source(seed), lambda source: failure(source) == wanted)


def print_table(outcomes, seconds):
    """How many are right, how many are specialized, and why others are not."""
    count = len(outcomes) or 1
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    for verdict in ("right", "wrong", "refused"):
        print(f"{verdict:12} {verdicts[verdict]:6}")
    print(f"compared     {sum(o.gradients for o in outcomes):6} gradients, "
          f"{sum(o.hvps for o in outcomes)} Hessian-vector products in {seconds:.0f} s")
    specialized = [outcome for outcome in outcomes if outcome.specialized]
    print(f"specialized  {len(specialized):6} = {len(specialized) / count:.1%}")
    if specialized:
        counts = [outcome.recordings for outcome in specialized]
        few = np.mean(np.array(counts) <= len(TRIPS))
        print(f"recordings of these: median {np.median(counts):g}; at most one for each of the "
              f"{len(TRIPS)} trip counts in {few:.1%}")
    reasons = Counter(re.sub(r"<loop program \d+>:\d+", "...", re.sub(r"%\d+", "%", o.reason))
                      for o in outcomes if not o.specialized)
    for reason, times in reasons.most_common(20):
        print(f"  {times:6}  {reason}")


if __name__ == "__main__":
    sys.exit(main())
