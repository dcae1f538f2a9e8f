"""Whose classes and modules are."""

import fractions
import sys
import types

import numpy as np
import pytest

from hybridad.recording.runtime.construction import is_foreign_class
from hybridad.recording.tracing.owners import Owners


class Mine:
    pass


class MineOfTheirs(fractions.Fraction):
    pass


@pytest.mark.parametrize(("cls", "is_users"), [
    (Mine, True), (MineOfTheirs, True), (fractions.Fraction, False), (np.ndarray, False),
    (dict, False), (types.SimpleNamespace, False)])
def test_classes(cls, is_users):
    assert Owners().is_users_class(cls) is is_users


def test_classes_of_libraries():
    assert is_foreign_class(fractions.Fraction)
    assert not is_foreign_class(Mine)


def test_modules():
    assert Owners().is_users_module(sys.modules[__name__])
    assert not Owners().is_users_module(np)
    assert not Owners().is_users_module(sys)


def test_objects_that_numpy_asks():
    class Asked:
        def __array_ufunc__(self, *args, **kwargs):
            return NotImplemented

    assert Owners().is_foreign_object(Asked())
    assert not any(map(Owners().is_foreign_object, (np.ones(2), np.float64(1.0), 2.0, [1.0])))
