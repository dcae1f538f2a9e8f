"""The problems that are compared: plain NumPy functions and the data they run on.

Nothing in the functions knows about derivatives. All but the logistic regression are objectives of
ADBench (Srajer, Kukelova, Fitzgibbon 2018), with its data; `data/README.md` names every source.
"""

from hybridad.comparison.problems.problem import Problem, ProblemError, read
from hybridad.comparison.problems.registry import PROBLEMS, find

__all__ = ["PROBLEMS", "Problem", "ProblemError", "find", "read"]
