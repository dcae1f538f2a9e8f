"""The adjoint of writes: what arrives at the new version belongs to what was written, and to the
old version where nothing was written."""

import operator

import numpy as np

from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.indexing import last_writes
from hybridad.sct.differentiate.application import pull
from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.layouts import applied, laid_out, plain_path
from hybridad.sct.differentiate.slots import settled
from hybridad.sct.differentiate.spaces import expanded
from hybridad.sct.differentiate.traced import Traced, call, raw_of, shape_of
from hybridad.sct.differentiate.views import indexed_write
from hybridad.trace.ir import HOLE, Method, Ref, Step

__all__ = [
    "IN_PLACE", "SCATTERS", "pull_write", "scattered", "taken_apart", "way", "written",
]

IN_PLACE = {
    operator.iadd: np.add, operator.isub: np.subtract, operator.imul: np.multiply,
    operator.itruediv: np.divide, operator.ipow: np.power, operator.imod: np.remainder,
    operator.imatmul: np.matmul, operator.ifloordiv: np.floor_divide,
}


SCATTERS = {np.fill_diagonal: 0, np.put: 1, np.put_along_axis: 1}
"""Functions that write to places, and which of their arguments behind the array is the value."""


def written(node):
    """What a write does: ``(path, operation, index, values)``.

    `operation` is None for a plain assignment of the one value to ``region[index]``, else the
    function of the old region and the values whose result is assigned; "add" and "subtract" are
    those of ``np.add.at``; "mask" assigns where a mask (the index) holds; one of `SCATTERS`
    assigns by itself, its other arguments are the index.
    """
    _, path, *rest = node.args
    target, kwargs = node.target, node.kwargs
    if target in SCATTERS and len(rest) > SCATTERS[target] and not kwargs:
        return path, target, tuple(rest), [rest[SCATTERS[target]]]
    if target in (np.putmask, np.place) and len(rest) == 2 and not kwargs:
        return path, "mask", rest[0], rest[1:]
    if target is operator.setitem:
        return path, None, rest[0], rest[1:]
    if target == Method("fill"):
        return path, None, Ellipsis, rest
    if target is np.copyto:
        where = kwargs.get("where", True)
        return path, None if where is True else "mask", Ellipsis if where is True else where, rest
    if target in IN_PLACE:
        return path, IN_PLACE[target], Ellipsis, rest
    ufunc = getattr(target, "__self__", None)
    if type(ufunc) is np.ufunc and target.__name__ == "at" and ufunc in (np.add, np.subtract):
        return path, "add" if ufunc is np.add else "subtract", rest[0], rest[1:]
    if target in (Method("sort"), np.ndarray.sort):
        return path, np.sort, Ellipsis, rest
    name = getattr(target, "name", None) or getattr(target, "__name__", target)
    raise Unsupported(f"a write by {name}", node.place)


def pull_write(sweep, node, g):
    """Give the old version and the written values their shares of the new version's cotangent.

    Parameters
    ----------
    sweep : Sweep
    node : Node
    g : Traced or number
        The cotangent of the new version.
    """
    writer, array = sweep.writer, node.args[0]
    path, operation, index, values = written(node)
    if operation is np.floor_divide:
        values = []
    examples, made_by = sweep.program.examples, sweep.program.made_by
    path, layout = plain_path(sweep.filled(path), examples[array.id], made_by[array.id], node.place)
    index = sweep.filled(index)
    old_matters = sweep.is_active(array)
    takes = any(map(sweep.is_active, values))
    if operation in ("add", "subtract"):
        if takes:
            share = _region(_whole(sweep, node, g), path, index)
            sweep.add(values[0], share if operation == "add" else -share, shape_of(share))
        if old_matters:
            sweep.slots.add(array.id, g)
        return
    if operation in (np.add, np.subtract) and _survivors(
            sweep, node, *taken_apart(path)) is None:
        if takes:
            share = _region(_whole(sweep, node, g), path, index)
            sweep.add(values[0], share if operation is np.add else -share,
                      _shape_there(sweep, node, path))
        if old_matters:
            sweep.slots.add(array.id, g)
        return
    if not shape_of(g) and operation is None and not old_matters and shape_of(
            sweep.value(node.id)):
        share = _sign(path, sweep, node, g)
        sweep.add(values[0], share, _shape_there(sweep, node, path, index))
        return
    like = sweep.value(node.id)
    g = settled(expanded(writer, g, like, owned=old_matters))
    if old_matters:
        g = settled(laid_out(writer, g, layout))
    if operation is None:
        if takes:
            share = settled(_region(g, path, index))
            survivors = _survivors(sweep, node, path, index)
            if survivors is not None:
                share = call(writer, np.where, (survivors, share, 0.0), {})
            sweep.add(values[0], _sign(path, sweep, node, share), shape_of(share))
        if old_matters:
            g.write(path, operator.setitem, (index, 0.0))
    elif operation == "mask":
        if takes and np.shape(raw_of(sweep.filled(values[0]))) not in (
                (), _shape_there(sweep, node, path)):
            raise Unsupported("a masked write of values that are repeated", node.place)
        region = settled(_region(g, path, Ellipsis))
        if takes:
            share = call(writer, np.where, (index, region, 0.0), {})
            sweep.add(values[0], share, shape_of(share))
        if old_matters:
            g.write(path, np.copyto, (0.0,), {"where": index})
    elif operation in SCATTERS:
        if takes:
            share = _gathered(sweep, node, settled(way(g, path)), operation, index)
            sweep.add(values[0], share, shape_of(share))
        if old_matters:
            g.write(path, operation, scattered(operation, index, 0.0))
    else:
        _pull_operation(sweep, node, g, path, operation, values, old_matters)
        return
    if old_matters:
        sweep.slots.add(array.id, g)


def _pull_operation(sweep, node, g, path, operation, values, old_matters):
    """The region was replaced by a function of itself (and of values)."""
    writer, array = sweep.writer, node.args[0]
    before = way(sweep.value(array.id), path)
    after = way(sweep.value(node.id), path)
    # As by Python: a[i] *= v is a[i] = a[i] * v, also where `i` is no view.
    path, index = taken_apart(path)
    share = settled(_region(g, path, index))
    survivors = _survivors(sweep, node, path, index)
    if survivors is not None:
        share = call(writer, np.where, (survivors, share, 0.0), {})
    args = (before, *[sweep.value(x.id) if type(x) is Ref else x for x in values])
    wanted = {k + 1 for k, x in enumerate(values) if sweep.is_active(x)}
    if old_matters:
        wanted.add(0)
    kwargs = dict(node.kwargs) if operation is np.sort else {}
    found = dict(pull(writer, PRIMITIVES[operation], share, after, args, kwargs, wanted)) \
        if PRIMITIVES[operation].kind != "constant" else {}
    for k in sorted(found):
        if k:
            sweep.add(values[k - 1], found[k])
    if not old_matters:
        return
    if survivors is None:
        g.write(path, operator.setitem, (index, found.get(0, 0.0)))
        sweep.slots.add(array.id, g)
        return
    g.write(path, operator.setitem, (index, 0.0))
    more, target, rest = indexed_write(index, raw_of(index), _shape_there(sweep, node, path),
                                       found[0])
    g.write((*path, *more), target, rest)
    sweep.slots.add(array.id, g)


def scattered(function, rest, value):
    """The arguments of one of `SCATTERS` with another value."""
    k = SCATTERS[function]
    return (*rest[:k], value, *rest[k + 1:])


def _gathered(sweep, node, region, function, rest):
    """What stands where one of `SCATTERS` has written."""
    value = raw_of(rest[SCATTERS[function]])
    if function is np.fill_diagonal and region.ndim == 2 and len(rest) == 1:
        share = call(region.writer, np.diagonal, (region,), {})
    elif function is np.put and len(rest) == 2:
        share = call(region.writer, np.take, (region, rest[0]), {})
    elif function is np.put_along_axis and len(rest) == 3 and rest[2] is not None:
        share = call(region.writer, np.take_along_axis, (region, rest[0], rest[2]), {})
    else:
        raise Unsupported(f"a write by {function.__name__} of this kind", node.place)
    if np.shape(value) not in ((), shape_of(share)):
        raise Unsupported(f"{function.__name__} of values that are repeated", node.place)
    if function is not np.fill_diagonal and np.size(raw_of(rest[0])) > 1 and (
            type(rest[0]) is Traced or _hits_twice(function, region, rest)):
        raise Unsupported(f"{function.__name__} at indices that may repeat", node.place)
    return share


def _hits_twice(function, region, rest):
    marks = np.zeros(shape_of(region), np.intp)
    function(marks, *scattered(function, rest, np.arange(np.size(rest[0])).reshape(
        np.shape(rest[0])) + 1))
    return np.count_nonzero(marks) != np.size(rest[0])


def taken_apart(path):
    """A path that ends in an index as the path before it and that index."""
    if path and path[-1].target is operator.getitem:
        return path[:-1], path[-1].args[1]
    return path, Ellipsis


def way(x, path):
    """The region of an array that a path leads to."""
    for step in path:
        args = tuple([x if y is HOLE else y for y in step.args])
        # What gives several views (`split`) gives a tuple, of which the next step takes one.
        x = step.target(*args) if type(x) is tuple else call(
            x.writer, step.target, args, step.kwargs)
    return x


def _whole(sweep, node, g):
    """A cotangent as one of which a part can be taken: a number, or in its full shape."""
    like = sweep.value(node.id)
    if not shape_of(g) or shape_of(g) == shape_of(like):
        return g
    return settled(expanded(sweep.writer, g, like))


def _region(g, path, index):
    """The part of a cotangent that belongs to what was written."""
    if type(g) is not Traced or not shape_of(g):
        return g
    region = way(g, path)
    if index is Ellipsis or (index == slice(None) if type(index) is slice else False):
        return region
    return region[index]


def _sign(path, sweep, node, share):
    """Minus, for the imaginary part of a complex array: the pairing is Re(sum(g * t))."""
    if raw_of(sweep.value(node.id)).dtype.kind == "c" and any(
            _is_imag(step) for step in path):
        return -share
    return share


def _is_imag(step):
    return type(step) is Step and step.target in (Method("imag"), np.imag)


def _shape_there(sweep, node, path, index=Ellipsis):
    """The shape of the region that is written."""
    raw = sweep.program.examples[node.id]
    for step in path:
        raw = applied(step, raw)
    return np.shape(raw) if index is Ellipsis else np.shape(raw[raw_of(index)])


def _survivors(sweep, node, path, index):
    """Which of the values written to one place was the last; None if no place was hit twice."""
    parts = index if type(index) is tuple else (index,)
    if not any(isinstance(raw_of(p), (np.ndarray, list)) for p in parts):
        return None
    shape = _shape_there(sweep, node, path)
    survivors = last_writes(shape, raw_of(index))
    if any(type(p) is Traced and getattr(p.raw, "dtype", None) != np.bool_
           and np.size(p.raw) > 1 for p in parts):
        # Whether a place is hit twice comes from data.
        return _last(sweep.writer, shape, index)
    return survivors


def _last(writer, shape, index):
    """As `last_writes`, written down: a write of consecutive numbers, read back."""
    positions = np.arange(int(np.prod(shape))).reshape(shape)[raw_of(index)]
    count = np.arange(positions.size).reshape(positions.shape)
    marks = writer.apply(np.zeros, (shape, np.intp))
    marks.write((), operator.setitem, (index, count))
    return call(writer, operator.eq, (marks[index], count), {})
