"""What all rewriting shares: new nodes, sites, temporaries, and the scope one is in."""

import ast

from hybridad.recording.instrument.places import place
from hybridad.recording.instrument.scopes import Scope

__all__ = ["Rewriting"]

_LOAD, _STORE = ast.Load(), ast.Store()


class Rewriting:
    """The state of rewriting one function; what kinds of nodes become is added by subclasses.

    Nothing that is given is changed: new nodes are made, and what stays as it was is shared.

    Parameters
    ----------
    places : Places
    scope : Scope
        That of the root.
    module_globals : dict
        Those of the function, to see which builtins are hidden.
    blocks : frozenset of str
        The kinds of hooks where blocks begin, end and join.
    """

    def __init__(self, places, scope, module_globals, blocks=frozenset()):
        self.places, self.scope, self.module_globals = places, scope, module_globals
        self.blocks = blocks
        self._counter = 0           # of temporaries in this statement
        self.held = []              # those within expressions, to be let go after the statement
        self.holds = 0              # how many there have been in all
        self._fixed_iterable = False  # in an iterable of a comprehension, where `:=` is forbidden
        self._visitors = {kind: getattr(self, f"_visit_{kind.__name__}", None)
                          for kind in _EXPRESSIONS}

    def value(self, node, name=None, discarded=False):
        """An expression for its value.

        Parameters
        ----------
        node : ast.expr
        name : str, optional
            The variable that the value is assigned to.
        discarded : bool
            The value is not used.
        """
        if getattr(node, "_hybridad", False):
            return node
        visit = self._visitors.get(type(node))
        if visit is None:
            return node
        return visit(node, name, discarded)

    def make(self, method, node, args, *, kind=None, name=None, detail=None, discarded=False,
             at=None, keywords=()):
        """A call of a new site's method, with the location of `at`, by default of `node`."""
        constant = self.places.constant(
            kind or method, node, self.scope.qualname, name, detail, discarded)
        return self.places.call(constant, method, args, list(keywords), at or node)

    def temporary(self, node):
        """A name that no user can write, and a node that stores to it."""
        self._counter += 1
        name = f".t{self._counter}"
        return name, place(ast.Name(name, _STORE), node)

    def may_hold(self):
        """Whether a temporary can be assigned within an expression here."""
        return not self._fixed_iterable and not self.scope.frame.is_class

    def hold(self, value):
        """``(.t := value)``, and the name."""
        name, target = self.temporary(value)
        self.held.append(name)
        self.holds += 1
        return place(ast.NamedExpr(target, value), value), name

    def load(self, name, like):
        """A read of a temporary or local name."""
        return place(ast.Name(name, _LOAD), like)

    def is_local(self, node):
        """Whether it is a name whose evaluation does nothing and may be repeated."""
        return type(node) is ast.Name and self.scope.kind_of(node.id) == "local"

    def make_site(self, kind, node, detail):
        """What stands for a site, for `hybridad.recording.instrument.blocks`."""
        return self.places.constant(kind, node, self.scope.qualname, None, detail)

    def stored(self, target, value):
        """The value to be stored in a name; a store outside the function is told to its site."""
        key = self.scope.mangled(target.id)
        kind = self.scope.kind_of(target.id)
        if kind == "local":
            return value
        if kind == "global":
            return self.make("set_global", target, [value], detail=key)
        return self.make("set_free", target, [value, self.cell(target.id, target)], detail=key)

    def cell(self, name, like):
        """A lambda that reads a free variable, whose cell it so has."""
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return place(ast.Lambda(nothing, self.load(name, like)), like)

    def enter(self, node, name):
        """Go into the scope of a definition; returns the scope that has to be restored."""
        outer = self.scope
        scope = outer.add_type_parameters(node)
        is_class = type(node) is ast.ClassDef
        if type(node) is not ast.Lambda and outer.kind_of(name) == "global":
            qualname = name
        elif outer.frame.is_class:
            qualname = f"{outer.qualname}.{name}"
        else:
            qualname = f"{outer.qualname}.<locals>.{name}"
        self.scope = Scope(node, scope, qualname, name if is_class else outer.class_name)
        return outer


_EXPRESSIONS = tuple(ast.expr.__subclasses__())
