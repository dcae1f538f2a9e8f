"""What a cached call may cost, as a factor of what another contender takes, and some µs on top."""

from typing import NamedTuple

__all__ = ["GOALS", "Goal", "limits"]


class Goal(NamedTuple):
    """At most `factor` times the time of another, and `extra` seconds."""

    factor: float
    extra: float = 0.0


GOALS = {
    ("mlp", "16x16"): {"hand": Goal(1.2, 3e-6), "autograd": Goal(0.13), "torch": Goal(1.0)},
    ("lstm", "16x16x20"): {"hand": Goal(1.25), "autograd": Goal(0.13), "torch": Goal(1.0)},
    ("lstm", "16x16x200"): {"hand": Goal(1.3)},
    ("mixture_whole", "10x25x1000"): {
        "hand": Goal(1.2),
        "autograd": Goal(0.5),
        "torch": Goal(1.0),
    },
    ("horner", "1000"): {"hand": Goal(1.2)},
    ("horner", "10000"): {"hand": Goal(1.2)},
    ("fill", "1000"): {"hand": Goal(1.2)},
    ("fill", "10000"): {"hand": Goal(1.2)},
    ("product", "12x12x12"): {"hand": Goal(1.2)},
    ("heat", "100x200"): {"hand": Goal(1.3)},
    ("newton", "3-50"): {"hand": Goal(1.7)},
}


def limits(name: str, size: str, seconds: dict[str, float]) -> dict[str, dict]:
    """For each goal of a problem: how long a cached call may take, and whether it takes no longer.

    `seconds` are the medians of the contenders.
    """
    found = {}
    for other, goal in GOALS.get((name, size), {}).items():
        if other in seconds and "sct" in seconds:
            limit = goal.factor * seconds[other] + goal.extra
            found[other] = {"seconds": limit, "met": seconds["sct"] <= limit}
    return found
