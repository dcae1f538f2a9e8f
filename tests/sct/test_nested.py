"""Pulls and variables of a trace become adjoints."""

import re

import numpy as np

from hybridad import grad, vjp
from hybridad.recording.effects import Journal
from hybridad.recording.run import record
from hybridad.recording.tracing import trace
from hybridad.sct.nested import expand_pulls
from hybridad.trace.fold import Known, fold, merge
from hybridad.trace.ir import Block
from hybridad.trace.text import show
from hybridad.trace.valid import check

X = np.array([0.3, 0.5, 0.7])


def tree_of(f, *args):
    """The trace of a call that is differentiated by all its arguments."""
    journal, keys = Journal(keeps=True), list(range(len(args)))
    record(f, args, {}, keys, journal=journal)
    events, *_ = trace(f, args, {}, keys, journal.replay(complete=True))
    return fold(events, Known())


def lines_of(tree):
    """The lines of a trace without its pulls, numbered anew; reads and checks are left out."""
    tree = expand_pulls(tree)
    inputs = [node for node in tree.nodes if getattr(node, "op", None) == "input"]
    tree = Block((*inputs, *[x for x in tree.nodes if x not in inputs]), tree.end)
    check(tree)
    lines = [re.split("  [:#]", line)[0].rstrip() for line in show(tree).splitlines()]
    lines = [line for line in lines if not re.search("read|check|Branch", line)]
    numbers = {}
    return [re.sub(r"%(\d+)", lambda found: f"%{numbers.setdefault(found[1], len(numbers))}", line)
            for line in lines]


def test_a_pull_is_the_adjoint_in_its_place():
    assert lines_of(tree_of(lambda x: np.sum(grad(lambda y: np.sum(np.sin(y)))(x)), X)) == [
        "%0 = input 0, differentiated=True",
        "%1 = np.sin(%0)",
        "%2 = np.sum(%1)",
        "%3 = np.cos(%0)",
        "%4 = 1.0 * %3",
        "%5 = np.sum(%4)",
        "return %5",
    ]


def test_a_variable_is_not_what_it_was_made_of():
    assert lines_of(tree_of(lambda x: grad(lambda y: y * x)(x), 2.0)) == [
        "%0 = input 0, differentiated=True",
        "%1 = %0 * %0",
        "%2 = 1.0 * %0",
        "return %2",
    ]


def test_outer_pulls_go_through_inner_variables():
    lines = lines_of(tree_of(lambda x: grad(lambda a: grad(lambda b: b * b * a)(a))(x), 2.0))
    assert lines[0] == "%0 = input 0, differentiated=True"
    assert not any("pull" in line or "variable" in line for line in lines)

    def compute(x):
        names = {"%0": x}
        for line in lines[1:-1]:
            name, text = line.split(" = ", 1)
            names[name] = eval(re.sub(r"%\d+", lambda found: repr(names[found[0]]), text))
        return names[lines[-1].split()[1]]

    assert compute(3.0) == 12.0     # d/da of 2 a * a


def test_cotangents_may_be_given():
    lines = lines_of(tree_of(lambda x, y: np.sum(vjp(lambda a: a * 2.0, x)[1](y)[0]), X, X + 1))
    assert lines == [
        "%0 = input 0, differentiated=True",
        "%1 = input 1, differentiated=True",
        "%2 = %0 * 2.0",
        "%3 = .copy(%2, 'K')",  # what the caller of vjp gets
        "%4 = %1 * 2.0",
        "%5 = np.sum(%4)",
        "return %5",
    ]


def test_variables_in_loops_are_gone_through():
    def f(x):
        for _ in range(3):
            x = x - 0.1 * grad(lambda y: np.sum(y**3))(x)
        return np.sum(grad(lambda y: np.sum(y * 2.0))(x) * x)

    assert not any("variable" in line for line in lines_of(tree_of(f, X)))


def test_a_loop_gets_a_mirror():
    def product(y):
        made = 1.0
        for i in range(3):
            made = made * y[i]
        return made

    lines = lines_of(tree_of(lambda x: np.sum(grad(product)(x)), X))
    assert any("mirror" in line and "[inner]" in line for line in lines)


def test_each_path_has_its_own():
    def f(x):
        def g(y):
            return np.sum(y**3) if y[0] > 0.4 else np.sum(y * 5.0)
        return np.sum(grad(g)(x))

    tree, grown = merge(tree_of(f, X), tree_of(f, X + 1.0))
    assert grown
    text = "\n".join(lines_of(tree))
    assert text.count("return") == 2 and "np.full_like" in text and "** 2" in text
    assert "pull" not in text


def test_a_tree_without_them_stays():
    tree = tree_of(lambda x: np.sum(x), X)
    assert expand_pulls(tree) is tree
