"""What users call: derivatives of functions, and `stop_gradient`."""

from hybridad.api.gradients import grad, value_and_grad
from hybridad.api.hessians import hessian, hvp
from hybridad.api.jacobians import jacobian
from hybridad.api.pullbacks import vjp
from hybridad.api.tangents import jvp
from hybridad.recording.stop import stop_gradient

__all__ = ["grad", "hessian", "hvp", "jacobian", "jvp", "stop_gradient", "value_and_grad", "vjp"]
