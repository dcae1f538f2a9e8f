"""Makes a program smaller while it keeps a property: statements go, expressions get simpler."""

import ast
import copy
import itertools
import signal
from collections.abc import Callable, Iterator

__all__ = ["shrink"]

_MOST_SECONDS = 5  # of one try: programs that lose a statement may run for ever


def shrink(source: str, keeps: Callable[[str], bool]) -> str:
    """The smallest program found for which `keeps` is true; it is false where it raises.

    Parameters
    ----------
    source : str
    keeps : callable
        Is true for `source`. Runs in the main thread, as it is interrupted by a signal.

    Returns
    -------
    str
    """
    tree, start, smaller = ast.parse(source), 0, True
    while smaller or start:
        smaller = False
        for at, attempt in enumerate(itertools.islice(_attempts(tree), start, None), start):
            if _holds(keeps, ast.unparse(attempt)):
                tree, start, smaller = attempt, at, True  # the next one stands in its place
                break
        else:
            smaller, start = bool(start), 0
    return ast.unparse(tree)


def _holds(keeps, source):
    before = signal.signal(signal.SIGALRM, _interrupt)
    signal.alarm(_MOST_SECONDS)
    try:
        return keeps(source)
    except (Exception, _TooLongError):
        return False
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class _TooLongError(BaseException):
    """Not an Exception, so that no program catches it."""


def _interrupt(*_):
    raise _TooLongError


def _attempts(tree) -> Iterator[ast.AST]:
    """Smaller programs, each in a copy of its own."""
    count = sum(1 for _ in ast.walk(tree))
    for edits in (_statement_edits, _expression_edits):
        for at in range(count):
            for edit in range(len(edits(list(ast.walk(tree))[at]))):
                attempt = copy.deepcopy(tree)
                edits(list(ast.walk(attempt))[at])[edit]()
                yield attempt


def _statement_edits(node):
    """Changes of the blocks of a node: a statement goes, or what is inside takes its place."""
    edits = []
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue
        for k, statement in enumerate(block):
            if len(block) > 1 or name == "orelse":
                edits.append(lambda block=block, k=k: block.__delitem__(k))
            if isinstance(statement, (ast.For, ast.While, ast.If)):
                for inside in filter(None, (statement.body, statement.orelse)):
                    edits.append(lambda block=block, k=k, inside=inside: block.__setitem__(
                        slice(k, k + 1), inside))
    return edits


def _expression_edits(node):
    """Changes of the expressions in a node: one of its parts, or a number, takes the place."""
    edits = []
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            holders = [(value, lambda new, name=name: setattr(node, name, new))]
        elif isinstance(value, list):
            holders = [(item, lambda new, value=value, k=k: value.__setitem__(k, new))
                       for k, item in enumerate(value) if isinstance(item, ast.expr)]
        else:
            continue
        for old, put in holders:
            if name == "func" or isinstance(old, (ast.Name, ast.Constant)) or isinstance(
                    getattr(old, "ctx", None), ast.Store):
                continue
            parts = [part for part in ast.iter_child_nodes(old) if isinstance(part, ast.expr)]
            edits += [lambda put=put, new=new: put(new) for new in (*parts, ast.Constant(0.5))]
    return edits
