"""The journal on the corpus of `tests/programs`: a run is undone, and made again from its notes.

At each call of each program: the run answers as plain Python does; undoing it brings back what was
outside before; a second run, which is handed the results of the foreign calls, gives the value and
leaves the state of plain Python, and calls nothing foreign again.
"""

import copy
import dataclasses

import pytest

from hybridad.recording.effects import Journal
from hybridad.recording.run import record
from tests.programs import PROGRAMS
from tests.programs.observation import observe, snapshot
from tests.test_program_corpus import each

STREAMS = ("Generator", "RandomState", "Random")
"""What foreign calls have drawn is drawn: streams are not set back."""

STAYS = {
    "effects.logs": "handlers run below `logging`, which is foreign",
    "effects.prints_to_files": "print is foreign",
    "functions.lru_cache_of_constants_and_of_data": "a cached function runs below its cache",
    "random_streams.legacy_global_stream": "a stream of the module",
    "random_streams.python_random": "a stream of the module",
    "random_streams.scipy_distributions": "a stream of the module",
    "state_inside.print_to_an_object": "its `write` runs below print, which is foreign",
    "state_outside.cached_helpers": "a cached function runs below its cache",
    "state_outside.legacy_stream_seeded_between": "a stream of the module",
}
"""Programs whose state shows what foreign calls have done, which cannot be undone: and why."""


def without_streams(x):
    """A snapshot but for where streams stand."""
    if type(x) is not tuple:
        return x
    return x[:1] if x and x[0] in STREAMS else tuple(map(without_streams, x))


def plain_outcomes(program):
    """What plain Python does at each call."""
    scene = program.scene()
    for k, call in enumerate(program.calls):
        scene.before(k)
        yield observe(lambda *args: (scene.f(*args), None), copy.deepcopy(call), scene.state)[0]


def run(scene, program, args, journal):
    """Record one run; what it did."""
    def call(*args):
        recording = record(scene.f, args, {}, list(program.argnums), journal=journal)
        (value,) = recording.values
        return value, None

    return observe(call, args, scene.state)[0]


@each(PROGRAMS)
def test_undone_and_made_again(name):
    program = PROGRAMS[name]
    plain = list(plain_outcomes(program))
    scene = program.scene()
    stayed = False
    for k, call in enumerate(program.calls):
        where = f"{name}, call {k}"
        scene.before(k)
        args = copy.deepcopy(call)
        outside, given = snapshot(scene.state()), [snapshot(a) for a in args]

        journal = Journal(keeps=True)
        first = run(scene, program, args, journal)
        if first.refusal and program.refusable:
            pytest.skip("refused, as may be")
        assert not (wrong := first.differences(plain[k], program.argnums)), f"{where}: {wrong}"

        again = journal.replay()
        journal.undo()
        undone = without_streams(snapshot(scene.state()))
        if undone != without_streams(outside):
            assert name in STAYS, f"{where}: {undone!r}, before {outside!r}"
            stayed = True
        assert [snapshot(a) for a in args] == given, f"{where}: an argument is not as before"

        second = run(scene, program, args, again)
        assert not again.called, f"{where}: foreign functions were called again"
        expected = dataclasses.replace(plain[k], printed="", warned=second.warned)
        assert not (wrong := second.differences(expected, program.argnums)), f"{where}: {wrong}"
    assert stayed == (name in STAYS), "all of it was undone: take it off"
