"""The recording form of a function: its code, compiled from the rewritten source."""

import inspect
from dataclasses import dataclass
from types import CodeType, FunctionType

from hybridad.recording.instrument.enclosure import compile_function
from hybridad.recording.instrument.places import Places, fill
from hybridad.recording.instrument.scopes import Scope
from hybridad.recording.instrument.source import NoSource, find_definition
from hybridad.recording.instrument.statements import Statements

__all__ = ["Form", "bind", "make_form"]


# Flags that the body does not tell: where the definition stood, `types.coroutine`.
_OUTSIDE = inspect.CO_NESTED | inspect.CO_ITERABLE_COROUTINE


@dataclass(frozen=True, slots=True)
class Form:
    """A recording form.

    Attributes
    ----------
    code : types.CodeType
        Has the file name, the names and the source positions of the original.
    order : tuple of int or None
        Where each free variable of `code` stands among those of the original; None if they are
        the same.
    sites : tuple
        All sites in it.
    nested : tuple of types.CodeType
        All code objects inside `code`.
    blocks : frozenset of str
        The kinds of its hooks for blocks, see `instrument.blocks`.
    """

    code: CodeType
    order: tuple[int, ...] | None
    sites: tuple
    nested: tuple[CodeType, ...]
    blocks: frozenset[str]


def make_form(function, blocks=frozenset(), site=None):
    """The recording form of a function, made from its source.

    Parameters
    ----------
    function : types.FunctionType
    blocks : frozenset of str
        The kinds of hooks for blocks that it gets, see `instrument.blocks`.
    site : type, optional
        The class of sites, by default `hybridad._site.Site`.

    Returns
    -------
    Form

    Raises
    ------
    NoSource
        Where the source of the function cannot be had, with the reason.
    """
    if site is None:
        from hybridad._site import Site as site
    code = function.__code__
    try:
        definition = find_definition(code, function.__globals__)
        return _make(definition, code, function.__globals__, blocks, site)
    except RecursionError:
        raise NoSource("its expressions are nested too deeply") from None


def _make(definition, code, module_globals, blocks, site):
    places = Places(site, code.co_filename)
    node = definition.node
    scope = Scope(node, None, code.co_qualname, definition.class_name, code.co_freevars)
    rewritten = Statements(places, scope, module_globals, blocks).root(node)
    made = compile_function(rewritten, code, definition.class_name, definition.imports)
    made, nested = fill(made, places.sites)
    if made.co_freevars == code.co_freevars:
        order = None
    elif not set(made.co_freevars) <= set(code.co_freevars):
        # A hook that reads a local variable called `super` makes the compiler want a class.
        raise NoSource("it has a local variable with a special meaning")
    else:
        order = tuple(map(code.co_freevars.index, made.co_freevars))
    flags = made.co_flags & ~_OUTSIDE | code.co_flags & _OUTSIDE
    made = made.replace(co_flags=flags, co_name=code.co_name)
    return Form(made, order, tuple(places.sites), tuple(nested), blocks)


def bind(form, function):
    """A function that runs the recording form with all that the original has.

    Parameters
    ----------
    form : Form
    function : types.FunctionType
        The original, or another function with the same code.

    Returns
    -------
    types.FunctionType
        Has the same globals, defaults, cells and attributes (the very objects).
    """
    closure = function.__closure__
    if form.order is not None:
        closure = tuple(closure[i] for i in form.order) or None
    made = FunctionType(form.code, function.__globals__, function.__name__, function.__defaults__,
                        closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    made.__doc__ = function.__doc__
    made.__annotations__ = function.__annotations__
    made.__dict__ = function.__dict__
    if hasattr(function, "__type_params__"):
        made.__type_params__ = function.__type_params__
    return made
