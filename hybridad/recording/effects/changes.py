"""The journal of the run in progress, for code that changes things without being given one."""

from hybridad._run import run_in_progress

__all__ = ["touch"]


def touch(container):
    """Tell the journal, if there is one, that a container is about to be changed."""
    run = run_in_progress()
    if run is not None and run.journal is not None:
        run.journal.touch(container)
