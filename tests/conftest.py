"""What all tests share: strict engines, fixed seeds, pytest's own testing fixture."""

import os

os.environ["HYBRIDAD_STRICT"] = "1"
os.environ["HYBRIDAD_VERIFY"] = "1"

import gc
import random
import weakref

import numpy as np
import pytest

from hybridad.engine import patience

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _fixed_seeds():
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """Functions with the same code that died in other tests do not count."""
    monkeypatch.setattr(patience, "_wasted", weakref.WeakKeyDictionary())


def pytest_collection_finish():
    """Thousands of collected tests are no place where a run could leave anything."""
    gc.collect()
    gc.freeze()
