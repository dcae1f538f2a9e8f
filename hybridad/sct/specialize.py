"""From a trace to a function: derivative, passes, text, code."""

from hybridad.sct.differentiate import Unsupported, reverse
from hybridad.sct.emit import emit
from hybridad.sct.load import load
from hybridad.sct.nested import expand_pulls
from hybridad.sct.passes import run as clean
from hybridad.trace.counts import sides, statements
from hybridad.trace.examples import make_examples
from hybridad.trace.ir import Node
from hybridad.trace.simplify import simplify

__all__ = ["Code", "NotSpecialized", "derived", "inputs_of", "specialize"]


class NotSpecialized(Exception):
    """No code can be made of a trace; the text says why."""


class Code:
    """A specialized function.

    Attributes
    ----------
    function : callable
        Takes the leaves of the arguments, and a `CodeRun` if `needs_run`.
    source : Source
    paths, sides, statements : int
        How many there are.
    guard : str
        The branch with the most sides.
    plans : list of Plan
        Of code that gives pullbacks, see `linearize`.
    repeats : bool
        A second run does not show: it neither has effects nor calls what is not followed.
    """

    __slots__ = ("function", "guard", "paths", "plans", "repeats", "sides", "source", "statements")

    def __init__(self, function, source, block):
        self.function, self.source = function, source
        self.sides, self.statements = sides(block), statements(block)
        self.paths, self.guard = self.sides + 1, ""

    @property
    def needs_run(self):
        """Whether the function reads outside state or has effects."""
        return self.source.needs_run

    def recipe_of(self, outcome):
        """The recipe of the int whose guard failed, if that is why the code gave up."""
        number = getattr(outcome, "number", None)
        return None if number is None else self.source.exits[number].recipe


def derived(make):
    """What ``make()`` gives, a derivative; NotSpecialized if there is none."""
    try:
        return make()
    except Unsupported as reason:
        raise NotSpecialized(str(reason)) from reason


def inputs_of(block, wanted):
    """The ids of the operations that give the leaves with these numbers."""
    inputs = {node.target: node.id for node in block.nodes
              if type(node) is Node and node.op == "input"}
    return [inputs[number] for number in wanted]


def specialize(tree, wanted, name, has_aux=False, guarded=False, arity=None):
    """Make the function that gives the value and the gradient.

    Parameters
    ----------
    tree : Block
        All paths seen.
    wanted : tuple of int
        The numbers of the differentiated leaves.
    name : str
        Of the function that is differentiated.
    has_aux : bool
    guarded : bool
        Zero cotangents are kept zero where a derivative is infinite. Otherwise such code gives NaN,
        for which somebody has to look.
    arity : int, optional
        How many leaves the arguments have.

    Returns
    -------
    Code

    Raises
    ------
    NotSpecialized
    """
    tree = derived(lambda: expand_pulls(make_examples(simplify(tree))))
    guards = "zero" if guarded else "none"
    block = clean(derived(lambda: reverse(tree, inputs_of(tree, wanted), guards=guards)))
    source = emit(block, name, has_aux=has_aux, arity=arity)
    return Code(load(source), source, tree)

