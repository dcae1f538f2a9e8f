"""The arguments that specialized code is for: their names, and how they are made of leaves."""

import inspect

__all__ = ["Leaf", "arguments_as_text", "names_of_arguments", "structure_of_arguments"]


class Leaf:
    """Stands for a leaf of the arguments; shows itself as what is known of it.

    Attributes
    ----------
    number : int
    text : str
        "float64[3]", "float", ...
    """

    __slots__ = ("number", "text")

    def __init__(self, number, text):
        self.number, self.text = number, text

    def __repr__(self):
        return self.text


def names_of_arguments(f, signature):
    """A name for each argument of a signature.

    Parameters
    ----------
    f : callable
    signature : Signature

    Returns
    -------
    list of str
        Those of the parameters of `f`; of what ``*args`` takes ``args_0``, ``args_1``, ...
    """
    positional = len(signature.arguments) - len(signature.names)
    names, rest = [], "x"
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    for parameter in parameters:
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            rest = parameter.name + "_"
    names = names[:positional]
    names += [f"{rest}{k}" for k in range(positional - len(names))]
    return names + list(signature.names)


def structure_of_arguments(signature):
    """The arguments of a signature with a `Leaf` in place of each leaf, or None.

    Parameters
    ----------
    signature : Signature

    Returns
    -------
    tuple or None
        None if a container of a user's class cannot be made of such leaves.
    """
    texts, todo = {}, list(signature.arguments)
    while todo:
        part = todo.pop()
        todo += part.children
        if not part.children and part.leaves:
            texts[part.leaf] = part.text
    leaves = [Leaf(k, texts.get(k, "a leaf")) for k in range(signature.leaves)]
    try:
        args, kwargs = signature.rebuild(leaves)
    except Exception:  # whatever the user's class says of them
        return None
    return (*args, *kwargs.values())


def arguments_as_text(f, signature):
    """The arguments of a signature: ``w: float64[3], n: int``.

    Parameters
    ----------
    f : callable
    signature : Signature
    """
    shown = structure_of_arguments(signature)
    if shown is None:
        shown = [Leaf(None, argument.text) for argument in signature.arguments]
    pairs = zip(names_of_arguments(f, signature), shown)
    return ", ".join([f"{name}: {_short(repr(argument))}" for name, argument in pairs])


def _short(text):
    return text if len(text) <= 80 else text[:77] + "..."
