"""Derivative rules: one declaration each, read by every engine and by both modes."""

from hybridad.rules import (
    constants,
    copies,
    differences,
    elementwise,
    factorizations,
    fft,
    indexing,
    linalg,
    products,
    python,
    reductions,
    shapes,
    spacing,
)

__all__ = [
    "constants",
    "copies",
    "differences",
    "elementwise",
    "factorizations",
    "fft",
    "indexing",
    "linalg",
    "products",
    "python",
    "reductions",
    "shapes",
    "spacing",
]
