"""What ``for`` goes through by an index: arrays, ranges, `enumerate`, `zip`, `reversed` of them.

Each of these has a *recipe*, by which a loop over it becomes one over its index. A native iterator
keeps its recipe only until it is first looked at.
"""

import numpy as np

from hybridad.recording.runtime.specials import special
from hybridad.recording.tracing.encoding import encode
from hybridad.recording.tracing.operations import is_users
from hybridad.recording.tracing.values import Dynamic
from hybridad.trace.ir import Ref

__all__ = ["Recipe", "enumerate_", "forget_recipe", "indices", "recipe_of", "reversed_",
           "value_at", "zip_"]


class Recipe:
    """How the values of an iterable follow from their index.

    Attributes
    ----------
    kind : {"array", "range", "reversed", "enumerate", "zip"}
    of : object
        The array; start, stop and step of the range; or one or several recipes.
    size : int
        How many values there are; known to the recorder if that may be another number in each call.
        Computed when it is asked for.
    start : int
        Of an enumeration.
    """

    __slots__ = ("_size", "kind", "of", "start")

    def __init__(self, kind, of, size, start=0):
        self.kind, self.of, self._size, self.start = kind, of, size, start

    @property
    def size(self):
        if callable(self._size):
            self._size = self._size()
        return self._size


def recipe_of(site, run, x):
    """The recipe of an iterable, or None."""
    if type(x) is np.ndarray:
        return Recipe("array", x, len(x)) if x.ndim and run.recorder.is_known(x) else None
    if type(x) is range:
        found = run.recorder.ranges.get(id(x))
        if found is None:
            return Recipe("range", (x.start, x.stop, x.step), len(x))
        spec = tuple([_seen(run, arg, value)
                      for arg, value in zip(found[1], (x.start, x.stop, x.step))])
        return Recipe("range", spec, lambda: run.length_of_range(site, x))
    found = run.iterables.get(id(x))
    return None if found is None else found[1]


def _seen(run, arg, value):
    """An int that is an argument, as a value of the run."""
    if type(arg) is not Ref:
        return arg
    made = Dynamic(value)
    run.recorder.know(made, arg.id)
    return made


def enumerate_(site, run, iterable, start=0):
    """``enumerate(iterable, start)``"""
    recipe = recipe_of(site, run, iterable)
    if recipe is None:
        return enumerate(site._plainly_here(iterable), run.settled(site, start))
    made = enumerate(_source(site, run, iterable), start)
    return _remembered(run, made, Recipe("enumerate", recipe, lambda: recipe.size, start))


def zip_(site, run, *iterables, **options):
    """``zip(*iterables)``"""
    recipes = [None if options else recipe_of(site, run, x) for x in iterables]
    sizes = [] if None in recipes else [recipe.size for recipe in recipes]
    if len(sizes) == 1 or (sizes and not any(map(run.recorder.is_known, sizes))):
        made = zip(*[_source(site, run, x) for x in iterables])
        return _remembered(run, made, Recipe("zip", recipes, min(sizes)))
    options = {name: run.settled(site, x) for name, x in options.items()}
    return zip(*[site._plainly_here(x) for x in iterables], **options)


def reversed_(site, run, x):
    """``reversed(x)``"""
    method = special(x, "__reversed__") if is_users(x) else None
    if run.enters(method):
        return site.call(method, x)
    recipe = recipe_of(site, run, x) if type(x) in (range, np.ndarray) else None
    if recipe is None:
        return reversed(list(site._plainly_here(x)))
    made = reversed(x if type(x) is range else list(site._plainly_here(x)))
    return _remembered(run, made, Recipe("reversed", recipe, lambda: recipe.size))


def _source(site, run, x):
    """What a native iterator goes through; who looks at it decides what ranges are made of."""
    known = type(x) is range or run.iterables.pop(id(x), None) is not None
    return x if known else site._plainly_here(x)


def _remembered(run, made, recipe):
    run.iterables[id(made)] = made, recipe
    return made


def forget_recipe(site, run, x):
    """Somebody looks at an iterator itself, not by its index."""
    found = run.iterables.pop(id(x), None)
    if found is not None:
        _settle(site, run, found[1])


def _settle(site, run, recipe):
    if recipe.kind == "range":
        for part in recipe.of:
            run.settled(site, part)
    elif recipe.kind != "array":
        for part in recipe.of if recipe.kind == "zip" else (recipe.of,):
            _settle(site, run, part)


def indices(site, run, recipe):
    """What a loop counts through, and how its values follow from that.

    Returns
    -------
    spec : tuple
        Start, stop and step as arguments.
    numbers : range
    recipe : Recipe or None
        Of the values by the number; None: they are the numbers.
    """
    inner = recipe
    if recipe.kind == "range":
        (first, stop, step), inner = recipe.of, None
    elif recipe.kind == "reversed":
        inner = recipe.of
        first, stop, step = site.sub(inner.size, 1), -1, -1
        if inner.kind == "range":
            start, _, ahead = inner.of
            first = _plus(site, start, _times(site, first, ahead))
            stop, step, inner = site.sub(start, ahead), site.neg(ahead), None
    else:
        first, stop, step = 0, recipe.size, 1
    spec = first, stop, step
    return encode(run.recorder, spec), range(*map(int, spec)), inner


def value_at(site, run, recipe, index):
    """The value with an index, which is an int of the run."""
    if recipe is None:
        return index
    if recipe.kind == "array":
        return site.item(recipe.of, index)
    if recipe.kind == "enumerate":
        return _plus(site, recipe.start, index), value_at(site, run, recipe.of, index)
    if recipe.kind == "zip":
        return tuple([value_at(site, run, part, index) for part in recipe.of])
    if recipe.kind == "reversed":
        return value_at(site, run, recipe.of, site.sub(site.sub(recipe.size, 1), index))
    start, _, step = recipe.of
    return _plus(site, start, _times(site, index, step))


def _plus(site, start, number):
    return number if type(start) is int and start == 0 else site.add(start, number)


def _times(site, number, step):
    return number if type(step) is int and step == 1 else site.mul(number, step)
