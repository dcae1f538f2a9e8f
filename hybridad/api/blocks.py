"""Matrices of derivatives, put together of what a linear map gives for unit vectors."""

import numpy as np

from hybridad import engine as engines
from hybridad import tree

__all__ = ["Inputs", "by_pulling", "by_pushing"]


class Inputs:
    """The differentiated arguments of a call.

    Parameters
    ----------
    args, kwargs, keys
        See `recording.arguments.select`.
    single : bool
        There is one argument, and no tuple is wanted.

    Attributes
    ----------
    likes : list of Like
        Of all leaves.
    """

    def __init__(self, args, kwargs, keys, single):
        taken = [tree.flatten(kwargs[key] if isinstance(key, str) else args[key]) for key in keys]
        self.single = single
        self._structures = [structure for _, structure in taken]
        self.likes = [engines.Like(leaf) for leaves, _ in taken for leaf in leaves]

    @property
    def size(self):
        """How many numbers there are."""
        return sum(like.size for like in self.likes)

    def split(self, parts):
        """Parts for all leaves, as a list for each argument."""
        parts = iter(parts)
        return [[next(parts) for _ in range(structure.num_leaves)]
                for structure in self._structures]

    def leaves(self, cotangents):
        """The leaves of a list of pytrees, one for each argument."""
        return [leaf for part in cotangents for leaf in tree.flatten(part)[0]]

    def trees(self, leaves):
        """What has one leaf for each of the arguments', in their structure."""
        made = [tree.unflatten(structure, parts)
                for structure, parts in zip(self._structures, self.split(leaves))]
        return made[0] if self.single else tuple(made)


def by_pulling(found, inputs):
    """For each leaf of the value a list of blocks, row by row.

    Parameters
    ----------
    found : pullback
        See `engine.answers`.
    inputs : Inputs

    Returns
    -------
    list of list
        The block of each leaf of the value and each of the arguments.
    """
    made = []
    for number, out in enumerate(found.likes):
        def pulled(unit, number=number, out=out):
            parts = [None] * len(found.likes)
            parts[number] = _as_part(unit, out)
            return inputs.leaves(found.pull(parts))

        real_parts = not out.is_complex or all(like.is_complex for like in inputs.likes)
        rows = [pulled(unit) for unit in engines.units(out.shape, float)]
        others = [] if real_parts else [
            pulled(unit * 1j) for unit in engines.units(out.shape, float)]
        made.append([
            _block([row[k] for row in rows],
                   [] if like.is_complex else [row[k] for row in others], out, like, 0)
            for k, like in enumerate(inputs.likes)])
    return made


def by_pushing(found, inputs):
    """As `by_pulling`, column by column; `found` has a ``push``."""
    columns = []
    for number, like in enumerate(inputs.likes):
        def pushed(unit, number=number, like=like):
            parts = [None] * len(inputs.likes)
            parts[number] = _as_part(unit, like)
            return found.push(inputs.split(parts))

        rows = [pushed(unit) for unit in engines.units(like.shape, float)]
        others = [pushed(unit * 1j) for unit in engines.units(like.shape, float)] \
            if like.is_complex else []
        columns.append([
            _block([row[j] for row in rows], [row[j] for row in others], out, like, -1)
            for j, out in enumerate(found.likes)])
    return [[column[j] for column in columns] for j in range(len(found.likes))]


def _as_part(unit, like):
    return unit if like.dtype is not None else unit[()]


def _block(rows, others, out, like, axis):
    """A block of what was found for unit vectors, and for 1j times them."""
    shape = out.shape + like.shape
    dtype = np.dtype(like.kind if like.dtype is None else like.dtype)
    if out.is_complex and not like.is_complex:
        dtype = np.result_type(dtype, np.complex64)
    if not rows:
        return np.zeros(shape, dtype)
    block = _stacked(rows, axis)
    if axis == 0 and others:        # the derivative of the imaginary part is that by -1j
        block = block - 1j * _stacked(others, axis)
    elif axis == -1 and like.is_complex:
        block = block.real - 1j * _stacked(others, axis).real
    block = block.reshape(shape)
    block = block if block.dtype == dtype else block.astype(dtype)
    return block if out.dtype is not None or like.dtype is not None else block[()]


def _stacked(rows, axis):
    return np.stack(rows, axis)
