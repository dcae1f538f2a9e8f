"""`python -m perf [NAME...] [--json]`: times, ratios and agreement, from a checkout."""

import argparse
import importlib
import json
import pkgutil
import sys

import numpy as np
from threadpoolctl import threadpool_limits

from perf import goals, memory, overhead, problems, report, specialization, timing
from perf.contenders import contenders, disagreement

NAMES = sorted(module.name for module in pkgutil.iter_modules(problems.__path__))
MEASURES = "overhead", "specialization", "memory"
PEAKS_OF = "mlp", "128x512"


def arguments(module, size):
    """The sets of arguments that a problem is called with in turn; most have one."""
    return [module.make(size, seed) for seed in range(getattr(module, "SEEDS", 1))]


def measure(name, size, seconds):
    """One problem at one size, as a record for JSON; seconds are those of one call."""
    module = importlib.import_module(f"perf.problems.{name}")
    sets = arguments(module, size)
    found, absent = contenders(name, size, module, sets)
    apart = disagreement(found)
    readings = {
        run: taken / len(sets)
        for run, taken in timing.compare({n: c.run for n, c in found.items()}, seconds).items()
    }
    units = module.units(size) if hasattr(module, "units") else None
    rows = {}
    for run, taken in readings.items():
        rows[run] = {"seconds": _spread(taken), "disagreement": apart.get(run)}
        for engine in ("tape", "sct"):
            rows[run][f"{engine}_ratio"] = engine in readings and _spread(readings[engine] / taken)
        if units:
            rows[run]["seconds_per_" + module.UNIT] = float(np.median(taken)) / units
    medians = {run: row["seconds"][0] for run, row in rows.items()}
    over = _spread(readings["sct"] - readings["generated"]) if "generated" in readings else None
    return {
        "problem": name,
        "size": size,
        "runs": rows,
        "absent": absent,
        "overhead": over,
        "goals": goals.limits(name, size, medians),
    }


def _spread(readings):
    spread = timing.Spread.of(readings)
    return [spread.median, spread.low, spread.high]


def peaks():
    """The most memory that contenders hold at once, and whether the specialized code is modest."""
    name, size = PEAKS_OF
    module = importlib.import_module(f"perf.problems.{name}")
    found, _ = contenders(name, size, module, arguments(module, size))
    taken = {run: memory.peak(found[run].run)
             for run in ("plain", "hand", "sct", "tape", "autograd") if run in found}
    record = {"problem": f"{name} {size}", "bytes": taken}
    return record | ({"met": taken["sct"] <= 1.1 * taken["hand"]} if "sct" in taken else {})


def describe():
    """What the figures depend on, as a record for JSON."""
    return {
        "numpy": np.__version__,
        "blas": timing.blas(),
        "yardstick_us": timing.yardstick(),
        "notes": timing.notes(),
    }


def parse(argv):
    parser = argparse.ArgumentParser(prog="python -m perf", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=", ".join([*NAMES, *MEASURES]))
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--size", help="a size other than a problem's own, e.g. 64x128")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each problem and size")
    options = parser.parse_args(argv)
    for name in options.names:
        if name not in [*NAMES, *MEASURES]:
            parser.error(
                f"nothing is called {name!r}; there are {', '.join([*NAMES, *MEASURES])}")
    return options


def main(argv=None):
    options = parse(argv)
    names = options.names or [*NAMES, *MEASURES]
    say = (lambda show, found: None) if options.json else (lambda show, found: show(found))
    with threadpool_limits(1, user_api="blas"):
        found = describe() | {"records": []}
        say(report.show_setting, found)
        for name in [name for name in names if name in NAMES]:
            sizes = importlib.import_module(f"perf.problems.{name}").SIZES
            for size in [options.size] if options.size else sizes:
                found["records"].append(measure(name, size, options.seconds))
                say(report.show, found["records"][-1])
        if "overhead" in names:
            found["overhead"] = overhead.overheads(options.seconds)
            say(report.show_overheads, found["overhead"])
        if "specialization" in names:
            found["specialization"] = {
                "costs": specialization.costs(), "first_call": specialization.first_call()}
            say(report.show_specialization, found["specialization"])
        if "memory" in names:
            found["memory"] = memory.per_operation() | {"peaks": peaks()}
            say(report.show_memory, found["memory"])
    if options.json:
        print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
