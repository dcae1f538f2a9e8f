"""Whole programs: what is folded gives right values at other trip counts, or exits."""

import numpy as np
import pytest

from hybridad.trace.fold import Known, fold
from hybridad.trace.ir import Loop
from hybridad.trace.rewriting import parts_of
from hybridad.trace.simplify import simplify
from hybridad.trace.text import show
from tests.trace.toy import record
from tests.trace.toy_programs import random_program
from tests.trace.toy_runs import TRIPS, Runs, inputs

ADD = ("set", "y", ("add", "y", ("mul", "a", "i")))
PROGRAMS = {
    "sum": [("set", "y", 0.5), ("for", "i", "n", [ADD]), ("return", ("mul", "y", 2.0))],
    "while": [("set", "y", ("sin", "a")), ("set", "k", 0.0),
              ("while", ("lt", "k", "n"), [("set", "k", ("add", "k", 1.0)),
                                           ("set", "y", ("sin", ("add", "y", "k")))]),
              ("return", "y")],
    "filled": [("array", "z", 5),
               ("for", "i", "n", [("store", "z", "i", ("mul", "a", ("item", "x", "i")))]),
               ("return", ("sum", "z"))],
    "swapped": [("array", "z", 5), ("copy", "w", "x"),
                ("for", "i", "n", [("store", "z", "i", ("mul", "a", ("item", "w", "i"))),
                                   ("swap", "z", "w")]),
                ("return", ("add", ("item", "z", 1), ("sum", "w")))],
    "nested": [("set", "y", 0.0),
               ("for", "i", "n", [
                   ("set", "t", 0.0),
                   ("for", "j", "m", [("set", "t", ("add", "t", ("mul", "i", "j")))]),
                   ("set", "y", ("add", "y", ("mul", "a", "t")))]),
               ("return", "y")],
}
FLAG = [("flag", "first", True), ("set", "y", "a"),
        ("for", "i", "n", [("test", "first", [("set", "y", ("mul", "y", 2.0)),
                                              ("flag", "first", False)],
                            [("set", "y", ("add", "y", 1.0))])]),
        ("return", "y")]
SEARCH = [("set", "y", ("item", "x", 0)),
          ("for", "i", "n", [("set", "y", ("add", "y", ("item", "x", "i"))),
                             ("if", ("gt", "y", 2.0), [("return", ("mul", "y", "a"))], [])]),
          ("return", "y")]


def run_all(program, trips=TRIPS, seed=0, **options):
    runs, rng = Runs(program, **options), np.random.default_rng(seed)
    for n, m in trips:
        runs(inputs(rng, n, m))
    return runs


def loops(block):
    return [node for part in parts_of(block) for node in part.nodes if type(node) is Loop]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("names_written", [False, True])
def test_one_run_serves_all_trip_counts(name, names_written):
    runs = run_all(PROGRAMS[name], names_written=names_written)
    assert runs.counts["new"] == 1 and not runs.counts["grown"] + runs.counts["unmergeable"]
    assert runs.counts["merged"] <= (name == "nested")  # its inner loop had had one iteration
    assert runs.counts["hit"] >= len(TRIPS) - 2


def test_the_size_does_not_depend_on_the_trip_count():
    texts = set()
    for n in (3, 50, 400):
        events, _ = record(PROGRAMS["swapped"], inputs(np.random.default_rng(0), n, 1))
        texts.add(show(fold(events)).replace(" ", ""))
    ids = str.maketrans("", "", "0123456789")
    assert len({text.translate(ids) for text in texts}) == 1


def test_a_flag_peels_one_iteration():
    runs = run_all(FLAG)
    assert runs.counts["hit"] >= 6 and len(runs.known.loops) == 1
    (loop,) = runs.known.loops.values()
    assert loop.peeled == 1 and not loop.unrolled
    assert len(loops(runs.tree)) == 1


def test_return_in_a_loop_is_a_way_out():
    runs = run_all(SEARCH)
    assert runs.counts["hit"] >= 5
    (loop,) = loops(simplify(runs.tree))
    assert any(phi.name is None for phi in loop.phis), "what is returned had no name"


def test_what_travels_unseen_is_written_out():
    program = [("hide", "s", 1.0), ("set", "y", "a"),
               ("for", "i", "n", [("set", "y", ("add", "y", ("hidden", "s"))),
                                  ("hide", "s", ("mul", "y", 0.5))]),
               ("return", "y")]
    runs = run_all(program)
    (loop,) = runs.known.loops.values()
    assert loop.unrolled and not loops(runs.tree)
    assert any("written out" in reason for reason in runs.known.reasons)


def test_two_ways_out_with_other_flags_are_two_labels():
    program = [("flag", "first", True), ("set", "y", "a"),
               ("for", "i", "n", [
                   ("set", "y", ("add", "y", ("item", "x", "i"))),
                   ("if", ("gt", "y", 3.0), [("flag", "second", True), ("break",)], []),
                   ("if", ("gt", ("item", "x", "i"), 0.9),
                    [("flag", "second", False), ("break",)], [])]),
               ("flag", "first", False), ("return", "y")]
    runs, rng = Runs(program), np.random.default_rng(3)
    for _ in range(30):
        runs(inputs(rng, 7, 1))
    assert runs.counts["hit"] >= 15


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    rng = np.random.default_rng(seed)
    run_all(random_program(rng, hidden=seed % 3 == 0), seed=seed, names_written=bool(seed % 2))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(60, 3060))
def test_more_random_programs(seed):
    test_random_programs(seed)


def test_deep_paths_need_no_recursion():
    program = [("set", "y", "a")] + 1100 * [("if", ("lt", "y", 5.0), [
        ("set", "y", ("sin", "y"))], [])] + [("return", "y")]
    events, _ = record(program, inputs(np.random.default_rng(0), 1, 1))
    known = Known()
    assert sum(1 for _ in parts_of(simplify(fold(events, known)))) == 1101
