"""Derivatives inside of a trace run: `f` is followed, the derivative itself is one operation.

Each differentiated number or array becomes a "variable" of its own before `f` is followed, since
`f` may see the same value in other ways, too. A "pull" is then what arrives at a variable if values
of `f` have given cotangents; what it gave, the run before has told. Code is made of it by
`sct.nested`. The other derivatives are made of pulls: a tangent is what a pull of a pull gives for
the cotangent, in which it is linear (J. Townsend, "A new trick for calculating Jacobian vector
products", 2017), and a Hessian is symmetric.
"""

import itertools
import math

import numpy as np

from hybridad import tree
from hybridad._record import leaf, raw_of
from hybridad.errors import ArgumentError, HybridadError
from hybridad.recording.arguments import normalize_argnums, select
from hybridad.recording.tracing import numpy_calls
from hybridad.recording.tracing.encoding import encode
from hybridad.recording.tracing.reads import read
from hybridad.recording.tracing.values import another, is_a, is_number
from hybridad.trace.ir import Ref

__all__ = ["Pullback", "call_derived", "call_direct", "laid_out_alike", "make_derived"]

_MOST_ROWS = 64     # of a matrix: each is an adjoint of its own


def make_derived(run, site, f, args, kwargs):
    """``grad(f, ...)`` inside: what it gives is an object of the run's own."""
    return f(args[0], *[run.settled(site, x) for x in args[1:]],
             **{name: run.settled(site, x) for name, x in kwargs.items()})


def call_derived(run, site, derived, args, kwargs):
    """Call a function of hybridad's own that differentiates another one, or a pullback."""
    if type(derived) is Pullback:
        return derived.pull(site, args, kwargs)
    what, recorder = derived._nested, run.recorder
    if recorder.is_known(derived):
        ref = recorder.ref(derived)
        run.found(site, derived)
        what = what._replace(f=read(recorder, site, "attribute", (ref, "_f"), what.f))
    return _KINDS[what.kind](run, site, what, args, kwargs)


def call_direct(run, site, kind, args, kwargs):
    """``vjp(f, ...)`` or ``jvp(f, ...)``"""
    options = {name: run.settled(site, kwargs.pop(name, default)) for name, default in (
        ("argnums", None), ("has_aux", False), ("engine", "auto"))}
    return _KINDS[kind](run, site, args, kwargs, options["argnums"], options["has_aux"])


def laid_out_alike(run, x):
    """A copy of an array with the same strides: the order of sums depends on them."""
    made = raw_of(leaf(run.tape, x))
    if made.strides != x.copy(order="K").strides:
        run.spread.append(made)
    return made


# -- following `f` -----------------------------------------------------------------------------


class _Variable:
    """A number or array by which is differentiated; `value` is what `f` gets."""

    def __init__(self, run, site, x):
        recorder, is_array = run.recorder, _check_differentiable(run, site, x)
        self.source = x
        self.value = laid_out_alike(run, x) if is_array else another(x)
        memory = recorder.next_memory() if is_array else None
        self.number = recorder.node("variable", None, (encode(recorder, x),), {}, self.value, site,
                                    memory)
        self._versions, self._loops = None, tuple(run.loops.open)
        if is_array:
            recorder.new_array(self.value, self.number, False)
            self._versions = self._version_of(recorder)
        else:
            recorder.know(self.value, self.number)

    def _version_of(self, recorder):
        return tuple([recorder.array_of(x).memory.version for x in (self.source, self.value)])

    def note_loops(self, run):
        """Loops that have begun since are written out: a derivative is of one line."""
        for loop in run.loops.open:
            if loop not in self._loops:
                run.recorder.hidden.setdefault(loop.place, "a pullback from before it is called")

    def settle(self, recorder, site):
        """Nothing was written into it, nor into what it was made of."""
        if self._versions is not None and self._version_of(recorder) != self._versions:
            recorder.refuse("an array is differentiated inside, and written to", site)


def _check_differentiable(run, site, x):
    """Refuse what no derivative is by or of; gives whether it is an array."""
    is_array = type(x) is np.ndarray
    if not (is_array or is_number(x)) or np.asarray(x).dtype.kind not in "fc":
        run.recorder.refuse(f"a {type(x).__name__} is differentiated inside", site)
    return is_array


class _Followed:
    """A call of `f` by whose arguments is differentiated.

    Attributes
    ----------
    value, aux : object
    variables : list of _Variable
        Of all leaves of the arguments.
    """

    def __init__(self, run, site, f, args, kwargs, argnums, has_aux):
        self.run, self.site = run, site
        try:
            args, kwargs, keys = select(f, argnums, args, kwargs)
        except HybridadError as error:
            run.recorder.refuse(str(error).splitlines()[0], site)
        args, kwargs = list(args), dict(kwargs)
        self.variables, self.structures = [], []
        for key in keys:
            holder = kwargs if is_a(key, str) else args
            leaves, structure = self.leaves_of(holder[key])
            found = [_Variable(run, site, x) for x in leaves]
            holder[key] = tree.unflatten(structure, [variable.value for variable in found])
            self.variables += found
            self.structures.append(structure)
        result = site.dispatch(run, f, tuple(args), kwargs)
        if has_aux and (type(result) is not tuple or len(result) != 2):
            run.recorder.refuse("a derivative inside, of a function that returns no pair", site)
        self.value, aux = result if has_aux else (result, None)
        self.aux = self.given(aux)

    def leaves_of(self, x):
        """The leaves of a pytree of the run's own."""
        recorder = self.run.recorder
        if recorder.is_known(x) and not (type(x) is np.ndarray or is_number(x)):
            recorder.refuse(f"a {type(x).__name__} from outside in a derivative inside", self.site)
        return tree.flatten(x)

    def given(self, x):
        """What the caller gets for a result: arrays that `f` has made are copied."""
        try:
            leaves, structure = tree.flatten(x)
        except ArgumentError:   # it may be anything
            return x
        return tree.unflatten(structure, list(map(self._copied, leaves)))

    def _copied(self, x):
        recorder = self.run.recorder
        if type(x) is not np.ndarray or not recorder.is_known(x) or (
                recorder.is_outside(x) and not recorder.is_active(x)):
            return x
        return numpy_calls.method(self.site, self.run, x, "copy", ("K",), {})

    def values(self):
        """The leaves of the value, and their structure."""
        leaves, structure = self.leaves_of(self.value)
        for x in leaves:
            _check_differentiable(self.run, self.site, x)
        return leaves, structure

    def number(self):
        """The value, which is a real number."""
        if not is_number(self.value) or not is_a(self.value, (float, np.floating)):
            self.run.recorder.refuse("a gradient inside, of what is no real number", self.site)
        return self.value

    def split(self, leaves):
        """What there is for each leaf of the arguments, as a list of pytrees."""
        leaves = iter(leaves)
        return [tree.unflatten(structure, [next(leaves) for _ in range(structure.num_leaves)])
                for structure in self.structures]

    def told(self, count):
        """The leaves of what the run before was given."""
        derivatives = self.run.journal.derivatives
        found = derivatives.pop() if derivatives else ()
        if len(found) != count:
            self.run.recorder.refuse("a derivative inside that the run before has not computed",
                                     self.site)
        return found

    def pull(self, values, cotangents, variable, example):
        """What arrives at a variable, `example` in this run; `values` may be known already."""
        recorder, site = self.run.recorder, self.site
        variable.settle(recorder, site)
        if is_number(example) and is_number(variable.value):
            example = type(variable.value)(example)
        if type(example) is not type(variable.value) or np.shape(example) != np.shape(
                variable.value):
            recorder.refuse("a derivative inside is of another type than its variable", site)
        variable.note_loops(self.run)
        pairs = [tuple([y if type(y) is Ref else encode(recorder, y) for y in (x, g)])
                 for x, g in zip(values, cotangents) if g is not None]
        pairs = [(x, g) for x, g in pairs if type(x) is Ref]
        args = tuple([x for x, _ in pairs]), tuple([g for _, g in pairs]), Ref(variable.number)
        if type(example) is not np.ndarray:
            return recorder.give(recorder.node("pull", None, args, {}, example, site), example,
                                 site)
        number = recorder.node("pull", None, args, {}, example, site, recorder.next_memory())
        recorder.new_array(example, number, False)
        return example

    def gradient(self, told=None):
        """The gradient; without what the run before was told, nobody will see these numbers."""
        value = self.number()
        told = told or [_like(variable.value, 1.0) for variable in self.variables]
        return [self.pull((value,), (1.0,), variable, x)
                for variable, x in zip(self.variables, told)]

    def matched(self, given, leaves, structure):
        """The leaves of a cotangent or tangent; None is zero."""
        if given is None:
            return [None] * len(leaves)
        found, other = self.leaves_of(given)
        if other != structure:
            try:
                found = tree.flatten_prefix(structure, given)   # in which a part may be None
            except ValueError:
                self.run.recorder.refuse("a cotangent or tangent inside of another structure",
                                         self.site)
        for x, g in zip(leaves, found):
            if g is not None and ((type(g) is np.ndarray) != (type(x) is np.ndarray)
                                  or np.shape(g) != np.shape(x)
                                  or np.asarray(g).dtype != np.asarray(x).dtype):
                self.run.recorder.refuse("a cotangent or tangent inside of another type",
                                         self.site)
        return found

    def constant(self, x):
        """An array or a number that is the same in each call."""
        return self.run.recorder.constant(x, self.site) if type(x) is np.ndarray else x

    def matrix(self, values, structure):
        """The derivatives of all numbers in values, as a pytree of blocks."""
        if any(np.iscomplexobj(x) for x in (*values, *[v.value for v in self.variables])):
            self.run.recorder.refuse("a matrix of complex derivatives inside", self.site)
        if sum(map(np.size, values)) > _MOST_ROWS:
            self.run.recorder.refuse(f"a matrix of more than {_MOST_ROWS} rows inside", self.site)
        told = iter(self.told(len(values) * len(self.variables)))
        return tree.unflatten(structure, [
            self._row([self._block(values, k, variable, next(told))
                       for variable in self.variables]) for k in range(len(values))])

    def _row(self, blocks):
        return self.split(blocks)[0] if self.single else tuple(self.split(blocks))

    def _block(self, values, k, variable, told):
        """The block of one leaf of the values and one variable."""
        x, shape = values[k], np.shape(values[k])
        of_one = told if type(told) is np.ndarray else np.asarray(told)
        rows = of_one.reshape((math.prod(shape), *np.shape(variable.value)))
        made = []
        for place, row in zip(itertools.product(*map(range, shape)), rows):
            unit = _like(x, 0.0)
            if shape:
                unit[place] = 1.0
                unit = self.constant(unit)
            else:
                unit = _like(x, 1.0)
            row = row.copy() if row.ndim else _like(variable.value, row[()])
            made.append(self.pull((x,), (unit,), variable, row))
        if not shape:
            (row,) = made
            is_plain = type(row) is float and type(told) is np.float64
            return self.site.dispatch(self.run, np.float64, (row,), {}) if is_plain else row
        dispatch, site = self.site.dispatch, self.site
        stacked = dispatch(self.run, np.stack, (made,), {})
        return site.dispatch(self.run, np.reshape, (stacked, told.shape), {})


def _like(x, value):
    """`value` everywhere, in the type and shape of `x`."""
    return np.full_like(x, value) if type(x) is np.ndarray else type(x)(value)


# -- the derivatives ---------------------------------------------------------------------------


def _gradient(run, site, what, args, kwargs):
    followed = _Followed(run, site, what.f, args, kwargs, what.argnums, what.has_aux)
    gradient = followed.gradient(followed.told(len(followed.variables)))
    return what.shape(followed.value, followed.aux, followed.split(gradient))


def _hvp(run, site, what, args, kwargs):
    if not args:
        run.recorder.refuse("hvp inside, without a vector", site)
    *args, vector = args
    early = _as_they_are(run, vector)
    followed = _Followed(run, site, what.f, args, kwargs, what.argnums, what.has_aux)
    told = followed.told(len(followed.variables))
    gradient = followed.gradient()
    if any(map(np.iscomplexobj, gradient)):
        run.recorder.refuse("hvp inside, by complex numbers", site)
    vectors = _tangents(followed, (vector,) if what.single else vector, early)
    made = [followed.pull(gradient, vectors, variable, x)
            for variable, x in zip(followed.variables, told)]
    return what.shape(None, followed.aux, followed.split(made))


def _as_they_are(run, x):
    """The uses of arrays before `f` is followed, which may write into them, by identity."""
    leaves, _ = tree.flatten(x)
    return {id(leaf): encode(run.recorder, leaf) for leaf in leaves if type(leaf) is np.ndarray}


def _tangents(followed, tangents, early):
    """The leaves of tangents, one for each argument."""
    if type(tangents) not in (tuple, list) or len(tangents) != len(followed.structures):
        followed.run.recorder.refuse("tangents inside that are not one for each argument",
                                     followed.site)
    variables, found = iter(followed.variables), []
    for tangent, structure in zip(tangents, followed.structures):
        leaves = [next(variables).value for _ in range(structure.num_leaves)]
        found += followed.matched(tangent, leaves, structure)
    return [early.get(id(x), x) for x in found]


def _hessian(run, site, what, args, kwargs):
    followed = _Followed(run, site, what.f, args, kwargs, what.argnums, what.has_aux)
    followed.single = what.single
    gradient = followed.gradient()
    trees = followed.split(gradient)
    structure = tree.flatten(trees[0] if what.single else tuple(trees))[1]
    made = followed.matrix(gradient, structure)
    return (made, followed.aux) if what.has_aux else made


def _jacobian(run, site, what, args, kwargs):
    followed = _Followed(run, site, what.f, args, kwargs, what.argnums, what.has_aux)
    followed.single = what.single
    made = followed.matrix(*followed.values())
    return (made, followed.aux) if what.has_aux else made


def _jvp(run, site, args, kwargs, argnums, has_aux):
    f, primals, tangents = args
    single = argnums is not None and not is_a(argnums, (tuple, list))
    selected = tuple(range(len(primals))) if argnums is None else normalize_argnums(argnums)
    early = _as_they_are(run, tangents)
    followed = _Followed(run, site, f, tuple(primals), kwargs, selected, has_aux)
    values, structure = followed.values()
    told = followed.told(len(values))
    tangents = _tangents(followed, (tangents,) if single else tangents, early)
    units = [_Variable(run, site, followed.constant(_like(x, 1.0))) for x in values]
    cotangents = [unit.value for unit in units]
    pulled = [None if t is None else followed.pull(values, cotangents, variable,
                                                   _like(variable.value, 1.0))
              for variable, t in zip(followed.variables, tangents)]
    pairs = [(x, t) for x, t in zip(pulled, tangents) if t is not None]
    made = [followed.pull([x for x, _ in pairs], [t for _, t in pairs], unit, x)
            for unit, x in zip(units, told)]
    value = followed.given(followed.value)
    return (value, followed.aux) if has_aux else value, tree.unflatten(structure, made)


def _vjp(run, site, args, kwargs, argnums, has_aux):
    f, *args = args
    single = argnums is not None and not is_a(argnums, (tuple, list))
    selected = tuple(range(len(args))) if argnums is None else normalize_argnums(argnums)
    followed = _Followed(run, site, f, tuple(args), kwargs, selected, has_aux)
    pullback, value = Pullback(followed, single), followed.given(followed.value)
    return (value, followed.aux) if has_aux else value, pullback


class Pullback:
    """What ``vjp`` gives inside."""

    def __init__(self, followed, single):
        self.followed, self.single = followed, single
        self.values, self.structure = followed.values()
        # As they are now: who gets them may write into them.
        self.refs = [encode(followed.run.recorder, x) for x in self.values]

    def __call__(self, cotangent):
        """Not called: a run calls `pull`."""
        raise NotImplementedError

    def pull(self, site, args, kwargs):
        """The cotangents of the arguments."""
        followed = self.followed
        if len(args) != 1 or kwargs:
            followed.run.recorder.refuse("a pullback inside takes one cotangent", site)
        followed.site = site
        cotangents = followed.matched(args[0], self.values, self.structure)
        told = followed.told(len(followed.variables))
        made = followed.split([followed.pull(self.refs, cotangents, variable, x)
                               for variable, x in zip(followed.variables, told)])
        return made[0] if self.single else tuple(made)


_KINDS = {"gradient": _gradient, "hvp": _hvp, "hessian": _hessian, "jacobian": _jacobian,
          "vjp": _vjp, "jvp": _jvp}
