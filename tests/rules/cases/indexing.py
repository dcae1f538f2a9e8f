"""Cases of `hybridad.rules.indexing`."""

import numpy as np

from tests.rules.cases import arg, case

case(np.take, arg(5), call=lambda x: np.take(x, [0, 3, 0, -1]))
case(np.take, arg(5), call=lambda x: np.take(x, 2))
case(np.take, arg(3, 4), call=lambda x: np.take(x, np.array([[0, 11], [3, 3]])))
case(np.take, arg(3, 4), call=lambda x: np.take(x, np.array([[0, 2], [1, 0]]), axis=0))
case(np.take, arg(2, 3, 4), call=lambda x: np.take(x, np.array([0, 2, 2, -1]), 1))
case(np.take, arg(2, 3, 4), call=lambda x: np.take(x, 1, axis=-1))
case(np.take, arg(5), call=lambda x: np.take(x, [-7, 5, 9], mode="wrap"))
case(np.take, arg(5, 2), call=lambda x: np.take(x, [-7, 5, 9], axis=0, mode="clip"))
case(np.take, arg(3), call=lambda x: np.take(x, np.zeros(0, dtype=int)), note="empty")
case(np.take_along_axis, arg(3, 4),
     call=lambda x: np.take_along_axis(x, np.array([[0, 3], [1, 1], [-1, 0]]), axis=1))
case(np.take_along_axis, arg(3, 4),
     call=lambda x: np.take_along_axis(x, np.array([[0, 2, 1, 1]]), 0))
case(np.take_along_axis, arg(1, 4), note="broadcast",
     call=lambda x: np.take_along_axis(x, np.array([[0], [3], [3]]), axis=-1))
case(np.take_along_axis, arg(3, 2),
     call=lambda x: np.take_along_axis(x, np.array([5, 0, 5]), axis=None))
case(np.compress, arg(5), call=lambda x: np.compress([True, False, True], x))
case(np.compress, arg(2, 4), call=lambda x: np.compress([True, False, True, True], x, axis=1))
case(np.extract, arg(2, 3),
     call=lambda x: np.extract(np.array([[True, False, True], [False, False, True]]), x))
case(np.delete, arg(5), call=lambda x: np.delete(x, 2))
case(np.delete, arg(3, 4), call=lambda x: np.delete(x, [0, 2], axis=1))
case(np.delete, arg(2, 3), call=lambda x: np.delete(x, slice(1, 4)))

for axis in (-1, 0, None):
    case(np.sort, arg(4, 3, domain="apart"), call=lambda x, axis=axis: np.sort(x, axis))
    case(np.sort, arg(4, 3, domain="apart"),
         call=lambda x, axis=axis: np.sort(x, axis=axis, kind="stable"))
    case(np.partition, arg(6, 7, domain="apart"),
         call=lambda x, axis=axis: np.partition(x, 2, axis))
case(np.sort, arg(5, domain="apart"))
case(np.sort, arg(1))
case(np.partition, arg(9, domain="apart"), call=lambda x: np.partition(x, (2, 5)))

KNOTS = np.array([-1.9, -0.8, 0.1, 0.75, 2.1])
case(np.interp, arg(4), arg(5), call=lambda x, fp: np.interp(x, KNOTS, fp), dtypes="fd")
case(np.interp, arg(5), call=lambda fp: np.interp(np.linspace(-3.0, 3.0, 8), KNOTS, fp))
case(np.interp, arg(5), call=lambda fp: np.interp(np.linspace(-3.0, 3.0, 8), KNOTS, fp, 1.0))
case(np.interp, arg(), arg(5), call=lambda x, fp: np.interp(x, KNOTS, fp), dtypes="fd")
case(np.interp, arg(2, 3, domain="apart"), arg(5), note="outside", dtypes="fd",
     call=lambda x, fp: np.interp(x, KNOTS / 3.0, fp))
case(np.interp, arg(2, 3, domain="apart"), arg(5), note="held", dtypes="fd",
     call=lambda x, fp: np.interp(x, KNOTS / 3.0, fp, 5.0, right=-5.0))
case(np.interp, arg(6), arg(5), note="periodic", dtypes="fd",
     call=lambda x, fp: np.interp(4.0 * x, KNOTS[[2, 0, 1, 4, 3]], fp, period=4.5))
case(np.interp, arg(3), arg(1), note="one knot", dtypes="fd",
     call=lambda x, fp: np.interp(x, np.array([0.2]), fp))
case(np.interp, arg(5), arg(5), note="knots", dtypes="fd",
     call=lambda xp, fp: np.interp(np.linspace(-3.0, 3.0, 7), KNOTS + 0.1 * xp, fp))
