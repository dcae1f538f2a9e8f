"""The definition of a function, found in the source that its code was compiled from.

What is found is compiled again and compared with the code that runs, so that a file that was edited
since, or code that something else has rewritten, is refused rather than mistaken for the function.
"""

import ast
import linecache
from dataclasses import dataclass
from threading import Lock
from types import CodeType

from hybridad.recording.instrument.enclosure import compile_function, compile_quietly

__all__ = ["Definition", "NoSource", "find_definition", "forget_sources"]


class NoSource(Exception):
    """The source of a function cannot be had.

    Parameters
    ----------
    reason : str
        Why, as a clause: ``"it was made by exec"``.
    """

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a function.

    Attributes
    ----------
    node : ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda or a comprehension
    class_name : str or None
        The innermost class around it.
    imports : tuple of str
        What is imported at the top of its module.
    """

    node: ast.AST
    class_name: str | None
    imports: tuple[str, ...]


_COMPREHENSIONS = {"<listcomp>": ast.ListComp, "<setcomp>": ast.SetComp, "<dictcomp>": ast.DictComp,
                   "<genexpr>": ast.GeneratorExp}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_KEPT_FILES = 64

_parsed = {}  # file name -> (lines, module, names imported)
_lock = Lock()


def find_definition(code, module_globals=None):
    """The definition that `code` was compiled from.

    Parameters
    ----------
    code : types.CodeType
        Of a function, a lambda or a comprehension.
    module_globals : dict, optional
        The globals of the function: modules in archives are read by their loader.

    Returns
    -------
    Definition

    Raises
    ------
    NoSource
    """
    module, imports = _parse(code, module_globals)
    found = list(_candidates(module, imports, code))
    if not found:
        raise NoSource(f"{code.co_name!r} is not in line {code.co_firstlineno} of its file, which "
                       "has been changed or was rewritten before it was compiled")
    if code.co_name in _COMPREHENSIONS:
        found = [d for d in found if _covers(d.node, code)]
        if len(found) != 1:
            raise NoSource(f"several {code.co_name} stand on its line")
        return found[0]
    alike = [(d, made) for d in found if (made := _compile(d, code)) and _same(made, code)]
    if len(alike) > 1:  # on one line: told apart by their columns
        places = list(code.co_positions())
        alike = [(d, made) for d, made in alike if list(made.co_positions()) == places] or alike[:1]
    if alike:
        return alike[0][0]
    if len(found) == 1 and _is_rewritten_by_pytest(code):
        made = _compile(found[0], code)
        if made is not None and _alike(made, code):
            return found[0]
    raise NoSource("its source has been changed since it was imported, or was rewritten before it "
                   "was compiled")


def forget_sources():
    """Forget all parsed files."""
    _parsed.clear()


def _parse(code, module_globals):
    filename = code.co_filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, module_globals)
    if not lines and hasattr(linecache, "_getlines_from_code"):  # the REPL, since Python 3.13.1
        lines = linecache._getlines_from_code(code)
    if not lines:
        if filename.startswith("<"):
            raise NoSource(f"it was made by exec, eval or a code generator ({filename})")
        raise NoSource(f"its file cannot be read ({filename})")
    with _lock:
        kept = _parsed.get(filename)
        if kept is not None and (kept[0] is lines or kept[0] == lines):
            return kept[1:]
    try:
        module = compile_quietly("".join(lines), ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        error.filename = filename
        raise NoSource(f"its file is not valid Python any more ({error})") from None
    except ValueError as error:  # null bytes, before Python 3.12
        raise NoSource(f"its file is not valid Python any more ({error})") from None
    with _lock:
        while len(_parsed) >= _KEPT_FILES:
            del _parsed[next(iter(_parsed))]
        _parsed[filename] = lines, module, _imported(module)
        return _parsed[filename][1:]


def _imported(module):
    """The names that are imported in the scope of a module."""
    names, todo = {}, [module]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(dict.fromkeys(a.asname or a.name.partition(".")[0] for a in node.names
                                       if a.name != "*"))
        elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.expr)):
            todo += ast.iter_child_nodes(node)
    return tuple(names)


def _candidates(module, imports, code):
    """The definitions of that name that begin in that line."""
    line, name = code.co_firstlineno, code.co_name
    todo = [(module, None)]
    while todo:
        node, class_name = todo.pop()
        if name == "<lambda>":
            if isinstance(node, ast.Lambda) and node.lineno == line:
                yield Definition(node, class_name, imports)
        elif name in _COMPREHENSIONS:
            if isinstance(node, _COMPREHENSIONS[name]) and node.lineno == line:
                yield Definition(node, class_name, imports)
        elif isinstance(node, _FUNCTIONS) and node.name == name and _first_line(node) == line:
            yield Definition(node, class_name, imports)
        inside = node.name if isinstance(node, ast.ClassDef) else class_name
        for child in ast.iter_child_nodes(node):
            end = getattr(child, "end_lineno", None)
            if end is None or _first_line(child) <= line <= end:
                todo.append((child, inside))


def _first_line(node):
    decorators = getattr(node, "decorator_list", None)
    return min(node.lineno, decorators[0].lineno) if decorators else node.lineno


def _covers(node, code):
    inside = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    return all((node.lineno, node.col_offset) <= (line, column)
               and (end, end_column) <= (node.end_lineno, node.end_col_offset)
               for line, end, column, end_column in inside)


def _compile(definition, code):
    try:
        return compile_function(definition.node, code, definition.class_name,
                                definition.imports)
    except (SyntaxError, ValueError):  # its free variables are not those of this definition
        return None


_COUNTS = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars", "co_cellvars")


def _same(made, code):
    """Whether both do exactly the same."""
    return (all(getattr(made, field) == getattr(code, field) for field in _COUNTS)
            and made.co_code == code.co_code
            and made.co_names == code.co_names
            and made.co_varnames == code.co_varnames
            and _same_constant(made.co_consts, code.co_consts))


def _same_constant(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, CodeType):
        return a.co_name == b.co_name and _same(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    return repr(a) == repr(b) if isinstance(a, (float, complex)) else a == b  # -0.0, nan


def _is_rewritten_by_pytest(code):
    return any("@py" in name for name in code.co_names + code.co_varnames) or any(
        isinstance(c, CodeType) and _is_rewritten_by_pytest(c) for c in code.co_consts)


def _alike(made, code):
    """Whether `code` is what pytest makes of the asserts in `made`."""
    own = [name for name in code.co_varnames if not name.startswith("@py")]
    return (all(getattr(made, field) == getattr(code, field) for field in _COUNTS)
            and list(made.co_varnames) == own
            and set(made.co_names) - {"AssertionError"} <= set(code.co_names))
