"""How a function is called in a run: in its recording form, as it is, or as code from outside."""

import weakref

from hybridad._forms import remember_form
from hybridad.errors import is_own
from hybridad.recording.facts import Frame, Reason
from hybridad.recording.instrument.blocks import KINDS
from hybridad.recording.instrument.form import bind, make_form
from hybridad.recording.instrument.source import NoSource
from hybridad.recording.net import unwatched
from hybridad.recording.ownership import is_generated_code, owner_of_code

__all__ = ["form_of", "package_form"]


def form_of(function, blocks=False):
    """The recording form of a function, made once per code object.

    Parameters
    ----------
    function : function
        Written in Python.
    blocks : bool
        In the form with hooks for blocks.

    Returns
    -------
    tuple
        ``(code, order)`` as `instrument.form.Form` has them; ``(None, "plain")`` for hybridad's
        own functions and those that dataclasses and namedtuples write, called as they are;
        ``(None, reason)`` for functions whose source is not to be had, called as they are and
        followed by NumPy's protocols; ``(None, "foreign")`` for the code of installed packages and
        libraries.
    """
    code = function.__code__
    if is_own(code.co_filename) or is_generated_code(code):
        return None, "plain"
    if owner_of_code(code) != "user":
        return None, "foreign"
    try:
        with unwatched():
            form = make_form(function, KINDS if blocks else frozenset())
    except NoSource as reason:
        frame = Frame(code.co_filename, code.co_firstlineno, function.__qualname__)
        return None, Reason(f"no source for {function.__qualname__}: {reason}", frame)
    for nested in (form.code, *form.nested):
        remember_form(nested)
    return form.code, form.order


def package_form(function):
    """A function of an installed package in recording form.

    Parameters
    ----------
    function : function
        Called with values that are differentiated.

    Returns
    -------
    function or None
        None for the code of libraries, and where there is no source.
    """
    code = function.__code__
    if owner_of_code(code) != "package":
        return None
    form = _of_packages.get(code)
    if form is None:
        try:
            with unwatched():
                form = make_form(function)
        except NoSource:
            form = False
        else:
            for nested in (form.code, *form.nested):
                remember_form(nested)
        _of_packages[code] = form
    return bind(form, function) if form else None


_of_packages = weakref.WeakKeyDictionary()
