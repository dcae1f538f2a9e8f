"""What a cached call costs over calling the generated function itself."""

import functools

import numpy as np

import hybridad
from perf import generated, timing

__all__ = ["overheads"]


def of_arrays(x, y, z):
    return np.sum(x * y + z)


def of_trees(layers, x, y):
    out = x
    for layer in layers:
        out = out * layer["w"] + layer["b"]
    return np.sum((out - y) ** 2)


def _cases():
    rng = np.random.default_rng(0)
    x, y, z, a, b, c, d = rng.standard_normal((7, 4))
    return {
        "three plain arrays": (of_arrays, (x, y, z)),
        "small pytrees": (of_trees, ([{"w": a, "b": b}, {"w": c, "b": d}], x, y)),
    }


GOALS = {"three plain arrays": 1.5e-6, "small pytrees": 3e-6}


def overheads(seconds: float) -> dict[str, dict]:
    """For each case the seconds of a call, of the generated function, and their difference."""
    found = {}
    for case, (function, args) in _cases().items():
        whole = hybridad.value_and_grad(function)
        if reason := generated.refusal(whole, [args]):
            found[case] = {"absent": reason}
            continue
        alone = generated.generated(whole, args)
        readings = timing.compare(
            {"call": functools.partial(whole, *args), "generated": alone}, seconds)
        difference = timing.Spread.of(readings["call"] - readings["generated"])
        found[case] = {
            "call": float(np.median(readings["call"])),
            "generated": float(np.median(readings["generated"])),
            "overhead": [difference.median, difference.low, difference.high],
            "met": difference.median <= GOALS[case],
        }
    return found
