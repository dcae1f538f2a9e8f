"""What specialized code is given that reads outside state or has effects."""

import types

import numpy as np

from hybridad.engine.code_run import CodeRun

# In specialized code it knows the lines of the program, for warnings.
__source__ = types.SimpleNamespace(lines={})


def test_effects_are_undone_and_foreign_results_are_handed_on():
    log, numbers = [1], iter(range(9))
    run = CodeRun(len)
    assert run.function is len
    run.journal.touch(log)
    log.append(2)
    assert [run.foreign(next, (numbers,), {}) for _ in range(2)] == [0, 1]
    journal = run.undo()
    assert log == [1]
    assert [journal.foreign(next, (numbers,), {}) for _ in range(3)] == [0, 1, 2]


def test_error_settings_are_those_from_before():
    before = np.geterr()
    run = CodeRun(len)
    first = run.errors({"divide": "raise"})
    run.errors({"over": "raise"})
    assert first == before and np.geterr()["divide"] == np.geterr()["over"] == "raise"
    run.undo()
    assert np.geterr() == before
