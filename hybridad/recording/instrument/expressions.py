"""Expressions in their recording form."""

import ast
import builtins

from hybridad.recording.instrument.decisions import Decisions, is_simple_constant
from hybridad.recording.instrument.places import at_attribute, place

__all__ = ["Expressions"]

_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift",
    ast.RShift: "rshift", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"}
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_LOAD = ast.Load()

# Builtins that look at the frame they are called from: always, or when called without arguments.
_ALWAYS = ("eval", "exec")
_WITHOUT_ARGUMENTS = ("super", "locals", "vars", "dir", "globals")


class Expressions(Decisions):
    """Rewrites expressions but comprehensions."""

    # -- names, attributes, items --------------------------------------------------------------

    def _visit_Name(self, node, name, discarded):
        kind = self.scope.kind_of(node.id)
        if kind == "local" or node.id == "__debug__":
            return node
        return self.make("read", node, [node], kind=kind, name=name,
                         detail=self.scope.mangled(node.id))

    def _visit_Attribute(self, node, name, discarded):
        return self.attribute(node, self.value(node.value), name)

    def attribute(self, node, owner, name=None):
        """``S.attr(owner, "name")``"""
        key = self.scope.mangled(node.attr)
        return self.make("attr", node, [owner, place(ast.Constant(key), node)],
                         name=name, detail=key, at=at_attribute(node))

    def _visit_Subscript(self, node, name, discarded):
        return self.make("item", node, [self.value(node.value), self.index(node.slice)], name=name)

    def index(self, node):
        """What stands in brackets."""
        if type(node) is ast.Slice:
            bounds = [place(ast.Constant(None), node) if b is None else self.value(b)
                      for b in (node.lower, node.upper, node.step)]
            return self.make("slice", node, bounds)
        if type(node) is ast.Tuple:
            return place(ast.Tuple([self.index(e) for e in node.elts], _LOAD), node)
        return self.value(node)

    def _visit_Starred(self, node, name, discarded):
        value = self.make("star", node.value, [self.value(node.value)])
        return place(ast.Starred(value, _LOAD), node)

    # -- calls ---------------------------------------------------------------------------------

    def _visit_Call(self, node, name, discarded):
        if self._reads_frame(node) and not (self.blocks and node.func.id in _WITHOUT_ARGUMENTS[1:]):
            return place(ast.Call(node.func, [self.value(a) for a in node.args],
                                  self.keywords(node)), node)
        args = [self.value(node.func), *(self.value(a) for a in node.args)]
        return self.make("call", node, args, name=name, discarded=discarded,
                         at=_at_method(node), keywords=self.keywords(node))

    def keywords(self, node):
        """The keyword arguments of a call or a class."""
        return [place(ast.keyword(k.arg, self.value(k.value) if k.arg else
                                  self._mapping(k.value, node)), k)
                for k in node.keywords]

    def _reads_frame(self, node):
        func = node.func
        return (type(func) is ast.Name
                and (func.id in _ALWAYS
                     or (func.id in _WITHOUT_ARGUMENTS and not node.args and not node.keywords))
                and self.scope.kind_of(func.id) == "global"
                and self.module_globals.get(func.id) in (None, getattr(builtins, func.id)))

    # -- operators -----------------------------------------------------------------------------

    def _visit_BinOp(self, node, name, discarded):
        if is_simple_constant(node):
            return node
        # `a + b + c + ...` is deep on its left side: no recursion there.
        spine = []
        while type(node) is ast.BinOp and not is_simple_constant(node):
            spine.append(node)
            node = node.left
        made = self.value(node)
        for outer in reversed(spine):
            made = self.make(_OPERATORS[type(outer.op)], outer, [made, self.value(outer.right)],
                             name=name if outer is spine[0] else None)
        return made

    def _visit_UnaryOp(self, node, name, discarded):
        if is_simple_constant(node):
            return node
        if type(node.op) is ast.Not:
            return self.negated(node)
        return self.make(_UNARY[type(node.op)], node, [self.value(node.operand)], name=name)

    # -- displays ------------------------------------------------------------------------------

    def _visit_Tuple(self, node, name, discarded):
        return place(type(node)([self.value(e) for e in node.elts], node.ctx), node)

    _visit_List = _visit_Tuple

    def _visit_Set(self, node, name, discarded):
        if all(map(is_simple_constant, node.elts)):
            return node
        items = place(ast.List([self.value(e) for e in node.elts], _LOAD), node)
        return self.make("set_of", node, [items], name=name)

    def _visit_Dict(self, node, name, discarded):
        if all(key is None or is_simple_constant(key) for key in node.keys):
            # Nothing of the user's is hashed: the display as it is.
            values = [self._mapping(v, node) if key is None else self.value(v)
                      for key, v in zip(node.keys, node.values)]
            return place(ast.Dict(node.keys, values), node)
        items = []
        for key, value in zip(node.keys, node.values):
            if key is not None:
                items.append(place(ast.Tuple([self.value(key), self.value(value)], _LOAD), key))
                continue
            # `{**m}.items()`, since a mapping need not have `items`.
            copied = place(ast.Dict([None], [self._mapping(value, node)]), node)
            pairs = place(ast.Call(place(ast.Attribute(copied, "items", _LOAD), value), [], []),
                          value)
            items.append(place(ast.Starred(pairs, _LOAD), value))
        return self.make("dict_of", node, [place(ast.List(items, _LOAD), node)], name=name)

    def _mapping(self, node, display):
        return self.make("mapping", node, [self.value(node)], at=display)

    # -- text ----------------------------------------------------------------------------------

    def _visit_JoinedStr(self, node, name, discarded):
        if not any(isinstance(v, ast.FormattedValue) for v in node.values):
            return node
        parts = [self._formatted(v) if isinstance(v, ast.FormattedValue) else v
                 for v in node.values]
        return self.make("joined", node, parts, name=name)

    def _formatted(self, node):
        spec = node.format_spec
        spec = place(ast.Constant(""), node) if spec is None else self.value(spec)
        conversion = place(ast.Constant(node.conversion), node)
        return self.make("format", node.value, [self.value(node.value), conversion, spec], at=node)

    # -- what binds or suspends ----------------------------------------------------------------

    def _visit_NamedExpr(self, node, name, discarded):
        value = self.stored(node.target, self.value(node.value, node.target.id))
        return place(ast.NamedExpr(node.target, value), node)

    def _visit_Yield(self, node, name, discarded):
        return place(ast.Yield(node.value and self.value(node.value)), node)

    def _visit_YieldFrom(self, node, name, discarded):
        iterable = self.make("iter", node.value, [self.value(node.value)], detail="yield from")
        return place(ast.YieldFrom(iterable), node)

    def _visit_Lambda(self, node, name, discarded):
        args = self.defaults(node.args)
        outer, held = self.enter(node, "<lambda>"), self.held
        self.held = []  # its temporaries are its own variables
        body = self.value(node.body)
        self.scope, self.held = outer, held
        return place(ast.Lambda(args, body), node)

    def defaults(self, args):
        """Parameters whose defaults are rewritten; annotations stay as they are."""
        if not args.defaults and not args.kw_defaults:
            return args
        return ast.arguments(
            posonlyargs=args.posonlyargs, args=args.args, vararg=args.vararg,
            kwonlyargs=args.kwonlyargs, kwarg=args.kwarg,
            kw_defaults=[d and self.value(d) for d in args.kw_defaults],
            defaults=[self.value(d) for d in args.defaults])


def _at_method(node):
    """Where CPython says that a method is called: likewise, unless arguments are unpacked."""
    func = node.func
    if (type(func) is not ast.Attribute or func.lineno == func.end_lineno
            or any(type(a) is ast.Starred for a in node.args)
            or any(k.arg is None for k in node.keywords)):
        return node
    made = at_attribute(func)
    made.end_lineno, made.end_col_offset = node.end_lineno, node.end_col_offset
    return made
