"""Cases of `hybridad.rules.copies`."""

import numpy as np

from tests.rules.cases import arg, case

case(np.copy, arg(2, 3), call=lambda a: np.copy(a))
case(np.copy, arg(), call=lambda a: np.copy(a))
if hasattr(np, "astype"):
    case(np.astype, arg(3), call=lambda x: np.astype(np.reshape(x, (3,)), np.complex128))
