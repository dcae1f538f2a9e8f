"""Warnings of plain calls name the user's line, and are filtered and counted there."""

import traceback
import types
import warnings

import numpy as np
import pytest

import hybridad
from hybridad.recording.lines import at_users_line


def test_result_arguments_and_errors_pass_through():
    assert at_users_line(divmod, (7, 2), {}) == (3, 1)
    assert at_users_line(dict, ([("a", 1)],), {"b": 2}) == {"a": 1, "b": 2}
    with pytest.raises(ZeroDivisionError):
        at_users_line(divmod, (1, 0), {})


CALLS = {
    "out": lambda x: np.log(x, out=np.zeros_like(x)),
    "where": lambda x: np.log(x, where=x >= 0, out=np.zeros_like(x)),
    "dtype": lambda x: np.log(x, dtype=np.float32, casting="same_kind"),
    "reduce": lambda x: np.multiply.reduce(x + 1e200),
    "reduction": lambda x: np.nanmax(x * np.nan),
    "method": lambda x: (x + 1e200).prod(),
    "accumulate": lambda x: np.multiply.accumulate(x + 1e200),
    "fold": lambda x: np.divide.reduce(x),
    "outer": lambda x: np.divide.outer(x, x),
    "at": lambda x: np.divide.at(x, [0], 0.0),
    "add at": lambda x: np.add.at(x.astype(np.float16), [0], 7e4),
    "astype": lambda x: (x + 1e200).astype(np.float32),
    "complex": lambda x: (x * 1j).astype(float),
    "copyto": lambda x: np.copyto(x, x * 1j, casting="unsafe"),
    "function": lambda x: np.mean(x[:0]),
    "linalg": lambda x: np.linalg.norm(x + 1e200),
    "unknown": lambda x: np.unwrap(np.zeros_like(x) + np.inf),
    "operator": lambda x: 1.0 / x,
    "call": lambda x: np.log(x),
    "constant": lambda x: np.floor_divide(x, 0.0, out=np.zeros(3)),
}


def emitted(act):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        act()
    return [(w.category, str(w.message), w.filename, w.lineno) for w in found]


@pytest.mark.parametrize("f", CALLS.values(), ids=CALLS)
def test_the_same_warnings_at_the_same_line(f):
    x = np.array([0.0, 1.0, 2.0])
    expected = emitted(lambda: f(x.copy()))

    def recorded(x):
        y = x * 1.0
        f(x)
        return y

    assert emitted(lambda: hybridad.vjp(recorded, x)) == expected


def test_some_of_them_warn():
    x = np.array([0.0, 1.0, 2.0])
    assert sum(bool(emitted(lambda f=f: f(x.copy()))) for f in CALLS.values()) > len(CALLS) - 4


def test_filters_by_module_and_once_per_line():
    module = types.ModuleType("somewhere.else_")
    source = "import numpy as np\ndef f(x):\n    return np.log(x, out=np.zeros_like(x))\n"
    exec(compile(source, "somewhere.py", "exec"), module.__dict__)

    def run():
        hybridad.vjp(module.f, np.zeros(2))

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", module=r"somewhere\.else_")
        run()
    assert not found
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            run()
    assert [(w.filename, w.lineno) for w in found] == [("somewhere.py", 3)]
    assert "__warningregistry__" in module.__dict__


def test_a_raised_warning_shows_the_users_line():
    def f(x):
        return np.log(x, out=np.zeros_like(x))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning) as caught:
            hybridad.vjp(f, np.zeros(2))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name) == (__file__, "f")
    assert last.line == "return np.log(x, out=np.zeros_like(x))"
