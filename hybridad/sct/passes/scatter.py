"""Scatter accumulation: ``z = np.zeros_like(x); z[i] += g; z[a:b] += h; ...`` without the zeros.

The adjoint of reading parts of an array is a chain of ``+=`` into zeros. Where a part is touched
for the first time, ``+=`` becomes ``=``. Where the parts cover the array, there need be no zeros:
one part that is everything is the result itself, consecutive slices are one `np.concatenate` (or
the array that they are slices of), single elements one `np.array`, anything else fills `np.empty`.
"""

import operator

import numpy as np

from hybridad.sct.passes.facts import is_basic
from hybridad.sct.passes.pieces import Pieces
from hybridad.sct.passes.survey import Survey
from hybridad.sct.passes.walk import Rewriter
from hybridad.trace.ir import HOLE, Node, Ref, replace

__all__ = ["gather_scatters"]

_EMPTY = {np.zeros_like: np.empty_like, np.zeros: np.empty}


def gather_scatters(block, survey=None):
    """A tree whose adjoint accumulates parts of arrays without needless zeros and sums.

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
    if "write" not in survey.operations:
        return block
    chains = _Chains(survey)
    return _Gathering(chains.plan(), survey).run(block) if chains.found else block


class _Chains:
    """The chains of writes into zeros, each write used by the next one alone."""

    def __init__(self, survey):
        self.survey = survey
        self.unsteady = survey.unsteady
        self.found = []
        chain_of = {}
        for node in survey.made_by.values():
            if type(node) is not Node or node.part == "forward":
                continue
            if node.op == "apply" and node.target in _EMPTY and self._is_plain(node):
                chain_of[node.id] = chain = [node]
                self.found.append(chain)
            elif node.op == "write":
                chain = chain_of.get(node.args[0].id)
                if chain is not None and self._goes_on(chain, node):
                    chain.append(node)
                    chain_of[node.id] = chain
        self.found = [chain for chain in self.found if len(chain) > 1]

    def _is_plain(self, node):
        return (node.aval is not None and node.aval.kind == "array"
                and node.aval.dtype[1:2] in ("f", "c"))

    def _goes_on(self, chain, node):
        last = chain[-1]
        return (last.id == node.args[0].id and _any_index(node) is not None
                and self.survey.counts.get(last.id) == 1
                and self.survey.home[last.id] == self.survey.home[node.id])

    def plan(self):
        """Id of an operation -> what stands in its place: a list of operations."""
        changes = {}
        for chain in self.found:
            self._plan(chain, changes)
        return changes

    def _plan(self, chain, changes):
        zeros, *writes = chain
        if zeros.id in self.unsteady or (zeros.target is np.zeros and not zeros.args):
            self._plan_first(writes[0], changes)
            return
        indices = [_index(write) for write in writes]
        pieces = Pieces(zeros.aval.shape, _depth(indices, len(zeros.aval.shape)))
        own = []
        for write, index in zip(writes, indices):
            if index is None or not self._fits(write):
                break  # it may touch anything
            own.append(pieces.add(index))
        if len(own) == len(writes) and all(own):
            whole = self._whole(zeros, writes, pieces)
            if whole is not None:
                changes.update({node.id: [] for node in chain})
                changes[writes[-1].id] = [whole]
                return
        if not own:
            self._plan_first(writes[0], changes)
        for write, first in zip(writes, own):
            if first and write.target is operator.iadd:
                changes[write.id] = [_assigned(write, _index(write))]
        if pieces.are_all:
            changes[zeros.id] = [replace(zeros, target=_EMPTY[zeros.target])]

    def _plan_first(self, write, changes):
        """The first ``+=`` into zeros is ``=`` wherever it goes, if it goes nowhere twice."""
        index = _any_index(write)
        parts = index if type(index) is tuple else (index,)
        if write.target is operator.iadd and index is not None and self._fits(write) and all(
                map(self._is_single, parts)):
            changes[write.id] = [_assigned(write, index)]

    def _is_single(self, part):
        """Whether a part of an index names nothing twice."""
        if type(part) is Ref:
            aval = self.survey.aval(part)
            return aval is not None and (aval.kind == "number" or aval.dtype[1:2] == "b")
        return type(part) in (int, slice, type(None), type(Ellipsis))

    def _fits(self, write):
        """Whether a write is ``z[index] += g`` or ``z[index] = g`` with a `g` of known shape."""
        value = write.args[-1]
        aval = self.survey.aval(value)
        if type(value) is not Ref or aval is None or value.id in self.unsteady:
            return type(value) is float
        return aval.kind in ("array", "number") and aval.dtype not in ("int", "bool", "complex")

    def _whole(self, zeros, writes, pieces):
        """The one operation or use that gives what the chain gives, or None."""
        if not pieces.are_all:
            return None
        values = [write.args[-1] for write in writes]
        aval, last = zeros.aval, writes[-1]
        avals = [self.survey.aval(x) for x in values]
        if any(a is None or a.dtype != aval.dtype for a in avals):
            return None
        order = pieces.in_order([a.shape for a in avals])
        if order is None:
            return None
        axis, indices = order
        values = [values[k] for k in indices]
        source = self._source(writes, indices, aval)
        if source is None and len(values) == 1 and avals[0].kind == "array":
            source = values[0]
        if source is not None:
            if self.survey.is_free(source.id) and not self._written_later(last):
                return source
            return replace(last, op="apply", target=np.copy, args=(source,), kwargs={})
        if axis is None:
            return replace(last, op="apply", target=np.array, args=(values,), kwargs={})
        kwargs = {"axis": axis} if axis else {}
        return replace(last, op="apply", target=np.concatenate, args=(tuple(values),),
                       kwargs=kwargs)

    def _source(self, writes, indices, aval):
        """The array of which the parts are those that they are written to."""
        found = None
        for k in indices:
            value = writes[k].args[-1]
            maker = self.survey.made_by.get(value.id)
            if type(maker) is not Node or maker.target is not operator.getitem:
                return None
            if not is_basic(maker.args[1]) or maker.args[1] != _index(writes[k]):
                return None
            if found is not None and found != maker.args[0]:
                return None
            found = maker.args[0]
        known = None if found is None else self.survey.aval(found)
        same = known is not None and (known.kind, known.dtype, known.shape) == (
            aval.kind, aval.dtype, aval.shape) and found.id not in self.unsteady
        return found if same else None

    def _written_later(self, last):
        """Whether somebody writes into the result of a chain whose last write is `last`."""
        memory = self.survey.memory(last.id)
        return self._writers().get(memory, 0) > self._own.get(memory, 0)

    def _writers(self):
        if not hasattr(self, "_counts"):
            self._counts, self._own = {}, {}
            for node in self.survey.made_by.values():
                if type(node) is Node and node.op == "write":
                    memory = self.survey.memory(node.id)
                    self._counts[memory] = self._counts.get(memory, 0) + 1
            for chain in self.found:
                memory = self.survey.memory(chain[-1].id)
                self._own[memory] = self._own.get(memory, 0) + len(chain) - 1
        return self._counts


def _any_index(write):
    """The index of ``z[index] += g``, ``z[index] = g`` or ``z += g``; None for other writes."""
    _, path, *rest = write.args
    if write.kwargs:
        return None
    if write.target is operator.iadd and len(rest) == 1:
        if not path:
            return Ellipsis
        step = path[0]
        if len(path) == 1 and step.target is operator.getitem and step.args[0] is HOLE:
            return step.args[1]
    if write.target is operator.setitem and not path and len(rest) == 2:
        return rest[0]
    return None


def _index(write):
    """The same if it is a window that is known now."""
    index = _any_index(write)
    return index if index is not None and is_basic(index) else None


def _depth(indices, ndim):
    """How many axes the windows look at."""
    deepest = 0
    for index in indices:
        parts = index if type(index) is tuple else (index,)
        if Ellipsis in parts or None in parts:
            return ndim
        deepest = max(deepest, len(parts))
    return deepest


def _assigned(write, index):
    """A write with ``=`` for ``+=``."""
    return replace(write, target=operator.setitem,
                   args=(write.args[0], (), index, write.args[-1]))


class _Gathering(Rewriter):
    """Carries out the plan."""

    def __init__(self, changes, survey):
        super().__init__()
        self.changes, self.survey = changes, survey

    def node(self, node, out):
        new = self.changes.get(node.id)
        if new is None:
            out.append(node)
            return
        for x in new:
            if type(x) is Ref:
                self.stand_for(self.renamed(x).id, self.survey.made_by[x.id].memory, node)
            else:
                out.append(self._renamed_node(x))
