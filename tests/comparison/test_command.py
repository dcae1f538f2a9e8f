"""The command `hybridad compare`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hybridad
from hybridad.__main__ import main

MIXTURE = "2 1 3\n0.5\n1.0 2.5\n0.1 0.2 0.3\n1.0 2.0\n2.0 2.0\n1.0 5.0\n1.0 0\n"


def test_json_holds_what_the_table_shows(capsys):
    assert main(["compare", "--problem", "kmeans", "--problem", "logistic", "--json"]) == 0
    out, err = capsys.readouterr()
    rows = json.loads(out)["comparisons"]
    assert [row["problem"] for row in rows] == ["kmeans", "logistic"]
    for row in rows:
        assert row["agrees"] and row["worst_difference"] < 1e-7
        assert row["ratio"] == row["gradient_seconds"] / row["plain_seconds"]
    assert err == ""


def test_the_table(capsys):
    assert main(["compare", "--problem", "logistic"]) == 0
    out, err = capsys.readouterr()
    for word in ("problem", "value", "plain run", "gradient", "ratio", "difference", "0.663978"):
        assert word in out
    assert err == ""


def test_a_file_of_the_users(capsys, tmp_path):
    path = tmp_path / "points.txt"
    path.write_text(MIXTURE)
    assert main(["compare", "--problem", "kmeans_loop", "--data", str(path), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert row["value"] == 7.75  # 0.25 + 1.25 + 6.25
    assert row["gradient_norm"] == pytest.approx(13.0**0.5)  # of (-2, -3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--problem", "nope"], "no problem is called 'nope'"),
        (["--problem", "lstm", "--data", "missing.txt"], "cannot read 'missing.txt'"),
        (["--data", "missing.txt"], "exactly one problem"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_wrong_call_gives_one_line(capsys, options, message, form):
    assert main(["compare", *options, *form]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hybridad compare: ") and message in err and err.count("\n") == 1


def test_without_rich_the_table_says_what_to_install(capsys, monkeypatch):
    for name in [name for name in sys.modules if name == "rich" or name.startswith("rich.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    assert main(["compare", "--problem", "logistic"]) == 2
    err = capsys.readouterr().err
    assert "pip install 'hybridad[compare]'" in err and err.count("\n") == 1
    assert main(["compare", "--problem", "logistic", "--json"]) == 0


def test_help_names_the_problems(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["compare", "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    for word in ("--problem", "--data", "--json", "kmeans_loop", "ADBench"):
        assert word in out


def test_it_works_from_any_folder(tmp_path):
    command = [sys.executable, "-W", "error", "-m", "hybridad", "compare", "--json"]
    done = subprocess.run(
        [*command, "--problem", "logistic"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(hybridad.__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["comparisons"][0]["agrees"]
