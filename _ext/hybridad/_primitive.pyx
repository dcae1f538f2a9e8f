"""A primitive: a function that has a derivative rule, as the tape reads it.

`hybridad.rules.declare` makes these from declarations; nobody else should.
"""


cdef class Primitive:
    """A function together with its derivative rule.

    Attributes
    ----------
    func : callable
        The primal function, whose identity is the key of the registry.
    name : str
        The name used in messages.
    kind : {"elementwise", "linear", "rule", "constant", "views"}
        The verb that declared it.
    vjps, jvps : tuple of (callable or None)
        Per positional argument: ``vjp(g, ans, *args, **kwargs)`` and
        ``jvp(t, ans, *args, **kwargs)``. None: the derivative is zero.
    vjp, jvp : callable or None
        In place of the tuples, one function for all arguments:
        ``vjp(g, ans, argnum, *args, **kwargs)`` and the same with a tangent.
    params : tuple of str
        Names of the primal's parameters, by which keywords become positional.
    sequence : bool
        The first argument is a sequence of arrays; each of them is an operand.
    joint : bool
        The rule is for all operands at once: ``vjp(g, ans, *args, **kwargs)`` returns the list of
        their cotangents, ``jvp(ts, ans, *args, **kwargs)`` takes the list of their tangents.
    out : int
        Which output of a function with several outputs this rule is for; -1 for one output.
    needs : int
        Bit 0: the rule reads `ans`; bit k + 1: it reads positional argument k.
    outs : dict of int to Primitive, or None
        For a function with several outputs, the rules of those that have a derivative.
    check : callable or None
        Called as the primitive is, where an argument is active; refuses what the rule cannot do.
    diagonal : bool
        The rule multiplies by factors that may be infinite, element by element.
    is_constant : bool
        Its kind is "constant".
    """

    def __init__(self, func, name, kind, vjps=(), jvps=(), vjp=None, jvp=None, params=(),
                 sequence=False, joint=False, out=-1, needs=0xFFFFFFFFFFFFFFFF, outs=None, check=None):
        self.func = func
        self.name = name
        self.kind = kind
        self.vjps = tuple(vjps)
        self.jvps = tuple(jvps)
        self.vjp = vjp
        self.jvp = jvp
        self.params = tuple(params)
        self.sequence = sequence
        self.joint = joint
        self.out = out
        self.needs = needs
        self.outs = outs
        self.check = check
        self.diagonal = kind == "elementwise" and needs != 0
        self.is_constant = kind == "constant"

    def __repr__(self):
        return f"<primitive {self.name} ({self.kind})>"
