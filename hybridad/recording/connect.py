"""Connects the extension modules, which are at the bottom, with the rooms they call on the way."""

import numpy as np

from hybridad import (
    _access,
    _containers,
    _forms,
    _operations,
    _operators,
    _parray,
    _push,
    _site,
    _sweep,
)
from hybridad.recording.arraylike import as_array, convert, plain
from hybridad.recording.effects import CONTAINERS, call_method
from hybridad.recording.forms import form_of
from hybridad.recording.functions import array_function
from hybridad.recording.methods import METHODS, set_attribute
from hybridad.recording.refusals import lost
from hybridad.recording.runtime import objects
from hybridad.recording.runtime.dispatch import call
from hybridad.recording.runtime.meanings import FUNCTIONS, INDEXED
from hybridad.recording.ufuncs import ufunc_method
from hybridad.rules import indexing, spaces
from hybridad.rules.declare import PRIMITIVES

__all__ = ["connect"]


def connect():
    """Install the registry and the handlers; once, when recording is imported."""
    _operators.install(PRIMITIVES, ufunc_method, as_array, plain)
    _parray.install(PRIMITIVES, METHODS, ufunc_method, array_function, plain, lost, set_attribute)
    _access.install(convert)
    _sweep.install(spaces.project, indexing.scatter_add, indexing.last_writes,
                   PRIMITIVES[np.multiply])
    _push.install(spaces.project, spaces.broadcast_tangent)
    _forms.install(form_of)
    _operations.install(objects)
    _containers.install(INDEXED, objects)
    _site.install(PRIMITIVES, FUNCTIONS, call_method, CONTAINERS, call, objects)
