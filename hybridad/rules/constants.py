"""NumPy's functions whose derivative is zero wherever it exists.

The ufuncs that round, compare, test or work on integers, and the functions that look at values
only to order, count, find, compare or print them, or that do not look at values at all.
"""

import numpy as np

from hybridad.rules.declare import constant

__all__ = []


def _gives_no_floats(ufunc):
    """Whether no loop of a ufunc turns a real or complex number into another."""
    loops = (types.split("->") for types in ufunc.types)
    return not any(set(ins) & set("efdgFDG") and set(outs) & set("efdgFDG") for ins, outs in loops)


constant(np.floor, np.ceil, np.trunc, np.rint, np.floor_divide, np.spacing)
constant(*{ufunc: None for ufunc in vars(np).values()
           if isinstance(ufunc, np.ufunc) and _gives_no_floats(ufunc)})

# Rounding and testing.
constant(np.round, np.around, np.fix)
constant(np.isclose, np.allclose, np.array_equal, np.array_equiv, np.isposinf, np.isneginf,
         np.isreal, np.iscomplex, np.any, np.all, np.isin)

# Order, place and number.
constant(np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.argpartition, np.lexsort,
         np.argwhere, np.nonzero, np.flatnonzero, np.count_nonzero, np.searchsorted, np.digitize)

# Types, shapes and memory.
constant(np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type, np.can_cast,
         np.min_scalar_type, np.common_type, np.shares_memory, np.may_share_memory,
         np.tril_indices_from, np.triu_indices_from, np.diag_indices_from)

# New arrays that are like another one.
constant(np.zeros_like, np.ones_like, np.empty_like)

# Text.
constant(np.array_repr, np.array_str, np.array2string)
