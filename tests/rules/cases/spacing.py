"""Cases of `hybridad.rules.spacing`."""

import numpy as np

from hybridad.recording.functions import array_function
from tests.rules.cases import arg, case

case(np.linspace, arg(), arg(), call=lambda a, b: np.linspace(a, b, 5))
case(np.linspace, arg(), arg(), call=lambda a, b: np.linspace(a, b, 4, False))
case(np.linspace, arg(2), arg(3, 1), call=lambda a, b: np.linspace(a, b, 3, axis=1))
case(np.linspace, arg(2), arg(), call=lambda a, b: np.linspace(a, b, 3, axis=-1))
case(np.linspace, arg(), arg(2, 2), call=lambda a, b: np.linspace(a, b, num=2))
case(np.linspace, arg(2), arg(), call=lambda a, b: np.linspace(a, b, 1))

case(np.logspace, arg(), arg(), call=lambda a, b: np.logspace(a, b, 4))
case(np.logspace, arg(2), arg(3, 1),
     call=lambda a, b: np.logspace(a, b, 3, endpoint=False, base=2.0, axis=-1))
case(np.logspace, arg(), arg(2), arg(domain="positive"),
     call=lambda a, b, c: np.logspace(a, b, 3, base=c))
case(np.logspace, arg(), arg(2), arg(2, 2, domain="positive"),
     call=lambda a, b, c: np.logspace(a, b, 3, base=c, axis=-1))

case(np.geomspace, arg(domain="positive"), arg(domain="positive"), dtypes="fd",
     call=lambda a, b: np.geomspace(a, b, 4))
case(np.geomspace, arg(2, domain="positive"), arg(domain="positive"), dtypes="fd",
     call=lambda a, b: np.geomspace(-a, -b, 3, endpoint=False, axis=1))

case(np.arange, arg(), dtypes="fd",
     call=lambda a: array_function(np.arange, (a, a + 1.7, 0.5), {}))
case(np.arange, arg(), arg(domain="positive"), dtypes="fd",
     call=lambda a, step: array_function(np.arange, (a, a + 3.5 * step, step), {}))
