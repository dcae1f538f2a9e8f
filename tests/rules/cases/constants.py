"""Cases of `hybridad.rules.constants`: every call runs and has derivative zero."""

import warnings

import numpy as np

from hybridad.rules import constants  # noqa: F401 - the registry decides which ufuncs have a case
from hybridad.rules.declare import PRIMITIVES
from tests.rules.cases import arg, case

for p in (np.floor, np.ceil, np.trunc, np.rint, np.spacing):
    case(p, arg(3, 4), dtypes="fd")
    case(p, arg(), dtypes="fd")
case(np.floor_divide, arg(3, 4), arg(4), dtypes="fd")

_INTEGERS = np.array([12, 5, 7])
for p in [p for p in PRIMITIVES if isinstance(p, np.ufunc) and PRIMITIVES[p].kind == "constant"]:
    if any(types.startswith("d") for types in p.types):
        if p.nin == 1 and p is not np.spacing:
            case(p, arg(3), dtypes="fd")
        elif p.nin == 2:
            case(p, arg(3), arg(2, 1), dtypes="fd")
    elif p is np.isnat:
        case(p, call=lambda: np.isnat(np.array(["2020-01-01", "NaT"], "M8[D]")), dtypes="d")
    elif p.nin == 1:
        case(p, call=lambda p=p: p(_INTEGERS), dtypes="d")
    else:
        case(p, call=lambda p=p: p(_INTEGERS, 3), dtypes="d")


def _without_warning(function, x):
    """A function that newer NumPy deprecates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return function(x)


case(np.round, arg(3), call=lambda x: np.round(x, 1))
case(np.around, arg(3), call=lambda x: np.around(x, decimals=1))
case(np.fix, arg(3), call=lambda x: _without_warning(np.fix, x), dtypes="fd")
case(np.isclose, arg(3), arg(3))
case(np.allclose, arg(3), arg(3))
case(np.array_equal, arg(3), arg(3))
case(np.array_equiv, arg(3), arg(2, 3))
for p in (np.isposinf, np.isneginf):
    case(p, arg(3), dtypes="fd")
for p in (np.isreal, np.iscomplex, np.any, np.all, np.argmax, np.argmin, np.nanargmax,
          np.nanargmin, np.argsort, np.argwhere, np.nonzero, np.flatnonzero, np.count_nonzero,
          np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type,
          np.min_scalar_type, np.common_type, np.zeros_like, np.ones_like,
          np.array_repr, np.array_str, np.array2string):
    case(p, arg(2, 3))
case(np.empty_like, arg(2, 3), call=lambda x: np.shape(np.empty_like(x)))
case(np.argmax, arg(2, 3), call=lambda x: np.argmax(x, axis=1, keepdims=True))
case(np.argsort, arg(2, 3), call=lambda x: np.argsort(x, axis=0))
case(np.any, arg(2, 3), call=lambda x: np.any(x, axis=0))
case(np.zeros_like, arg(2, 3), call=lambda x: np.zeros_like(x, shape=(3,)))
case(np.isin, arg(3), arg(2))
case(np.argpartition, arg(5), call=lambda x: np.argpartition(x, 2))
case(np.lexsort, arg(2, 3), call=lambda x: np.lexsort((x[0], x[1])), dtypes="fd")
case(np.searchsorted, arg(4), call=lambda x: np.searchsorted(np.array([-1.0, 0.0, 1.0]), x),
     dtypes="fd")
case(np.digitize, arg(4), call=lambda x: np.digitize(x, np.array([-1.0, 0.0, 1.0])), dtypes="fd")
case(np.can_cast, call=lambda: np.can_cast(np.zeros(2).dtype, np.float32), dtypes="d")
case(np.shares_memory, arg(3), arg(3))
case(np.may_share_memory, arg(3), arg(3))
for p in (np.tril_indices_from, np.triu_indices_from):
    case(p, arg(3, 3))
case(np.diag_indices_from, arg(3, 3))
