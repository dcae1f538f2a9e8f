"""`python -m perf`: what it prints, and what it measures."""

import json
import re

import numpy as np
import pytest

from perf import goals, memory, specialization, timing
from perf.__main__ import main, measure


def test_json_has_times_ratios_and_agreement(capsys):
    assert main(["mlp", "--size", "3x5", "--seconds", "0", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["yardstick_us"] > 0.0 and "kernel" in report["blas"]
    (record,) = report["records"]
    assert {"plain", "tape", "hand", "autograd"} <= set(record["runs"])
    assert {"sct", "torch", "jax"} <= set(record["runs"]) | set(record["absent"])
    for run, row in record["runs"].items():
        assert 0.0 < row["seconds"][1] <= row["seconds"][0] <= row["seconds"][2]
        if run not in ("plain", "tape"):
            assert row["disagreement"] < 1e-12


def test_text_names_who_cannot_take_part(capsys):
    assert main(["fill", "--size", "7", "--seconds", "0"]) == 0
    out = capsys.readouterr().out
    assert "yardstick" in out and "tape/plain" in out
    assert re.search("autograd +- +arrays cannot be filled in place", out)


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


def test_a_problem_of_several_calls_is_timed_by_the_call():
    record = measure("newton", "3-12", 0.0)
    assert record["runs"]["plain"]["seconds"][0] < 1e-4
    assert record["runs"]["hand"]["disagreement"] < 1e-12


def test_goals_are_factors_of_what_others_take():
    seconds = {"sct": 33e-6, "hand": 26e-6, "autograd": 250e-6}
    limits = goals.limits("mlp", "16x16", seconds)
    assert limits["hand"] == {"seconds": pytest.approx(34.2e-6), "met": True}
    assert limits["autograd"] == {"seconds": pytest.approx(32.5e-6), "met": False}
    assert set(limits) == {"hand", "autograd"}
    assert goals.limits("mlp", "16x16", {"hand": 1.0}) == goals.limits("kmeans", "1", seconds) == {}


def test_a_peak_is_what_a_call_holds_at_once():
    def run():
        first = np.ones(200_000)
        del first
        return np.ones(100_000), np.ones(200_000)

    assert 2.4e6 <= memory.peak(run) < 2.5e6


def test_both_kinds_of_long_programs_do_the_same():
    y, c = np.array([0.3, -0.1]), np.array([0.2, 0.7])
    for operations in (12, 40):
        straight, looped = (make(operations) for make in specialization.KINDS.values())
        assert straight(y, c) == looped(y, c)


def test_a_cost_is_that_of_the_first_call():
    found = specialization.cost(specialization.loop(40), (np.ones(4), np.ones(4)))
    assert 37 <= found["operations"] <= 40
    assert found["tape"] > 0.0 and np.isfinite(found["specialize"]) and found["code"] > 0.0


def test_every_measure_is_shown(capsys, monkeypatch):
    monkeypatch.setattr(specialization, "OPERATIONS", (40, 400))
    monkeypatch.setattr(memory, "OPERATIONS", 1000)
    assert main(["overhead", "specialization", "memory", "--seconds", "0"]) == 0
    out = capsys.readouterr().out
    for text in ("three plain arrays", "small pytrees", "operations in lines", "operations in loop",
                 "first call of the LSTM", "memory of a recorded operation", "hand "):
        assert text in out
