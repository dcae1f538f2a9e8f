"""The records of `python -m perf` as lines of text."""

from perf.timing import REFERENCE_YARDSTICK

__all__ = ["show", "show_memory", "show_overheads", "show_setting", "show_specialization"]


def show_setting(setting):
    print(f"NumPy {setting['numpy']}; {setting['blas']}")
    print(
        f"yardstick: np.add on 4 elements takes {setting['yardstick_us']:.2f} µs "
        f"(the reference machine has {REFERENCE_YARDSTICK})"
    )
    for note in setting["notes"]:
        print(f"note: {note}")


def show(record):
    """A problem at one size."""
    print(f"{record['problem']} {record['size']}")
    for run, row in record["runs"].items():
        print(_line(run, row, record["goals"].get(run)))
    if record["overhead"] is not None:
        middle, low, high = (1e6 * t for t in record["overhead"])
        print(f"  a cached call costs {middle:.2f} µs [{low:.2f} to {high:.2f}] over the generated "
              "function")
    for run, reason in record["absent"].items():
        print(f"  {run:9} {'-':>12}    {reason}")


def _line(run, row, goal):
    middle, low, high = (1e6 * t for t in row["seconds"])
    line = f"  {run:9} {middle:12,.1f} µs [{low:,.1f} to {high:,.1f}]"
    for key, seconds in row.items():
        if key.startswith("seconds_per_"):
            line += f"  {1e6 * seconds:.3f} µs/{key.removeprefix('seconds_per_')}"
    for engine in ("sct", "tape"):
        if row.get(f"{engine}_ratio") and run not in ("sct", "tape"):
            middle, low, high = row[f"{engine}_ratio"]
            line += f"  {engine}/{run} = {middle:.3g} [{low:.3g} to {high:.3g}]"
    if goal:
        line += f"  goal {1e6 * goal['seconds']:,.1f} µs: {_met(goal['met'])}"
    if row["disagreement"] is not None:
        line += f"  gradients differ by {row['disagreement']:.0e}"
    return line


def _met(met):
    return "met" if met else "MISSED"


def show_memory(found):
    print("memory of a recorded operation on 4 elements (10^6 of them)")
    print(
        f"  {found['difference']:.0f} bytes: {found['tape']:.0f} with its ndarrays, "
        f"which take {found['arrays']:.0f}"
    )
    print(f"most memory at once, {found['peaks']['problem']}")
    for run, taken in found["peaks"]["bytes"].items():
        print(f"  {run:9} {taken / 2**20:8.2f} MiB")
    if "met" in found["peaks"]:
        print(f"  sct at most 1.1 of hand: {_met(found['peaks']['met'])}")


def show_overheads(found):
    print("a cached call over the generated function")
    for case, row in found.items():
        if "absent" in row:
            print(f"  {case:20} -    {row['absent']}")
            continue
        middle, low, high = (1e6 * t for t in row["overhead"])
        print(f"  {case:20} {middle:.2f} µs [{low:.2f} to {high:.2f}] over "
              f"{1e6 * row['generated']:.2f} µs: {_met(row['met'])}")


def show_specialization(found):
    print("specializing, less the tape's answer")
    for kind, (few, many) in found["costs"].items():
        for row in (few, many):
            text = "-" if row["engine"] == "tape" else (
                f"{1e3 * row['specialize']:9.1f} ms = "
                f"{1e6 * row['specialize'] / row['operations']:.1f} µs an operation, "
                f"making code {1e6 * row['code'] / row['operations']:.1f} of it")
            print(f"  {row['operations']:7,} operations in {kind:5}  {text}"
                  f"  (tape: {1e3 * row['tape']:.1f} ms)"
                  + (f"  stays on the tape: {row['reason']}" if row["reason"] else ""))
        if "tape" not in (few["engine"], many["engine"]):
            print(f"  {many['specialize'] / few['specialize']:.1f} times as long for "
                  f"{many['operations'] / few['operations']:.1f} times as many in {kind}")
    first = found["first_call"]
    print(f"first call of the LSTM: {1e3 * first['hybridad']:.1f} ms; compiling by JAX: "
          + (f"{first['jax']:.2f} s = {first['jax'] / first['hybridad']:.0f} times that"
             if "jax" in first else f"- ({first['absent']})"))
