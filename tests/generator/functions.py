"""Helper functions and classes: of the module, nested, closures, recursive, lambdas, methods."""

from tests.generator.arrays import array
from tests.generator.kinds import Arr, Fn, Num, Obj
from tests.generator.scalars import condition, grouped, leaf, number

__all__ = ["define", "define_class", "instance", "nested"]


def define(w):
    """A helper function where we are; returns its name."""
    return w.weighted(((6, _general), (3, _recursive), (2, _assigned_lambda), (3, _factory),
                       (2, _generator), (2, _decorated)))(w)


def nested(w):
    """A helper inside the function that is being written."""
    if w.deep > 2 or w.loops > 1:
        w.statement(w)
    else:
        define(w)


def _parameters(w):
    kinds = [Num() if w.chance(55) else Arr(w.scope[w.pick(w.arrays())].shape)
             if w.arrays() else Num() for _ in range(w.number(1, 2))]
    return [(w.name("p"), kind) for kind in kinds]


def _general(w):
    """A function with a body of statements; nested it sees, and may change, what is around it."""
    name, parameters = w.name("h"), _parameters(w)
    optional = w.chance(25)
    given = [n for n, _ in parameters]
    if optional:
        parameters.append((w.name("p"), Num()))
        given.append(f"{parameters[-1][0]}={leaf(w)}")
    shape = parameters[0][1].shape if isinstance(parameters[0][1], Arr) and w.chance(50) else ()
    around = [n for n in w.numbers() if n in w.own] if w.deep else []

    def returns(w):
        return array(w, shape, 1) if shape else number(w, 1)

    with w.function(f"def {name}({', '.join(given)}):", dict(parameters), returns):
        if around and w.chance(40):
            outer = w.pick(around)
            w.add(f"nonlocal {outer}")
            w.bind(outer, Num())
            w.add(f"{outer} = 0.6 * {outer} + 0.3 * {grouped(number(w, 1))}")
        w.body(0, 3)
        w.add(f"return {array(w, shape, 2) if shape else number(w)}")
    w.bind(name, Fn(tuple(k for _, k in parameters), Arr(shape) if shape else Num(), optional))
    return name


def _recursive(w):
    name, p, k = w.name("h"), w.name("p"), w.name("k")
    vector = w.chance(40) and [n for n in w.arrays() if len(w.scope[n].shape) == 1]
    if vector:
        n = w.scope[w.pick(vector)].shape[0]
        with w.function(f"def {name}({p}, {k}=0):", {p: Arr((n,))}):
            w.add(f"if {k} == len({p}):")
            w.add(f"    return {leaf(w)}")
            w.add(f"return 0.6 * {p}[{k}] + 0.5 * math.sin({name}({p}, {k} + 1))")
        w.bind(name, Fn((Arr((n,)),), Num()))
    else:
        with w.function(f"def {name}({p}, {k}={w.number(1, 4)}):", {p: Num()}):
            w.add(f"if {k} == 0 or {condition(w, 0)}:")
            w.add(f"    return {number(w, 1)}")
            w.add(f"return {name}({w.pick(('0.7 * {0} + 0.2', 'math.sin({0}) - 0.3')).format(p)}, "
                  f"{k} - 1) * {w.pick(('0.8', f'math.cos({p})'))}")
        w.bind(name, Fn((Num(),), Num()))
    return name


def _assigned_lambda(w):
    name, p, q = w.name("h"), w.name("p"), w.name("p")
    scope = dict(w.scope)
    default = leaf(w)
    w.scope |= {p: Num(), q: Num()}
    text = number(w)
    w.scope = scope
    w.add(f"{name} = lambda {p}, {q}={default}: {text}")
    w.bind(name, Fn((Num(), Num()), Num(), 1))
    return name


def _factory(w):
    """A function made by a function: it captures a number or an array, perhaps a counter."""
    name, make, inner = w.name("h"), w.name("make"), w.name("h")
    p, c, total = w.name("p"), w.name("c"), w.name("t")
    names = w.arrays()
    shape = w.scope[w.pick(names)].shape if names and w.chance(50) else ()
    counting = w.chance(50)
    parameters = {c: Arr(shape) if shape else Num()}
    with w.function(f"def {make}({c}):", parameters):
        if counting:
            w.add(f"{total} = {leaf(w)}")
            w.bind(total, Num())
        with w.function(f"def {inner}({p}):", {p: Num()}):
            if counting:
                w.add(f"nonlocal {total}")
                w.add(f"{total} = 0.5 * {total} + math.sin({number(w, 1)})")
            if shape and w.chance(40):
                w.add(f"{c}[{', '.join('0' for _ in shape)}] += 0.2 * {p}", c)
            own = f" + {total}" if counting else ""
            w.add(f"return {grouped(number(w, 1))} * {c if not shape else f'np.mean({c})'}{own}")
        w.add(f"return {inner}")
    w.add(f"{name} = {make}({array(w, shape, 1) if shape else number(w, 1)})")
    w.bind(name, Fn((Num(),), Num()))
    return name


def _generator(w):
    name, make, p, v = w.name("h"), w.name("each"), w.name("p"), w.name("v")
    shape = w.scope[w.pick(w.arrays())].shape[:1] if w.arrays() else (3,)
    with w.function(f"def {make}({p}):", {p: Arr(shape)}):
        with w.loop(f"for {v} in {p}:"):
            w.bind(v, Num())
            if w.chance(50):
                with w.block(f"if {condition(w, 0)}:"):
                    w.add("continue")
            w.add(f"yield {number(w, 1)}")
    with w.function(f"def {name}({p}):", {p: Arr(shape)}):
        w.add("return " + w.pick(("sum({})", "sum({}, 0.0)", "sum(list({}))",
                                  "sum([0.4 * v for v in {}])")).format(f"{make}({p})") + " * 0.2")
    w.bind(name, Fn((Arr(shape),), Num()))
    return name


def _decorated(w):
    """A function with a decorator of the program's own, or a partial application of one."""
    known = [n for n in w.functions_of(Num()) if w.scope[n].takes == (Num(), Num())]
    if known and w.chance(50):
        name = w.name("h")
        w.add(f"{name} = functools.partial({w.pick(known)}, {leaf(w)})")
        w.bind(name, Fn((Num(),), Num()))
        return name
    name, wrap, p, q = w.name("h"), w.name("wrap"), w.name("p"), w.name("p")
    with w.function(f"def {wrap}(function):", {}):
        w.add("@functools.wraps(function)")
        with w.function("def wrapped(*args, **kwargs):", {}):
            w.add(f"return 0.7 * function(*args, **kwargs) + {leaf(w)}")
        w.add("return wrapped")
    w.add(f"@{wrap}")
    with w.function(f"def {name}({p}, {q}=0.3):", {p: Num(), q: Num()}):
        w.add(f"return {number(w)}")
    w.bind(name, Fn((Num(), Num()), Num(), 1))
    return name


def define_class(w):
    """A small class of the module; returns its name and the kind of its instances."""
    name, p, q = w.name("Cell"), w.name("p"), w.name("p")
    w.add(f"class {name}:")
    w.indent += 1
    w.add("rate = 0.4")
    own = Obj((("scale", Num()), ("total", Num()), ("rate", Num())), ())
    w.add("")
    w.add(f"def __init__(self, scale, size={w.number(2, 3)}):")
    w.add("    self.scale = scale")
    w.add("    self.total = 0.0")
    w.add("    self.seen = []")
    w.add("    self.buffer = np.zeros(size)")
    w.add("")
    with w.function(f"def push(self, {p}):", {"self": own, p: Num()}):
        w.add(f"self.total += {w.pick(('math.sin', 'math.tanh'))}({number(w, 1)})")
        w.add(w.pick((f"self.seen.append({p})", "self.scale *= 0.9", "pass")))
        w.add(f"self.buffer[{w.pick(('0', '-1', 'len(self.seen) % 2'))}] += 0.3 * {p}",
              "self.buffer")
        if w.chance(50):
            with w.block(f"if {condition(w, 0)}:"):
                w.add(f"return {number(w, 1)}")
        w.add(f"return {number(w, 1)} + self.buffer.sum()")
    w.add("")
    w.add("@property")
    with w.function("def level(self):", {"self": own}):
        w.add(f"return {number(w, 1)}")
    w.add("")
    w.add(w.pick(("@staticmethod", "@classmethod")))
    static = "static" in w.lines[-1]
    with w.function(f"def mix({'' if static else 'cls, '}{p}, {q}=0.6):", {p: Num(), q: Num()}):
        w.add(f"return {number(w, 1)}" + ("" if static else " * cls.rate"))
    w.add("")
    with w.function(f"def __call__(self, {p}):", {"self": own, p: Num()}):
        w.add(f"return self.scale * {grouped(number(w, 1))} + 0.2 * self.level")
    w.indent -= 1
    one, two = Fn((Num(),), Num()), Fn((Num(), Num()), Num(), 1)
    return name, Obj((("scale", Num()), ("total", Num()), ("rate", Num()), ("level", Num())),
                     (("push", one), ("", one), ("mix", two)))


def instance(w):
    """An object of a known class, made here."""
    if not w.classes:
        return w.statement(w)
    name = w.name("o")
    made, kind = w.pick(w.classes)
    w.add(f"{name} = {made}({number(w, 1)})")
    w.bind(name, kind)
    return None
