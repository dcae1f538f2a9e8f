"""The adjoint of a function as a module of its own: `export`."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path

from hybridad import __version__
from hybridad.errors import ArgumentError, UnsupportedError, message
from hybridad.inspection.closing import closed, obstacle
from hybridad.inspection.literals import NotWritable
from hybridad.inspection.standalone import write_module
from hybridad.inspection.subject import Subject
from hybridad.sct.specialize import NotSpecialized

__all__ = ["export"]


def export(vg: Callable, path: str | os.PathLike, /, *args, **kwargs) -> Path:
    """Write the adjoint of a function as a module that needs nothing but NumPy.

    The module has one public function, ``NAME_value_and_grad`` or ``NAME_grad``, which takes the
    arguments of `vg` and returns what `vg` returns, for arguments of the same types and shapes and
    for the paths that have been seen so far. For all others it raises its ``UnknownPath``.

    Parameters
    ----------
    vg : callable
        What `value_and_grad` or `grad` has returned.
    path : str or path
        Of the module, ``something.py``. A file that is there is replaced.
    *args, **kwargs
        Those of a call, as in `source`.

    Returns
    -------
    pathlib.Path
        Of the module.

    Raises
    ------
    ArgumentError
        As by `source`, and if `path` is no name of a module.
    UnsupportedError
        If the function reads what is outside of it (globals, variables of enclosing functions,
        attributes), changes it, or calls what cannot be followed; if a constant cannot be
        written down; if the tape answers such calls.

    Notes
    -----
    What `vg` is by now stays in the module: defaults of functions, and the functions that it
    calls. The text is the same whenever and wherever it is written.

    Examples
    --------
    >>> import runpy
    >>> import tempfile
    >>> import hybridad
    >>> def cube(x):
    ...     return x * x * x
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = hybridad.export(hybridad.grad(cube), f"{folder}/adjoint.py", 2.0)
    ...     runpy.run_path(path)["cube_grad"](3.0)
    27.0
    """
    subject = Subject(vg, "export(vg, path)")
    path = _checked(path)
    subject.check_gradient("export", "Export a gradient: value_and_grad(f).")
    entry = subject.entry(args, kwargs)
    engine = subject.engine
    function = getattr(engine.f, "__func__", engine.f)
    tree = closed(entry.trace.tree, function)
    found = obstacle(tree)
    if found is not None:
        what, where = found
        raise UnsupportedError(message(
            f"{subject.name} cannot be a module of its own: {what}.",
            "Pass as an argument what it needs, and return what it is to give.", where=where))
    try:
        code = engine.code_for(entry, tree, True)
        text = write_module(engine, entry, tree, code, __version__, _origin(function))
    except (NotSpecialized, NotWritable) as reason:
        raise UnsupportedError(message(
            f"{subject.name} cannot be a module of its own: {reason}.",
            "hybridad.source(vg) shows its code.")) from None
    _write(path, text)
    return path


def _checked(path):
    path = Path(path)
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise ArgumentError(message(
            f"{str(path)!r} is not the name of a module.", "Write one like 'adjoint.py'."))
    return path


def _origin(function):
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def _write(path, text):
    """All of a file or nothing of it."""
    compile(text, str(path), "exec", dont_inherit=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
