"""The rules of algebra for what moves numbers about: transposes, reshapes, casts, selections."""

import operator

import numpy as np

from hybridad.sct.differentiate.choice import chosen
from hybridad.sct.passes.broadcasts import sum_of_broadcast
from hybridad.sct.passes.positive import is_positive
from hybridad.trace.ir import Method, Ref, replace

__all__ = ["REARRANGEMENTS"]


# ---- transposes


def _order(node, known):
    """The axes of the argument in the order of the result, or None."""
    aval = known.aval(node.args[0])
    if aval is None or aval.kind != "array":
        return None
    n = len(aval.shape)
    target, args = node.target, node.args[1:]
    name = target.name if type(target) is Method else target
    if name in ("T", np.transpose, "transpose"):
        if node.kwargs.keys() - {"axes"}:
            return None
        axes = node.kwargs.get("axes", args[0] if len(args) == 1 else args or None)
        if axes is None:
            return tuple(range(n))[::-1]
        if type(axes) not in (tuple, list) or not all(type(k) is int for k in axes):
            return None
        return tuple([k % n for k in axes])
    if node.kwargs or len(args) != 2:
        return None
    order = list(range(n))
    source, to = args
    if name in (np.swapaxes, "swapaxes"):
        if type(source) is not int or type(to) is not int:
            return None
        order[source], order[to] = order[to], order[source]
        return tuple(order)
    source, to = (x if type(x) in (tuple, list) else (x,) for x in (source, to))
    if not all(type(k) is int for k in (*source, *to)):
        return None
    source, to = [k % n for k in source], [k % n for k in to]
    order = [k for k in order if k not in source]
    for place, axis in sorted(zip(to, source)):
        order.insert(place, axis)
    return tuple(order)


_TRANSPOSES = ("T", "transpose", "swapaxes", np.transpose, np.swapaxes, np.moveaxis)


def _transpose(node, known):
    order = _order(node, known)
    if order is None or type(node.args[0]) is not Ref:
        return None
    last = len(order) - 1
    x = node.args[0]
    if order == tuple(range(last + 1)):
        return x
    inner = known.maker(x)
    name = None if inner is None else inner.target
    if (name.name if type(name) is Method else name) in _TRANSPOSES:
        first = _order(inner, known)
        if first is not None and type(inner.args[0]) is Ref:
            order = tuple([first[k] for k in order])
            return _transposed(node, inner.args[0], order)
    if node.target == Method("T") or order != tuple(range(last, -1, -1)):
        return None
    return _transposed(node, x, order)


def _transposed(node, x, order):
    if order == tuple(range(len(order))):
        return x
    if order == tuple(range(len(order)))[::-1]:
        return replace(node, target=Method("T"), args=(x,), kwargs={})
    return replace(node, target=np.transpose, args=(x, order), kwargs={})


# ---- shapes


def _reshape(node, known):
    x, aval = node.args[0], known.aval(node.args[0])
    if type(x) is not Ref or aval is None or aval.kind != "array" or node.kwargs:
        return None
    if not known.is_steady(x) or node.id in known.unsteady:
        return None
    if aval.shape == node.aval.shape:
        return x
    inner = known.maker(x)
    if (inner is not None and inner.part != "forward" and not inner.kwargs
            and _name(inner) in (np.reshape, "reshape") and type(inner.args[0]) is Ref
            and known.survey.is_free(node.id)):
        source = inner.args[0]
        if (known.aval(source) is not None and known.aval(source).kind == "array"
                and known.is_steady(source)):
            return replace(node, target=np.reshape, args=(source, node.aval.shape),
                           memory=known.survey.made_by[source.id].memory)
    return None


def _name(node):
    return node.target.name if type(node.target) is Method else node.target


def _broadcast(node, known):
    x, aval = node.args[0], known.aval(node.args[0])
    if type(x) is not Ref or aval is None or node.kwargs or not known.is_steady(x):
        return None
    if node.id in known.unsteady:
        return None
    if aval.kind == "array" and aval.shape == node.aval.shape:
        return x
    inner = known.maker(x)
    if inner is not None and inner.part != "forward" and inner.target is np.broadcast_to:
        return replace(node, args=(inner.args[0], node.args[1]))
    return None


# ---- casts and parts


def _same(node, known):
    """A function that gives a real argument (`np.real`, `np.conj`) or its own type back."""
    x, aval = node.args[0], known.aval(node.args[0])
    if type(x) is not Ref or aval is None or aval.kind != node.aval.kind:
        return None
    real = aval.dtype == "float" or aval.dtype[1:2] in "fiu"
    return x if real and aval.dtype == node.aval.dtype and known.is_like(x, node) else None


def _cast(node, known):
    x = node.args[0]
    return x if len(node.args) == 2 and type(x) is Ref and known.is_like(x, node) else None


# ---- selections


def _where(node, known):
    if len(node.args) != 3:
        return None
    condition, a, b = node.args
    outcome = known.fill.get(condition.id) if type(condition) is Ref else None
    if type(outcome) is bool:
        x = a if outcome else b
        return x if type(x) is Ref and known.is_like(x, node) else None
    if type(condition) is not Ref:
        return None
    if type(a) is float:
        return _where_nonzero(node, known)
    # Where the same condition has been asked inside, only one of its answers can come.
    for k, x, other in ((1, a, b), (2, b, a)):
        inner = known.maker(x)
        if (inner is not None and inner.target is node.target and len(inner.args) == 3
                and inner.args[0] == condition and known.is_like(x, node)):
            y = inner.args[k]
            if known.is_like(y, node) or (type(y) is float and known.is_like(other, node)):
                return replace(node, args=(condition, y, b) if k == 1 else (condition, a, y))
    return None


def _where_nonzero(node, known):
    """The denominator `d` of ``np.where(g == 0, 1.0, d)``, if it is never zero anyway."""
    condition, safe, x = node.args
    question = known.maker(condition)
    if (type(safe) is not float or safe != 1.0 or question is None
            or question.target not in (operator.eq, np.equal) or question.part == "forward"
            or type(question.args[1]) is Ref or question.args[1] != 0
            or type(x) is not Ref or not known.is_like(x, node)):
        return None
    return x if known.divides_only(node.id) and is_positive(x, known) else None


# ---- sums


def _sum(node, known):
    """``np.sum(-x)`` as ``-np.sum(x)``; sums of what was only broadcast."""
    inner = known.maker(node.args[0], "neg")
    if inner is not None and inner.part != "forward" and node.aval.dtype[1:2] in ("f", "c"):
        total = known.new(node, node.target, inner.args[0], *node.args[1:], **node.kwargs)
        return replace(node, target=operator.neg, args=(total,), kwargs={})
    return sum_of_broadcast(node, known)


REARRANGEMENTS = {
    **dict.fromkeys(_TRANSPOSES, _transpose),
    **dict.fromkeys((np.reshape, "reshape"), _reshape),
    np.broadcast_to: _broadcast,
    **dict.fromkeys((np.real, "real", np.conj, "conj", "conjugate", np.positive), _same),
    **dict.fromkeys(("astype", np.astype) if hasattr(np, "astype") else ("astype",), _cast),
    **dict.fromkeys((np.where, chosen), _where),
    **dict.fromkeys((np.sum, "sum", np.add.reduce), _sum),
}
"""Function, or name of a method -> rule."""
