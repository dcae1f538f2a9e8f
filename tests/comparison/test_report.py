"""How a comparison is shown."""

import dataclasses
import json

import pytest

from hybridad.comparison.measure import Comparison
from hybridad.comparison.report import as_json, print_table, show_progress

RECORD = Comparison(
    problem="kmeans_loop",
    title="k-means",
    value=-142.213123,
    same_value=True,
    gradient_norm=0.09474143,
    plain_seconds=0.0234,
    gradient_seconds=1.234,
    ratio=52.7,
    worst_difference=6e-12,
)


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_a_table_of_80_columns_cuts_nothing(capsys):
    print_table([RECORD])
    out = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.split("\n")]
    assert "problem value |gradient| plain run gradient ratio difference" in lines
    assert "kmeans_loop -142.213 0.0947414 23.4 ms 1.23 s 52.7 6e-12" in lines
    assert "…" not in out and "!" not in out


def test_a_value_that_is_not_the_plain_runs_is_marked(capsys):
    print_table([dataclasses.replace(RECORD, same_value=False)])
    out = capsys.readouterr().out
    assert "-142.213 !" in out and "!: not the plain run's value" in out


@pytest.mark.parametrize(
    ("changes", "agrees"),
    [
        ({}, True),
        ({"same_value": False}, False),
        ({"worst_difference": 1e-3}, False),
        ({"worst_difference": float("inf")}, False),
    ],
)
def test_json_says_whether_all_agrees(changes, agrees):
    report = json.loads(as_json([dataclasses.replace(RECORD, **changes)]))
    assert set(report) == {"python", "numpy", "comparisons"}
    (row,) = report["comparisons"]
    assert row["agrees"] is agrees
    assert set(row) == {field.name for field in dataclasses.fields(Comparison)} | {"agrees"}


def test_progress_is_silent_where_nobody_watches(capsys):
    with show_progress() as progress:
        progress(0.5, 1, "halfway")
    assert capsys.readouterr() == ("", "")
