"""The errors by which recording refuses what it cannot follow."""

from hybridad.errors import LostDerivativeError, MissingRuleError, UnsupportedError, message

__all__ = ["lost", "missing", "unsupported"]


def lost(value, how):
    """Raise: an active value was about to become plain data."""
    remedies = {
        "hash()": "Do not use differentiated values as keys or cached arguments.",
        "a pickle": "Pickle the result of the differentiated function instead.",
    }
    if how.startswith("a plain array"):
        remedy = ("Create the array from a differentiated one (np.zeros_like(x), np.stack([...])), "
                  "and use functions of NumPy that have a rule.")
    elif how.startswith("an integer"):
        remedy = "Compute indices from values that are not differentiated."
    else:
        remedy = "Keep it a NumPy value: np.exp(x) in place of math.exp(x), x in place of float(x)."
    raise LostDerivativeError(
        message(f"A differentiated value was about to become {how}: its derivative would be lost.",
                remedies.get(how, remedy)))


def missing(name):
    """Raise: a function without a rule met an active value."""
    raise MissingRuleError(
        message(f"{name} has no derivative rule.",
                "Write it with functions that have one, or declare a rule "
                "(hybridad.rules.declare)."))


def unsupported(what, remedy):
    """Raise: an operation that cannot be followed on active values."""
    raise UnsupportedError(message(f"{what} cannot be followed on a differentiated value.", remedy))
