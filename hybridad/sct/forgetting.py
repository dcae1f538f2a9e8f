"""Traces that do not keep alive what they have met: functions, and objects of the user's."""

import types

import numpy as np

from hybridad.sct.differentiate.program import rebuilt
from hybridad.trace.ir import Loop, replace

__all__ = ["without_objects"]

_VALUES = (int, float, complex, str, bytes, tuple, np.generic, np.ndarray)
_FUNCTIONS = (types.FunctionType, types.MethodType)


class _Function:
    """What has to be known of a function to write down how its variables are read."""

    __slots__ = ("__code__", "__globals__", "__kwdefaults__")

    def __init__(self, function):
        self.__code__ = function.__code__
        self.__globals__ = frozenset(function.__globals__)
        self.__kwdefaults__ = frozenset(function.__kwdefaults__ or ())


def without_objects(block):
    """A trace with other examples: numbers, arrays, texts, tuples, and facts about functions.

    Parameters
    ----------
    block : Block

    Returns
    -------
    Block
    """
    def nodes(block):
        for node in block.nodes:
            if type(node) is Loop:
                yield replace(node, body=without_objects(node.body))
            else:
                example = _forgotten(node.example)
                yield node if example is node.example else replace(node, example=example)

    return rebuilt(block, lambda blocks: blocks[-1], nodes)


def _forgotten(example):
    if example is None or isinstance(example, (*_VALUES, _Function)):
        return example
    if isinstance(example, _FUNCTIONS) and isinstance(getattr(example, "__code__", None),
                                                      types.CodeType):
        return _Function(example)
    return None
