"""Letting go of the values of a recorded run, which can be large, and making others up.

Rules are run on examples: on values of one run, which tell types and shapes. When the code has
been made they are not needed until another path is added. Floating arrays can then be any of that
type, so large ones are dropped and made up again; all others are kept.
"""

import numpy as np

from hybridad.trace.ir import Loop, replace
from hybridad.trace.rewriting import Rewriting, parts_of

__all__ = ["drop_examples", "make_examples"]

_LARGE = 1 << 12  # bytes


def drop_examples(tree):
    """A tree without the examples of large floating arrays.

    Parameters
    ----------
    tree : Block
    """
    return _with_examples(tree, _dropped)


def make_examples(tree):
    """A tree with an example wherever `drop_examples` has taken one away.

    Parameters
    ----------
    tree : Block
    """
    return _with_examples(tree, _made)


def _with_examples(tree, change):
    return _Examples(change).block(tree) if _changes(tree, change) else tree


def _changes(tree, change):
    """Whether any example becomes another one."""
    for part in parts_of(tree):
        for node in part.nodes:
            if type(node) is not Loop:
                if change(node.aval, node.example) is not node.example:
                    return True
            elif (change(node.item_aval, node.item_example) is not node.item_example
                    or any(change(phi.aval, phi.example) is not phi.example for phi in node.phis)
                    or _changes(node.body, change)):
                return True
    return False


def _dropped(aval, example):
    large = type(example) is np.ndarray and example.nbytes > _LARGE
    return None if large and example.dtype.kind in "fc" else example


def _made(aval, example):
    if example is not None or aval is None or aval.kind != "array" or aval.dtype[1] not in "fc":
        return example
    rng = np.random.default_rng(0)
    if aval.layout == "A":      # contiguous in no way
        whole = rng.uniform(0.5, 1.5, (*aval.shape, 2)).astype(aval.dtype)
        return whole[..., 0]
    values = rng.uniform(0.5, 1.5, aval.shape)
    return np.asarray(values, dtype=aval.dtype, order="F" if aval.layout == "F" else "C")


class _Examples(Rewriting):
    """Puts other examples into a tree."""

    def __init__(self, change):
        super().__init__({})
        self.change = change

    def node(self, node):
        made = super().node(node)
        if type(made) is Loop:
            return replace(made, item_example=self.change(made.item_aval, made.item_example))
        return replace(made, example=self.change(made.aval, made.example))

    def phi(self, phi, init):
        made = super().phi(phi, init)
        return replace(made, example=self.change(made.aval, made.example))
