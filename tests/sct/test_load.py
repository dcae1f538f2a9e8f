"""Loaded code is seen by whoever looks at Python code."""

import gc
import inspect
import linecache
import os
import traceback

import pytest

from hybridad.sct.emit import emit
from hybridad.sct.load import Exit, annotate, load
from hybridad.trace.ir import Place
from hybridad.trace.text import parse


def made(path="fit.py", **options):
    return load(emit(parse(f"""
        %0 = input 0  : float  x
        %1 = %0 * 2.0  : float  r  # {path}:1
        %2 = math.log(%1)  : float  # {path}:2
        return %2  # {path}:2
    """), "loss", **options), "loss", Place("/home/fit.py", 12, "loss"))


def test_the_file_name_is_readable_and_unique():
    a, b = made(), made()
    assert a.__code__.co_filename.startswith("<hybridad loss fit.py:12 #")
    assert a.__code__.co_filename != b.__code__.co_filename


def test_its_lines_are_known_and_stay_known():
    function = made()
    linecache.checkcache()
    assert inspect.getsource(function) == function.source.text[
        function.source.text.index("def loss"):]


def test_its_lines_die_with_it():
    function = made()
    name = function.__code__.co_filename
    assert name in linecache.cache
    del function
    gc.collect()
    assert name in linecache.cache      # somebody may be going through them at this moment
    made()
    assert name not in linecache.cache


def test_it_may_die_while_its_lines_are_looked_at(monkeypatch, tmp_path):
    """`linecache.checkcache` takes a list of all names, and looks for files."""
    file = tmp_path / "other.py"
    file.write_text("x = 1\n")
    linecache.getlines(str(file))
    functions = [made()]
    monkeypatch.setattr(os, "stat", lambda name: functions.clear() or os.lstat(name))
    linecache.checkcache()
    assert not functions


def test_tracebacks_show_generated_lines_and_the_users(tmp_path):
    path = tmp_path / "fit.py"
    path.write_text("r = x * 2.0\nreturn math.log(r)\n")
    function = made(path)
    with pytest.raises(ValueError) as caught:
        function(-1.0)
    annotate(caught.value, function)
    annotate(caught.value, function)
    assert caught.value.__notes__ == [f"at {path}:2  return math.log(r)"]
    assert "math.log(r)" in "".join(traceback.format_exception(caught.value))


def test_errors_from_elsewhere_get_no_note():
    error = ValueError("x")
    annotate(error, made())
    assert not getattr(error, "__notes__", ())


def test_exits_show_their_number():
    assert repr(Exit(3)) == "Exit(3)"
