"""The text of a standalone module, and what it does where the code exits."""

import types

import pytest

from hybridad import grad, value_and_grad
from hybridad.inspection.literals import NotWritable
from hybridad.inspection.standalone import write_module
from hybridad.inspection.subject import Subject
from hybridad.sct.differentiate.choice import chosen
from hybridad.sct.emit.source import ExitPoint, Source
from hybridad.trace.ir import Place
from tests.inspection.programs import kink


def module(vg, *args, origin="fit.py:3", code=None):
    subject = Subject(vg, "f")
    entry = subject.entry(args, {})
    return write_module(subject.engine, entry, entry.trace.tree, code or entry.trace.code, "9.8",
                        origin)


def emitted(rows, constants=None, exits=(), needs_run=False):
    """Code as `specialize` gives it."""
    head = "import numpy as np\nimport math\n\n\n# _c: a constant\n\n"
    text = head + "\n".join(rows) + "\n"
    return types.SimpleNamespace(source=Source("kink", text, constants or {}, {}, exits, needs_run))


PLACE = Place(__file__, 1, "f")
EXITS = (ExitPoint(0, PLACE, "bool of a decision"), ExitPoint(1, PLACE, "check type"),
         ExitPoint(2, None, "again"))
ROWS = [
    "def kink(x):", "    if x > 1.0:", "        return Exit(0)", "    if type(x) is not float:",
    "        return Exit(1)", "    while True:", "        if x < -1.0:",
    "            return Exit(2)", "        break", "    # return Exit(0)", "    return x * _c, _c"]


def loaded(text):
    space = {}
    exec(text, space)
    return space


def test_the_whole_text():
    text = module(value_and_grad(kink), 0.5, code=emitted(["def kink(x):", "    return x, 3.0"]))
    assert text == '''\
"""The value and the gradient of `kink`.

Adjoint code that hybridad 9.8 has made of it, from fit.py:3.

    kink_value_and_grad(x) -> value, gradient

    x: float, differentiated

Arguments of other types or shapes, and paths that had not been seen, raise `UnknownPath`.
"""

import numpy as np
import math

__all__ = ["UnknownPath", "kink_value_and_grad"]


class UnknownPath(ValueError):
    """The code in this module is not for such a call."""


def kink_value_and_grad(x):
    """Answer as ``hybridad.value_and_grad(kink)`` does."""
    _expect(type(x) is float, 'x: float')
    value, g_x = _adjoint(x)
    return value, float(g_x)


def _expect(condition, what):
    if not condition:
        raise UnknownPath(f"this code is for {what}")


def _adjoint(x):
    return x, 3.0
'''


def test_constants_stand_before_the_code():
    text = module(grad(kink), 0.5, code=emitted(ROWS, {"_c": 2.5}, EXITS))
    assert "\n\n\n_c = 2.5\n\n\ndef _adjoint(x):\n" in text
    assert loaded(text)["kink_grad"](0.5) == 2.5


@pytest.mark.parametrize(("x", "said"), [
    (2.0, 'test_standalone.py:1  """The text of a standalone module, and what it does where the '
          'code exits."""'),
    (-2.0, "x < -1.0"),
])
def test_exits_raise(x, said):
    space = loaded(module(grad(kink), 0.5, code=emitted(ROWS, {"_c": 2.5}, EXITS)))
    with pytest.raises(space["UnknownPath"]) as caught:
        space["kink_grad"](x)
    assert str(caught.value) == f"a path that had not been seen: {said}"


def test_checks_tell_their_condition():
    text = module(grad(kink), 0.5, code=emitted(ROWS, {"_c": 2.5}, EXITS))
    assert "raise UnknownPath('a path that had not been seen: type(x) is not float')" in text
    assert "# return Exit(0)" in text


def test_names_do_not_end_the_docstring():
    text = module(grad(kink), 0.5, origin='C:\\new"""; x = 1')
    assert "C:/new'''; x = 1" in text and "x" not in loaded(text)
    assert "made of it.\n" in module(grad(kink), 0.5, origin="")


def test_a_function_without_a_name_of_its_own():
    assert "def lambda__grad(x):\n" in module(grad(lambda x: x * x), 0.5)


def test_a_parameter_that_is_not_used_goes():
    rows = ["def kink(x, _run):", "    return x, 3.0"]
    text = module(grad(kink), 0.5, code=emitted(rows, needs_run=True))
    assert "def _adjoint(x):" in text and loaded(text)["kink_grad"](0.5) == 3.0
    with pytest.raises(NotWritable, match="it needs what is outside"):
        module(grad(kink), 0.5, code=emitted(
            ["def kink(x, _run):", "    return _run.function, 3.0"], needs_run=True))


def test_the_one_helper_is_written_down():
    rows = ["def kink(x):", "    return x, _chosen(x > 1.0, 3.0, 5.0)"]
    text = module(grad(kink), 0.5, code=emitted(rows, {"_chosen": chosen}))
    assert loaded(text)["kink_grad"](0.5) == 5.0 and loaded(text)["kink_grad"](2.0) == 3.0


def test_constants_that_cannot_be_written_are_named():
    with pytest.raises(NotWritable, match=r"it uses a function, kink"):
        module(grad(kink), 0.5, code=emitted(ROWS, {"_c": kink}, EXITS))
    with pytest.raises(NotWritable, match=r"it uses a object$"):
        module(grad(kink), 0.5, code=emitted(ROWS, {"_c": object()}, EXITS))
