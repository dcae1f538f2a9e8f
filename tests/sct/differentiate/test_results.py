"""What the caller gets."""

import itertools
import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate.results import given
from hybridad.sct.differentiate.writer import Writer

X = np.zeros((3, 4))


@pytest.fixture
def writer():
    return Writer("adjoint", itertools.count(10), itertools.count(10), "none")


def result(writer, g, like, taken=None):
    ref = given(writer, g, writer.value(0, like, 0), set() if taken is None else taken, "g_x")
    (node,) = [node for node in writer.nodes if node.id == ref.id]
    return node


def test_nothing_is_zeros(writer):
    assert result(writer, None, X).target is np.zeros_like
    assert result(writer, None, 2.0).example == 0.0


def test_numbers_have_the_type_of_the_input(writer):
    for like in (2.0, np.float64(2.0), np.float32(2.0), 2j):
        for g in (1.0, writer.apply(np.float64, (1.0,)), writer.apply(np.array, (1.0,))):
            assert type(result(writer, g, like).example) is type(like)


def test_what_is_its_own_is_not_copied(writer):
    g = writer.apply(o.mul, (writer.value(0, X, 0), 2.0))
    made = result(writer, g, X)
    assert made.target is o.mul and made.name == "g_x"


@pytest.mark.parametrize("make", [
    lambda w: w.value(0, X, 0),                                     # the input itself
    lambda w: w.apply(o.mul, (w.value(0, X.T, 0), 2.0)).T,          # a view
    lambda w: w.seed(0, X.copy())])                                 # somebody else's
def test_everything_else_is_copied(writer, make):
    assert result(writer, make(writer), X).example.flags.owndata
    assert result(writer, make(writer), X).target.name == "copy"


def test_memory_is_given_once(writer):
    g = writer.apply(o.mul, (writer.value(0, X, 0), 2.0))
    taken = set()
    assert result(writer, g, X, taken).target is o.mul
    assert result(writer, g, X, taken).target.name == "copy"
