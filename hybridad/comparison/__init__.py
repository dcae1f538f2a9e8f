"""The main job: gradients of real models on real data, timed and checked."""

from hybridad.comparison.measure import Comparison, compare
from hybridad.comparison.problems import PROBLEMS, Problem, ProblemError

__all__ = ["PROBLEMS", "Comparison", "Problem", "ProblemError", "compare"]
