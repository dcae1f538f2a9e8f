"""What the runs of a signature have shown about its loops."""

import numpy as np

from hybridad.trace.fold import fold
from hybridad.trace.fold.known import Known, KnownLoop
from hybridad.trace.ir import Loop, Place
from hybridad.trace.rewriting import parts_of
from tests.trace.toy import record
from tests.trace.toy_runs import inputs


def test_ways_out_are_numbered_once():
    loop = KnownLoop()
    assert loop.way(1, (("found", True),)) == 1
    assert loop.way(2, ()) == 2
    other = loop.way(1, (("found", False),))
    assert other not in (0, 1, 2)
    assert loop.way(1, (("found", True),)) == 1 and loop.way(1, (("found", False),)) == other
    assert loop.way(1, (("found", 1),)) not in (1, 2, other)


def test_state_shows_what_makes_trees_unfit():
    known = Known()
    place = Place("f.py", 1, "f")
    loop = known.loop(place)
    state = known.state()
    loop.way(1, ())
    assert known.loop(place) is loop and known.state() == state
    loop.peeled = 1
    assert known.state() != state


def test_a_loop_that_was_written_out_is_folded_when_it_gets_long():
    """The types of `y` and `z` settle late, so that short runs show no two iterations alike."""
    program = [("set", "y", 0.5), ("set", "z", 0.5),
               ("for", "i", "n", [("set", "z", "y"), ("set", "y", ("item", "x", "i"))]),
               ("return", ("add", "y", "z"))]
    known = Known()
    for n in (3, 2, 3):
        fold(record(program, inputs(np.random.default_rng(0), n, 1))[0], known)
    (loop,) = known.loops.values()
    loop.unrolled = True
    events, _ = record(program, inputs(np.random.default_rng(0), 100, 1))
    block = fold(events, known)
    assert not loop.unrolled and loop.long and known.grown
    assert _loops(block) == 1
    fold(record(program, inputs(np.random.default_rng(0), 3, 1))[0], known)
    assert not loop.unrolled and not known.grown


def _loops(block):
    return sum(type(node) is Loop for part in parts_of(block) for node in part.nodes)


def test_the_end_of_a_loop_as_it_was_carried_is_way_0_alone():
    loop = KnownLoop()
    changed = loop.way(0, (("y", "number <f8 0"),))
    assert changed not in (0, 1)
    assert loop.way(1, ()) == 1
    assert loop.way(0, (("y", "number <f8 0"),)) == changed
