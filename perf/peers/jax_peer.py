"""The same programs under JAX: value and gradient compiled as one, in double precision.

JAX unrolls Python's loops while it traces, so only those run here that compile in seconds.
"""

import importlib.util

import numpy as np

from perf.peers.rebound import load

__all__ = ["as_numpy", "compile_for", "differentiate", "prepare", "refusal"]

PROBLEMS = "kmeans", "logistic", "lstm", "mixture", "mixture_whole", "mlp"
LSTM_LIMIT = 20  # steps


def refusal(name: str, size: str) -> str | None:
    """Why JAX is not run on a problem, if it is not."""
    if importlib.util.find_spec("jax") is None:
        return "not installed"
    if name not in PROBLEMS:
        return "its loop or branch would have to be rewritten for JAX"
    if name == "lstm" and int(size.split("x")[2]) > LSTM_LIMIT:
        return "unrolled, it compiles for a minute"
    return None


def prepare(args):
    """The arguments on JAX's device; numbers stay as they are."""
    import jax

    jax.config.update("jax_enable_x64", True)
    return tuple(jax.device_put(a) if isinstance(a, np.ndarray) else a for a in args)


def _jitted(name, argnums, args):
    import jax
    import jax.numpy

    jax.config.update("jax_enable_x64", True)
    static = tuple(k for k, a in enumerate(args)
                   if isinstance(a, (int, float)) and k not in argnums)
    function = jax.value_and_grad(load(name, jax.numpy).f, argnums)
    return jax.jit(function, static_argnums=static)


def differentiate(name, argnums):
    """Value and gradients of the problem's function by JAX, compiled for the first arguments."""
    import jax

    compiled = None

    def value_and_gradients(*args):
        nonlocal compiled
        compiled = compiled or _jitted(name, argnums, args)
        return jax.block_until_ready(compiled(*args))

    return value_and_gradients


def compile_for(name, argnums, args):
    """Trace and compile a problem anew for some arguments, as the first call would."""
    return _jitted(name, argnums, args).lower(*args).compile()


def as_numpy(value, gradients):
    """An answer in NumPy's terms."""
    return float(value), tuple(map(np.asarray, gradients))
