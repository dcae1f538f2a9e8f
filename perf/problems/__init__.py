"""One plain NumPy program a module, without a word of automatic differentiation.

Each has the function `f`, the positions `ARGNUMS` of its differentiated arguments, the sizes
`SIZES` that are measured by default, and `make(size, seed)`, which gives the arguments of `f`. One
with `SEEDS` is called with the arguments of so many seeds in turn.
"""
