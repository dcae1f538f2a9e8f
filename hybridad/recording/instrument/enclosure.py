"""Compiling one function as if it still stood inside the functions and classes around it.

A function's code depends on what encloses it: which names are free, how ``__x`` is mangled, whether
there is a ``__class__``. So its definition is compiled inside a function whose parameters are the
free variables, and inside a class of the right name where there was one.
"""

import __future__

import ast
import inspect
import re
import threading
import warnings
from types import CodeType

from hybridad.recording.instrument.places import place

__all__ = ["FEATURES", "compile_function", "compile_quietly", "flags_of"]

FEATURES = 0
"""The compiler flags of all ``from __future__ import ...``."""
for _name in __future__.all_feature_names:
    FEATURES |= getattr(__future__, _name).compiler_flag

_OUTER = "_enclosing"
_QUIET = "<compiled again by hybridad>"
_SILENCE = "ignore", None, Warning, re.compile(re.escape(_QUIET) + r"\Z"), 0


# Python 3.11 counts how deep syntax trees are nested for all threads together, and complains.
_COMPILING = threading.RLock()


def flags_of(code):
    """The flags with which `code` has to be compiled again."""
    return code.co_flags & FEATURES


def compile_quietly(source, flags=0):
    """Compile what was compiled before: what there is to warn of the user has been told.

    `warnings.catch_warnings` would make Python forget which warnings have been shown, everywhere,
    and silence other threads. So a filter is put in place, while it is needed, that matches nothing
    but the file name used here.

    Parameters
    ----------
    source : str or ast.Module
    flags : int
        As for `compile`.

    Returns
    -------
    types.CodeType or ast.Module
        Of another file name than the source.
    """
    filters = warnings.filters
    filters.insert(0, _SILENCE)
    try:
        with _COMPILING:
            return compile(source, _QUIET, "exec", flags, dont_inherit=True)
    finally:
        if _SILENCE in filters:  # else another thread has set all of them
            filters.remove(_SILENCE)


def _bare(node):
    """The definition without what the enclosing form evaluates: defaults, decorators, types."""
    old = node.args
    args = ast.arguments(
        posonlyargs=[_parameter(a) for a in old.posonlyargs],
        args=[_parameter(a) for a in old.args],
        vararg=old.vararg and _parameter(old.vararg),
        kwonlyargs=[_parameter(a) for a in old.kwonlyargs],
        kw_defaults=[None] * len(old.kwonlyargs),
        kwarg=old.kwarg and _parameter(old.kwarg),
        defaults=[])
    if isinstance(node, ast.Lambda):
        return place(ast.Lambda(args=args, body=node.body), node)
    # The first line of a code object is that of its first decorator.
    decorators = [place(ast.Constant(value=None), d) for d in node.decorator_list[:1]]
    made = type(node)(name=node.name, args=args, body=node.body, decorator_list=decorators,
                      returns=None, type_comment=None, type_params=[])
    return place(made, node)


def _parameter(old):
    return place(ast.arg(arg=old.arg, annotation=None, type_comment=None), old)


def compile_function(node, code, class_name=None, imports=()):
    """Compile a definition in place of the code that was once compiled from it.

    Parameters
    ----------
    node : ast.FunctionDef, ast.AsyncFunctionDef or ast.Lambda
    code : types.CodeType
        The original: its file name, flags, free variables and qualified name are kept.
    class_name : str, optional
        The innermost class around it.
    imports : sequence of str, optional
        The names that are imported at the top of its module, whose attributes CPython looks up in
        another way.

    Returns
    -------
    types.CodeType
    """
    bare = _bare(node)
    line = place(ast.Pass(), node)
    if isinstance(node, ast.Lambda):
        inside = [place(ast.Expr(value=bare), node)]
    else:
        inside = [bare]
    free = [name for name in code.co_freevars if not (class_name and name == "__class__")]
    if class_name:
        inside = [place(ast.ClassDef(name=class_name, bases=[], keywords=[], body=inside,
                                     decorator_list=[], type_params=[]), line)]
    own = class_name or getattr(node, "name", None)
    if own and own not in free:  # else the name would be a variable of the function around it
        inside.insert(0, place(ast.Global(names=[own]), line))
    outer = place(ast.FunctionDef(
        name=_OUTER,
        args=ast.arguments(
            posonlyargs=[], args=[place(ast.arg(arg=n), line) for n in free],
            kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=inside, decorator_list=[], type_params=[]), line)
    body = [outer]
    if imports:
        names = [place(ast.alias(name=name), line) for name in imports]
        body.append(place(ast.Import(names=names), line))
    module = ast.Module(body=body, type_ignores=[])
    made = compile_quietly(module, flags_of(code))
    for _ in range(3 if class_name else 2):
        made, = (c for c in made.co_consts if isinstance(c, CodeType))
    return _renamed(made, made.co_qualname, code.co_qualname, code.co_filename)


def _renamed(code, old, new, filename):
    """Code with the file name and the qualified names that it has where it really stands."""
    constants = [_renamed(c, old, new, filename) if isinstance(c, CodeType) else c
                 for c in code.co_consts]
    qualname = code.co_qualname
    if qualname == old or qualname.startswith(old + "."):
        qualname = new + qualname[len(old):]
        if not code.co_flags & inspect.CO_OPTIMIZED:  # a class body, which sets `__qualname__`
            constants = [qualname if c == code.co_qualname else c for c in constants]
    return code.replace(co_consts=tuple(constants), co_filename=filename, co_qualname=qualname)
