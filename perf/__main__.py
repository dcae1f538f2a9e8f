"""`python -m perf [NAME...] [--json]`: times, ratios and agreement, from a checkout."""

import argparse
import importlib
import json
import pkgutil
import sys

import numpy as np
from threadpoolctl import threadpool_limits

import hybridad
from perf import memory, problems, timing
from perf.peers import autograd_peer, handwritten

NAMES = sorted(module.name for module in pkgutil.iter_modules(problems.__path__))


def contenders(name, size, module, args):
    """What is run on a problem: name -> function of no arguments, and who cannot take part."""
    argnums = module.ARGNUMS
    tape = hybridad.value_and_grad(module.f, argnums=argnums)
    runs = {"plain": lambda: module.f(*args), "tape": lambda: tape(*args)}
    absent = {}
    if name in handwritten.ADJOINTS:
        by_hand = handwritten.ADJOINTS[name]
        runs["hand"] = lambda: by_hand(*args)
    if reason := autograd_peer.refusal(name, size):
        absent["autograd"] = reason
    else:
        autograd = autograd_peer.differentiate(name, argnums)
        runs["autograd"] = lambda: autograd(*args)
    return runs, absent


def disagreement(runs):
    """The largest difference of a gradient from the tape's, relative to its largest element."""
    answers = {name: run() for name, run in runs.items() if name != "plain"}
    value, gradients = answers.pop("tape")
    worst = {}
    for name, (other_value, others) in answers.items():
        pairs = [(value, other_value), *zip(gradients, others, strict=True)]
        worst[name] = max(float(np.max(np.abs(a - b)) / np.max(np.abs(b))) for a, b in pairs)
    return worst


def measure(name, size, seconds):
    """One problem at one size, as a record for JSON."""
    module = importlib.import_module(f"perf.problems.{name}")
    args = module.make(size, seed=0)
    runs, absent = contenders(name, size, module, args)
    apart = disagreement(runs)
    readings = timing.compare(runs, seconds)
    units = module.units(size) if hasattr(module, "units") else None
    rows = {}
    for run, taken in readings.items():
        spread, ratio = timing.Spread.of(taken), timing.Spread.of(readings["tape"] / taken)
        rows[run] = {
            "seconds": [spread.median, spread.low, spread.high],
            "tape_ratio": [ratio.median, ratio.low, ratio.high],
            "disagreement": apart.get(run),
        }
        if units:
            rows[run]["seconds_per_" + module.UNIT] = spread.median / units
    return {"problem": name, "size": size, "runs": rows, "absent": absent}


def show(record):
    """A record as lines of text."""
    print(f"{record['problem']} {record['size']}")
    for run, row in record["runs"].items():
        middle, low, high = (1e6 * t for t in row["seconds"])
        line = f"  {run:9} {middle:12,.1f} µs [{low:,.1f} to {high:,.1f}]"
        for key, seconds in row.items():
            if key.startswith("seconds_per_"):
                line += f"  {1e6 * seconds:.3f} µs/{key.removeprefix('seconds_per_')}"
        if run != "tape":
            middle, low, high = row["tape_ratio"]
            line += f"  tape/{run} = {middle:.3g} [{low:.3g} to {high:.3g}]"
        if row["disagreement"] is not None:
            line += f"  gradients differ by {row['disagreement']:.0e}"
        print(line)
    for run, reason in record["absent"].items():
        print(f"  {run:9} not run: {reason}")


def show_memory(found):
    print("memory of a recorded operation on 4 elements (10^6 of them)")
    print(
        f"  {found['difference']:.0f} bytes: {found['tape']:.0f} with its ndarrays, "
        f"which take {found['arrays']:.0f}"
    )


def describe():
    """What the figures depend on, as a record for JSON."""
    return {
        "numpy": np.__version__,
        "blas": timing.blas(),
        "yardstick_us": timing.yardstick(),
        "notes": timing.notes(),
    }


def show_setting(setting):
    print(f"NumPy {setting['numpy']}; {setting['blas']}")
    print(
        f"yardstick: np.add on 4 elements takes {setting['yardstick_us']:.2f} µs "
        f"(the reference machine has {timing.REFERENCE_YARDSTICK})"
    )
    for note in setting["notes"]:
        print(f"note: {note}")


def parse(argv):
    parser = argparse.ArgumentParser(prog="python -m perf", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES) + ", memory")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--size", help="a size other than a problem's own, e.g. 64x128")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each problem and size")
    options = parser.parse_args(argv)
    for name in options.names:
        if name not in [*NAMES, "memory"]:
            parser.error(f"nothing is called {name!r}; there are {', '.join(NAMES)}, memory")
    return options


def main(argv=None):
    options = parse(argv)
    names = options.names or [*NAMES, "memory"]
    with threadpool_limits(1, user_api="blas"):
        report = describe() | {"records": []}
        if not options.json:
            show_setting(report)
        for name in [name for name in names if name != "memory"]:
            sizes = importlib.import_module(f"perf.problems.{name}").SIZES
            for size in [options.size] if options.size else sizes:
                report["records"].append(measure(name, size, options.seconds))
                if not options.json:
                    show(report["records"][-1])
        if "memory" in names:
            report["memory"] = memory.per_operation()
            if not options.json:
                show_memory(report["memory"])
    if options.json:
        print(json.dumps(report, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
