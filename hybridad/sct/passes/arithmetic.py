"""The rules of algebra for sums, products, quotients, powers and signs.

Each takes an operation and what is `known.Known`, and gives a simpler operation, the use of a value
that stands for the result, or None. Signs and powers of two go through products exactly, so no
number is rounded another way.
"""

import math
import operator

from hybridad.trace.ir import Ref, replace

__all__ = ["ARITHMETIC"]


def _made(node, target, *args):
    return replace(node, target=target, args=args, kwargs={})


def _is_floating(node):
    return node.aval.dtype in ("float", "complex") or node.aval.dtype[1:2] in ("f", "c")


def _is_exact(c):
    """Whether a product with the number `c` is never rounded (but at the ends of the range)."""
    return type(c) in (int, float) and c != 0 and math.isfinite(c) and abs(math.frexp(c)[0]) == 0.5


def _product(node, known):
    a, b = node.args
    factor, x = (b, a) if known.number(a) is None else (a, b)
    c = known.number(factor)
    if c is None:
        return _product_of_signs(node, a, b, known)
    if type(x) is not Ref or not known.is_like(x, node):
        return None
    if c == 1:
        return x
    if c == -1:
        return _made(node, operator.neg, x)
    inner = known.lone(x, "neg")
    if inner is not None:
        return _made(node, operator.mul, -c, inner.args[0])
    inner = known.lone(x, "*")
    if inner is not None:
        for d, y in (inner.args, inner.args[::-1]):
            d = known.number(d)
            if d is not None and (_is_exact(c) or _is_exact(d)) and type(y) is Ref and (
                    known.is_like(y, node)):
                return _made(node, operator.mul, c * d, y)
    return _made(node, operator.mul, c, x) if type(factor) is Ref else None


def _product_of_signs(node, a, b, known):
    """``-a * -b``."""
    first, second = known.maker(a, "neg"), known.maker(b, "neg")
    if first is None or second is None:
        return None
    return _made(node, node.target, first.args[0], second.args[0])


def _quotient(node, known):
    a, b = node.args
    c, d = known.number(a), known.number(b)
    if d == 1 and type(a) is Ref and known.is_like(a, node):
        return a
    if d == -1 and type(a) is Ref and known.is_like(a, node):
        return _made(node, operator.neg, a)
    if c is not None and type(a) is Ref and type(b) is Ref and known.is_like(b, node):
        return _made(node, operator.truediv, c, b)
    if d is not None and type(b) is Ref and type(a) is Ref and known.is_like(a, node):
        return _made(node, operator.truediv, a, d)
    return _product_of_signs(node, a, b, known)


def _negative(x, known, depth=0):
    """A use of ``-x`` that costs nothing more than `x`, or None.

    Of ``-y`` it is `y`; of a product that is used nowhere else it is the same product with the
    sign of one factor turned, if that costs nothing more.
    """
    inner = known.maker(x, "neg")
    if inner is not None:
        return inner.args[0]
    number = known.number(x)
    if type(x) is not Ref and type(number) in (int, float) and number < 0:
        return -number
    inner = known.lone(x, "*") or known.lone(x, "/")
    if inner is None or depth == _DEEPEST:
        return None
    a, b = inner.args
    turned = _negative(a, known, depth + 1)
    if turned is not None:
        return known.new(inner, inner.target, turned, b)
    turned = _negative(b, known, depth + 1)
    return None if turned is None else known.new(inner, inner.target, a, turned)


_DEEPEST = 8  # factors of factors in which a sign is looked for


def _sum(node, known):
    a, b = node.args
    for x, y in ((a, b), (b, a)):
        if known.number(x) == 0 and type(y) is Ref and known.is_like(y, node):
            return y
    same = type(a) is Ref and type(b) is Ref and a == b
    if same and _is_floating(node) and known.is_like(a, node):
        return _made(node, operator.mul, 2.0, a)
    if not _is_floating(node):
        return None
    for x, y in ((a, b), (b, a)):
        if type(x) is Ref and known.number(x) is not None and type(y) is Ref and (
                known.is_like(y, node)):
            return _made(node, operator.add, known.number(x), y)
        negative = _negative(y, known)
        if negative is not None:
            return _made(node, operator.sub, x, negative)
    return None


def _difference(node, known):
    a, b = node.args
    if known.number(b) == 0 and type(a) is Ref and known.is_like(a, node):
        return a
    if known.number(a) == 0 and type(b) is Ref and known.is_like(b, node):
        return _made(node, operator.neg, b)
    if _is_floating(node):
        if type(a) is Ref and known.number(a) is not None and type(b) is Ref and (
                known.is_like(b, node)):
            return _made(node, operator.sub, known.number(a), b)
        negative = _negative(b, known)
        if negative is not None:
            return _made(node, operator.add, a, negative)
    return None


def _sign(node, known):
    (x,) = node.args
    inner = known.maker(x, "neg")
    if inner is not None and type(inner.args[0]) is Ref:
        return inner.args[0]
    inner = known.lone(x, "-")
    if inner is not None and _is_floating(node):
        return _made(node, operator.sub, inner.args[1], inner.args[0])
    inner = known.lone(x, "*")
    if inner is not None:
        a, b = inner.args
        for c, y in ((a, b), (b, a)):
            number = known.number(c)
            if number is not None and known.is_like(y, node):
                return _made(node, operator.mul, -number, y)
    negative = _negative(x, known)
    return negative if type(negative) is Ref else None


def _power(node, known):
    base, exponent = node.args
    if type(exponent) is not Ref and exponent == 1 and type(base) is Ref and (
            known.is_like(base, node)):
        return base
    return None


ARITHMETIC = {
    "+": _sum, "-": _difference, "*": _product, "/": _quotient, "neg": _sign, "**": _power,
}
"""Symbol -> rule."""
