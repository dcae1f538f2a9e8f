"""Checks of gradients: `check_grads`, and a pytest plugin with a `gradcheck` fixture."""

from hybridad.testing.gradients import check_grads

__all__ = ["check_grads"]
