"""Cases of `hybridad.rules.linalg`."""

import numpy as np

from tests.rules.cases import arg, case

REGULAR, STACK = arg(3, 3, domain="regular"), arg(2, 3, 3, domain="regular")

# norms

case(np.linalg.norm, arg(3))
case(np.linalg.norm, arg(2, 3))
case(np.linalg.norm, arg(2, 3, 4))
case(np.linalg.norm, arg(2, 3, 4), call=lambda x: np.linalg.norm(x, keepdims=True), note="keepdims")
case(np.linalg.norm, arg(2, 3), call=lambda x: np.linalg.norm(x, axis=1), note="axis")
case(np.linalg.norm, arg(2, 3), call=lambda x: np.linalg.norm(x, None, -2, True), note="axis")
case(np.linalg.norm, arg(2, 3, 4), call=lambda x: np.linalg.norm(x, axis=(0, -1)), note="axes")
for _p in (1, 2, 3, 2.5, 1.5, 0.5, -1, -2, np.inf, -np.inf):
    case(np.linalg.norm, arg(4, domain="apart"), call=lambda x, p=_p: np.linalg.norm(x, p),
         note=str(_p))
    case(np.linalg.norm, arg(2, 3, domain="apart"),
         call=lambda x, p=_p: np.linalg.norm(x, ord=p, axis=-1), note=str(_p))
    case(np.linalg.vector_norm, arg(2, 3, 2, domain="apart"),
         call=lambda x, p=_p: np.linalg.vector_norm(x, ord=p, axis=(0, 2), keepdims=True),
         note=str(_p))
case(np.linalg.norm, arg(4), call=lambda x: np.linalg.norm(x, 0), note="0")
for _p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
    case(np.linalg.norm, arg(3, 4, domain="apart"), call=lambda x, p=_p: np.linalg.norm(x, p),
         note=f"matrix {_p}")
    case(np.linalg.norm, arg(4, 2, 3, domain="apart"),
         call=lambda x, p=_p: np.linalg.norm(x, p, axis=(-1, 0), keepdims=True),
         note=f"matrix {_p}")
    case(np.linalg.matrix_norm, arg(2, 3, 3, domain="apart"),
         call=lambda x, p=_p: np.linalg.matrix_norm(x, ord=p), note=str(_p))
case(np.linalg.matrix_norm, arg(2, 3, 3),
     call=lambda x: np.linalg.matrix_norm(x, keepdims=True), note="keepdims")
case(np.linalg.vector_norm, arg(2, 3))
case(np.linalg.vector_norm, arg(2, 3), call=lambda x: np.linalg.vector_norm(x, ord=3), note="flat")
case(np.linalg.cond, REGULAR)
case(np.linalg.cond, arg(2, 4, 3))
for _p in (2, -2, "fro", 1, np.inf, "nuc"):
    case(np.linalg.cond, STACK, call=lambda x, p=_p: np.linalg.cond(x, p), note=str(_p))
case(np.linalg.matrix_rank, REGULAR)

# solve, inverses, powers

case(np.linalg.solve, REGULAR, arg(3))
case(np.linalg.solve, REGULAR, arg(3, 2))
case(np.linalg.solve, REGULAR, arg(2, 3, 2))
case(np.linalg.solve, STACK, arg(3))
case(np.linalg.solve, STACK, arg(3, 2))
case(np.linalg.solve, STACK, arg(2, 3, 1))
case(np.linalg.solve, arg(2, 1, 3, 3, domain="regular"), arg(4, 3, 2))
case(np.linalg.solve, REGULAR, call=lambda a: np.linalg.solve(a, np.arange(3.0)))
case(np.linalg.inv, REGULAR)
case(np.linalg.inv, STACK)
case(np.linalg.pinv, REGULAR)
case(np.linalg.pinv, arg(4, 2))
case(np.linalg.pinv, arg(2, 2, 4))
case(np.linalg.pinv, arg(4, 2), call=lambda x: np.linalg.pinv(x, 1e-10))
case(np.linalg.pinv, arg(2, 3, 3, domain="hermitian"), note="hermitian", call=lambda x:
     np.linalg.pinv((x + np.conj(np.swapaxes(x, -1, -2))) * 0.5, hermitian=True))
case(np.linalg.pinv, arg(3, 2), dtypes="dD", note="hermitian of low rank", call=lambda x:
     np.linalg.pinv(x @ np.conj(x.T), 1e-5, hermitian=True))
for _n in (0, 1, 2, 3, 6, -1, -2, -3):
    case(np.linalg.matrix_power, STACK, call=lambda x, n=_n: np.linalg.matrix_power(x, n),
         note=str(_n))

# determinants

for _n in (1, 2, 3, 4, 5):
    case(np.linalg.det, arg(_n, _n, domain="regular"))
    case(np.linalg.det, arg(2, _n, _n))
case(np.linalg.slogdet, REGULAR, call=lambda x: np.linalg.slogdet(x)[1])
case(np.linalg.slogdet, STACK, call=lambda x: np.linalg.slogdet(x).logabsdet)
case(np.linalg.slogdet, STACK, call=lambda x: np.linalg.slogdet(x).sign)
