"""A path becomes a block: loops that may be are folded, others are written out."""

from hybridad.trace.fold.known import Known, NotFolded
from hybridad.trace.fold.walk import fold
from hybridad.trace.merge import Unmergeable, merge

__all__ = ["Known", "NotFolded", "Unmergeable", "fold", "merge"]
