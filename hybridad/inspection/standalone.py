"""The text of a module that answers as a differentiated function does, with NumPy alone."""

import re
import textwrap

from hybridad.engine.causes import conditions_of, shown_place
from hybridad.inspection.interface import Interface
from hybridad.inspection.literals import NotWritable, write_literal
from hybridad.sct.differentiate.choice import chosen
from hybridad.sct.emit.names import readable

__all__ = ["write_module"]

_INNER = "_adjoint"

_HEAD = '''\
"""{title}

{about}

    {call} -> {result}

{arguments}

Arguments of other types or shapes, and paths that had not been seen, raise `UnknownPath`.
"""

{imports}

__all__ = ["UnknownPath", "{name}"]


class UnknownPath(ValueError):
    """The code in this module is not for such a call."""


def {call}:
    """Answer as ``hybridad.{made}({function})`` does."""
{body}


def _expect(condition, what):
    if not condition:
        raise UnknownPath(f"this code is for {{what}}")


{constants}'''


def write_module(engine, entry, tree, code, version, origin):
    """The text of the module.

    Parameters
    ----------
    engine : Engine
    entry : Entry
    tree : Block
        What `code` was made of.
    code : Code
    version : str
        Of hybridad.
    origin : str
        Where the function is defined: "fit.py:12".

    Returns
    -------
    str

    Raises
    ------
    NotWritable
        The message says what cannot be written down.
    """
    interface = Interface(engine, entry, tree)
    source = code.source
    head, function = _split(source)
    function = _without_run(source, function)
    constants = [f"{name} = {_literal(x)}" for name, x in source.constants.items()]
    made = "value_and_grad" if engine.returns_value else "grad"
    name = f"{readable(engine.name, 'f')}_{made}"
    call = f"{name}({', '.join(interface.parameters)})"
    title = "The value and the gradient" if engine.returns_value else "The gradient"
    about = f"Adjoint code that hybridad {version} has made of it" + (
        f", from {origin}." if origin else ".")
    text = _HEAD.format(
        title=_plain(f"{title} of `{engine.name}`."), about=_plain(about), call=call,
        result=interface.result, arguments=_indented(map(_plain, interface.lines)),
        imports="\n".join(head), name=name, made=made, function=_plain(engine.name),
        body=_indented(interface.statements(_parameters(function), _INNER)),
        constants="\n".join([*constants, "", "", ""] if constants else []))
    return text + _with_errors(source, function)


def _indented(rows):
    return textwrap.indent("\n".join(rows), "    ")


def _plain(text):
    """Text that may stand in a docstring."""
    return text.replace("\\", "/").replace('"""', "'''")


def _literal(x):
    if x is chosen:
        return "lambda condition, x, y: x if condition else y"
    try:
        return write_literal(x)
    except NotWritable as reason:
        name = getattr(x, "__name__", None)
        raise NotWritable(f"it uses {reason}" + (f", {name}" if name else "")) from None


def _split(source):
    """The imports of emitted code, and the text of its function."""
    start = source.text.index(f"def {source.name}(")
    rows = source.text[:start].split("\n")
    return [row for row in rows if row.startswith(("import ", "from "))], source.text[start:]


def _parameters(function):
    """The parameters of an emitted function: leaves of the arguments."""
    found = re.match(r"def \w+\((.*)\):", function)[1]
    return found.split(", ") if found else []


def _without_run(source, function):
    """An emitted function that reads arguments alone: it has no use of its last parameter."""
    if source.needs_run:
        function = re.sub(r"^(def .*?)(, )?_run\):", r"\1):", function, count=1)
    if re.search(r"\b_run\b", function):
        raise NotWritable("it needs what is outside")
    return function


def _with_errors(source, function):
    """The emitted function, which raises where it exits."""
    conditions = conditions_of(source)

    def leave(found):
        point = source.exits[int(found[2])]
        what = "" if point.reason.startswith("check") else shown_place(point.place)
        text = f"a path that had not been seen: {what or conditions[point.number]}"
        return f"{found[1]}raise UnknownPath({text!r})"

    text = re.sub(r"(?m)^( *)return Exit\((\d+)\)$", leave, function)
    return text.replace(f"def {source.name}(", f"def {_INNER}(", 1)
