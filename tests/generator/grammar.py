"""A whole program: the module around a function, the function, its arguments, its calls."""

from hypothesis import assume
from hypothesis import strategies as st

from tests.generator import containers, control, functions, idioms, surroundings, writes
from tests.generator.kinds import Arr, Dct, Int, Lst, Num, Obj
from tests.generator.observation import observe
from tests.generator.program import Program
from tests.generator.scalars import number
from tests.generator.writer import Writer

__all__ = ["programs"]

_STATEMENTS = (
    (10, writes.bind_number), (5, writes.augment_number), (6, writes.bind_array),
    (9, writes.buffer), (9, writes.write), (10, writes.view_write), (2, writes.several),
    (1, writes.swap), (7, containers.make_list), (5, containers.change_list),
    (3, containers.make_dict), (3, containers.change_dict), (9, control.branch),
    (5, control.chosen), (12, control.for_loop), (5, control.while_loop), (4, control.jump),
    (1, control.matched), (2, control.caught), (1, control.within), (5, functions.nested),
    (3, functions.instance), (6, surroundings.effect), (9, idioms.idiom),
)


def _statement(w):
    w.budget -= 1
    if w.budget < 0:
        w.pick((writes.bind_number, writes.write, writes.augment_number))(w)
    else:
        w.weighted(_STATEMENTS)(w)


@st.composite
def programs(draw):
    """A program with two or three calls, each observed in plain Python."""
    w = Writer(draw, _statement, budget=draw(st.integers(4, 22)))
    n, m = w.number(2, 5), w.number(2, 3)
    changing = surroundings.surround(w, (n, m))
    signature, differentiated = _function(w, n, m)
    changed = [()] + [surroundings.changes(w, changing) for _ in range(w.number(1, 2))]
    program = Program("\n".join(w.lines) + "\n", differentiated, ())
    observed = observe(program, changed, signature, draw(st.integers(0, 2**20)))
    assume(observed is not None)
    return observed


def _function(w, n, m):
    """Write the function `f`; returns its arguments' shapes and which are differentiated."""
    parameters = {"x": Arr((n,))}
    if w.chance(45):
        parameters["y"] = Arr((m, n))
    if w.chance(40):
        parameters["s"] = Num()
    differentiated = tuple(range(len(parameters)))
    if w.chance(25):
        parameters["c"] = Arr((w.pick((n, m)),), False)
    elif w.chance(15):
        parameters["k"] = Int(3)
    signature = tuple(parameters.values())
    w.arguments = set(parameters)
    heading = list(parameters)
    if w.chance(15):
        parameters["gain"] = Num(False)
        heading.append("gain=0.7")
    root = w.pick(("function", "function", "closure", "method"))
    if root == "closure":
        _in_closure(w, heading, parameters)
    elif root == "method":
        _in_method(w, heading, parameters)
    else:
        _body(w, heading, parameters)
    return signature, differentiated


def _in_closure(w, heading, parameters):
    """`f` closes over a number, an array and a counter."""
    shape = w.scope["W"].shape if "W" in w.scope else parameters["x"].shape
    given = "W" if "W" in w.scope else f"np.full({shape[0]}, 0.6)"
    with w.function("def make(scale, kept):", {"scale": Num(False), "kept": Arr(shape, False)}):
        w.add("turns, drift = 0, 0.1")
        w.bind("drift", Num(False))
        w.own.clear()
        if w.chance(40):
            functions.define(w)
        _body(w, heading, parameters, ("nonlocal turns, drift", "turns += 1", "drift *= 0.9"))
        w.add("return f")
    w.add(f"f = make({w.pick(('0.8', 'RATE' if 'RATE' in w.scope else '-0.4'))}, {given})")


def _in_method(w, heading, parameters):
    """`f` is a bound method."""
    own = Obj((("scale", Num(False)), ("total", Num(False)), ("kept", parameters["x"])), (), True)
    w.add("class Model:")
    w.indent += 1
    w.add("def __init__(self, scale):")
    w.add("    self.scale = scale")
    w.add("    self.total = self.__hidden = 0.2")
    w.add(f"    self.kept = np.ones({parameters['x'].shape[0]})")
    w.add("")
    own = {"self": own, **parameters}
    _body(w, ["self", *heading], own, ("self.__hidden *= 0.5", "self.total += self.__hidden"))
    w.indent -= 1
    w.add("")
    w.add(f"MODEL = Model({'RATE' if 'RATE' in w.scope else '0.9'})")
    w.add("f = MODEL.f")


def _body(w, heading, parameters, first=()):
    with w.function(f"def f({', '.join(heading)}):", parameters, lambda w: _result(w, 2)):
        if w.random:
            w.scope["RNG"] = None
        for line in first if w.chance(70) else ():
            w.add(line)
        for _ in range(w.number(3, 10)):
            w.statement(w)
        w.add(f"return {_result(w, 6)}")


def _result(w, most):
    """A sum to which what is there contributes, latest first; arguments where there is no more."""
    ways = {Num: ("{}", "math.sin({})", "0.5 * {} ** 2"),
            Arr: ("np.sum(np.sin({}))", "np.sum({}) * 0.3", "np.mean({0} * {0})", "{}.sum()",
                  "float(np.sum(np.cos({})))", "np.dot({0}.ravel(), {0}.ravel())"),
            Lst: ("sum({})", "sum(v * v for v in {}) * 0.3", "np.mean(np.array({}))"),
            Dct: ("sum({}.values()) * 0.4",)}
    names = [n for n, kind in reversed(w.scope.items()) if getattr(kind, "active", False)]
    made = [n for n in names if n not in w.arguments or n in w.written]
    terms = [w.pick(ways[type(w.scope[n])]).format(n) for n in (made or names)[:most]]
    return " + ".join(terms) if terms else number(w)
