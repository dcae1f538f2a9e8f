"""The verbs, and what is read off a rule's bytecode."""

import dis

import numpy as np
import pytest

import hybridad.rules.scipy_special  # noqa: F401
from hybridad.rules import declare
from hybridad.rules.declare import PRIMITIVES


def loads_by_dis(code):
    """Parameters that the disassembler sees loaded, by their names."""
    names = code.co_varnames[: code.co_argcount]
    loaded = {name for name in code.co_cellvars if name in names}
    for instruction in dis.get_instructions(code):
        if "LOAD_FAST" in instruction.opname:
            value = instruction.argval
            loaded.update(value if isinstance(value, tuple) else (value,))
    return {names.index(name) for name in loaded if name in names}


def test_no_rule_reads_more_than_was_seen():
    checked = 0
    for p in PRIMITIVES.values():
        for function in (*p.vjps, *p.jvps, p.vjp, p.jvp):
            code = getattr(function, "__code__", None)
            if code is not None:
                checked += 1
                assert declare._loaded_locals(code) >= loads_by_dis(code), (p, function)
    assert checked > 400


@pytest.mark.parametrize(("rule", "bits"), [
    (lambda g, ans, x, y: g, 0b000),
    (lambda g, ans, x, y: g * y, 0b100),
    (lambda g, ans, x, y: g * ans + x, 0b011),
    (lambda g, ans, x, y: (lambda: g * x)(), 0b010),
])
def test_what_a_rule_reads(rule, bits):
    assert declare._reads((rule,)) == bits


def test_variable_arguments_count_as_read():
    needs = declare._reads((lambda g, ans, x, *rest: g,))
    assert needs & 0b11 == 0
    assert needs >> 2 & 1 and needs >> 40 & 1


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(declare, "PRIMITIVES", {})
    return declare.PRIMITIVES


def test_linear_makes_its_own_jvp(registry):
    def scale(x, factor):
        return x * factor

    declare.linear(scale, lambda g, ans, x, factor: g * factor)
    p = registry[scale]
    assert p.kind == "linear" and p.params == ("x", "factor")
    assert p.jvps[0](np.ones(2), None, np.zeros(2), 3.0) == pytest.approx([3.0, 3.0])
    assert p.needs & 0b011 == 0                      # neither the result nor x is read


def test_rules_for_single_outputs_join_an_older_rule(registry):
    def split(x):
        return x, x

    declare.rule(split, lambda g, ans, x: g, jvps=(lambda t, ans, x: t,))
    declare.rule(split, lambda g, ans, x: 2 * g, jvps=(lambda t, ans, x: 2 * t,), out=1)
    assert registry[split].vjps and list(registry[split].outs) == [1]
    assert registry[split].outs[1].out == 1


def test_a_sequence_is_joint(registry):
    def join(arrays):
        return np.concatenate(arrays)

    declare.linear_sequence(join, lambda g, ans, arrays: list(g))
    p = registry[join]
    assert p.sequence and p.joint
    assert list(p.jvp([np.ones(1), np.zeros(1)], None, [None, None])) == [1.0, 0.0]
