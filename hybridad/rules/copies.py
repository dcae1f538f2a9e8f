"""Copies and conversions: the values stay, the memory or the type is another."""

import numpy as np

from hybridad.rules.declare import elementwise

elementwise(np.copy, lambda g, ans, a, order="K", subok=False: g)
if hasattr(np, "astype"):
    elementwise(np.astype, lambda g, ans, x, dtype, copy=True: g)
