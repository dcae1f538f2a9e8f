"""Automatic differentiation of unmodified NumPy code.

Here one can

- `value_and_grad(f)`, `grad(f)`: gradients of a scalar function;
- `vjp(f, *args)`, `jvp(f, primals, tangents)`: pullbacks and directional derivatives;
- `jacobian(f)`, `hessian(f)`, `hvp(f)`: matrices of first and second derivatives, and products
  of the latter with vectors;
- `stop_gradient(x)`: say in the function that a derivative is not wanted;
- `explain(vg)`: how a gradient function answers its calls, and why so;
- `source(vg, *args)`: the adjoint source that answers such calls; `export(vg, path, *args)`: the
  same as a module of its own;
- `cache_info(vg)`, `cache_clear(vg)`: what is cached of a gradient function;
- `register_pytree`: teach it a container class of one's own;
- `hybridad.testing.check_grads`: check derivatives against finite differences.
"""

__version__ = "0.1.0"

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

from hybridad.api import (
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from hybridad.errors import (
    ArgumentError,
    GradientCheckError,
    HybridadError,
    LostDerivativeError,
    MissingRuleError,
    ResultError,
    ScopeError,
    SpecializationWarning,
    UnsupportedError,
)
from hybridad.inspection import cache_clear, cache_info, explain, export, source
from hybridad.tree import register_pytree

__all__ = [
    "ArgumentError",
    "GradientCheckError",
    "HybridadError",
    "LostDerivativeError",
    "MissingRuleError",
    "ResultError",
    "ScopeError",
    "SpecializationWarning",
    "UnsupportedError",
    "cache_clear",
    "cache_info",
    "explain",
    "export",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "register_pytree",
    "source",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
