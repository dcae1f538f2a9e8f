"""A site in plain Python, and expressions whose calls go through it.

It does what plain code does and notes the decisions, so that the meanings of Python's functions can
be tested by themselves: values, types and exceptions against plain Python, derivatives against
finite differences.
"""

import ast
import contextlib
import operator

import pytest
from hybridad._record import is_wrapper, raw_of

import hybridad
from hybridad.recording.arraylike import plain
from hybridad.recording.run import tape_in_progress
from hybridad.recording.runtime import folding, iterators, mathematics, operators, python
from hybridad.tree import is_floating
from tests.recording.agreement import POINT, agrees_at, copied, names_in

MEANINGS = {**python.MEANINGS, **folding.MEANINGS, **iterators.MEANINGS, **mathematics.MEANINGS,
            **operators.MEANINGS}


def _qualname(f):
    return getattr(f, "__qualname__", repr(f))


class Site:
    """What the meanings ask of `hybridad._site.Site`, without recording forms.

    `guards` are the decisions noted, `effects` the effects, `called` the names of the functions
    called (it keeps no closures, which hold values of the run).
    """

    def __init__(self):
        self.guards, self.effects, self.called = [], [], []

    def shown(self, text):
        self.guard("str", text)

    def guard(self, kind, outcome):
        self.guards.append((kind, outcome))

    def call(self, f, /, *args, **kwargs):
        if tape_in_progress() is None:
            return f(*args, **kwargs)
        self.called.append(_qualname(f))
        if type(f) in operators.INSTANCES:
            return operators.INSTANCES[type(f)](self, f, *args, **kwargs)
        if self._means(f):
            return MEANINGS[f](self, *args, **kwargs)
        return f(*args, **kwargs)

    def form(self, f):
        return lambda *args, **kwargs: self.call(f, *args, **kwargs)

    def _means(self, f):
        try:
            return f in MEANINGS
        except TypeError:
            return False

    def effect(self, f, args, kwargs):
        self.effects.append((f, args, kwargs))
        return f(*map(plain, args), **plain(kwargs))

    def truth(self, x):
        outcome = bool(raw_of(x))
        if is_wrapper(x):
            self.guard("bool", outcome)
        return outcome

    def iter(self, x):
        return x

    star = unpack = mapping = iter

    def attr(self, o, name):
        return getattr(o, name)

    def set_attr(self, value, o, name):
        setattr(o, name, value)

    def del_attr(self, o, name):
        delattr(o, name)

    def item(self, o, index):
        return o[index]

    def set_item(self, value, o, index):
        o[index] = value

    def del_item(self, o, index):
        del o[index]

    def set_of(self, items):
        return set(items)

    def dict_of(self, items):
        return dict(items)

    def hashing(self):
        return contextlib.nullcontext()

    def format(self, x, conversion, spec):
        text = format({-1: lambda v: v, 115: str, 114: repr, 97: ascii}[conversion](x), spec)
        if is_wrapper(x):
            self.guard("str", text)
        return text

    def isin(self, a, b):
        return a in b

    def notin(self, a, b):
        return a not in b

    def is_(self, a, b):
        return a is b

    def isnot(self, a, b):
        return a is not b

    def neg(self, a):
        return -a

    def pos(self, a):
        return +a

    def invert(self, a):
        return ~a


def _comparison(function):
    def compare(self, a, b):
        outcome = function(a, b)
        if is_wrapper(a) or is_wrapper(b):
            self.guard("compare", outcome)
        return outcome

    return compare


for _name in ("add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor "
              "iadd isub imul itruediv ifloordiv imod ipow imatmul ilshift irshift iand ior "
              "ixor").split():
    setattr(Site, _name, getattr(operator, _name))  # of C: no frame, as in a site
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Site, _name, _comparison(getattr(operator, _name)))


class _Form(ast.NodeTransformer):

    def visit_Call(self, node):
        self.generic_visit(node)
        return ast.Call(ast.Attribute(ast.Name("SITE", ast.Load()), "call", ast.Load()),
                        [node.func, *node.args], node.keywords)


def form(expression, site=None, **names):
    """A function of the floating names of `POINT` in an expression, and their values.

    Calls go through `site`; `names` are further ones that the expression may use.
    """
    tree = ast.fix_missing_locations(_Form().visit(ast.parse(expression, mode="eval")))
    code = compile(tree, "<expression>", "eval")
    used = names_in(expression)
    differentiated = [name for name in used if is_floating(POINT[name])]
    # What is differentiated is in no dictionary: it would be reached from there as well.
    fixed = {name: POINT[name] for name in used if name not in differentiated}
    site = Site() if site is None else site

    def f(*args):
        return eval(code, {**names, **fixed, **dict(zip(differentiated, args)), "SITE": site})

    return f, tuple(POINT[name] for name in differentiated)


def agrees(expression, order=1, **names):
    """Check an expression: value, types, effects and derivatives."""
    f, args = form(expression, **names)
    agrees_at(f, args, order)


def in_a_run(expression, **names):
    """The value of an expression in a run, plain, and the site that it went through."""
    site, seen = Site(), []
    f, args = form(expression, site, **names)

    def recorded(*args):
        seen.append(plain(f(*args)))
        return args[0]

    hybridad.vjp(recorded, *args)
    return seen[0], site


def guards_of(expression, **names):
    """The decisions noted."""
    return in_a_run(expression, **names)[1].guards


def raises_alike(expression, **names):
    """Check that an expression raises what it does in plain Python; return that error."""
    f, args = form(expression, **names)
    with pytest.raises(Exception) as expected:
        f(*map(copied, args))
    with pytest.raises(type(expected.value)) as found:
        hybridad.vjp(f, *args)
    assert type(found.value) is type(expected.value)
    assert str(found.value) == str(expected.value)
    return expected.value
