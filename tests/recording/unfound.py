"""Functions whose source is not to be had: they are recorded by the protocols of NumPy alone."""

from types import FunctionType

__all__ = ["unfound"]


def unfound(f):
    """`f` with code that its source does not compile to, at the same lines."""
    code = f.__code__
    if any(name.startswith("@py") for name in code.co_names + code.co_varnames):
        # In code that pytest has rewritten other constants are expected, but no other name.
        code = code.replace(co_name=f"{code.co_name}_")
    code = code.replace(co_consts=(*code.co_consts, "not in the source"))
    made = FunctionType(code, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__ = f.__kwdefaults__
    return made
