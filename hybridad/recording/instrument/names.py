"""The local names of a function, and what a piece of its source does to them.

`scope_of` lists the names and finds those that nested scopes capture. `Effects` follows expressions
and simple statements in the order in which Python evaluates them. Sets of names are bit masks over
`Scope.names`, because `flow` joins thousands of them.

Names are those of the source: a private name ``__x`` in a class is not mangled, since the compiler
does that to whatever is made from it.
"""

import ast
from dataclasses import dataclass

__all__ = ["Effects", "Scope", "bound_by_pattern", "scope_of"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TYPE_ALIAS = getattr(ast, "TypeAlias", ())  # Python 3.12

# Functions that read local names without naming them.
_DYNAMIC = frozenset({"locals", "vars", "dir", "eval", "exec"})


@dataclass(frozen=True, slots=True)
class Scope:
    """The local names of one function; all sets are masks over `names`.

    Attributes
    ----------
    names : tuple of str
        Parameters first, then in the order in which the source binds them.
    bits : dict
        The mask of each name.
    parameters : int
    captured : int
        What nested functions, lambdas, classes and generator expressions read or bind, at times
        that nobody knows; all names if the function calls ``locals()``, ``eval`` or the like.
    rebound, unbound : int
        Those that a nested scope may bind and delete.
    first : int
        The first parameter, which ``super()`` reads.
    """

    names: tuple[str, ...]
    bits: dict[str, int]
    parameters: int
    captured: int
    rebound: int
    unbound: int
    first: int

    def listed(self, mask):
        """The names of a mask, in order.

        Parameters
        ----------
        mask : int
        """
        return tuple(name for name, bit in self.bits.items() if mask & bit)


def scope_of(function):
    """The scope of a function definition.

    Parameters
    ----------
    function : ast.FunctionDef, ast.AsyncFunctionDef or ast.Lambda
    """
    scan = _Scan(function)
    names = tuple(n for n in scan.stored if n not in scan.elsewhere)
    bits = {name: 1 << k for k, name in enumerate(names)}

    def mask(some):
        return sum(bits[name] for name in some if name in bits)

    parameters = _parameters(function.args)
    everything = (1 << len(names)) - 1
    return Scope(names, bits, mask(parameters),
                 everything if scan.dynamic else mask(scan.captured),
                 mask(scan.rebound), mask(scan.unbound), mask(parameters[:1]))


def _parameters(arguments):
    several = [*arguments.posonlyargs, *arguments.args, arguments.vararg,
               *arguments.kwonlyargs, arguments.kwarg]
    return [argument.arg for argument in several if argument is not None]


def _evaluated_outside(function):
    """What a nested definition evaluates where it stands: (certainly, perhaps)."""
    args = function.args
    certain = [*getattr(function, "decorator_list", ()), *args.defaults,
               *filter(None, args.kw_defaults)]
    annotated = [*args.posonlyargs, *args.args, *args.kwonlyargs,
                 *filter(None, (args.vararg, args.kwarg))]
    perhaps = [a.annotation for a in annotated if a.annotation is not None]
    if getattr(function, "returns", None) is not None:
        perhaps.append(function.returns)
    return certain, perhaps


def _targets(comprehension):
    """The names that belong to a comprehension alone."""
    return {node.id for generator in comprehension.generators
            for node in ast.walk(generator.target)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _imported(alias):
    return alias.asname or alias.name.split(".")[0]


def bound_by_pattern(node):
    """The name that a pattern itself (not one inside it) binds, or None.

    Parameters
    ----------
    node : ast.AST
    """
    if isinstance(node, (ast.MatchAs, ast.MatchStar)):
        return node.name
    return node.rest if isinstance(node, ast.MatchMapping) else None


class _Scan:
    """One walk over a function or class: which names it stores, declares, reads and captures."""

    def __init__(self, node):
        self.stored = {}  # in order, as a set
        self.deleted, self.reads, self.elsewhere, self.nonlocals = set(), set(), set(), set()
        self.captured, self.rebound, self.unbound = set(), set(), set()
        self.dynamic = False
        if isinstance(node, _FUNCTIONS):
            self.stored.update(dict.fromkeys(_parameters(node.args)))
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        for statement in body:
            self.visit(statement, frozenset(), False)

    def visit(self, node, hidden, deferred):
        """`hidden`: names of enclosing comprehensions; `deferred`: in a generator expression."""
        if isinstance(node, ast.Name):
            if node.id not in hidden:
                self._name(node, deferred)
        elif isinstance(node, ast.NamedExpr):
            # In a comprehension too this binds a name of the function.
            self.stored[node.target.id] = None
            if deferred:
                self.captured.add(node.target.id)
                self.rebound.add(node.target.id)
            self.visit(node.value, hidden, deferred)
        elif isinstance(node, _FUNCTIONS):
            for some in _evaluated_outside(node):
                self._all(some, hidden, deferred)
            self._nested(node, hidden, deferred)
        elif isinstance(node, ast.ClassDef):
            self._all([*node.decorator_list, *node.bases, *node.keywords], hidden, deferred)
            self._nested(node, hidden, deferred)
        elif isinstance(node, _COMPREHENSIONS):
            first, *others = _parts(node)
            self.visit(first, hidden, deferred)
            inside = hidden | _targets(node)
            self._all(others, inside, deferred or isinstance(node, ast.GeneratorExp))
        elif isinstance(node, ast.Global):
            self.elsewhere.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            self.elsewhere.update(node.names)
            self.nonlocals.update(node.names)
        elif isinstance(node, _TYPE_ALIAS):
            self.stored[node.name.id] = None
            self._all([*node.type_params, node.value], hidden, True)
        else:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.stored.update(dict.fromkeys(map(_imported, node.names)))
            elif isinstance(node, ast.ExceptHandler) and node.name:
                self.stored[node.name] = None
            elif bound_by_pattern(node):
                self.stored[bound_by_pattern(node)] = None
            self._all(ast.iter_child_nodes(node), hidden, deferred)

    def _all(self, nodes, hidden, deferred):
        for node in nodes:
            self.visit(node, hidden, deferred)

    def _name(self, node, deferred):
        if isinstance(node.ctx, ast.Load):
            (self.captured if deferred else self.reads).add(node.id)
            self.dynamic = self.dynamic or node.id in _DYNAMIC
            return
        self.stored[node.id] = None
        if isinstance(node.ctx, ast.Del):
            self.deleted.add(node.id)

    def _nested(self, node, hidden, deferred):
        if not isinstance(node, ast.Lambda):
            self.stored[node.name] = None
        self._all(getattr(node, "type_params", ()), hidden, True)
        inner = _Scan(node)
        if isinstance(node, ast.ClassDef):
            # What functions and comprehensions in a class read passes over the names of the class.
            own = set()
        else:
            own = (inner.stored.keys() | inner.elsewhere) - inner.nonlocals
        read = ((inner.reads | inner.captured) - own) | inner.nonlocals
        if isinstance(node, ast.ClassDef):  # a mangled name may be the plain name of a local
            prefix = "_" + node.name.lstrip("_")
            read |= {prefix + n for n in read if n.startswith("__") and not n.endswith("__")}
        self.captured |= read - hidden
        here = inner.nonlocals - hidden
        self.rebound |= (here & inner.stored.keys()) | (inner.rebound - own - hidden)
        self.unbound |= (here & inner.deleted) | (inner.unbound - own - hidden)


def _parts(comprehension):
    """The pieces of a comprehension in order of evaluation, the outermost iterable first."""
    first, *others = comprehension.generators
    parts = [first.iter, first.target, *first.ifs]
    for generator in others:
        parts += [generator.iter, generator.target, *generator.ifs]
    if isinstance(comprehension, ast.DictComp):
        return [*parts, comprehension.key, comprehension.value]
    return [*parts, comprehension.elt]


class Effects:
    """What a piece of source does to the local names, as masks.

    Attributes
    ----------
    use : int
        Read (or deleted) before they are certainly stored here.
    kill : int
        Certainly stored or deleted: their value before does not come out of this piece.
    bind, lose : int
        Certainly bound, and unbound, afterwards.
    may : int
        Perhaps stored.
    stores, deletes : int
        Stored and deleted at all, which is what an exception on the way may leave.
    """

    __slots__ = ("_scope", "bind", "deletes", "kill", "lose", "may", "stores", "use")

    def __init__(self, scope):
        self._scope = scope
        self.use = self.kill = self.bind = self.lose = self.may = self.stores = self.deletes = 0

    def statement(self, node):
        """Add a simple statement, or a definition.

        Parameters
        ----------
        node : ast.stmt
        """
        if isinstance(node, ast.Assign):
            self.expressions(node.value, *node.targets)
        elif isinstance(node, ast.AugAssign):
            target = node.target
            if isinstance(target, ast.Name):
                self._read(self._scope.bits.get(target.id, 0), True)
                self.expressions(node.value, target)
            else:
                self.expressions(target, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.expressions(node.value, node.target)
            elif not isinstance(node.target, ast.Name):
                self.expressions(node.target)
        elif isinstance(node, ast.Assert):
            self.expressions(node.test)
            if node.msg is not None:
                self.expressions(node.msg, certain=False)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self.store(_imported(alias))
        elif isinstance(node, _TYPE_ALIAS):
            self.store(node.name.id)
        else:
            self.expressions(node)

    def expressions(self, *nodes, certain=True):
        """Add expressions, targets or patterns in the order in which they are evaluated.

        Parameters
        ----------
        *nodes : ast.AST
        certain : bool
            Whether they are evaluated whenever this piece of source is.
        """
        for node in nodes:
            self._visit(node, certain, frozenset())

    def store(self, name, certain=True):
        """Add an assignment to a name.

        Parameters
        ----------
        name : str
        certain : bool
        """
        bit = self._scope.bits.get(name, 0)
        self.stores |= bit
        if certain:
            self.kill |= bit
            self.bind |= bit
            self.lose &= ~bit
        else:
            self.may |= bit

    def remove(self, name):
        """Add that a name is unbound, whether it was bound or not.

        Parameters
        ----------
        name : str
        """
        bit = self._scope.bits.get(name, 0)
        self.deletes |= bit
        self.kill |= bit
        self.lose |= bit
        self.bind &= ~bit
        self.may &= ~bit

    def _read(self, bit, certain):
        self.use |= bit & ~self.kill
        if certain:  # had it not been bound, what follows would not run
            self.bind |= bit

    def _visit(self, node, certain, hidden):
        if isinstance(node, ast.Name):
            self._name(node, certain, hidden)
        elif isinstance(node, ast.NamedExpr):
            self._visit(node.value, certain, hidden)
            self.store(node.target.id, certain)
        elif isinstance(node, ast.BoolOp):
            self._first_then(node.values, certain, hidden)
        elif isinstance(node, ast.IfExp):
            self._first_then([node.test, node.body, node.orelse], certain, hidden)
        elif isinstance(node, ast.Compare):
            self._visit(node.left, certain, hidden)
            self._first_then(node.comparators, certain, hidden)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                if key is not None:
                    self._visit(key, certain, hidden)
                self._visit(value, certain, hidden)
        elif isinstance(node, _COMPREHENSIONS):
            first, *others = _parts(node)
            self._visit(first, certain, hidden)
            if not isinstance(node, ast.GeneratorExp):  # whose names are captured
                for other in others:
                    self._visit(other, False, hidden | _targets(node))
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            self._definition(node, certain, hidden)
        else:
            if bound_by_pattern(node):
                self.store(bound_by_pattern(node), certain)
            for child in ast.iter_child_nodes(node):
                self._visit(child, certain, hidden)

    def _name(self, node, certain, hidden):
        if node.id in hidden:
            return
        bit = self._scope.bits.get(node.id, 0)
        if isinstance(node.ctx, ast.Store):
            self.store(node.id, certain)
            return
        self._read(bit, certain)
        if isinstance(node.ctx, ast.Del):
            self.remove(node.id)
        elif node.id == "super":
            self._read(self._scope.first, False)

    def _first_then(self, nodes, certain, hidden):
        first, *others = nodes
        self._visit(first, certain, hidden)
        for other in others:
            self._visit(other, False, hidden)

    def _definition(self, node, certain, hidden):
        if isinstance(node, ast.ClassDef):
            outside = [*node.decorator_list, *node.bases, *node.keywords], ()
        else:
            outside = _evaluated_outside(node)
        for nodes, sure in zip(outside, (certain, False)):
            for other in nodes:
                self._visit(other, sure, hidden)
        if not isinstance(node, ast.Lambda):
            self.store(node.name, certain)
