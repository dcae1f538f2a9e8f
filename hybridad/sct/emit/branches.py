"""Decisions: the conditions under which the sides of a branch are taken."""

from hybridad.sct.emit.static import ATOM, Expression, inside

__all__ = ["conversion", "is_taken", "is_not_taken"]

_NOT, _OR_TIGHTER = 4, 6


def conversion(spell, branch, state):
    """The expression whose value is compared with the outcomes.

    Parameters
    ----------
    spell : Speller
    branch : Branch
    state : State
    """
    kind = branch.kind
    if kind == "left":
        return state.env["left", branch.test.id]
    test = spell.value(branch.test)
    if kind in ("bool", "value"):
        return test
    if kind == "index":
        return Expression(f"{spell.base(branch.test)[0]}.__index__()", ATOM, test.depth + 1)
    if kind == "shape":
        return Expression(f"{spell.base(branch.test)[0]}.shape", ATOM, test.depth + 1)
    return Expression(f"{kind}({test.text})", ATOM, test.depth + 1)


def is_taken(spell, branch, test, outcome):
    """The condition for an outcome."""
    if branch.kind == "bool":
        return test.text if outcome else f"not {inside(test, _NOT)}"
    sign = "is" if outcome is None else "=="
    return f"{inside(test, _OR_TIGHTER)} {sign} {spell.text(outcome)}"


def is_not_taken(spell, branch, test, outcome):
    """The condition against an outcome: the opposite of the decision, not another decision."""
    if branch.kind == "bool":
        return is_taken(spell, branch, test, not outcome)
    sign = "is not" if outcome is None else "!="
    return f"{inside(test, _OR_TIGHTER)} {sign} {spell.text(outcome)}"
