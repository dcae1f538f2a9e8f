"""Derivatives of traces: the adjoint of a block, and tangents beside its operations."""

from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.forward import forward
from hybridad.sct.differentiate.reverse import reverse

__all__ = ["Unsupported", "forward", "reverse"]
