"""What the cache of a differentiated function has done, and how to empty it."""

from collections.abc import Callable

from hybridad.cache import CacheInfo
from hybridad.inspection.subject import Subject

__all__ = ["cache_clear", "cache_info"]


def cache_info(vg: Callable) -> CacheInfo:
    """What the cache of a differentiated function has done and holds.

    Parameters
    ----------
    vg : callable
        What `value_and_grad`, `grad`, `hvp`, `hessian` or `jacobian` has returned; the last three
        share what is known of a function with `jvp` and `vjp` of it.

    Returns
    -------
    CacheInfo
        A named tuple: `hits` (calls answered by specialized code), `exits` (calls that it has given
        up), `recordings` (calls from which it was made or extended), `fallbacks` (calls that the
        tape has answered and that taught nothing), `paths` and `signatures` (what there is). All
        zero for a function made with ``engine="tape"``, which caches nothing.

    Raises
    ------
    ArgumentError
        For anything that hybridad has not returned.

    Examples
    --------
    >>> import hybridad
    >>> g = hybridad.grad(lambda x: x**3)
    >>> g(2.0), g(3.0)
    (12.0, 27.0)
    >>> hybridad.cache_info(g).hits, hybridad.cache_info(g).signatures
    (1, 1)
    """
    engine = Subject(vg, "cache_info(vg)").engine
    return CacheInfo(0, 0, 0, 0, 0, 0) if engine is None else engine.cache.info()


def cache_clear(vg: Callable) -> None:
    """Forget the specialized code of a differentiated function, and set its counts to zero.

    The next call is answered by the tape and specialized anew.

    Parameters
    ----------
    vg : callable
        What `value_and_grad`, `grad`, `hvp`, `hessian` or `jacobian` has returned; the last three
        share what is known of a function with `jvp` and `vjp` of it.

    Raises
    ------
    ArgumentError
        For anything that hybridad has not returned.

    Examples
    --------
    >>> import hybridad
    >>> g = hybridad.grad(lambda x: x**3)
    >>> g(2.0)
    12.0
    >>> hybridad.cache_clear(g)
    >>> hybridad.cache_info(g).signatures
    0
    """
    engine = Subject(vg, "cache_clear(vg)").engine
    if engine is not None:
        engine.clear()
