"""Expressions in a recording form of their own, for tests of the tables of meanings.

Calls, indexing and attributes of an expression go through a `Stand`, which does what a site does in
a run and what plain Python does elsewhere, so that `tests.recording.agreement` can compare.
"""

import ast

import numpy as np
from hybridad._record import constant_value, is_wrapper

from hybridad.recording.arraylike import holds_wrapper
from hybridad.recording.functions import array_function
from hybridad.recording.run import tape_in_progress
from hybridad.recording.runtime import (
    conversion,
    creation,
    grids,
    iteration,
    shuffling,
    vectorized,
)
from hybridad.recording.ufuncs import ufunc_method
from hybridad.rules.declare import PRIMITIVES
from hybridad.tree import is_floating
from tests.recording.agreement import POINT, agrees_at, names_in

MEANINGS = {**conversion.MEANINGS, **creation.MEANINGS, **iteration.MEANINGS,
            **vectorized.MEANINGS}
METHODS = {**vectorized.METHOD_MEANINGS, **shuffling.METHOD_MEANINGS}


class Stand:
    """Stands for a site: finds meanings by identity, by type and by method."""

    def __init__(self):
        self.guards = []

    def shown(self, text):
        self.guard("str", text)

    def guard(self, kind, outcome):
        self.guards.append((kind, outcome))

    def lift_fresh(self, raw):
        tape = tape_in_progress()
        return raw if tape is None or type(raw) is not np.ndarray else constant_value(tape, raw)

    def effect(self, f, args, kwargs):
        return f(*args, **kwargs)

    def set_item(self, value, x, index):
        x[index] = value

    def form(self, f):
        return lambda *args, **kwargs: self.call(f, *args, **kwargs)

    def iter(self, x):
        return x

    def attr(self, x, name):
        if is_wrapper(x) and name in iteration.ATTRIBUTE_MEANINGS:
            return iteration.ATTRIBUTE_MEANINGS[name][0](self, x)
        return getattr(x, name)

    def item(self, x, index):
        handler = grids.ITEM_MEANINGS.get(type(x))
        if handler is None or tape_in_progress() is None:
            return x[index]
        return handler(self, x, index)

    def call(self, f, /, *args, **kwargs):
        if tape_in_progress() is None:
            return f(*args, **kwargs)
        handler = vectorized.CALL_MEANINGS.get(type(f))
        if handler is not None:
            return handler(self, f, *args, **kwargs)
        own = getattr(f, "__self__", None)
        handler = None if is_wrapper(own) else METHODS.get((type(own), f.__name__))
        if handler is not None:
            return handler(self, own, *args, **kwargs)
        if type(f) is np.ufunc and vectorized.is_of_python(f):
            return vectorized.call_of_python(self, f, *args, **kwargs)
        if f in MEANINGS:
            return MEANINGS[f](self, *args, **kwargs)
        held = holds_wrapper(args) or holds_wrapper((*kwargs.values(),))
        if held and isinstance(f, np.ufunc):
            kwargs = {k: (x,) if k == "out" else x for k, x in kwargs.items()}
            return ufunc_method(f, "__call__", args, kwargs)
        if held and (f in PRIMITIVES or type(f) is type(np.sum)):
            return array_function(f, args, kwargs)
        return f(*args, **kwargs)


class _Form(ast.NodeTransformer):
    def _site(self, name, *args, keywords=()):
        return ast.Call(ast.Attribute(ast.Name("S", ast.Load()), name, ast.Load()), list(args),
                        list(keywords))

    def visit_Call(self, node):
        self.generic_visit(node)
        return self._site("call", node.func, *node.args, keywords=node.keywords)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        return self._site("attr", node.value, ast.Constant(node.attr))

    def visit_Subscript(self, node):
        self.generic_visit(node)
        return self._site("item", node.value, _index(node.slice))


def _index(node):
    if isinstance(node, ast.Slice):
        ends = (ast.Constant(None) if x is None else x for x in (node.lower, node.upper, node.step))
        return ast.Call(ast.Name("slice", ast.Load()), list(ends), [])
    return ast.Tuple([_index(x) for x in node.elts], ast.Load()) if isinstance(
        node, ast.Tuple) else node


def form(expression, site=None, **extra):
    """An expression in recording form as a function, and the values of its arguments.

    `extra` are further names that it may use; functions among them are in recording form already.
    """
    names = names_in(expression)
    differentiated = [name for name in names if is_floating(POINT[name])]
    fixed = {name: POINT[name] for name in names if name not in differentiated}
    tree = ast.fix_missing_locations(_Form().visit(ast.parse(expression, mode="eval")))
    code = compile(tree, "<expression>", "eval")
    site = Stand() if site is None else site

    def f(*args):
        return eval(code, {"np": np, "S": site, **extra, **fixed,
                           **dict(zip(differentiated, args))})

    return f, tuple(POINT[name] for name in differentiated)


def agrees(expression, order=1, **extra):
    """Check an expression: value, types, layout, effects, and derivatives."""
    f, args = form(expression, **extra)
    agrees_at(f, args, order)
