"""Automatic differentiation of unmodified NumPy code.

Here one can

- `value_and_grad(f)`, `grad(f)`: gradients of a scalar function;
- `vjp(f, *args)`, `jvp(f, primals, tangents)`: pullbacks and directional derivatives;
- `stop_gradient(x)`: say in the function that a derivative is not wanted;
- `explain(vg)`: how a gradient function answered its last call, and why so;
- `register_pytree`: teach it a container class of one's own;
- `hybridad.testing.check_grads`: check derivatives against finite differences.
"""

from hybridad import errors

try:
    from hybridad import _tape as _tape
except ImportError as error:
    raise errors.NotBuiltError(
        errors.message(
            f"The extension modules of hybridad are not built ({error}).",
            "In the source folder run: pip install -e .",
            where="",
        )
    ) from error

from hybridad.api import grad, jvp, stop_gradient, value_and_grad, vjp
from hybridad.errors import (
    ArgumentError,
    GradientCheckError,
    HybridadError,
    LostDerivativeError,
    MissingRuleError,
    ResultError,
    ScopeError,
    UnsupportedError,
)
from hybridad.inspection import explain
from hybridad.tree import register_pytree

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "GradientCheckError",
    "HybridadError",
    "LostDerivativeError",
    "MissingRuleError",
    "ResultError",
    "ScopeError",
    "UnsupportedError",
    "explain",
    "grad",
    "jvp",
    "register_pytree",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
