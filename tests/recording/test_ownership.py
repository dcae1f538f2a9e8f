"""Whose code it is."""

import contextlib
import functools
import json
import statistics

import numpy as np
import pytest
import scipy.optimize

import hybridad
from hybridad.comparison.problems import lstm
from hybridad.recording.ownership import is_entered, owner_of_code


def code_at(filename):
    return (lambda: None).__code__.replace(co_filename=str(filename))


@pytest.mark.parametrize("function", [
    json.dumps, statistics.mean, np.linalg.norm.__wrapped__, scipy.optimize.minimize,
    hybridad.grad,
])
def test_libraries(function):
    assert owner_of_code(function.__code__) == "library"
    assert not is_entered(function)


@pytest.mark.parametrize("function", [
    test_libraries, lambda: None, functools.total_ordering, contextlib.ExitStack.enter_context,
    next(f for f in vars(lstm).values() if getattr(f, "__module__", "") == lstm.__name__),
])
def test_the_users(function):
    assert owner_of_code(function.__code__) == "user"
    assert is_entered(function)


def test_installed_packages(tmp_path):
    for folder in ("site-packages", "dist-packages"):
        package = tmp_path / "lib" / folder / "somebody" / "fit.py"
        assert owner_of_code(code_at(package)) == "package"
    assert owner_of_code(code_at(tmp_path / "my-site-packages" / "fit.py")) == "user"
    for typed in ("<stdin>", "<ipython-input-1>"):
        assert owner_of_code(code_at(typed)) == "user"
    assert owner_of_code(code_at("<frozen importlib._bootstrap>")) == "library"


def test_only_functions_are_entered():
    class Model:
        def __call__(self):
            """Nothing."""

    assert is_entered(Model.__call__)
    for other in (Model(), Model, Model().__call__, len, np.sum, functools.partial(code_at), None):
        assert not is_entered(other)
