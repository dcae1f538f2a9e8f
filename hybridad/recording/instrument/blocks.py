"""Hooks at the entries and ends of blocks, which hand over the live names and rebind them.

A hook is the statement ``(a, b) = <site>.block(a, b)``; ``site.detail`` is ``("a", "b")``, and
``site.kind`` is one of `KINDS`. A site lies where its construct does (the ``if``, the loop, ...),
so that the hooks of one construct have one position; those of jumps lie at the jump. Hooks stand
only where control can get. In order of events, with what is listed beside what is live and bound
there:

* A function: ``function.entry``, body, ``function.end`` where it ends without ``return``.
* ``if``: the test (its truth site), ``if.then``, body, ``if.end`` or ``if.else``, the other side,
  ``if.end``; then ``if.join``. There are always two sides. The ends list what ``if.join`` lists,
  also what is unbound on their own side. ``elif`` is an ``if`` that is the other side.
* ``while``: ``while.loop``, then for each iteration the test, ``while.body``, body, ``while.next``;
  after the last test ``while.else``, the else clause, ``while.end`` if there is one; at last
  ``while.exit``. ``while.loop`` and ``while.next`` are the ways to the head. They list what is live
  and may be bound *there*: the names to turn into phis before the test. So does ``while.body``.
* ``for``: ``for.loop``, the iterable (its iter site), then for each iteration the next item and its
  assignment, ``for.body``, body, ``for.next``; at the end ``for.else``, ``for.end``; ``for.exit``.
  The head lies between the iterable and the first ``for.body``, so it is ``for.body`` that turns
  the names at the head (and the target's) into phis; the other two list those at the head too.
* ``continue`` and ``break``: before the jump; they list also what the head and the exit list. The
  ends of blocks that are left, and the exit of a loop that ``return`` leaves, are not announced.
* ``return``: before the value is computed, with the names that the value reads; ``raise`` likewise.
* ``with``: the context (its site) and the assignment of the target, ``with.body``, body,
  ``with.end``, ``__exit__``, ``with.exit`` (reached by a swallowed exception too).
* ``try``: ``try.body``, body, ``try.end``, ``try.else``, the else clause, ``try.end``; after an
  exception ``try.except``, the handler, ``try.end``; then ``try.finally``, its body, ``try.end``
  (with an exception or a jump under way too); ``try.exit`` where control goes on.
* ``match``: ``match.case``, body, ``match.end``; ``match.none``, ``match.end`` where no case fits
  (a case ``_`` that is added unless there is one); ``match.join``.

An expression that computes only some of its parts (``ternary.join``, ``and.join``, ``or.join``,
``chain.join``) cannot hold statements. Its truth sites tell which parts are computed; its end is
``<join>.join(value)``, which passes the value on: `joined` makes it of the expression's recording
form, be that for its value or, where it is a test, for its truth.

In comprehensions and coroutines there are no hooks. A generator has ``generator.entry`` only: its
blocks interleave with those of its consumer, whose hooks cannot rebind names of the generator.

A name that may be unbound is read under ``try``, passed as ``<site>.unbound`` if it is, and rebound
only if it was bound and does not come back as ``<site>.unbound``; ``<site>.unbound_error`` is
NameError, which the user may have shadowed. Certainly bound names must come back bound. What is
inserted is marked ``_hybridad`` and has the line of the statement after it, or of the one before at
the end of a block, so that stepping through the lines shows at most a line again.
"""

import ast
from copy import copy

from hybridad.recording.instrument.flow import Flow, Point, is_irrefutable

__all__ = ["KINDS", "insert_blocks", "joined"]

_LOAD, _STORE, _DELETE = ast.Load(), ast.Store(), ast.Del()
_LOOP = ("loop", "body", "next", "else", "end", "exit")
_PARTS = {
    "function": ("entry", "end"),
    "generator": ("entry",),
    "if": ("then", "else", "end", "join"),
    "while": _LOOP,
    "for": _LOOP,
    "with": ("body", "end", "exit"),
    "try": ("body", "else", "except", "finally", "end", "exit"),
    "match": ("case", "none", "end", "join"),
}
_JUMPS = {ast.Return: "return", ast.Raise: "raise", ast.Break: "break", ast.Continue: "continue"}

KINDS = frozenset({f"{construct}.{part}" for construct, parts in _PARTS.items() for part in parts}
                  | set(_JUMPS.values())
                  | {"ternary.join", "and.join", "or.join", "chain.join"})
_ENTRIES = "function.entry", "function.end", "generator.entry"


def insert_blocks(node, make_site, kinds=KINDS):
    """A function with hooks in its body; functions nested in it stay as they are.

    Parameters
    ----------
    node : ast.FunctionDef, ast.AsyncFunctionDef or ast.Lambda
        As parsed. It is not changed: what holds statements is copied, the rest is shared.
    make_site : callable
        ``make_site(kind, node, detail)``: the expression that stands for a new site.
    kinds : frozenset of str
        Of the hooks, out of `KINDS`. Without those at the entry, a function without blocks has
        none: nobody asks by which ``return`` it ends.

    Returns
    -------
    ast.AST
        `node` itself if it has none.
    """
    if not isinstance(node, ast.FunctionDef):
        return node
    if kinds.isdisjoint(_ENTRIES) and not any(type(x) in _Places.CONSTRUCTS for x in node.body):
        return node
    places = _Places(node)
    flow = Flow(places.function)
    for holder, field in places.lists:
        setattr(holder, field, _with_hooks(getattr(holder, field), holder, places, flow, kinds,
                                           make_site))
    return places.function


def joined(node, form, make_site, kinds=KINDS):
    """The recording form of an expression, with its end marked if only some parts are computed.

    Parameters
    ----------
    node : ast.expr
        The expression as it is in the source.
    form : ast.expr
        What it has become.
    make_site, kinds
        As for `insert_blocks`.
    """
    if isinstance(node, ast.IfExp):
        kind = "ternary.join"
    elif isinstance(node, ast.BoolOp):
        kind = "and.join" if isinstance(node.op, ast.And) else "or.join"
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        kind = "chain.join"
    else:
        return form
    if kind not in kinds:
        return form
    method = ast.Attribute(make_site(kind, node, ()), "join", _LOAD, **_location(node))
    return ast.copy_location(ast.Call(method, [form], []), node)


class _Places:
    """A copy of a function with points in its body.

    Attributes
    ----------
    function : ast.FunctionDef
    lists : list
        Where statements are held: (node, field).
    kinds : dict
        For each point its kind, its construct, and the place whose names it lists too.
    """

    def __init__(self, function):
        self.function = function = copy(function)
        self.lists, self.kinds = [(function, "body")], {}
        self._loops = []
        if _is_generator(function):
            entry, body, end = self._point("generator.entry", function), function.body, []
        else:
            entry = self._point("function.entry", function)
            body, end = self._body(function.body), [self._point("function.end", function)]
        first = int(ast.get_docstring(function, clean=False) is not None)
        function.body = [*body[:first], entry, *body[first:], *end]

    def _point(self, kind, node, also=None):
        point = Point()
        self.kinds[point] = kind, node, also
        return point

    def _body(self, statements):
        done = []
        for node in statements:
            construct = self.CONSTRUCTS.get(type(node))
            if construct is not None:
                done += construct(self, copy(node))
            elif type(node) in _JUMPS:
                also = None
                if isinstance(node, (ast.Break, ast.Continue)):
                    head, exit = self._loops[-1]
                    also = exit if isinstance(node, ast.Break) else head
                done += [self._point(_JUMPS[type(node)], node, also), node]
            else:
                done.append(node)
        return done

    def _side(self, holder, field, node, kinds, to, also=None):
        """Put points at the entry and the end of what stands in a field; returns the first."""
        entry, end = kinds
        first = self._point(entry, node, also)
        body = self._body(getattr(holder, field))
        setattr(holder, field, [first, *body, self._point(end, node, to)])
        self.lists.append((holder, field))
        return first

    def _if(self, node):
        join = self._point("if.join", node)
        self._side(node, "body", node, ("if.then", "if.end"), join)
        self._side(node, "orelse", node, ("if.else", "if.end"), join)
        return [node, join]

    def _loop(self, node):
        name = "while" if isinstance(node, ast.While) else "for"
        exit = self._point(f"{name}.exit", node)
        self._loops.append((node, exit))
        self._side(node, "body", node, (f"{name}.body", f"{name}.next"), node, node)
        self._loops.pop()
        if node.orelse:
            self._side(node, "orelse", node, (f"{name}.else", f"{name}.end"), exit)
        return [self._point(f"{name}.loop", node, node), node, exit]

    def _with(self, node):
        exit = self._point("with.exit", node)
        self._side(node, "body", node, ("with.body", "with.end"), exit)
        return [node, exit]

    def _try(self, node):
        exit = to = self._point("try.exit", node)
        if node.finalbody:
            to = self._side(node, "finalbody", node, ("try.finally", "try.end"), exit)
        after = to
        if node.orelse:
            after = self._side(node, "orelse", node, ("try.else", "try.end"), to)
        self._side(node, "body", node, ("try.body", "try.end"), after)
        node.handlers = [copy(handler) for handler in node.handlers]
        for handler in node.handlers:
            self._side(handler, "body", node, ("try.except", "try.end"), to)
        return [node, exit]

    def _match(self, node):
        join = self._point("match.join", node)
        node.cases = [copy(case) for case in node.cases]
        for case in node.cases:
            self._side(case, "body", node, ("match.case", "match.end"), join)
        if not is_irrefutable(node.cases[-1]):
            pattern = ast.copy_location(ast.MatchAs(), node.cases[-1].pattern)
            none = ast.match_case(pattern, None, [])
            none._hybridad = True
            self._side(none, "body", node, ("match.none", "match.end"), join)
            node.cases.append(none)
        return [node, join]

    CONSTRUCTS = {  # noqa: RUF012
        ast.If: _if, ast.While: _loop, ast.For: _loop, ast.With: _with, ast.Try: _try,
        ast.TryStar: _try, ast.Match: _match,
    }


def _with_hooks(statements, holder, places, flow, kinds, make_site):
    """The statements with hooks in place of the points."""
    done = []
    for k, node in enumerate(statements):
        if not isinstance(node, Point):
            done.append(node)
            continue
        kind, construct, also = places.kinds[node]
        found = flow.names(node, also) if kind in kinds else None
        if found is not None:
            near = (*statements[k + 1:], *reversed(statements[:k]),
                    getattr(holder, "pattern", holder))
            at = _location(next(n for n in near if hasattr(n, "lineno")
                                and not isinstance(n, (ast.Global, ast.Nonlocal))))
            done += _hook(make_site(kind, construct, found[0]), *found, at)
    if not done:  # an empty side
        done.append(ast.Pass(**_location(places.kinds[statements[0]][1])))
    return done


def _hook(site, names, maybe, at):
    """The statements of one hook, at the location `at`."""

    def load(name):
        return ast.Name(name, _LOAD, **at)

    def store(name):
        return ast.Name(name, _STORE, **at)

    def of_site(attribute):
        return ast.Attribute(site, attribute, _LOAD, **at)

    def assign(target, value):
        return ast.Assign([target], value, **at)

    arguments, results, before, after, temporaries = [], [], [], [], []
    for k, name in enumerate(names):
        if name not in maybe:
            arguments.append(load(name))
            results.append(store(name))
            continue
        given, result = f".u{k}", f".w{k}"
        missing = ast.ExceptHandler(
            of_site("unbound_error"), None, [assign(store(given), of_site("unbound"))], **at)
        before.append(ast.Try([assign(store(given), load(name))], [missing], [], [], **at))
        arguments.append(load(given))
        results.append(store(result))
        bound = ast.Compare(load(given), [ast.IsNot(), ast.IsNot()],
                            [of_site("unbound"), load(result)], **at)
        after.append(ast.If(bound, [assign(store(name), load(result))], [], **at))
        temporaries += [ast.Name(given, _DELETE, **at), ast.Name(result, _DELETE, **at)]
    if temporaries:
        after.append(ast.Delete(temporaries, **at))
    call = ast.Call(of_site("block"), arguments, [], **at)
    hook = assign(ast.Tuple(results, _STORE, **at), call) if names else ast.Expr(call, **at)
    statements = [*before, hook, *after]
    for statement in statements:
        statement._hybridad = True
    return statements


def _location(node):
    """The point where a node begins, as keywords: what has several lines would be stepped through.
    """
    node = (getattr(node, "decorator_list", None) or [node])[0]
    return {"lineno": node.lineno, "col_offset": node.col_offset,
            "end_lineno": node.lineno, "end_col_offset": node.col_offset}


def _is_generator(function):
    """Whether the function itself, not one nested in it, yields."""
    left = list(function.body)
    while left:
        node = left.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            left += ast.iter_child_nodes(node)
    return False
