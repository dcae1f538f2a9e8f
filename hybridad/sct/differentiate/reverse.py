"""Reverse mode: the adjoint behind every leaf of a trace."""

import numpy as np

from hybridad.sct.differentiate.calls import is_differentiable
from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.guards import GUARDS
from hybridad.sct.differentiate.loops import mirror
from hybridad.sct.differentiate.numbering import by_number
from hybridad.sct.differentiate.program import Program, rebuilt
from hybridad.sct.differentiate.results import given
from hybridad.sct.differentiate.slots import Slots
from hybridad.sct.differentiate.sweeping import Sweep
from hybridad.sct.differentiate.views import is_window
from hybridad.sct.differentiate.writer import Writer
from hybridad.trace.ir import Block, Ref, refs_of, replace

__all__ = ["reverse"]


def reverse(block, wanted, seeds="one", guards="zero", writer=None):
    """Append the adjoint to every path of a trace.

    Parameters
    ----------
    block : Block
        A whole trace.
    wanted : sequence of int
        The ids of the inputs whose cotangents are asked for.
    seeds : {"one", "given"}
        "one": the value is one number, its cotangent 1. "given": the cotangents of all floating
        values among the leaves of the value come from outside, in "seed" operations whose target
        is the number of the leaf (counting the uses in ``Return.value``).
    guards : {"zero", "singular", "none"}
        How zero cotangents are kept zero at singular points; see `guards`. "singular" if the
        adjoint will itself be differentiated, "none" if who runs it looks for NaN in what it gives.
    writer : Writer, optional
        Writes the adjoint; by default one that knows nothing but `block`.

    Returns
    -------
    Block
        With `Return.cotangents`, one `Ref` for each of `wanted`.

    Raises
    ------
    Unsupported
        For what only the tape can differentiate.
    """
    if guards not in GUARDS:
        raise ValueError(f"guards={guards!r}; it must be one of {GUARDS}")
    block = by_number(block)
    program = Program(block, wanted)
    writer = writer or Writer.beside("adjoint", block, guards)

    def leaf(blocks):
        with writer.block() as nodes, np.errstate(all="ignore"):
            cotangents = _adjoint(program, writer, blocks, wanted, seeds)
        last = blocks[-1]
        return Block((*last.nodes, *nodes), replace(last.end, cotangents=cotangents))

    return rebuilt(block, leaf)


def _adjoint(program, writer, blocks, wanted, seeds):
    """Write the adjoint of one path; gives the cotangents."""

    def is_view(id):
        node = program.made_by[id]
        return (getattr(node, "op", None) == "apply" and is_window(node, program.examples)
                and node.args[0].id in program.active)

    def value_of(id):
        return writer.value(id, program.examples[id], program.memories[id])

    program.pending.clear()
    slots = Slots(writer, value_of, is_view)
    end = blocks[-1].end
    writer.place, writer.of = end.place, None
    for ref, g in _seeds(program, writer, end.value, seeds):
        slots.add(ref.id, g)
    sweep = Sweep(program, writer, slots, mirror)
    for block in reversed(blocks):
        sweep.run(block.nodes)
    writer.place, writer.of = end.place, None
    taken = set()
    return tuple([given(writer, slots.take(id), value_of(id), taken,
                        _name(program.made_by[id])) for id in wanted])


def _name(node):
    return None if node.name is None else f"g_{node.name}"


def _seeds(program, writer, value, seeds):
    """The uses in the value of a path that have a cotangent, with their seeds."""
    if seeds == "one":
        if type(value) is Ref and value.id in program.active:
            example = program.examples[value.id]
            if np.size(example) != 1:
                raise Unsupported("the value is no number")
            yield value, writer.seed(None, _one(example))
        return
    for k, ref in enumerate(refs_of(value)):
        if ref.id in program.active:
            example = program.examples[ref.id]
            if is_differentiable(example):
                yield ref, writer.seed(k, np.ones_like(example)[()] if isinstance(
                    example, np.generic) else np.ones_like(example) if isinstance(
                    example, np.ndarray) else type(example)(1))


def _one(example):
    """1 as the cotangent of a number; Python's where that is as exact, since it is faster."""
    if isinstance(example, np.ndarray):
        return np.ones_like(example)
    if type(example) in (float, np.float64):
        return 1.0
    return type(example)(1)
