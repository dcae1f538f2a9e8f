"""Text made from numbers, and text that decides."""

# ruff: noqa: E701, E702, UP031

import re
import textwrap

import numpy as np

from tests.programs import A, Scene, program


@program()
def text_that_decides():
    def f(x):
        s = f"{x[0]:.1f}"
        if s.startswith("-"): return np.sum(x) * 2.0
        return np.sum(x * x) if s == "1.2" else x[0] * x[1]
    return f


@program()
def formats_of_all_kinds():
    log = []
    def f(x):
        width, digits = 9, 2
        log.append(f"{x[0]!r} {x[1]!s:>30} {x[2]:{width}.{digits}e}")
        log.append(f"{np.sum(x) = :.4f} {len(x):03d}")
        log.append("{0:.2f} {y:+.1f} {z[0]} {0!r}".format(x[0], y=x[1], z=[x[2]]))
        log.append("%.3f %s %r %d" % (x[0], x[1], x[2], x[1] * 10))
        log.append(format(x[0], "08.3f") + str(x[1]) + repr(x[2]) + str(x) + repr(x[:2]))
        return np.sum(x**2)
    return Scene(f, lambda: log)


@program()
def text_of_containers():
    log = []
    def f(x):
        log.append(str([x[0], (x[1],), {"k": x[2]}]) + f"{[x[0]]}{ {'a': x[1]} }{x.tolist()}")
        log.append(", ".join(f"{v:.2f}" for v in x) + " ".join(map(str, x[:2])))
        return np.prod(x) * len(log)
    return Scene(f, lambda: log)


@program()
def parsed_back():
    def f(x):
        rounded = float(f"{x[0] * 2.0:.0f}")
        a, b = map(float, "1.5;2.5".split(";"))
        return rounded * x[1] + a * x[2] ** 2 + b * x[0] * float(str(2.0))
    return f


@program()
def keys_of_text():
    def f(x):
        table = {f"{x[0]:.0f}": 2.0, "1": 3.0, "-1": 5.0}
        names = {k: v * x[i] for i, (k, v) in enumerate(table.items())}
        return sum(names.values()) * table[str(round(float(x[0])))] if "1" in names else names["0"]
    return f


@program()
def method_by_name():
    class Ops:
        def op_sin(self, v): return np.sin(v)
        def op_sq(self, v): return v * v
    ops, plan = Ops(), ["sin", "sq"]
    def f(x):
        y = x[0]
        for name in plan:
            other = getattr(np, "exp" if name == "sq" else "cos")
            y = getattr(ops, "op_" + name)(y) + other(x[1] * 0.3)
        return y * x[2]
    def before(k):
        plan.insert(0, ("sq", "sin", "sq", "sq")[k])
    return Scene(f, lambda: plan, before)


@program()
def small_language():
    source = ["x0 * x1 + x2"]
    def evaluate(tokens, x):
        def factor():
            t = tokens.pop(0)
            if t == "(": v = expression(); tokens.pop(0); return v
            return x[int(t[1:])] if t[0] == "x" else float(t)
        def term():
            v = factor()
            while tokens and tokens[0] == "*": tokens.pop(0); v = v * factor()
            return v
        def expression():
            v = term()
            while tokens and tokens[0] in "+-":
                v = v + term() if tokens.pop(0) == "+" else v - term()
            return v
        return expression()
    def f(x):
        return evaluate(re.findall(r"[\w.]+|[()*+-]", source[0]), x)
    def before(k):
        source[0] = ("x0 * x1 + x2", "(x0 - 2.5) * x1 * x1", "x2 * (x0 + x1) - x1", "x0")[k]
    return Scene(f, before=before)


@program()
def bytes_and_text_of_the_outside():
    config = {"text": "a=1.5, b=2", "raw": b"\x01\x02"}
    def f(x):
        pairs = dict(p.split("=") for p in config["text"].replace(" ", "").split(","))
        return x[0] * float(pairs["a"]) + x[1] * int(pairs["b"]) + x[2] * config["raw"][1]
    def before(k):
        config["text"] = f"a={k}.25, b={k + 1}"
    return Scene(f, before=before)


@program()
def messages_of_errors():
    log = []
    def check(v, name):
        if v < 0.6: raise ValueError(f"{name} = {v:.2f} is small")
        return v
    def f(x):
        total = 1.0
        for name, v in zip("abc", x):
            try: total = total * check(v, name)
            except ValueError as error:
                log.append(str(error).upper())
                total = total + v * len(error.args[0].split())
        return total
    return Scene(f, lambda: log)


@program()
def report_in_lines():
    out = []
    def f(x):
        report = textwrap.dedent(f"""\
            value  {x[0]:8.3f}
            square {x[0] ** 2:8.3f}""")
        out.extend(report.splitlines())
        longest = max(out, key=len)
        return x[0] ** 2 * x[1] + x[2] * len(longest)
    return Scene(f, lambda: out)


@program(A(1.5, 2, 3), A(10.5, 2, 3), A(1, -2, 3))
def length_of_text():
    def f(x):
        n = len(str(int(x[0]))) + len(f"{x[1]:.0f}")
        return np.sum(x * x) * n
    return f
