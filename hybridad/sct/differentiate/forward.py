"""Forward mode: tangents beside the operations of a trace."""

import numpy as np

from hybridad.sct.differentiate.calls import is_differentiable
from hybridad.sct.differentiate.guards import GUARDS
from hybridad.sct.differentiate.numbering import by_number
from hybridad.sct.differentiate.program import Program, rebuilt
from hybridad.sct.differentiate.pushing import Push
from hybridad.sct.differentiate.results import given
from hybridad.sct.differentiate.spaces import expanded
from hybridad.sct.differentiate.traced import Traced
from hybridad.sct.differentiate.writer import Writer, aval_of
from hybridad.trace.ir import Phi, Ref, map_refs, replace

__all__ = ["forward"]


def forward(block, wanted, guards="zero"):
    """Put tangents beside the operations of a trace.

    Parameters
    ----------
    block : Block
        A whole trace, perhaps with an adjoint.
    wanted : sequence of int
        The ids of the inputs that have tangents. These come from outside, in "seed" operations
        whose target is the place in `wanted`.
    guards : {"zero", "singular", "none"}
        See `reverse`.

    Returns
    -------
    Block
        With `Return.tangents`: those of the value, in its structure; of a trace with an adjoint
        the pair of those of the value and those of the cotangents.

    Raises
    ------
    Unsupported
        For what only the tape can differentiate.
    """
    if guards not in GUARDS:
        raise ValueError(f"guards={guards!r}; it must be one of {GUARDS}")
    block = by_number(block)
    program = Program(block, wanted)
    writer = Writer.beside("tangent", block, guards)
    push = Push(program, writer, _loop)
    order = {id: k for k, id in enumerate(wanted)}

    def nodes(block):
        with writer.block() as made, np.errstate(all="ignore"):
            rest = list(block.nodes)
            while rest and getattr(rest[0], "op", None) == "input":
                made.append(rest.pop(0))
            for node in made[:]:
                if node.id in order:
                    writer.at(node)
                    t = push.tangents[node.id] = writer.seed(order[node.id], _like(node.example))
                    if node.name:
                        writer.name(t, f"t_{node.name}")
            push.run(rest)
        return made

    def leaf(blocks):
        last = blocks[-1]
        end = last.end
        taken = set()

        def tangent(ref):
            if not is_differentiable(program.examples[ref.id]):
                return 0.0
            return given(writer, push.tangents.get(ref.id), push.value(ref.id), taken)

        writer.place, writer.of = end.place, None
        with writer.block(list(last.nodes)) as made, np.errstate(all="ignore"):
            tangents = map_refs(tangent, end.value)
            if end.cotangents is not None:
                tangents = (tangents, map_refs(tangent, end.cotangents))
        return replace(last, nodes=tuple(made), end=replace(end, tangents=tangents))

    return rebuilt(block, leaf, nodes)


def _like(example):
    """An example of a tangent, in memory of its own."""
    return np.ones_like(example) if isinstance(example, np.ndarray) else type(example)(1)


def _loop(push, loop):
    """Put tangents into a loop; it carries those of what it carries."""
    program, writer = push.program, push.writer
    writer.at(loop)
    carried = {}        # id of a phi -> (tangent at the head, init)
    for phi in loop.phis:
        if phi.id in program.active and type(phi.init) is Ref:
            t = push.tangents.get(phi.init.id)
            if t is not None:
                carried[phi.id] = _start(push, phi, t)
    while True:
        for id, (head, _) in carried.items():
            push.tangents[id] = head
        body, late = _bodies(push, loop, carried)
        if not late:
            break
        writer.at(loop)
        for phi in loop.phis:
            if phi.id in late:
                carried[phi.id] = _start(push, phi, None)
    writer.at(loop)
    phis = list(loop.phis)
    for phi in loop.phis:
        if phi.id in carried:
            head, init = carried[phi.id]
            out, _ = writer.new(head.raw, writer.memory_of(head))
            push.tangents[phi.out] = out
            phis.append(Phi(head.ref.id, init.ref if type(init) is Traced else init, out.ref.id,
                            None if phi.name is None else f"t_{phi.name}", aval_of(head.raw),
                            writer.memory_of(head), head.raw))
    writer.nodes.append(replace(loop, phis=tuple(phis), body=body))


def _bodies(push, loop, carried):
    """The body with tangents, and the phis whose tangents are not carried yet, but must be."""
    late = set()
    body = rebuilt(loop.body, lambda blocks: _leaf(push, loop, blocks, carried, late),
                   lambda block: _body(push, block))
    return body, late


def _start(push, phi, t):
    """The tangent of a phi at the head of the loop, and before it."""
    writer = push.writer
    like = push.value(phi.init.id) if type(phi.init) is Ref else None
    example = push.program.examples[phi.id]
    if isinstance(example, np.ndarray):
        # The program may write into what it carries, so the tangent must be an array of its own.
        if t is not None:
            init = expanded(writer, t, like, owned=True)
        elif like is not None:
            init = writer.apply(np.zeros_like, (like,))
        else:
            init = writer.apply(np.zeros, (example.shape, example.dtype))
        return writer.new(np.zeros_like(example), writer.memory_of(init))[0], init
    init = 0.0 if t is None else expanded(writer, t, like)
    if isinstance(example, (float, complex)):
        example = np.result_type(type(example)).type(example)
    return writer.new(example)[0], init


def _body(push, block):
    with push.writer.block() as made:
        push.run(block.nodes)
    return made


def _leaf(push, loop, blocks, carried, late):
    """The end of an iteration, with the tangents of what it carries."""
    writer, last = push.writer, blocks[-1]
    if last.end is None:        # nobody has seen the loop run
        return last
    values = list(last.end.values)
    with writer.block(list(last.nodes)) as made:
        for phi, value in zip(loop.phis, last.end.values):
            t = push.tangents.get(value.id) if type(value) is Ref else None
            if phi.id in carried:
                if t is not None:
                    t = expanded(writer, t, push.value(value.id))
                elif isinstance(push.program.examples[phi.id], np.ndarray):
                    t = writer.apply(np.zeros_like, (push.value(phi.id),))
                else:
                    t = 0.0
                values.append(t.ref if type(t) is Traced else t)
            elif t is not None and phi.id in push.program.active:
                late.add(phi.id)
    # In the order of `carried`, which is that in which the phis come behind the loop's own.
    order = [phi.id for phi in loop.phis if phi.id in carried]
    assert len(values) == len(loop.phis) + len(order)
    return replace(last, nodes=tuple(made), end=replace(last.end, values=tuple(values)))
