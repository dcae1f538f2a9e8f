"""Compiling functions with hooks whose sites write down what they are given."""

import ast
import textwrap

from hybridad.recording.instrument.blocks import insert_blocks, joined
from hybridad.recording.instrument.names import scope_of

UNBOUND = type("Unbound", (), {"__repr__": lambda self: "UNBOUND"})()


class Site:
    """What a hook calls: logs, and lets `change` put other values."""

    unbound = UNBOUND
    unbound_error = NameError

    def __init__(self, kind, node, detail, log, change):
        self.kind, self.line, self.detail, self._log = kind, node.lineno, detail, log
        self._change = change

    def block(self, *values):
        assert len(values) == len(self.detail)
        self._log.append((self, values))
        return self._change(self, values) if self._change is not None else values

    def join(self, value):
        self._log.append((self, (value,)))
        return value


class _Insert(ast.NodeTransformer):
    """Does for hooks what the rewriter does."""

    def __init__(self, make_site):
        self._make_site = make_site

    def visit(self, node):
        if getattr(node, "_hybridad", False):
            return node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node = insert_blocks(node, self._make_site)
        return joined(node, self.generic_visit(node), self._make_site)


class _Poison(ast.NodeTransformer):
    """Deletes before each hook all local names of its function that the hook does not list.

    A hook in a ``finally`` clause lists what is live on any of the ways on which it is entered.
    What was deleted since it is dead on this one comes back as something that is nothing.
    """

    def __init__(self, details):
        self._details, self._locals = details, ()

    def visit_FunctionDef(self, node):
        outer, self._locals = self._locals, scope_of(node).names
        self.generic_visit(node)
        self._locals = outer
        return node

    def generic_visit(self, node):
        super().generic_visit(node)
        call = getattr(node, "value", None)
        if not (getattr(node, "_hybridad", False) and isinstance(node, (ast.Assign, ast.Expr))
                and isinstance(call, ast.Call)):
            return node
        listed = self._details[call.func.value.id]
        deletes = [ast.parse(f"try: del {name}\nexcept NameError: pass").body[0]
                   for name in self._locals if name not in listed and name[0] != "."]
        sure = [a.id for a in call.args if a.id in listed]
        backs = [ast.parse(f"try: {name}\nexcept NameError: {name} = object()").body[0]
                 for name in sure]
        return [*deletes, *backs, node]


class Hooked:
    """Functions of a source text, with hooks.

    `events` holds (kind, line, {name: value}) of what has happened, `sites` all sites by number.
    """

    def __init__(self, source, *, change=None, poison=False, **namespace):
        self._log, self.sites, details = [], [], {}
        self.namespace = namespace

        def make_site(kind, node, detail):
            name = f"_site_{len(self.sites)}"
            self.sites.append(Site(kind, node, detail, self._log, change))
            self.namespace[name], details[name] = self.sites[-1], detail
            return ast.Name(name, ast.Load())

        self.tree = _Insert(make_site).visit(ast.parse(textwrap.dedent(source)))
        if poison:
            self.tree = _Poison(details).visit(self.tree)
        ast.fix_missing_locations(self.tree)
        exec(compile(self.tree, "<hooked>", "exec"), self.namespace)

    def __getitem__(self, name):
        return self.namespace[name]

    @property
    def events(self):
        return [(site.kind, site.line, dict(zip(site.detail, values))) for site, values in self._log
                if "join" not in site.kind or site.kind in ("if.join", "match.join")]

    @property
    def joins(self):
        return [(site.kind, *values) for site, values in self._log
                if "join" in site.kind and site.kind not in ("if.join", "match.join")]

    def names(self):
        """The events with the names only, in lines ``kind line: a b?``; "?" marks an unbound."""
        return [" ".join([f"{kind} {line}:", *(n + "?" * (v is UNBOUND) for n, v in given.items())])
                for kind, line, given in self.events]


def plain(source, **namespace):
    """The namespace of a source text as it is."""
    exec(compile(textwrap.dedent(source), "<plain>", "exec"), namespace)
    return namespace
