"""Checks of calls that a rule cannot differentiate, for the keyword ``check`` of the verbs.

A check has the arguments of the primitive. It is called as the primitive is, where an argument is
active, so that the error names the user's line, and no rule has to raise in the sweep.
"""

from hybridad._record import active
from hybridad.errors import MissingRuleError, UnsupportedError, message

__all__ = ["fixed", "needs_scipy", "refuse"]


def refuse(what, remedy):
    """Raise the error of a call that has no rule, in three parts."""
    raise UnsupportedError(message(what, remedy))


def fixed(name, **places):
    """A check that refuses derivatives by some parameters.

    Parameters
    ----------
    name : str
        The function's name in full.
    **places : int
        The parameters by their names: which positional argument each of them is.
    """

    def check(*args, **kwargs):
        for parameter, k in places.items():
            x = args[k] if k < len(args) else kwargs.get(parameter)
            if active(x):
                raise MissingRuleError(message(
                    f"{name} has no derivative by its parameter {parameter}.",
                    f"Pass {parameter} as a value that does not depend on what is differentiated."))

    return check


def needs_scipy(x):
    """The check of math.gamma and math.lgamma, whose derivative is SciPy's digamma function."""
    try:
        import scipy.special  # noqa: F401
    except ImportError:
        raise MissingRuleError(message(
            "The derivative of math.gamma and math.lgamma needs SciPy, which is not installed.",
            "Install SciPy.")) from None
