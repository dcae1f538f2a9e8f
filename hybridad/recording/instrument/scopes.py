"""Which names are local, free or global, scope by scope.

The definition at the root stands in no scope of ours: what it finds outside itself is told by the
free variables of its code.
"""

import ast

__all__ = ["COMPREHENSIONS", "Scope", "mangle"]

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# The fields of nodes that hold no nodes, or none that bind names.
_LEAVES = {"arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs",
           "level", "module", "name", "names", "op", "ops", "rest", "simple", "str", "type_comment"}


def _children(kind):
    if kind is ast.Constant or kind is ast.MatchSingleton:
        return ()
    return tuple(field for field in kind._fields if field not in _LEAVES)


_CHILDREN = {kind: _children(kind) for kind in vars(ast).values()
             if isinstance(kind, type) and issubclass(kind, ast.AST)}
_CHILDREN[type(None)] = ()  # in the lists of keys and defaults
# Most nodes: only what is in them can bind names.
_INDIFFERENT = frozenset({type(None), ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare,
                          ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple,
                          ast.List, ast.Starred, ast.Expr, ast.Assign, ast.AugAssign, ast.Return,
                          ast.For, ast.While, ast.If, ast.IfExp})


def mangle(name, class_name):
    """The name that ``__name`` has inside a class.

    Examples
    --------
    >>> mangle("__x", "_Point"), mangle("__init__", "Point"), mangle("x", "Point")
    ('_Point__x', '__init__', 'x')
    """
    if class_name is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = class_name.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


class Scope:
    """A function, class, comprehension or list of type parameters.

    Parameters
    ----------
    node : ast.AST
        What opens it.
    parent : Scope or None
    qualname : str
        Of the code of the scope.
    class_name : str or None
        The innermost class, for mangling.
    free : iterable of str
        Of the root alone: the free variables of its code.
    """

    __slots__ = ("bound", "class_name", "free", "globals", "is_class", "is_comprehension",
                 "is_generator", "nonlocals", "parent", "qualname", "resolved")

    def __init__(self, node, parent, qualname, class_name, free=()):
        self.parent, self.qualname, self.class_name = parent, qualname, class_name
        self.free = frozenset(free)
        self.bound, self.globals, self.nonlocals, self.resolved = set(), set(), set(), {}
        self.is_generator = False
        self.is_class = isinstance(node, ast.ClassDef)
        self.is_comprehension = isinstance(node, COMPREHENSIONS)
        if self.is_comprehension:
            self._bind([g.target for g in node.generators])
        elif isinstance(node, ast.Lambda):
            self._bind_parameters(node.args)
            self._bind([node.body])
        else:
            if not self.is_class:
                self._bind_parameters(node.args)
            self._bind(node.body)
        self.bound -= self.globals
        self.bound -= self.nonlocals

    def kind_of(self, name):
        """What a name is here.

        Returns
        -------
        str
            ``"local"``, ``"free"`` or ``"global"``. In a class body a name that the body binds is
            local, though it may be looked up outside. The variables of the function around a
            comprehension are local to it.
        """
        kind = self.resolved.get(name)
        if kind is None:
            kind = self.resolved[name] = self._resolve(mangle(name, self.class_name))
        return kind

    def add_type_parameters(self, node):
        """A scope between this one and a generic definition, or this one if it is not generic."""
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return self
        made = Scope.__new__(Scope)
        made.parent, made.qualname, made.class_name = self, self.qualname, self.class_name
        made.free, made.globals, made.nonlocals, made.resolved = frozenset(), set(), set(), {}
        made.is_class = made.is_comprehension = made.is_generator = False
        made.bound = {made.mangled(p.name) for p in parameters}
        return made

    def mangled(self, name):
        """The name as the code of this scope has it."""
        return mangle(name, self.class_name)

    @property
    def frame(self):
        """The function or class in whose frame a comprehension runs, or the scope itself."""
        scope = self
        while scope.is_comprehension:
            scope = scope.parent
        return scope

    def _resolve(self, name):
        scope, crossed = self, False
        while True:
            if not scope.is_class or scope is self:
                if name in scope.globals:
                    return "global"
                if name in scope.nonlocals:
                    return "free"
                if name in scope.bound:
                    return "free" if crossed else "local"
            elif name == "__class__":
                return "free"
            if scope.parent is None:
                return "free" if name in scope.free else "global"
            crossed = crossed or not scope.is_comprehension
            scope = scope.parent

    def _bind_parameters(self, args):
        parameters = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        parameters += filter(None, (args.vararg, args.kwarg))
        self.bound.update(self.mangled(p.arg) for p in parameters)

    def _bind(self, nodes):
        """Collect what the statements of this scope bind, not those of scopes inside."""
        todo = list(nodes)
        bound, mangled = self.bound, self.mangled
        while todo:
            node = todo.pop()
            kind = type(node)
            if kind is ast.Name:
                if type(node.ctx) is not ast.Load:
                    bound.add(mangled(node.id))
                continue
            if kind in _INDIFFERENT:
                pass
            elif kind in _DEFINITIONS:
                bound.add(mangled(node.name))
                todo += _outside_of_definition(node)
                continue
            elif kind is ast.Lambda:
                todo += filter(None, (*node.args.defaults, *node.args.kw_defaults))
                continue
            elif kind in COMPREHENSIONS:
                self._bind_walrus(node)
                continue
            elif kind is ast.Yield or kind is ast.YieldFrom:
                self.is_generator = True
            elif kind is ast.Global:
                self.globals.update(map(mangled, node.names))
            elif kind is ast.Nonlocal:
                self.nonlocals.update(map(mangled, node.names))
            elif kind is ast.Import or kind is ast.ImportFrom:
                bound.update(mangled(a.asname or a.name.partition(".")[0]) for a in node.names)
            elif kind is ast.ExceptHandler or kind is ast.MatchAs or kind is ast.MatchStar:
                if node.name:
                    bound.add(mangled(node.name))
            elif kind is ast.MatchMapping and node.rest:
                bound.add(mangled(node.rest))
            elif kind.__name__ == "TypeAlias":
                bound.add(mangled(node.name.id))
                continue
            for field in _CHILDREN[kind]:
                value = getattr(node, field)
                if type(value) is list:
                    todo += value
                else:
                    todo.append(value)

    def _bind_walrus(self, comprehension):
        """``:=`` in a comprehension binds in the function around it."""
        if self.is_comprehension:
            return
        todo = [comprehension]
        while todo:
            node = todo.pop()
            if type(node) is ast.NamedExpr:
                self.bound.add(self.mangled(node.target.id))
            if type(node) is not ast.Lambda:
                todo += ast.iter_child_nodes(node)


def _outside_of_definition(node):
    """What of a definition is evaluated in the scope that it stands in."""
    todo = list(node.decorator_list)
    if isinstance(node, ast.ClassDef):
        return todo + node.bases + [k.value for k in node.keywords]
    args = node.args
    parameters = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    annotations = [p.annotation for p in parameters if p is not None]
    todo += filter(None, (*args.defaults, *args.kw_defaults, *annotations, node.returns))
    return todo
