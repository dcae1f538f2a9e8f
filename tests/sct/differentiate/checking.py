"""Differentiated traces, run by the reference interpreter, against differences of the trace."""

import itertools
import operator

import numpy as np
from numpy.testing import assert_allclose

from hybridad.sct.differentiate import forward, reverse
from hybridad.sct.differentiate.program import rebuilt
from hybridad.sct.differentiate.writer import aval_of, ids_and_memories
from hybridad.trace.ir import Loop, Node, Ref, replace
from hybridad.trace.valid import check
from tests.sct.differentiate.building import Builder
from tests.trace.interpret import run

__all__ = [
    "adjoint_nodes", "adjoint_of", "build", "check_forward", "check_hessian", "check_reverse",
    "differences", "directions", "fresh", "gradient",
]


def build(program, *examples):
    """The trace of ``program(builder, *inputs)``, which gives the value, and the inputs' ids."""
    builder = Builder()
    inputs = [builder.input(np.copy(x) if isinstance(x, np.ndarray) else x, f"x{k}")
              for k, x in enumerate(examples)]
    return builder.returns(program(builder, *inputs)), [ref.id for ref in inputs]


def fresh(examples, seed=1):
    """Other values of the same types."""
    rng = np.random.default_rng(seed)

    def other(x):
        if isinstance(x, np.ndarray):
            return (x * rng.uniform(0.8, 1.2, x.shape)).astype(x.dtype)
        if type(x) in (float, np.float64, np.float32):
            return type(x)(x * rng.uniform(0.8, 1.2))
        return x

    return [other(x) for x in examples]


def differences(block, inputs, k, h=1e-6):
    """Central differences of the (real) value by input `k`."""
    x = np.asarray(inputs[k], dtype=complex if np.iscomplexobj(inputs[k]) else float)
    found = np.zeros_like(x)

    def value(z):
        changed = list(inputs)
        changed[k] = z.astype(inputs[k].dtype) if isinstance(inputs[k], np.ndarray) \
            else type(inputs[k])(z)
        result = run(block, changed)
        assert result.exit is None, result.exit
        return float(result.value)

    for index in np.ndindex(x.shape):
        for unit, weight in ((1.0, 1.0), (1j, -1j)) if np.iscomplexobj(x) else ((1.0, 1.0),):
            up, down = x.copy(), x.copy()
            up[index] += h * unit
            down[index] -= h * unit
            found[index] += weight * (value(up) - value(down)) / (2 * h)
    return found


def check_reverse(program, *examples, guards="zero", inputs=None, tolerance=1e-6):
    """The adjoint of a program, run on other inputs, against differences; gives its block."""
    block, wanted = build(program, *examples)
    made = reverse(block, wanted, guards=guards)
    check(made)
    inputs = fresh(examples) if inputs is None else inputs
    result = run(made, inputs)
    assert result.exit is None, result.exit
    plain = run(block, inputs)
    assert result.value == plain.value
    for k, (g, x) in enumerate(zip(result.cotangents, inputs, strict=True)):
        assert type(g) is type(x) and np.shape(g) == np.shape(x), (k, type(g))
        assert np.asarray(g).dtype == np.asarray(x).dtype
        assert_allclose(g, differences(block, inputs, k), rtol=tolerance, atol=tolerance)
    return made


def adjoint_nodes(block):
    """The operations of the adjoint of a straight line, as targets."""
    return [node if type(node) is Loop else node.target for node in block.nodes
            if node.part == "adjoint" and getattr(node, "op", "") != "seed"]


def adjoint_of(program, *examples, guards="zero"):
    """The operations of the adjoint of a program."""
    block, wanted = build(program, *examples)
    return adjoint_nodes(reverse(block, wanted, guards=guards))


def check_forward(program, *examples, guards="zero", inputs=None, tolerance=1e-6):
    """The tangent of a program's value, run on other inputs, against differences."""
    block, wanted = build(program, *examples)
    made = forward(block, wanted, guards=guards)
    check(made)
    inputs = fresh(examples) if inputs is None else inputs
    tangents = directions(inputs)
    result = run(made, inputs, seeds=dict(enumerate(tangents)))
    assert result.exit is None, result.exit
    assert result.value == run(block, inputs).value
    expected = sum(np.real(np.sum(differences(block, inputs, k) * t))
                   for k, t in enumerate(tangents))
    assert_allclose(result.tangents, expected, rtol=tolerance, atol=tolerance)
    return made


def directions(inputs, seed=5):
    """A random tangent for each input, of its type."""
    rng = np.random.default_rng(seed)
    found = []
    for x in inputs:
        t = rng.normal(size=np.shape(x))
        if np.iscomplexobj(x):
            t = t + 1j * rng.normal(size=np.shape(x))
        found.append(t.astype(x.dtype) if isinstance(x, np.ndarray) else type(x)(t))
    return found


def gradient(made, inputs):
    """The cotangents that a block gives, flattened into one array."""
    result = run(made, inputs)
    assert result.exit is None, result.exit
    return np.concatenate([np.ravel(g) for g in result.cotangents])


def check_hessian(program, *examples, guards="singular", inputs=None, tolerance=2e-5):
    """Hessian-vector products, forward over reverse and reverse over reverse, against differences
    of the (checked) gradient."""
    block, wanted = build(program, *examples)
    first = reverse(block, wanted, guards=guards)
    inputs = fresh(examples) if inputs is None else inputs
    tangents = directions(inputs)
    h = 1e-5
    up = gradient(first, [x + h * t for x, t in zip(inputs, tangents)])
    down = gradient(first, [x - h * t for x, t in zip(inputs, tangents)])
    expected = (up - down) / (2 * h)

    pushed = forward(first, wanted, guards=guards)
    check(pushed)
    result = run(pushed, inputs, seeds=dict(enumerate(tangents)))
    assert result.exit is None, result.exit
    found = np.concatenate([np.ravel(t) for t in result.tangents[1]])
    assert_allclose(found, expected, rtol=tolerance, atol=tolerance)

    # The same once more as the gradient of the product of gradient and direction.
    second = reverse(_times(first, tangents), wanted, guards=guards)
    check(second)
    result = run(second, inputs)
    assert result.exit is None, result.exit
    found = np.concatenate([np.ravel(g) for g in result.cotangents])
    assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def _as_forward(block):
    """A block whose adjoint has become a part of the function itself."""
    def nodes(block):
        for node in block.nodes:
            if type(node) is Loop:
                node = replace(node, body=_as_forward(node.body))
            yield replace(node, part="forward")

    return rebuilt(block, lambda blocks: blocks[-1], nodes)


def _times(block, tangents):
    """The block whose value is the product of the cotangents with constant directions."""
    block = _as_forward(block)
    ids, memories = map(itertools.count, ids_and_memories(block))

    def leaf(blocks):
        last = blocks[-1]
        nodes, total = list(last.nodes), None
        examples = _examples(blocks)
        for ref, t in zip(last.end.cotangents, tangents):
            product = np.multiply(examples[ref.id], t)
            nodes.append(_node(next(ids), np.multiply, (ref, t), product, next(memories)))
            term = np.sum(product)
            nodes.append(_node(next(ids), np.sum, (Ref(nodes[-1].id),), term))
            if total is not None:
                nodes.append(_node(next(ids), operator.add, (total, Ref(nodes[-1].id)), term))
            total = Ref(nodes[-1].id)
        return replace(last, nodes=tuple(nodes), end=replace(
            last.end, value=total, cotangents=None))

    return rebuilt(block, leaf)


def _node(id, target, args, example, memory=None):
    return Node(id, "apply", target, args, aval=aval_of(example), example=example,
                memory=memory if isinstance(example, np.ndarray) else None)


def _examples(blocks):
    found = {}
    for block in blocks:
        for node in block.nodes:
            if type(node) is Loop:
                found.update((phi.out, phi.example) for phi in node.phis)
            else:
                found[node.id] = node.example
    return found
