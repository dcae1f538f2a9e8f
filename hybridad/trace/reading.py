"""Text as a trace: the way back from `hybridad.trace.text`; traces can be written by hand."""

import ast
import operator
import re
from dataclasses import dataclass, field

import numpy as np

from hybridad.trace.ir import (
    HOLE,
    Aval,
    Block,
    Branch,
    Leave,
    Loop,
    Method,
    Next,
    Node,
    Phi,
    Place,
    Return,
    Step,
)
from hybridad.trace.literals import evaluate

__all__ = ["BINARY", "UNARY", "parse"]

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "is": operator.is_, "is not": operator.is_not,
}
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not ": operator.not_}

_SIGNS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_,
    ast.IsNot: operator.is_not, ast.USub: operator.neg, ast.UAdd: operator.pos,
    ast.Invert: operator.invert, ast.Not: operator.not_,
}
_KINDS = re.compile(
    r"(input|const|variable|pull|seed|write|read|check|effect|note|foreign|build)\b(?![.\[])\s*(.*)")
_TARGET_IS_TEXT = ("read", "check", "effect")
_PYTHON_NUMBERS = ("float", "complex", "int", "bool")
_TOKEN = re.compile(r"""(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|%(?P<use>\d+)"""
                    r"|\$(?P<constant>\w+)|(?P<comment>\#.*)|(?P<gap>\ {2,})"
                    r"|(?P<open>[([{])|(?P<close>[)\]}])|[^'\"%$# ()[\]{}]+|.")
_PLACE = re.compile(r"#\s*(.+?):(\d+)(?::(\d+))?(?: in (\S+))?(?: \(([^()]+)\))?")


def parse(text, constants=None):
    """Read what `show` has written, or a person.

    Parameters
    ----------
    text : str
    constants : dict, optional
        The objects that ``$name`` stands for.

    Returns
    -------
    Block

    Raises
    ------
    ValueError
        With the line that cannot be read.
    """
    root = _Line("", None, -1, None)
    lines, stack = [], [root]
    fresh = 1 + max([int(number) for number in re.findall(r"%(\d+)", text)], default=-1)
    for row in text.splitlines():
        if not row.strip() or row.lstrip().startswith("#"):
            continue
        indent = len(row) - len(row.lstrip())
        while indent <= stack[-1].indent:
            stack.pop()
        line = _Line(row.strip(), stack[-1], indent, fresh)
        fresh += 1
        stack[-1].children.append(line)
        stack.append(line)
        lines.append(line)
    reader = _Reader({} if constants is None else constants)
    for line in reversed(lines):  # what stands inside a line comes after it
        try:
            line.made = reader.made(line)
        except Exception as error:
            raise ValueError(f"cannot read the line  {line.text}\n{error}") from error
    return _block(root.children)


@dataclass(slots=True)
class _Line:
    """A line, the lines inside it, and what has been made of it.

    `fresh` is the id that the operation gets if the line gives it none.
    """

    text: str
    parent: "_Line | None"
    indent: int
    fresh: int | None
    children: list = field(default_factory=list)
    made: object = None

    @property
    def word(self):
        return re.match(r"\w*", self.text)[0]


def _block(lines):
    made = [line.made for line in lines]
    end = made.pop() if made and not isinstance(made[-1], Node | Loop) else None
    for x in made:
        if not isinstance(x, Node | Loop):
            raise ValueError("a block goes on after its end")
    return Block(tuple(made), end)


class _Reader:
    """Makes of a line what it says, when the lines inside it have been made."""

    def __init__(self, constants):
        self.constants = constants

    def made(self, line):
        first, *others = _chunks(line.text)
        word = line.word
        if line.parent.word == "branch":
            return self.value(line.text.removesuffix(":")), _block(line.children)
        if word == "branch":
            _, kind, test = first.split(None, 2)
            sides = dict([side.made for side in line.children])
            return Branch(self.value(test), kind, sides, _place(others))
        if word == "loop":
            return self.loop(first, others, line.children)
        if line.children:
            raise ValueError("nothing can stand inside this line")
        rest = first[len(word):].strip()
        if word == "phi":
            id, init, out = re.fullmatch(r"%(\d+) = (.*) -> %(\d+)", rest).groups()
            known = self.trailer(others)
            return Phi(int(id), self.value(init), int(out), known["name"], known["aval"],
                       known["memory"])
        if word == "item":
            return int(rest[1:]), self.trailer(others)
        if word in ("return", "next", "leave"):
            return self.leaf(word, rest, others)
        found = re.fullmatch(r"%(\d+)\s*=(?!=)\s*(.*)", first)
        id, text = (int(found[1]), found[2]) if found else (line.fresh, first)
        return Node(id, *self.operation(text), **self.trailer(others))

    def loop(self, first, others, children):
        _, id, kind, *spec = first.split(None, 3)
        head = [line for line in children if line.word in ("item", "phi")]
        items = [line.made for line in head if line.word == "item"]
        item, known = items[0] if items else (None, self.trailer([]))
        spec = spec[0] if spec else ""
        place, marks = _place(others), [x for x in others if x[0] != "#"]
        of = [int(x[4:]) for x in marks if x.startswith("of %")]
        return Loop(
            int(id[1:]), kind, self.values(spec), item,
            tuple([line.made for line in head if line.word == "phi"]),
            _block(children[len(head):]), "once" in marks, of[0] if of else None,
            -1 if "backward" in marks else 1, place, self.trailer(marks[-1:])["part"],
            known["aval"], None, known["name"], known["memory"])

    def leaf(self, word, rest, others):
        if word == "return":
            extras = dict([x.split(None, 1) for x in others if x[0] != "#"])
            extras = {name: self.value(x) for name, x in extras.items()}
            return Return(self.value(rest), **extras, place=_place(others))
        numbers = dict([x.split() for x in others if x != "uncounted"])
        number = int(numbers.get("leaf", 0))
        if word == "next":
            return Next(self.values(rest), number)
        return Leave(self.values(rest), number, int(numbers.get("label", 0)),
                     "uncounted" not in others)

    def trailer(self, chunks):
        """What is known of a value beside its operation."""
        known = {"aval": None, "memory": None, "name": None, "place": _place(chunks),
                 "part": "forward", "of": None}
        for chunk in chunks:
            if chunk[0] == ":":
                known["aval"], known["memory"] = _type(chunk[1:].strip())
            elif chunk[0] == "[":
                part, of = re.fullmatch(r"\[(\w+?)?\s*(?:of %(\d+))?\]", chunk).groups()
                known["part"], known["of"] = part or "forward", None if of is None else int(of)
            elif chunk[0] != "#":
                known["name"] = ast.literal_eval(chunk) if chunk[0] in "'\"" else chunk
        return known

    def value(self, text):
        return evaluate(_tree(text), self.constants)

    def values(self, text):
        return self.value(f"({text.removesuffix(',')},)") if text else ()

    def operation(self, text):
        """Its op, target, args and kwargs."""
        found = _KINDS.fullmatch(text)
        if found is None:
            return "apply", *self.expression(_tree(text))
        op, text = found.groups()
        if op in _TARGET_IS_TEXT and (found := re.fullmatch(r"([a-z ]+?)\s*(\(.*\))?", text)):
            return op, found[1], *self.arguments(_tree(f"_{found[2] or '()'}"))
        if op == "write":
            tree = _tree(text)
            args, kwargs = self.arguments(tree, skip=1)
            return op, self.called(tree.func), (*self.region(tree.args[0]), *args), kwargs
        if text[:1].isdigit() and op != "const":
            (target,), kwargs = self.arguments(_tree(f"_({text})"))
            return op, target, (), kwargs
        if op == "const" and not text.startswith("("):
            return op, None, (self.value(text),), {}
        if not text or text[0] == "(":
            return op, None, *self.arguments(_tree(f"_{text or '()'}"))
        return op, *self.expression(_tree(text))

    def expression(self, tree):
        """Target, args and kwargs of an operation that has a sign or a name."""
        kind = type(tree)
        if kind is ast.Subscript:
            return operator.getitem, (self.evaluate(tree.value), self.evaluate(tree.slice)), {}
        if kind is ast.BinOp:
            parts = tree.left, tree.right
        elif kind is ast.Compare and len(tree.ops) == 1:
            parts = tree.left, tree.comparators[0]
        elif kind is ast.UnaryOp:
            parts = (tree.operand,)
        elif kind is ast.Call:
            return self.called(tree.func), *self.arguments(tree)
        else:
            raise ValueError("this is no operation")
        sign = type(tree.ops[0] if kind is ast.Compare else tree.op)
        return _SIGNS[sign], tuple([self.evaluate(part) for part in parts]), {}

    def evaluate(self, tree):
        return evaluate(tree, self.constants)

    def called(self, tree):
        if type(tree) is ast.Attribute and type(tree.value) is ast.Name and tree.value.id == "_m":
            return Method(tree.attr)
        return self.evaluate(tree)

    def arguments(self, call, skip=0):
        args = tuple([self.evaluate(x) for x in call.args[skip:]])
        return args, {x.arg: self.evaluate(x.value) for x in call.keywords}

    def region(self, tree):
        """An array and the steps that lead to a part of it; they stand there inside out."""
        path = []
        while type(tree) is not ast.Name:
            if type(tree) is ast.Subscript:
                step = Step(operator.getitem, (HOLE, self.evaluate(tree.slice)))
                tree = tree.value
            elif type(tree) is ast.BinOp:
                step, tree = self.evaluate(tree.right), tree.left
            elif type(tree) is not ast.Call:
                raise ValueError("this is no way from an array to a part of it")
            elif type(tree.func) is ast.Attribute and _is_region(tree.func.value):
                args, kwargs = self.arguments(tree)
                step, tree = Step(Method(tree.func.attr), (HOLE, *args), kwargs), tree.func.value
            else:
                args, kwargs = self.arguments(tree, skip=1)
                step, tree = Step(self.evaluate(tree.func), (HOLE, *args), kwargs), tree.args[0]
            path.append(step)
        return self.evaluate(tree), tuple(reversed(path))


def _is_region(tree):
    """Whether a tree is an array or leads to a part of one, and no name of a function."""
    while type(tree) is ast.Attribute:
        tree = tree.value
    return type(tree) is not ast.Name or tree.id.startswith("_r")


def _chunks(text):
    """The parts of a line, which two blanks separate; the comment is one."""
    parts, depth = [""], 0
    for token in _TOKEN.finditer(text):
        depth += {"open": 1, "close": -1}.get(token.lastgroup, 0)
        if token.lastgroup in ("gap", "comment") and not depth:
            parts.append(token[0].strip())
        else:
            parts[-1] += token[0]
    return [part for part in parts if part]


def _tree(text):
    """The syntax tree of text in which uses and constants have become names."""
    parts = []
    for token in _TOKEN.finditer(re.sub(r"^\.(?=[^\W\d])", "_m.", text)):
        kind = token.lastgroup
        parts.append({"use": "_r", "constant": "_c_"}.get(kind, "") + token[kind or 0])
    return ast.parse("".join(parts).strip(), mode="eval").body


def _type(text):
    """The `Aval` and the memory in ``float64[3, 2] C m1``."""
    memory = None
    if found := re.search(r"(?:^|\s)m(\d+)$", text):
        text, memory = text[:found.start()].strip(), int(found[1])
    if not text:
        return None, memory
    if text.startswith("object "):
        return Aval("object", text[7:]), memory
    dtype, shape, layout = re.fullmatch(r"('[^']*'|\w+)(?:\[(.*)\]\s*([CFA])?)?", text).groups()
    if dtype[0] == "'":
        dtype = ast.literal_eval(dtype)
    elif dtype not in _PYTHON_NUMBERS or shape is not None:
        dtype = np.dtype(dtype).str
    if shape is None:
        return Aval("number", dtype), memory
    return Aval("array", dtype, ast.literal_eval(f"({shape},)" if shape else "()"),
                layout or "C"), memory


def _place(chunks):
    """The place in a comment, if there is one that names a file and a line."""
    found = _PLACE.fullmatch(chunks[-1]) if chunks and chunks[-1][0] == "#" else None
    if found is None:
        return None
    file, line, col, function, kind = found.groups()
    return Place(file, int(line), function or "", int(col or 0), kind or "")
