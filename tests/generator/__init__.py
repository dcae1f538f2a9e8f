"""Random programs: plain NumPy functions as source text, with inputs and what plain Python makes of
them.
"""

from tests.generator.grammar import programs
from tests.generator.observation import same, state_of
from tests.generator.program import Program

__all__ = ["Program", "programs", "same", "state_of"]
