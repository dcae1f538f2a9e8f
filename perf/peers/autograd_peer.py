"""The same programs under HIPS/autograd: the problem's module run with autograd's NumPy as `np`.

Those that fill arrays in place are rewritten where a user would (`without_writes`).
"""

import importlib.util

from perf.peers.without_writes import REWRITTEN

__all__ = ["differentiate", "refusal"]

HORNER_LIMIT = 10_000


def refusal(name: str, size: str) -> str | None:
    """Why autograd is not run on a problem, if it is not."""
    if name in ("fill", "hand"):
        return "arrays cannot be filled in place"
    if name == "horner" and int(size) > HORNER_LIMIT:
        return "quadratic in the length, minutes"
    return None


def differentiate(name, argnums):
    """Value and gradients of the problem's function by autograd."""
    import autograd
    import autograd.numpy

    spec = importlib.util.find_spec(f"perf.problems.{name}")
    module = importlib.util.module_from_spec(spec)  # a copy: the plain one keeps its NumPy
    spec.loader.exec_module(module)
    module.np = autograd.numpy
    if name in REWRITTEN:
        vars(module).update(REWRITTEN[name](module))
    return autograd.value_and_grad(module.f, argnums)
