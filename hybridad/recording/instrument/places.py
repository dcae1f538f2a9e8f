"""Sites in a tree that is being rewritten, and the source locations of what is put there.

While there is only a tree, a site is a string constant; `fill` puts the sites into the compiled
code.
"""

import ast
from types import CodeType

__all__ = ["Places", "at_attribute", "fill", "place"]

_PREFIX = "\0hybridad:"


def place(new, like):
    """Give `new` the location of `like`, and return it."""
    new.lineno, new.col_offset = like.lineno, like.col_offset
    new.end_lineno, new.end_col_offset = like.end_lineno, like.end_col_offset
    return new


def at_attribute(node):
    """Where CPython says that an ``ast.Attribute`` is looked up: in the line of its name."""
    if node.lineno == node.end_lineno:
        return node
    made = place(ast.Pass(), node)
    made.lineno = node.end_lineno
    made.col_offset = max(0, node.end_col_offset - len(node.attr))
    return made


class Places:
    """The sites of one recording form.

    Parameters
    ----------
    site : type
        The class of sites.
    file : str

    Attributes
    ----------
    sites : list
        Those made so far.
    """

    def __init__(self, site, file):
        self._site, self._file = site, file
        self.sites = []

    def constant(self, kind, node, function, name=None, detail=None, discarded=False):
        """Make a site and the constant that stands for it.

        Parameters
        ----------
        kind : str
        node : ast.AST
            What stands there in the user's source.
        function : str
            The qualified name of the function.
        name, detail, discarded
            As in `hybridad._site.Site`.

        Returns
        -------
        ast.Constant
        """
        line, column = node.lineno, node.col_offset
        made = ast.Constant(f"{_PREFIX}{len(self.sites)}")
        made.lineno = made.end_lineno = line
        made.col_offset = made.end_col_offset = column
        self.sites.append(self._site(kind, self._file, function, line, column, node.end_lineno,
                                     node.end_col_offset, name, detail, discarded))
        return made

    def call(self, constant, method, args, keywords, node):
        """``<constant>.method(*args, **keywords)`` at the location of `node`."""
        function = self.method(constant, method)
        if constant.lineno != node.lineno:
            # CPython says that a method call happens in the line of the name of the method, unless
            # it does not see that it is one.
            no = place(ast.Constant(None), constant)
            function = place(ast.IfExp(place(ast.Constant(True), constant), function, no), constant)
        made = ast.Call(function, args, keywords)
        made.lineno, made.col_offset = node.lineno, node.col_offset
        made.end_lineno, made.end_col_offset = node.end_lineno, node.end_col_offset
        return made

    def method(self, constant, method):
        """``<constant>.method``, as a value."""
        return place(ast.Attribute(constant, method, _LOAD), constant)


_LOAD = ast.Load()


def fill(code, sites):
    """Put the sites into compiled code.

    Parameters
    ----------
    code : types.CodeType
    sites : list

    Returns
    -------
    code : types.CodeType
    nested : list of types.CodeType
        All code objects inside it.
    """
    nested, constants = [], []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            constant, inner = fill(constant, sites)
            nested += [constant, *inner]
        elif isinstance(constant, str) and constant.startswith(_PREFIX):
            constant = sites[int(constant[len(_PREFIX):])]
        constants.append(constant)
    return code.replace(co_consts=tuple(constants)), nested
