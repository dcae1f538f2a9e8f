"""Recording: running `f` on wrappers, and what NumPy's protocols lead to on the way."""
