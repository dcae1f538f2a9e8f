"""The command line: `hybridad compare`, or `python -m hybridad compare`."""

import argparse
import sys
from collections.abc import Sequence

from hybridad.comparison.measure import compare
from hybridad.comparison.problems import PROBLEMS, ProblemError
from hybridad.comparison.report import MissingExtraError, as_json, print_table, show_progress

__all__ = ["main"]


def _parser():
    parser = argparse.ArgumentParser(
        prog="hybridad", description="Derivatives of unmodified NumPy code."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "compare",
        help="differentiate real models on real data; time them and check the gradients",
        description="Differentiate real models on real data: time a plain run and the tape, and "
        "hold every gradient against finite differences.",
        epilog="problems and their data files:\n"
        + "\n".join(f"  {p.name:12} {p.title} ({p.format})" for p in PROBLEMS.values()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--problem",
        action="append",
        metavar="NAME",
        help="a problem to run, may be repeated; all by default",
    )
    command.add_argument(
        "--data", metavar="FILE", help="run the one --problem on this file, in its own format"
    )
    command.add_argument("--json", action="store_true", help="print JSON, without a progress bar")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0 if all agrees, 1 if a gradient or value does not, 2 on a wrong call."""
    options = _parser().parse_args(argv)
    try:
        if options.json:
            records = compare(options.problem, data=options.data)
            print(as_json(records))
        else:
            with show_progress() as progress:
                records = compare(options.problem, data=options.data, progress=progress)
            print_table(records)
    except (ProblemError, MissingExtraError) as error:
        print(f"hybridad compare: {error}", file=sys.stderr)
        return 2
    return 0 if all(record.agrees for record in records) else 1


if __name__ == "__main__":
    sys.exit(main())
