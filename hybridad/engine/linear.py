"""The engine "auto" for `vjp`, `jvp` and what is made of them: one for a function and a way."""

import contextlib
import types
import weakref

from hybridad import tree
from hybridad._dispatch import see_warnings_raised
from hybridad._run import innermost_run
from hybridad._signature import signature
from hybridad.engine.answers import (
    CheckedPullback,
    CheckedPush,
    CodePullback,
    CodePush,
    Pushed,
    TapePullback,
    TapePush,
    typed,
)
from hybridad.engine.fitting import fitted_tangent, is_recorded
from hybridad.engine.learner import Learner
from hybridad.engine.learning import NotLearnt, adopt
from hybridad.engine.second import gradient_of
from hybridad.engine.tape import push_forward
from hybridad.engine.verifying import compare
from hybridad.errors import ArgumentError
from hybridad.recording.arguments import name_of
from hybridad.recording.effects import Journal
from hybridad.recording.facts import History
from hybridad.sct.forgetting import without_objects
from hybridad.sct.linearize import pullback_code, push_code, second_push_code

__all__ = ["LinearCall", "LinearEngine"]

_MAKERS = {"vjp": pullback_code, "jvp": push_code, "hvp": second_push_code}


class LinearCall:
    """A call of `vjp` or `jvp`: what `_dispatch.Call` has, and what is asked.

    Attributes
    ----------
    check : callable
        ``check(recording)`` raises where the result has no derivative.
    fit : callable or None
        ``fit(structures, leaves)`` gives the tangents, checked: a list for each differentiated
        argument. None: tangents will be asked for later.
    """

    __slots__ = ("args", "check", "entry", "fit", "function", "keys", "kwargs", "leaves",
                 "outcome", "run", "signature")

    def __init__(self, args, kwargs, keys, check, fit=None):
        self.args, self.kwargs, self.keys = args, kwargs, tuple(keys)
        self.check, self.fit = check, fit
        self.leaves = []
        self.signature = self.entry = self.function = self.run = self.outcome = None

    def arguments(self):
        """Those that are differentiated."""
        return [self.kwargs[key] if type(key) is str else self.args[key] for key in self.keys]


class LinearEngine(Learner):
    """Answers `vjp`, `jvp` or `hvp` of one function, which it does not keep alive.

    Parameters
    ----------
    f : callable
    way : {"vjp", "jvp", "hvp"}
        "hvp": tangents of the gradient.
    has_aux, must : bool
        See `Learner`.
    siblings : dict
        The other engines of the function that have the same `has_aux`: of what they have learnt
        code is made without another run.
    verify : bool
        Compare every answer of specialized code with that of the tape.
    """

    always_guards = True

    def __init__(self, f, way, has_aux, must=False, siblings=None, verify=False):
        super().__init__(name_of(f), has_aux, History(name_of(f)), must)
        self.way, self.verify = way, verify
        self._siblings = {} if siblings is None else siblings
        self._parts = [weakref.ref(x) for x in parts_of(f)]

    @property
    def f(self):
        """The function; it is alive while it is called."""
        first, *rest = [part() for part in self._parts]
        return types.MethodType(rest[0], first) if rest else first

    def make_code(self, tree, signature, guarded):
        """See `Learner`."""
        return _MAKERS[self.way](tree, signature.wanted, self.name, signature.leaves)

    def kept(self, tree):
        """See `Learner`; the engine is found by the function, which must be free to die."""
        return without_objects(tree)

    def entry_for(self, args, kwargs, keys):
        """The entry of the cache for a call, which is not made; None if there is none."""
        found = signature(args, kwargs, keys)
        return None if found is None else self.cache.find(found[0])

    # -- answering ---------------------------------------------------------------------------------

    def ask(self, call):
        """Answer a call.

        Parameters
        ----------
        call : LinearCall

        Returns
        -------
        object
            A pullback (see `answers`); for ways with tangents a `Pushed`, or a push if `call.fit`
            is None.
        """
        if innermost_run() is not None or not self._knows_signature(call):
            return self._fall_back(call, None)
        entry = call.entry = self.cache.find(call.signature) or self._adopted(call)
        if entry is None or entry.function is None:
            return self.answer(call)
        if self.way != "vjp" and call.fit is None and not entry.trace.code.repeats:
            return self._fall_back(call, None)      # code that must not run more than once
        return self._by_code(call)

    def _knows_signature(self, call):
        try:
            found = signature(call.args, call.kwargs, call.keys)
        except Exception:       # in taking apart a pytree; the tape will refuse it, too
            return False
        if found is not None:
            call.signature, call.leaves = found
        return found is not None

    def _adopted(self, call):
        """An entry made of what a sibling has learnt, or None."""
        for sibling in tuple(self._siblings.values()):
            entry = sibling.cache.find(call.signature)
            if sibling is not self and entry is not None and entry.trace is not None:
                try:
                    return adopt(self, call, entry.trace)
                except NotLearnt as reason:
                    return self.cache.refuse(call, str(reason))
        return None

    def _by_code(self, call):
        entry, arguments = call.entry, list(call.leaves)
        if self.way != "vjp":
            points = [call.leaves[number] for number in entry.signature.wanted]
            parts = [None] * len(points) if call.fit is None else self._parts_of_tangents(call)
            if any(map(is_recorded, parts)):
                return self._fall_back(call, None)
            arguments += map(fitted_tangent, parts, points)
        if entry.begin is not None:
            call.run = entry.begin(self.f)
            arguments.append(call.run)
        see_warnings_raised()
        try:
            result = entry.function(*arguments)
        except Exception as error:
            result = error
        if type(result) is tuple:
            entry.hits += 1
            self.cache.hits += 1
            return self._made(call, result)
        entry.exits += 1
        self.cache.exits += 1
        call.function, call.outcome = entry.function, result
        return self.answer(call)

    def _parts_of_tangents(self, call):
        taken = [tree.flatten(x) for x in call.arguments()]
        parts = call.fit([structure for _, structure in taken], [leaves for leaves, _ in taken])
        return [part for of_one in parts for part in of_one]

    def _made(self, call, result):
        """What the result of specialized code is for the user."""
        if self.way == "vjp":
            _, (number, value, aux), pullback = result
            plan = call.entry.trace.code.plans[number]
            made, checked = CodePullback(self.name, (value, aux, pullback), plan, call.arguments(),
                                         call.entry.trace.code.repeats), CheckedPullback
        else:
            made, checked = Pushed(*result[1], self._tangent(call, result[2])), CheckedPush
        if call.fit is None and self.way != "vjp":
            made = CodePush(self._runs(call), call.leaves, call.signature.wanted, made,
                            lambda: self.by_tape(call, None)[1])
        if not self.verify:
            return made
        journal = Journal(keeps=True) if call.run is None else call.run.undo()
        _, expected = self.by_tape(call, journal, counts=False)
        compare(self.name, made.value, expected.value)
        with contextlib.suppress(ArgumentError):    # of what cannot be taken apart
            compare(self.name, made.aux, expected.aux)
        if type(made) is Pushed:
            compare(self.name, made.tangent, expected.tangent)
            return made
        return checked(self.name, made, expected)

    def _tangent(self, call, tangent):
        """The tangent of the value; that of a gradient in the structure of the arguments."""
        if self.way != "hvp":
            return tangent
        parts = iter(tangent)
        taken = [tree.flatten(x)[1] for x in call.arguments()]
        return tuple([tree.unflatten(structure, [next(parts) for _ in range(structure.num_leaves)])
                      for structure in taken])

    def _runs(self, call):
        """A function that runs specialized code again."""
        function, begin, f = call.entry.function, call.entry.begin, self.f
        return function if begin is None else lambda *leaves: function(*leaves, begin(f))

    # -- the tape ----------------------------------------------------------------------------------

    def on_tape(self, call):
        """See `Learner`."""
        if self.way == "hvp":
            return gradient_of(self.f, call.keys, self.has_aux, call.check), True
        return self.f, self.has_aux

    def values_of(self, recording):
        """See `Learner`."""
        if self.way == "hvp":
            return [recording.aux[0]], True
        return super().values_of(recording)

    def by_tape(self, call, journal, watches=False, counts=True):
        """See `Learner`."""
        recording = self.record(call, journal, watches, counts)
        return recording, answer_by_tape(self.way, self.name, call, recording)


def answer_by_tape(way, name, call, recording):
    """The answer of the tape to a call that has been recorded."""
    if way != "hvp":
        call.check(recording)
    if way == "vjp":
        return TapePullback(name, recording)
    value = tree.unflatten(recording.out_treedef, recording.values)
    value, aux = recording.aux if way == "hvp" else (value, recording.aux)
    leaves = [[leaf.raw for leaf in of_one] for of_one in recording.leaves]
    # What a run inside has made of Python's numbers may be NumPy's.
    kinds = [type(x) for of_one in leaves for x in of_one] if way == "hvp" else None
    if call.fit is None:
        made = TapePush(name, recording, kinds)
        made.value, made.aux = value, aux
        return made
    tangents = push_forward(recording, call.fit(recording.treedefs, leaves))
    return Pushed(value, aux, tree.unflatten(recording.out_treedef, typed(tangents, kinds)))


def parts_of(f):
    """What has to live as long as what is known of a function: the function, or a method's two."""
    return (f.__self__, f.__func__) if type(f) is types.MethodType else (f,)
