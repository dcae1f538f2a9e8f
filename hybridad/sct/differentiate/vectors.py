"""Arrays that a call is given as lists of numbers: the same call of arrays.

``np.concatenate([[x[0], 1.0], y])`` has a list among the arrays; functions of `math` (`math.dist`)
take vectors as lists.
"""

import math

import numpy as np

from hybridad.rules.declare import PRIMITIVES
from hybridad.sct.differentiate.calls import Call, is_differentiable
from hybridad.sct.differentiate.writer import aval_of
from hybridad.trace.ir import Node, Ref, map_refs, refs_of

__all__ = ["with_arrays"]

_OF_VECTORS = {getattr(math, name) for name in ("fsum", "prod", "dist", "sumprod")
               if hasattr(math, name)}


def with_arrays(node, found, examples, ids, part):
    """The call that an operation is, of arrays in place of lists of numbers.

    Parameters
    ----------
    node : Node
        An "apply".
    found : Call or None
        What `call_of` says.
    examples : dict
        Id -> example.
    ids : iterator of int
        Free ids.
    part : str

    Returns
    -------
    list of Node
        What makes the arrays.
    Call or None
    """
    made = []

    def array(x, dtype=None):
        if type(x) not in (list, tuple) or not any(True for _ in refs_of(x)):
            return x
        plain = map_refs(lambda ref: examples[ref.id], list(x))
        args = (list(x),) if dtype is None else (list(x), dtype)
        example = np.array(plain, *args[1:])
        made.append(Node(next(ids), "apply", np.array, args, aval=aval_of(example),
                         place=node.place, part=part, of=node.id, example=example))
        return Ref(made[-1].id)

    if callable(node.target) and node.target in _OF_VECTORS:
        found = _of_lists(node, examples, array)
    elif found is not None:
        primitive, args = found.primitive, list(found.args)
        if primitive.sequence:
            args[0] = [array(x) for x in args[0]]
        else:
            args = [array(x) if primitive.vjp or (k < len(primitive.vjps) and primitive.vjps[k])
                    else x for k, x in enumerate(args)]
        found = Call(primitive, tuple(args), found.kwargs)
    return made, found


def _of_lists(node, examples, array):
    """The call of a function of `math`, whose lists become arrays of one type."""
    vectors = list(node.args)
    if node.target is math.prod and type(vectors[0]) in (list, tuple):
        vectors[0] = [*vectors[0], node.kwargs.get("start", 1)]
    elif node.kwargs:
        return None
    plain = [map_refs(lambda ref: examples[ref.id], x) for x in vectors]
    if not all(map(is_differentiable, plain)):
        return None
    kinds = [complex if any(map(np.iscomplexobj, x)) else float for x in plain]
    vectors = [array(x, kind) for x, kind in zip(vectors, kinds)]
    return Call(PRIMITIVES[node.target], tuple(vectors), {})
