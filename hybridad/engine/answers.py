"""What the engines give for a linear map at a point: pullbacks and pushes, by tape and by code.

All have `value` and `aux`, the `structure` of the value and `likes`, one `Like` for each of its
leaves. Pullbacks have ``pull(parts)``, which takes a cotangent for each leaf and gives a list of
pytrees, one for each differentiated argument. Pushes have ``push(parts)``, which takes a list of
tangents for each differentiated argument and gives the tangents of the leaves.
"""

from typing import NamedTuple

import numpy as np

from hybridad import tree
from hybridad._record import is_wrapper, raw_of
from hybridad.engine.basis import as_matrices
from hybridad.engine.fitting import Like, fitted, fitted_tangent, is_recorded
from hybridad.engine.tape import pull_back
from hybridad.engine.verifying import compare
from hybridad.errors import ScopeError, message
from hybridad.recording.results import check_scope
from hybridad.recording.run import tape_in_progress
from hybridad.tape.push import push

__all__ = ["CheckedPullback", "CheckedPush", "CodePullback", "CodePush", "Pushed",
           "TapePullback", "TapePush", "typed"]


class Pushed(NamedTuple):
    """The answer for one tangent."""

    value: object
    aux: object
    tangent: object


class _OnTape:
    """A recording that is kept."""

    def __init__(self, name, recording):
        self.name, self.recording = name, recording
        self.structure = recording.out_treedef
        self.value = tree.unflatten(self.structure, recording.values)
        self.aux = recording.aux
        self.likes = [Like(output.raw) for output in recording.outputs]
        recording.keep()

    def check_scope(self):
        """Raise ScopeError if the run in which it was made has been given up."""
        if self.recording.end > len(self.recording.tape):
            raise ScopeError(message(
                f"The pullback of {self.name}, which was made inside a differentiated function, "
                "was called after that function had ended.",
                "Call it inside, or make it outside."))


class TapePullback(_OnTape):
    """Sweeps a recording as often as it is asked."""

    def pull(self, parts):
        """The cotangents of the arguments."""
        with self.recording.lock:
            return pull_back(self.recording, parts)

    def push(self, parts):
        """The tangents of the leaves of the value."""
        with self.recording.lock:
            return push(self.recording, parts)


class TapePush(_OnTape):
    """Pushes along a recording as often as it is asked.

    Parameters
    ----------
    name : str
    recording : Recording
    kinds : list of type, optional
        What the tangents are to be where they are numbers; else what the values are.
    """

    def __init__(self, name, recording, kinds=None):
        super().__init__(name, recording)
        self._kinds = kinds

    def push(self, parts):
        """The tangents of the leaves of the value."""
        with self.recording.lock:
            return typed(push(self.recording, parts), self._kinds)


class CodePullback:
    """Calls the pullback that specialized code has made.

    Parameters
    ----------
    name : str
    result : tuple
        What the code has given: value, auxiliary result, and the function.
    plan : Plan
    arguments : list
        Those that are differentiated.
    repeats : bool
        The code can be run again and nobody will notice.
    """

    def __init__(self, name, result, plan, arguments, repeats):
        self.name, self._plan, self.repeats = name, plan, repeats
        self.value, self.aux, self._pullback = result
        leaves, self.structure = tree.flatten(self.value)
        self.likes = [Like(leaf) for leaf in leaves]
        taken = [tree.flatten(x) for x in arguments]
        self._structures = [(structure, [type(leaf) for leaf in leaves])
                            for leaves, structure in taken]

    def check_scope(self):
        """It can be called anywhere."""

    def pull(self, parts):
        """The cotangents of the arguments."""
        seeds = {seed: fitted(part, like)
                 for seed, part, like in zip(self._plan.order, parts, self.likes)}
        given = [seeds[seed] for seed in self._plan.parameters] or [None]
        if any(map(is_recorded, given)):
            for part in given:
                check_scope(part, tape_in_progress(), self.name)
            found = iter(as_matrices(self._pullback, given))
        else:
            found = iter(self._pullback(*given))
        return [tree.unflatten(structure, [_typed(next(found), kind) for kind in kinds])
                for structure, kinds in self._structures]


class CodePush:
    """Runs specialized code anew for each tangent; it must have no effects.

    Parameters
    ----------
    function : callable
        Of the leaves and their tangents.
    leaves : list
    wanted : tuple of int
        The numbers of the differentiated ones.
    first : Pushed
        The answer for some tangent.
    by_tape : callable
        ``by_tape()`` gives a `TapePush`, for tangents that the code gives up.
    """

    def __init__(self, function, leaves, wanted, first, by_tape):
        self._function, self._leaves, self._by_tape = function, leaves, by_tape
        self._points = [leaves[number] for number in wanted]
        self._tape = None
        self.value, self.aux, tangent = first
        self.structure = tree.flatten(tangent)[1]
        self.likes = [Like(leaf) for leaf in tree.flatten(tangent)[0]]

    def push(self, parts):
        """The tangents of the leaves of the value."""
        if self._tape is not None:
            return self._tape.push(parts)
        tangents = [fitted_tangent(part, x) for part, x in
                    zip([part for of_one in parts for part in of_one], self._points)]
        try:
            result = self._function(*self._leaves, *tangents)
        except Exception as error:      # also a warning: the tape will give it at the user's line
            result = error
        if type(result) is not tuple:
            self._tape = self._by_tape()
            return self.push(parts)
        return tree.flatten(result[-1])[0]


class _Checked:
    """An answer by code, whose own answers are compared with those of the tape."""

    def __init__(self, name, code, tape):
        self._name, self._code, self._tape = name, code, tape
        self.value, self.aux, self.structure, self.likes = (
            code.value, code.aux, code.structure, code.likes)


class CheckedPullback(_Checked):
    """A pullback by code that is compared with one by the tape."""

    def __init__(self, name, code, tape):
        super().__init__(name, code, tape)
        self.repeats = code.repeats

    def check_scope(self):
        """It can be called anywhere."""

    def pull(self, parts):
        """The cotangents of the arguments."""
        found = self._code.pull(parts)
        if not any(map(is_recorded, parts)):
            compare(f"the pullback of {self._name}", found, self._tape.pull(_plain(parts)))
        return found


class CheckedPush(_Checked):
    """A push by code that is compared with one by the tape."""

    def push(self, parts):
        """The tangents of the leaves of the value."""
        found = self._code.push(parts)
        compare(f"the tangent of {self._name}", found, self._tape.push(list(map(_plain, parts))))
        return found


def _plain(parts):
    return [raw_of(part) for part in parts]


def typed(leaves, kinds):
    """Tangents with numbers of these types; None: as they are."""
    return leaves if kinds is None else list(map(_typed, leaves, kinds))


def _typed(g, kind):
    """A cotangent in the type of its leaf, where that is a number."""
    return g if kind is np.ndarray or type(g) is kind or is_wrapper(g) else kind(g)
