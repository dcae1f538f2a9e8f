"""Cases of `hybridad.rules.differences`."""

import numpy as np

from tests.rules.cases import arg, case

case(np.diff, arg(5))
case(np.diff, arg(3, 4), call=lambda x: np.diff(x, axis=0))
case(np.diff, arg(5, 2), call=lambda x: np.diff(x, 3, 0))
case(np.diff, arg(3), call=lambda x: np.diff(x, n=0))
case(np.diff, arg(2), call=lambda x: np.diff(x, n=2), note="empty")
case(np.diff, arg(3, 4), arg(3, 1), arg(3, 2), call=lambda x, b, e: np.diff(x, 1, -1, b, e))
case(np.diff, arg(4), arg(), call=lambda x, b: np.diff(x, 2, -1, b))
case(np.diff, arg(2, 4), arg(1, 4), call=lambda x, b: np.diff(x, 1, 0, b))
case(np.ediff1d, arg(2, 3))
case(np.ediff1d, arg(1), note="empty")
case(np.ediff1d, arg(4), arg(2), arg(), call=lambda x, e, b: np.ediff1d(x, e, b))
case(np.trapezoid, arg(5))
case(np.trapezoid, arg(5), arg(5))
case(np.trapezoid, arg(5, 3), arg(5), call=lambda y, x: np.trapezoid(y, x, axis=0))
case(np.trapezoid, arg(2, 5, 3), arg(5), call=lambda y, x: np.trapezoid(y, x, 1.0, 1))
case(np.trapezoid, arg(2, 5), arg(2, 5), call=lambda y, x: np.trapezoid(y, x))
case(np.trapezoid, arg(5, 2), arg(), call=lambda y, dx: np.trapezoid(y, None, dx, 0))
case(np.trapezoid, arg(1), note="one point")
case(np.gradient, arg(5))
case(np.gradient, arg(2), note="two points")
case(np.gradient, arg(3, 4), call=lambda f: np.gradient(f, axis=1))
case(np.gradient, arg(5, 2), call=lambda f: np.gradient(f, 0.5, axis=0, edge_order=2))
case(np.gradient, arg(5), arg(), note="spacing")
case(np.gradient, arg(3, 5), arg(), note="spacing",
     call=lambda f, h: np.gradient(f, h, axis=1, edge_order=2))
case(np.gradient, arg(5), call=lambda f: np.gradient(f, np.array([0.0, 1.0, 1.5, 3.0, 3.2])))
case(np.gradient, arg(4), call=lambda f: np.gradient(f, np.array([0.0, 1.0, 1.5, 3.0]),
                                                     edge_order=2))
