"""The same programs under HIPS/autograd: the problem's module run with autograd's NumPy as `np`."""

from perf.peers.rebound import load

__all__ = ["as_numpy", "differentiate", "prepare", "refusal"]

HORNER_LIMIT = 10_000


def refusal(name: str, size: str) -> str | None:
    """Why autograd is not run on a problem, if it is not."""
    if name in ("fill", "hand", "heat", "product"):
        return "arrays cannot be filled in place"
    if name == "horner" and int(size) > HORNER_LIMIT:
        return "quadratic in the length, minutes"
    return None


def prepare(args):
    """The arguments as autograd takes them."""
    return args


def differentiate(name, argnums):
    """Value and gradients of the problem's function by autograd."""
    import autograd
    import autograd.numpy

    return autograd.value_and_grad(load(name, autograd.numpy).f, argnums)


def as_numpy(value, gradients):
    """An answer in NumPy's terms."""
    return value, gradients
