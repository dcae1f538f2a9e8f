"""What an adjoint takes out of an array and puts back again stays where it is.

``c[i] += v`` reads an element and writes it, so its adjoint is ``h = g[i]; g[i] = 0.0; g[i] += h``.
"""

import operator

from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter, walk
from hybridad.trace.ir import HOLE, Node, Ref

__all__ = ["leave_in_place"]


def leave_in_place(block, survey=None):
    """A tree without windows that are set to zero and then get back what was in them.

    In between there may be nothing but other additions to the array.

    Parameters
    ----------
    block : Block
    survey : Survey, optional
        Of `block`, if it has been made already.

    Returns
    -------
    Block
    """
    survey = Survey(block) if survey is None else survey
    useless = set()
    for x, _ in walk(block):
        if type(x) is Node and x.op == "write" and x.part != "forward":
            taken = _taken(x, survey)
            if taken is not None:
                useless.update((taken.id, x.id))
    return _Removal(useless).run(block) if useless else block


def _taken(back, survey):
    """The write that took out what write `back` puts back, or None."""
    index = _index_of_sum(back)
    value = back.args[2] if index is not None else None
    read = survey.made_by.get(value.id) if type(value) is Ref else None
    if (type(read) is not Node or read.op != "apply" or read.target is not operator.getitem
            or type(read.args[0]) is not Ref or not _is_same(read.args[1], index[0])):
        return None
    home, write = survey.home[back.id], back
    while True:
        id = write.args[0].id
        write = survey.made_by.get(id)
        if (type(write) is not Node or write.op != "write" or write.part == "forward"
                or survey.counts.get(id) != 1 or survey.home[id] != home):
            return None
        if _index_of_sum(write) is None:
            break
    if write.target is not operator.setitem or write.args[1] or write.args[0] != read.args[0]:
        return None
    _, _, index_of_zero, zero = write.args
    is_zero = type(zero) in (float, int) and zero == 0.0
    return write if is_zero and _is_same(index_of_zero, index[0]) else None


def _index_of_sum(write):
    """The index (in a tuple) of ``array[index] += value``, or None if a write is something else."""
    if write.target is not operator.iadd or len(write.args) != 3:
        return None
    path = write.args[1]
    if len(path) != 1 or path[0].target is not operator.getitem or path[0].args[0] is not HOLE:
        return None
    return (path[0].args[1],)


def _is_same(a, b):
    """Whether two indices are the same; those that hold arrays are not looked at."""
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is tuple:
        return len(a) == len(b) and all(map(_is_same, a, b))
    if kind is slice:
        return _is_same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    return (kind in (Ref, int) and a == b) or a is b


class _Removal(Rewriter):
    """Leaves out writes: the array is afterwards what it was before."""

    def __init__(self, useless):
        super().__init__()
        self.useless = useless

    def node(self, node, out):
        if node.id in self.useless:
            self.stand_for(node.args[0].id, node.memory, node)
        else:
            out.append(node)
