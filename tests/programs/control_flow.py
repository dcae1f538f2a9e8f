"""Control flow: branches, loops with else, break and continue, match, chains, and/or, walrus.

PYTEST_DONT_REWRITE: an assertion fails here as it does at a user's.
"""

# ruff: noqa: E701, E702, RUF007, RUF021

import numpy as np

from tests.programs import A, Scene, program


@program()
def if_elif_else():
    def f(x):
        if np.sum(x) > 3:
            y = x[0] ** 2 * x[1]
        elif x[0] > 0:
            y = np.sin(x[1]) + x[2]
        else:
            y = -3.0 * x[0] * x[2]
        return y * x[1]
    return f


@program()
def branch_on_a_parameter_of_the_outside():
    class Mode: kind, power = "sum", 2
    def f(x):
        if Mode.kind == "sum":
            return np.sum(x**Mode.power)
        if Mode.kind == "prod" and x[0] > 0:
            return np.prod(x) * Mode.power
        return x[0] - x[1] * Mode.power
    def before(k):
        Mode.kind = ("sum", "prod", "prod", "none")[k]
        Mode.power = k + 1
    return Scene(f, before=before)


@program(2.0, 60.0, 0.03, second=True)
def while_until_converged():
    def f(a):
        y = a
        while abs(y * y - a) > 1e-13 * a:
            y = 0.5 * (y + a / y)
        return y * a
    return f


@program()
def break_and_else():
    def f(x):
        total = 0.0
        for i, v in enumerate(x):
            if v < 0:
                total = total + v * i * 3.0
                break
            total = total * v + v
        else:
            total = total * 10.0
        return total * x[1]
    return f


@program()
def continue_in_nested_loops():
    def f(x):
        total = 0.0
        for i in range(3):
            for j in range(3):
                if i == j or x[i] * x[j] < 0:
                    continue
                if x[j] > 2.0:
                    break
                total += x[i] * x[j] ** 2 * (i + 1)
            total += 0.1 * x[i]
        return total
    return f


@program()
def return_from_a_nested_loop():
    def f(x):
        for i, a in enumerate(x):
            for b in x[i + 1:]:
                if a * b < 0.5:
                    return a * a + 2.0 * b
        return x[0] * x[1]
    return f


@program()
def while_else_with_counter():
    def f(x):
        n, y = 0, x[0]
        while y < 5.0:
            y = y * 1.7 + x[1] ** 2
            n += 1
            if n > 6: break
        else:
            y = y + 2.0 * x[2]
        return y * n + x[1]
    return f


@program()
def loop_variable_after_the_loop():
    def f(x):
        for v in x:
            if v > 1.5: break
        w = v * 2.0
        for i in range(2): v = v * x[i]
        return v + w * i
    return f


@program()
def chained_comparisons():
    def f(x):
        seen = []
        def note(v, tag): seen.append(tag); return v
        a = 0.0 < note(x[0], "a") < note(x[1], "b") < 2.5
        b = x[2] < note(x[0], "c") > x[1] != 2
        return x[0] * (2.0 if a else 3.0) + x[1] * (5.0 if b else 7.0) * len(seen)
    return f


@program()
def and_or_give_values():
    def f(x):
        first = x[0] > 0 and x[0] * 2.0 or x[1]
        empty = [] or [x[2]]
        second = None or 0.0 or x[1] * x[2]
        third = (x[0] and x[1]) * (x[2] or 5.0)
        return first * second + empty[0] * third
    return f


@program()
def short_circuit_has_effects():
    log = []
    def check(tag, v):
        log.append((tag, v > 1)); return v > 1
    def f(x):
        k = 1.0
        if check("a", x[0]) and check("b", x[1]) or check("c", x[2]): k = 2.0
        if not (check("d", x[1]) or check("e", x[0])): k *= 3.0
        return np.sum(x * x) * k
    return Scene(f, lambda: log)


@program()
def ternaries_nested():
    def f(x):
        y = x[0] * 2.0 if x[0] > 1 else (x[1] if x[2] > 1 else -x[1]) * x[0]
        return (np.exp if x[1] > 0 else np.sin)(y * 0.3) + (x[2] if y < 0 else x[0])
    return f


@program()
def walrus_everywhere():
    def f(x):
        if (s := x[0] + x[1]) > 1.2 and (t := s * x[2]) > 0:
            s = s + t
        total = 0.0
        while (s := s * 0.5) > 0.3: total += s
        kept = [w for v in x if (w := v * v) > 0.5]
        return total + sum(kept) * w + s
    return f


@program()
def assertions():
    def f(x):
        assert x[1] != 0, f"no {x[1]}"
        assert len(x) == 3 and np.all(np.abs(x) < 10), "domain"
        return np.sum(np.log(np.abs(x)))
    return f


@program(A(1, 2, 3), A(1, -2, 3), A(0.5, 0.2, 1))
def assertion_that_fails():
    def f(x):
        y = np.sqrt(x[0])
        assert x[1] > 0, ("negative", "second")
        return y * x[1]
    return f


@program()
def match_values_and_guards():
    def f(x):
        sign = int(np.sign(x[0])), len(x)
        match sign:
            case (1, 3) if x[1] > 2: return x[0] * x[1]
            case (1, n): r = x[1] * n
            case (-1, _): r = x[2] ** 3
            case _: r = 0.0
        return r * x[0]
    return f


@program()
def match_sequences_mappings_and_classes():
    class Point:
        __match_args__ = ("a", "b")
        def __init__(self, a, b): self.a, self.b = a, b
    def area(shape):
        match shape:
            case {"kind": "disk", "r": r, **rest}: return 3.0 * r * r + len(rest)
            case [Point(a, b), *others] if others: return a * b + sum(area([o]) for o in others)
            case [Point(a=0.0)]: return 0.0
            case [Point(a, b=b)]: return a + b * b
            case float() | int() as number: return number * 2.0
            case None: return 1.0
    def f(x):
        return (area({"kind": "disk", "r": x[0], "c": 1}) * area(None) + area(2.5) * x[2]
                + area([Point(x[0], x[1]), Point(x[1], x[2])]))
    return f


@program()
def match_on_the_outside():
    state = {"op": "add", "by": 2.0}
    def f(x):
        match state:
            case {"op": "add", "by": float(b)}: return np.sum(x + b) * x[0]
            case {"op": "mul", "by": b}: return np.sum(x * b) * x[1]
            case {"op": str(name)}: return np.sum(x) * len(name)
    def before(k):
        state.update(op=("add", "mul", "other", "add")[k], by=k + 1.5)
    return Scene(f, lambda: state, before)


@program()
def loops_over_everything():
    def f(x):
        total = 0.0
        for i in range(len(x) - 1, -1, -1): total = total * 0.5 + x[i]
        for i, (a, b) in enumerate(zip(x, x[1:]), start=1): total += a * b * i
        for a in reversed(x): total = total * 0.9 + a
        for key in {"p": 1, "q": 2}: total += len(key) * x[0]
        for key, n in {"p": 1, "q": 2}.items(): total += n * x[1] * (key == "q")
        for c in "ab": total += x[2] * ord(c) * 0.01
        for row in np.outer(x, x): total += row[1] * row[2]
        return total
    return f


@program()
def delete_and_rebind():
    def f(x):
        y, z = x[0] * 2.0, x[1]
        del z
        z = y + 1.0
        a = b = z * x[2]
        a += 1.0
        (c, d), [e, *g] = (a, b), x
        del y, a
        return c * d + e * g[0] - g[-1]
    return f


@program()
def flags_from_data_combined():
    def f(x):
        up, big = bool(x[0] > 0), bool(np.any(x > 2))
        flags = [up, big, not up, up ^ big, up & big | (x[2] > 1)]
        k = sum(flags) + 2 * all(flags) + 3 * any(flags[1:])
        return x[1] * k + (x[0] if flags[3] is True else x[2])
    return f


@program(A(1, 2, 3), A(1, np.nan, 3), A(3, 1, 2))
def nan_takes_the_else_branch():
    def f(x):
        w = x[0] * x[2]
        if x[1] > 0: return w * 2.0
        if not x[1] <= 0: return w * 3.0
        return w
    return Scene(f, gradient=lambda x: np.array([x[2], 0, x[0]]) * (2.0 if x[1] > 0 else 3.0))


@program()
def state_machine():
    def f(x):
        state, y, steps = "start", 0.0, 0
        while state != "done":
            steps += 1
            if state == "start": state, y = ("up" if x[0] > 0 else "down"), x[0]
            elif state == "up": y = y * x[1]; state = "done" if y > 2 or steps > 5 else "down"
            else: y = y + x[2] + 0.5; state = "up" if y > 1 else "done"
        return y * steps
    return f
