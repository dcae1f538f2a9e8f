"""Show comparisons: a table and a progress bar (rich), or JSON."""

import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

import numpy as np

from hybridad.comparison.measure import Comparison
from hybridad.errors import HybridadError

__all__ = ["MissingExtraError", "as_json", "print_table", "show_progress"]


class MissingExtraError(HybridadError, ImportError):
    """An optional package is not installed."""


def as_json(records: Iterable[Comparison]) -> str:
    """All records, and what they were measured on."""
    setting = {"python": platform.python_version(), "numpy": np.__version__}
    rows = [asdict(record) | {"agrees": record.agrees} for record in records]
    return json.dumps({**setting, "comparisons": rows}, indent=2)


@contextmanager
def show_progress() -> Iterator:
    """A progress bar on standard error while a comparison works; yields its callback."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError:
        raise MissingExtraError(
            "the table needs rich: pip install 'hybridad[compare]' (--json does without)"
        ) from None
    columns = BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("start")
        yield lambda done, total, text: bar.update(
            task, completed=done, total=total, description=text
        )


def print_table(records: Sequence[Comparison]) -> None:
    """One row a problem, and what the columns mean."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column("problem", no_wrap=True)
    for heading in ("value", "|gradient|", "plain run", "gradient", "ratio", "difference"):
        table.add_column(heading, justify="right", no_wrap=True)
    for record in records:
        table.add_row(
            record.problem,
            f"{record.value:.6g}" + ("" if record.same_value else " !"),
            f"{record.gradient_norm:.6g}",
            _duration(record.plain_seconds),
            _duration(record.gradient_seconds),
            f"{record.ratio:.1f}",
            f"{record.worst_difference:.0e}",
            style=None if record.agrees else "red",
        )
    console = Console()
    console.print(table)
    console.print(
        "ratio: value and gradient to plain run; "
        "difference: worst relative one from finite differences"
        + ("" if all(r.same_value for r in records) else "; !: not the plain run's value"),
        style="dim",
    )


def _duration(seconds):
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
