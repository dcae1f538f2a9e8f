"""`python -m perf`: what it prints, and what it measures."""

import json

import numpy as np
import pytest

from perf import memory, timing
from perf.__main__ import main


def test_json_has_times_ratios_and_agreement(capsys):
    assert main(["mlp", "--size", "3x5", "--seconds", "0", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["yardstick_us"] > 0.0 and "kernel" in report["blas"]
    (record,) = report["records"]
    assert set(record["runs"]) == {"plain", "tape", "hand", "autograd"}
    for run, row in record["runs"].items():
        assert 0.0 < row["seconds"][1] <= row["seconds"][0] <= row["seconds"][2]
        if run in ("hand", "autograd"):
            assert row["disagreement"] < 1e-12


def test_text_names_who_cannot_take_part(capsys):
    assert main(["fill", "--size", "7", "--seconds", "0"]) == 0
    out = capsys.readouterr().out
    assert "yardstick" in out and "tape/plain" in out
    assert "autograd  not run: arrays cannot be filled in place" in out


def test_an_unknown_name_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["nope"])
    assert "nothing is called 'nope'" in capsys.readouterr().err


def test_contenders_take_turns():
    order = []
    runs = {name: lambda name=name: order.append(name) for name in "ab"}
    readings = timing.compare(runs, seconds=0.0, least=3)
    assert {name: len(taken) for name, taken in readings.items()} == {"a": 3, "b": 3}
    turns = "".join(name for i, name in enumerate(order) if i == 0 or order[i - 1] != name)
    assert turns == "ab" * 4  # the warming up, then three rounds


def test_a_setting_that_slows_numpy_is_noted(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.delenv("OPENBLAS_L2_SIZE", raising=False)
    assert "OPENBLAS_CORETYPE=Haswell is set" in timing.notes()[0]
    monkeypatch.delenv("OPENBLAS_CORETYPE")
    assert timing.notes() == []


def test_a_spread_is_the_quartiles():
    spread = timing.Spread.of(np.arange(5.0))
    assert (spread.low, spread.median, spread.high) == (1.0, 2.0, 3.0)


def test_a_recorded_operation_takes_at_most_150_bytes_beside_its_arrays():
    found = memory.per_operation(200_000)
    assert found["difference"] == found["tape"] - found["arrays"]
    assert 100.0 < found["arrays"] < 300.0
    assert 0.0 < found["difference"] <= 150.0
