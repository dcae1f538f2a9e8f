"""Statements and definitions in their recording form."""

import ast

from hybridad.recording.instrument.blocks import insert_blocks
from hybridad.recording.instrument.decisions import is_simple_constant
from hybridad.recording.instrument.matching import Matching
from hybridad.recording.instrument.places import place
from hybridad.recording.instrument.targets import first_name

__all__ = ["Statements"]

_INPLACE = {
    ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv",
    ast.FloorDiv: "ifloordiv", ast.Mod: "imod", ast.Pow: "ipow", ast.MatMult: "imatmul",
    ast.LShift: "ilshift", ast.RShift: "irshift", ast.BitAnd: "iand", ast.BitOr: "ior",
    ast.BitXor: "ixor"}
_LOAD, _STORE, _DEL = ast.Load(), ast.Store(), ast.Del()


class Statements(Matching):
    """Rewrites statements; what is asynchronous is left as it is."""

    def root(self, node):
        """The recording form of the definition at the root.

        Parameters
        ----------
        node : ast.FunctionDef, ast.AsyncFunctionDef or ast.Lambda

        Returns
        -------
        ast.AST
        """
        if type(node) is ast.AsyncFunctionDef:
            return node
        if type(node) is ast.Lambda:
            return place(ast.Lambda(node.args, self.value(node.body)), node)
        return self._with_body(node, node.args, node.decorator_list, self._function_body(node))

    def _function_body(self, node):
        if self.blocks:
            node = insert_blocks(node, self.make_site, self.blocks)
        return self.body(node.body)

    # -- lists of statements -------------------------------------------------------------------

    def body(self, nodes):
        """The body of a definition: its docstring stays."""
        if nodes and type(nodes[0]) is ast.Expr and _is_text(nodes[0].value):
            return [nodes[0], *self.block(nodes[1:])]
        return self.block(nodes)

    def block(self, nodes):
        """A list of statements."""
        made = []
        for node in nodes:
            made += self.statement(node)
        return made

    def statement(self, node):
        """One statement, which may become several."""
        if getattr(node, "_hybridad", False):
            call = getattr(node, "value", None)
            if type(call) is ast.Call:  # the site has to lie where its hook does
                place(call.func.value, node)
            return [node]
        visit = getattr(self, f"_do_{type(node).__name__}", None)
        if visit is None:  # pass, break, continue, global, nonlocal, import, async, type
            return [node]
        outer = self._counter, self.held, self.unpacked
        self._counter, self.held, self.unpacked = 0, [], []
        made = visit(node)
        self._counter, self.held, self.unpacked = outer
        return made

    def _let_go(self, node):
        """What ends a simple statement: its temporaries keep nothing alive."""
        made = []
        if self.unpacked:
            names = [place(ast.Name(n, _DEL), node) for n in self.unpacked]
            made.append(place(ast.Delete(names), node))
        if self.held:  # perhaps not bound: an `and` may have stopped before
            names = [place(ast.Name(n, _STORE), node) for n in self.held]
            made.append(place(ast.Assign(names, place(ast.Constant(None), node)), node))
        return made

    def _assigned(self, steps):
        """Steps as statements."""
        return [place(ast.Expr(value), value) if target is None
                else place(ast.Assign([target], value), target) for target, value in steps]

    # -- simple statements ---------------------------------------------------------------------

    def _do_Expr(self, node):
        return [place(ast.Expr(self.value(node.value, discarded=True)), node), *self._let_go(node)]

    def _do_Return(self, node):
        return [place(ast.Return(node.value and self.value(node.value)), node)]

    def _do_Raise(self, node):
        return [place(ast.Raise(node.exc and self.value(node.exc),
                                node.cause and self.value(node.cause)), node)]

    def _do_Assert(self, node):
        return [place(ast.Assert(self.test(node.test, "assert"),
                                 node.msg and self.value(node.msg)), node), *self._let_go(node)]

    def _do_Assign(self, node):
        targets = node.targets
        if all(map(self.is_plain, targets)):
            value = self.value(node.value, first_name(*targets))
            return [place(ast.Assign(targets, value), node), *self._let_go(node)]
        if len(targets) == 1:
            target, = targets
            is_display = _is_same_length(target, node.value)
            if is_display:
                values = [self.value(v, first_name(t))
                          for t, v in zip(target.elts, node.value.elts)]
                value = place(ast.Tuple(values, _LOAD), node.value)
            else:
                value = self.value(node.value, first_name(target))
            made = self._assigned(self.steps(target, value, is_display))
            place(made[0], node)
            return [*made, *self._let_go(node)]
        value = self.value(node.value, first_name(*targets))
        name, stored = self.temporary(node.value)
        self.unpacked.append(name)
        made = [place(ast.Assign([stored], value), node)]
        for target in targets:
            made += self._assigned(self.steps(target, self.load(name, node.value)))
        return [*made, *self._let_go(node)]

    def _do_AnnAssign(self, node):
        if node.value is None:
            return [node]
        if self.scope.is_class or type(node.target) is ast.Name:
            # The annotation of a name is evaluated in class bodies, after the value.
            value = self.value(node.value, first_name(node.target))
            made = ast.AnnAssign(node.target, node.annotation, value, node.simple)
            return [place(made, node), *self._let_go(node)]
        return self._do_Assign(place(ast.Assign([node.target], node.value), node))

    def _do_AugAssign(self, node):
        target, method = node.target, _INPLACE[type(node.op)]
        name = first_name(target)
        if name is not None:
            old = self.value(place(ast.Name(name, _LOAD), target))
            new = self.make(method, node, [old, self.value(node.value)], name=name)
            return [place(ast.Assign([target], self.stored(target, new)), node),
                    *self._let_go(node)]
        made = []
        owner = self._once(target.value, made, node)
        if type(target) is ast.Attribute:
            old = self.attribute(target, owner)
            new = self.make(method, node, [old, self.value(node.value)])
            store = self.set_attribute(target, new, owner)
        else:
            index = self._once(target.slice, made, node)
            old = self.make("item", target, [owner, index])
            new = self.make(method, node, [old, self.value(node.value)])
            store = self.make("set_item", target, [new, owner, index])
        return [*made, place(ast.Expr(store), node), *self._let_go(node)]

    def _once(self, node, made, statement):
        """An expression that may be repeated, after a statement in `made` that evaluates it."""
        if is_simple_constant(node) or (self.is_local(node) and not any(
                type(n) is ast.NamedExpr for n in ast.walk(statement))):
            return node
        name, stored = self.temporary(node)
        self.unpacked.append(name)
        made.append(place(ast.Assign([stored], self.index(node)), node))
        return self.load(name, node)

    def _do_Delete(self, node):
        made = []
        for target in node.targets:
            made += self._delete(target)
        return [*made, *self._let_go(node)]

    def _delete(self, target):
        kind = type(target)
        if kind is ast.Tuple or kind is ast.List:
            return [made for element in target.elts for made in self._delete(element)]
        if kind is ast.Name:
            made = [place(ast.Delete([target]), target)]
            if self.scope.kind_of(target.id) == "global":
                key = self.scope.mangled(target.id)
                told = self.make("del_global", target, [], detail=key)
                made.insert(0, place(ast.Expr(told), target))
            return made
        if kind is ast.Attribute:
            key = self.scope.mangled(target.attr)
            call = self.make("del_attr", target, [self.value(target.value),
                                                  place(ast.Constant(key), target)], detail=key)
        else:
            call = self.make("del_item", target, [self.value(target.value),
                                                  self.index(target.slice)])
        return [place(ast.Expr(call), target)]

    def _do_Import(self, node):
        """Modules imported into global names go through temporaries."""
        made = []
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if self.scope.kind_of(name) == "local" or alias.name == "*":
                made.append(place(type(node)(**{**_fields(node), "names": [alias]}), node))
                continue
            temporary, _ = self.temporary(node)
            target = place(ast.Name(name, _STORE), node)
            bound = place(ast.alias(alias.name, temporary), alias)
            made.append(place(type(node)(**{**_fields(node), "names": [bound]}), node))
            if not alias.asname and "." in alias.name:  # `import a.b` binds `a`
                top = place(ast.alias(name, temporary), alias)
                made.append(place(ast.Import([top]), node))
            stored = self.stored(target, self.load(temporary, node))
            made.append(place(ast.Assign([target], stored), node))
            self.unpacked.append(temporary)
        return [*made, *self._let_go(node)]

    _do_ImportFrom = _do_Import

    # -- compound statements -------------------------------------------------------------------

    def _do_If(self, node):
        # A long `elif` chain is deep: no recursion there.
        chain, otherwise = [node], node.orelse
        while len(otherwise) == 1 and type(otherwise[0]) is ast.If and not getattr(
                otherwise[0], "_hybridad", False):
            chain.append(otherwise[0])
            otherwise = otherwise[0].orelse
        parts = [(link, self.test(link.test, "if"), self.block(link.body)) for link in chain]
        otherwise = self.block(otherwise)
        for link, test, body in reversed(parts):
            otherwise = [place(ast.If(test, body, otherwise), link)]
        return otherwise

    def _do_While(self, node):
        return [place(ast.While(self.test(node.test, "while"), self.block(node.body),
                                self.block(node.orelse)), node)]

    def _do_For(self, node):
        iterable = self.make("iter", node.iter, [self.value(node.iter)],
                             name=first_name(node.target))
        target, before = self._through_temporary(node.target)
        return [place(ast.For(target, iterable, [*before, *self.block(node.body)],
                              self.block(node.orelse)), node)]

    def _through_temporary(self, target):
        """A target that the interpreter may store to, and what has to be done first then."""
        if target is None or self.is_plain(target):
            return target, []
        outer, self.unpacked = self.unpacked, []
        outer_held, self.held = self.held, []
        name, stored = self.temporary(target)
        self.unpacked.append(name)
        before = self._assigned(self.steps(target, self.load(name, target)))
        before += self._let_go(target)
        self.unpacked, self.held = outer, outer_held
        return stored, before

    def _do_With(self, node):
        # From the inside out; an item whose target is not plain needs a statement of its own,
        # since its store comes before the next item.
        groups = [[]]
        for item in node.items:
            context = self.make("context", item.context_expr, [self.value(item.context_expr)],
                                name=first_name(item.optional_vars))
            target, before = self._through_temporary(item.optional_vars)
            groups[-1].append(ast.withitem(context, target))
            if before:
                groups[-1].append(before)
                groups.append([])
        body = self.block(node.body)
        for group in reversed(groups):
            if group and type(group[-1]) is list:
                body = [*group.pop(), *body]
            if group:
                body = [place(ast.With(group, body), node)]
        return body

    def _do_Try(self, node):
        handlers = []
        for handler in node.handlers:
            caught = self.make("caught", handler, [], detail=handler.name)
            body = [place(ast.Expr(caught), handler), *self.block(handler.body)]
            # The lines of the handler are those of its `except`, not of its body.
            caught.end_lineno, caught.end_col_offset = caught.lineno, caught.col_offset
            kinds = handler.type and self.value(handler.type)
            if kinds is not None and self.blocks:
                kinds = self.make("kinds", handler.type, [kinds])
            handlers.append(place(ast.ExceptHandler(kinds, handler.name, body), handler))
        return [place(type(node)(self.block(node.body), handlers, self.block(node.orelse),
                                 self.block(node.finalbody)), node)]

    _do_TryStar = _do_Try

    def _do_Match(self, node):
        if self.blocks:
            return self.conditions(node)
        subject = self.make("match", node.subject, [self.value(node.subject)])
        cases = []
        for number, case in enumerate(node.cases):
            if getattr(case, "_hybridad", False):
                cases.append(ast.match_case(case.pattern, None, self.block(case.body)))
                continue
            guard = case.guard and self.test(case.guard, "case")
            chosen = self.make("case", case.pattern, [place(ast.Constant(number), case.pattern)],
                               detail=number)
            body = [place(ast.Expr(chosen), case.pattern), *self.block(case.body)]
            cases.append(ast.match_case(case.pattern, guard, body))
        return [place(ast.Match(subject, cases), node)]

    # -- definitions ---------------------------------------------------------------------------

    def _do_FunctionDef(self, node):
        decorators = self._decorators(node)
        args = self.defaults(node.args)
        held, self.held = self.held, []
        outer = self.enter(node, node.name)
        body = self._function_body(node)
        self.scope, self.held = outer, held
        return [self._with_body(node, args, decorators, body)]

    def _with_body(self, node, args, decorators, body):
        made = ast.FunctionDef(node.name, args, body, decorators, node.returns, None)
        if hasattr(node, "type_params"):
            made.type_params = node.type_params
        return place(made, node)

    def _do_ClassDef(self, node):
        decorators = self._decorators(node)
        bases, keywords = node.bases, node.keywords
        if not getattr(node, "type_params", None):  # else in a scope where `:=` is forbidden
            bases = [self.value(base) for base in bases]
            keywords = self.keywords(node)
        held, self.held = self.held, []
        outer = self.enter(node, node.name)
        body = self.body(node.body)
        self.scope, self.held = outer, held
        made = ast.ClassDef(node.name, bases, keywords, body, decorators)
        if hasattr(node, "type_params"):
            made.type_params = node.type_params
        return [place(made, node)]

    def _decorators(self, node):
        """The decorators; a store to a name outside the function is the last of them."""
        made = [self.make("decorate", d, [self.value(d)]) for d in node.decorator_list]
        kind = self.scope.kind_of(node.name)
        if kind == "local":
            return made
        line = node.decorator_list[0] if made else _start(node)
        key = self.scope.mangled(node.name)
        if kind == "global":
            constant = self.places.constant("set_global", line, self.scope.qualname, None, key)
            return [self.places.method(constant, "set_global"), *made]
        value = place(ast.arg(".v"), line)
        store = self.make("set_free", line, [self.load(".v", line), self.cell(node.name, line)],
                          detail=key)
        function = ast.Lambda(ast.arguments(posonlyargs=[], args=[value], kwonlyargs=[],
                                            kw_defaults=[], defaults=[]), store)
        return [place(function, line), *made]


def _start(node):
    """The beginning of a node, as a place."""
    made = place(ast.Pass(), node)
    made.end_lineno, made.end_col_offset = node.lineno, node.col_offset
    return made


def _fields(node):
    return {field: getattr(node, field) for field in node._fields}


def _is_text(node):
    return type(node) is ast.Constant and type(node.value) is str


def _is_same_length(target, value):
    displays = (ast.Tuple, ast.List)
    return (type(target) in displays and type(value) in displays
            and len(target.elts) == len(value.elts)
            and not any(type(e) is ast.Starred for e in (*target.elts, *value.elts)))
