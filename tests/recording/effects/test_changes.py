"""The journal of the run in progress."""

from hybridad.recording.effects.changes import touch
from tests.recording.effects.runs import recording


def test_touch_tells_the_journal_of_the_run():
    h = [1]
    touch(h)
    with recording() as (run,):
        touch(h)
        h.append(2)
    run.journal.undo()
    assert h == [1]


def test_run_without_a_journal():
    with recording() as (run,):
        run.journal = None
        touch([1])
