"""Errors: their bases, their three parts, and the line of the user's that they name."""

import builtins
import functools
import linecache
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import optree
import pytest

import hybridad
from hybridad import errors
from hybridad.comparison import measure
from hybridad.comparison.problems import lstm, mixture
from hybridad.errors import (
    ArgumentError,
    GradientCheckError,
    HybridadError,
    LostDerivativeError,
    MissingRuleError,
    NotBuiltError,
    ResultError,
    ScopeError,
    UnsupportedError,
    is_own,
    is_users,
    message,
    user_line,
)
from tests.recording.unfound import unfound

REFUSALS = {
    ArgumentError: TypeError,
    LostDerivativeError: TypeError,
    MissingRuleError: NotImplementedError,
    ResultError: TypeError,
    ScopeError: ValueError,
    UnsupportedError: NotImplementedError,
}


@pytest.mark.parametrize("error", [getattr(errors, name) for name in errors.__all__
                                   if name[0].isupper()], ids=lambda e: e.__name__)
def test_bases(error):
    assert (error.__doc__ or "").endswith(".")
    if error is errors.SpecializationWarning:   # a warning is no error
        assert issubclass(error, UserWarning) and not issubclass(error, HybridadError)
        return
    assert issubclass(error, HybridadError)
    if error in REFUSALS:
        assert issubclass(error, REFUSALS[error])
    elif error is not HybridadError:
        assert error in (GradientCheckError, NotBuiltError)
    standard = [base for base in error.__mro__ if base.__module__ == "builtins"]
    assert all(getattr(builtins, base.__name__) is base for base in standard)


def test_every_error_is_public():
    for name in errors.__all__:
        if name[0].isupper() and name != "NotBuiltError":
            assert getattr(hybridad, name) is getattr(errors, name)


# The text ---------------------------------------------------------------------------------------


def test_message_has_three_parts():
    assert message("What.", "Remedy.", where="fit.py:3  g(1)") == (
        "What.\n  at fit.py:3  g(1)\nRemedy.")
    assert message("What.", "", where="fit.py:3  g(1)") == "What.\n  at fit.py:3  g(1)"
    assert message("What.", "Remedy.", where="") == "What.\nRemedy."
    assert message("What.", where="") == "What."
    here = message("What.", "Remedy.").split("\n")  # this line
    number = user_line_number("# this line")
    assert here == ["What.", f"  at {__file__}:{number}  "
                    'here = message("What.", "Remedy.").split("\\n")  # this line', "Remedy."]


def user_line_number(text):
    lines = Path(__file__).read_text("utf-8").split("\n")
    (number,) = (k for k, line in enumerate(lines, 1)
                 if line.endswith(text) and text + '"' not in line)
    return number


def test_user_line_is_the_innermost_of_the_users():
    def inner():
        return user_line()  # innermost

    expected = f"{__file__}:{user_line_number('# innermost')}  return user_line()  # innermost"
    assert inner() == functools.partial(inner)() == expected
    # Frames of libraries and of Python itself below the user's are passed over.
    assert np.apply_along_axis(lambda row: len(inner()), 0, np.zeros((2, 1)))[0] == len(expected)
    assert optree.tree_map(lambda leaf: inner(), [1]) == [expected]
    assert functools.reduce(lambda a, b: inner(), [1, 2]) == expected


def test_library_frames_are_not_the_users():
    namespace = {"user_line": user_line}
    for file in (textwrap.__file__, np.__file__, optree.__file__, hybridad.__file__):
        exec(compile("def call(): return user_line()", file, "exec"), namespace)
        line = namespace["call"]()  # through a file of a library
        assert line.startswith(f"{__file__}:") and line.endswith("# through a file of a library")


def test_is_users():
    assert is_users(__file__) and is_users(pytest.__file__)
    assert is_users("<stdin>") and is_users("/tmp/ipykernel_1/2.py")
    # Folders that only share a name with a library.
    for name in ("numpy", "scipy", "hybridad", "optree", "lib"):
        assert is_users(f"/home/me/{name}/fit.py") and is_users(f"/home/me/{name}.py")
    for module in (errors, np, np.linalg, functools, subprocess, optree, linecache):
        assert not is_users(module.__file__)
    assert not is_users("_ext/hybridad/_tape.pyx") and not is_users("<frozen runpy>")


def test_the_programs_that_are_compared_are_the_users():
    """So that they are recorded as a user's are."""
    for module in (lstm, mixture):
        assert is_users(module.__file__) and not is_own(module.__file__)
    assert is_own(measure.__file__) and is_own("_ext/hybridad/_tape.pyx")
    assert not is_own(np.__file__) and not is_own("<frozen runpy>")


def test_a_folder_called_numpy_is_the_users(tmp_path):
    folder = tmp_path / "numpy" / "scipy"
    folder.mkdir(parents=True)
    (folder / "fit.py").write_text(textwrap.dedent("""
        import numpy as np
        from hybridad import grad

        def loss(x):
            return x.tobytes()

        try:
            grad(loss)(np.ones(2))
        except NotImplementedError as error:
            print(error)
        """))
    done = subprocess.run([sys.executable, str(folder / "fit.py")], text=True, capture_output=True,
                          cwd=Path(hybridad.__file__).parent.parent, timeout=60,
                          env={"PYTHONPATH": str(Path(hybridad.__file__).parent.parent)})
    assert done.stderr == ""
    assert done.stdout.split("\n")[1] == f"  at {folder / 'fit.py'}:6  return x.tobytes()"


def test_no_line_of_the_users():
    """A refusal in a thread whose frames are all Python's own has no place to name."""
    with ThreadPoolExecutor(1) as pool:
        error = pool.submit(hybridad.grad(np.sin), 1).exception()
    assert str(error).split("\n") == [
        "Argument 0 of sin is an int (1).",
        "Derivatives need floating-point numbers: pass 1.0."]


def test_source_that_was_typed_in():
    namespace = {"hybridad": hybridad}
    source = "def f(x):\n    return x.tobytes()\n"
    linecache.cache["<cell 1>"] = (len(source), None, source.splitlines(True), "<cell 1>")
    exec(compile(source, "<cell 1>", "exec"), namespace)
    with pytest.raises(UnsupportedError, match=r"\n  at <cell 1>:2  return x.tobytes\(\)\n"):
        hybridad.grad(namespace["f"])(np.ones(2))
    exec("def f(x):\n    return x.tobytes()\n", namespace)  # without source
    with pytest.raises(UnsupportedError, match=r"\n  at <string>:2  \n"):
        hybridad.grad(namespace["f"])(np.ones(2))


# Refusals, as the user meets them ---------------------------------------------------------------

X = np.array([1.0, 2.0, 3.0])


def put_into_plain(x):
    out = np.zeros(3)
    out[0] = x[0] * 2.0
    return np.sum(out)


def slice_into_plain(x):
    out = np.zeros(3)
    out[1:] = x[1:]
    return np.sum(out)


def add_into_plain(x):
    total = np.zeros(3)
    total += x
    return np.sum(total)


def put_complex(x):
    out = np.zeros(3, complex)
    out[0] = x[0]
    return np.sum(out.real)


def iterate(x):
    return np.sum(np.fromiter(x, float))


KEEP = "Keep it a NumPy value: np.exp(x) in place of math.exp(x), x in place of float(x)."
CREATE = "Create the array from a differentiated one (np.zeros_like(x)"


@pytest.mark.parametrize("f, error, what, line, remedy", [
    (lambda x: float(x[0]), LostDerivativeError, "about to become float()", "float(x[0])", KEEP),
    (lambda x: int(x[0]), LostDerivativeError, "about to become int()", "int(x[0])", KEEP),
    (lambda x: complex(x[0]), LostDerivativeError, "to become complex()", "complex(x[0])", KEEP),
    (lambda x: X[x[0]], LostDerivativeError, "differentiated value", "X[x[0]]", "x"),
    (lambda x: "ab"[x[0]], LostDerivativeError, "an integer (index)", '"ab"[x[0]]',
     "Compute indices from values that are not differentiated."),
    (lambda x: hash(x[0]), LostDerivativeError, "hash()", "hash(x[0])", "as keys or cached"),
    (lambda x: np.asarray(x), LostDerivativeError, "to become a plain array", "np.asarray(x)",
     CREATE),
    (lambda x: np.array([x[0], x[1]]), LostDerivativeError, "to become a plain array",
     "np.array([x[0]", CREATE),
    (put_into_plain, LostDerivativeError, "about to be written into a plain array",
     "out[0] = x[0] * 2.0", CREATE),
    (slice_into_plain, LostDerivativeError, "a write into a plain array", "out[1:] = x[1:]",
     CREATE),
    (add_into_plain, LostDerivativeError, "plain array (out= of a plain array)", "total += x",
     CREATE),
    (iterate, LostDerivativeError, "about to become float()", "np.fromiter(x, float)", KEEP),
    (put_complex, LostDerivativeError, "about to be written into a plain array", "out[0] = x[0]",
     CREATE),
    (lambda x: np.i0(x), MissingRuleError, "i0 has no derivative rule.", "np.i0(x)",
     "Write it with functions of NumPy that have one."),
    (lambda x: x.tobytes(), UnsupportedError, "ndarray.tobytes cannot be followed", "x.tobytes()",
     "Store the result of the differentiated function instead."),
    (lambda x: np.sum(x * np.ma.ones(3)), ArgumentError, "numpy.ma.MaskedArray cannot take part in",
     "x * np.ma.ones(3)", "a.filled(0.0)"),
    (lambda x: x, ResultError, "returned an array of shape (3,), not a scalar.", "attempt(X)",
     "Return a scalar, for example np.sum(...); for other results there are hybridad.vjp and "
     "hybridad.jvp."),
])
def test_refusal(f, error, what, line, remedy):
    f = unfound(f)  # from the source most of these are followed
    for attempt in (hybridad.value_and_grad(f), hybridad.grad(f)):
        with pytest.raises(error) as caught:
            attempt(X)
        first, where, last = str(caught.value).split("\n")
        assert what in first
        file, _, source = where.removeprefix("  at ").partition("  ")
        assert file.rpartition(":")[0] == __file__ and line in source
        assert remedy in last
        assert isinstance(caught.value, REFUSALS[error])
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
    names = [frame.name for frame in caught.traceback]
    if error is not ResultError:
        assert f.__name__ in names, "the traceback leads to the user's line"


def test_an_error_of_the_users_own_goes_through():
    class Own(Exception):
        pass

    def f(x):
        raise Own("text")

    with pytest.raises(Own, match=r"^text$") as caught:
        hybridad.grad(f)(1.0)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_an_error_of_the_users_own_about_a_refusal_goes_through():
    def f(x):
        try:
            return x.tobytes()
        except NotImplementedError as error:
            raise ValueError("the user's") from error

    with pytest.raises(ValueError, match=r"^the user's$") as caught:
        hybridad.grad(f)(X)
    assert isinstance(caught.value.__cause__, UnsupportedError)


def test_a_refusal_can_be_caught_inside():
    def f(x):
        try:
            return float(x)
        except TypeError:
            return x * x

    assert hybridad.value_and_grad(unfound(f))(3.0) == (9.0, 6.0)
