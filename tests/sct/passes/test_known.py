"""What algebra knows of values."""

import numpy as np

from hybridad.sct.passes.known import Known
from hybridad.sct.passes.survey import Survey
from hybridad.trace.ir import Ref
from hybridad.trace.text import parse

BLOCK = parse("""
    %0 = input 0, differentiated=True  : float64[3] C m0
    %1 = seed  : float64  [adjoint]
    %2 = %1 / 4  : float64  [adjoint]
    %3 = np.broadcast_to(%2, (3,))  : float64[3] A m3  [adjoint]
    %4 = -%3  : float64[3] C m4  [adjoint]
    %5 = %4 * %0  : float64[3] C m5  [adjoint]
    %6 = np.ones_like(%0)  : float64[3] C m6  [adjoint]
    %7 = %5 ** 0  : float64[3] C m7  [adjoint]
    %8 = %1 == 0  : bool_  [adjoint]
    %9 = np.zeros_like(%0)  : float64[3] C m9  [adjoint]
    %12 = seed 0  : float64  [tangent]
    %10 = write operator.iadd(%9[0], 1.0)  : float64[3] C m9  [adjoint]
    return %0  cotangents (%5, %6, %10)
""")


def known_of(block):
    known = Known(Survey(block), set(), {})
    for node in block.nodes:
        known.take(node)
    return known


def test_what_is_one_number_everywhere():
    assert known_of(BLOCK).fill == {1: 1.0, 2: 0.25, 3: 0.25, 4: -0.25, 6: 1.0, 7: 1.0, 8: False}


def test_a_known_number_is_a_constant_of_its_type():
    known = known_of(BLOCK)
    constant = known.constant(BLOCK.nodes[2])
    assert constant.op == "const" and constant.args == (0.25,)
    assert type(constant.args[0]) is np.float64
    assert known.constant(BLOCK.nodes[3]) is None  # an array
    assert known.constant(BLOCK.nodes[5]) is None


def test_makers():
    known = known_of(BLOCK)
    assert known.maker(Ref(5), "*").id == 5
    assert known.maker(Ref(5), "+") is None
    assert known.maker(Ref(0)) is None
    assert known.lone(Ref(4), "neg").id == 4
    assert known.lone(Ref(5), "*") is None  # used twice


def test_new_operations():
    known = known_of(BLOCK)
    ref = known.new(BLOCK.nodes[5], np.exp, Ref(0))
    (node,) = known.new_nodes()
    assert node.id == ref.id == 13
    assert node.memory == 10
    assert node.target is np.exp and node.part == "adjoint"
    assert known.new_nodes() == []
