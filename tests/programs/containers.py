"""Containers of numbers: lists, dicts, sets, tuples, deques, heaps, sorting, unpacking."""

# ruff: noqa: E701, E702, C4

import bisect
import collections
import heapq
import typing

import numpy as np

from tests.programs import Scene, program


@program()
def list_methods():
    def f(x):
        l = [x[0]]
        l.append(x[1]); l.extend([x[2], 2.0]); l.insert(1, x[0] * x[1])
        last = l.pop(); first = l.pop(0)
        l.reverse(); l += [first]; l *= 2
        l[1] = l[0] * last
        del l[3]
        return sum(v * (i + 1) for i, v in enumerate(l)) * len(l)
    return f


@program()
def list_slices():
    def f(x):
        l = list(x) + [x[0] * 2.0, 3.0]
        l[1:3] = [l[2], l[1], x[0]]
        l[::2] = [v * 2.0 for v in l[::2]]
        del l[-1:]
        head, tail = l[:2], l[-2:]
        return head[0] * tail[1] + head[1] * tail[0] + sum(l[::-1][:2])
    return f


@program()
def list_of_lists_mutated():
    def f(x):
        m = [[x[i] * x[j] for j in range(3)] for i in range(3)]
        for i in range(3):
            m[i][i] += 1.0
            m[i][(i + 1) % 3] *= m[i][i]
        m[0], m[2] = m[2], m[0]
        return sum(m[i][j] * (i + 2 * j) for i in range(3) for j in range(3))
    return f


@program()
def aliased_rows():
    def f(x):
        row = [x[0], x[1]]
        table = [row] * 2 + [list(row)]
        table[0][0] = x[2] * 2.0
        row.append(x[0] * x[1])
        return sum(sum(r) * (i + 1) for i, r in enumerate(table)) * (table[0] is table[1])
    return f


@program()
def tuples_and_comparison():
    def f(x):
        t = (x[0], (x[1], x[2]))
        u = t + (2.0,)
        (a, (b, c)), k = t, u.index(2.0)
        larger = (x[0], x[1]) > (0.0, x[2])
        return a * b * k + c * (3.0 if larger else 5.0) + len(u) * u[1][0]
    return f


@program()
def unpacking_of_all_kinds():
    def f(x):
        a, b, c = x
        first, *middle, last = [a, b, c, a * b]
        [d, (e, *rest)] = x[0], (x[1], *middle)
        *init, end = np.outer(x, x)[1]
        for i, (p, q) in enumerate([(a, b), (b, c)]): d = d + p * q * i
        return first * last + d * e + sum(rest) + init[0] * end
    return f


@program()
def swap_and_rotate():
    def f(x):
        l = [*x]
        l[0], l[1] = l[1], l[0]
        a, b, c = l
        a, b, c = b * 2.0, c, a + b
        i = 0
        i, l[i] = 1, c
        return a * l[0] + b * l[1] - c * l[2] * i
    return f


@program()
def dict_methods():
    def f(x):
        d = {"a": x[0], "b": x[1]}
        d["c"] = d["a"] * d["b"]
        d.setdefault("d", x[2]); d.setdefault("a", 9.0)
        d.update({"b": x[2] * 2.0}, e=1.5)
        p = d.pop("c"); q = d.pop("none", x[0])
        key, value = d.popitem()
        d |= {"f": p}
        del d["a"]
        return sum(d.values()) * p + q * value * len(key) + sum(v * len(k) for k, v in d.items())
    return f


@program()
def dict_get_in_and_order():
    def f(x):
        d = dict(zip("cab", x)); d["a"] = d.pop("a") * 3.0
        total = 0.0
        for i, k in enumerate(d): total = total * 0.5 + d[k] * (i + 1)
        if "c" in d and "z" not in d: total += d.get("z", 0.25) * d.get("b")
        return total + {**d, "c": 1.0}["c"] * list(d.values())[-1] + sum(sorted(d.values()))
    return f


@program()
def nested_dicts_as_parameters():
    params = {"layers": [{"w": 1.0, "b": 0.5}, {"w": 2.0, "b": -0.5}], "scale": 2.0}
    def f(x):
        v = x[0]
        for layer in params["layers"]: v = np.tanh(layer["w"] * v + layer["b"] * x[1])
        return v * params["scale"] * x[2]
    def before(k):
        params["layers"][k % 2]["w"] = k + 0.5
        if k == 1: params["layers"].append({"w": 0.3, "b": 1.0})
    return Scene(f, lambda: params, before)


@program()
def defaultdict_and_counter():
    def f(x):
        sums = collections.defaultdict(float)
        groups = collections.defaultdict(list)
        for v in x:
            sums[v > 0] += v * v
            groups["pos" if v > 0 else "neg"].append(v)
        count = collections.Counter(v > 1 for v in x)
        return sums[True] * count[True] + sums[False] * 3.0 + sum(groups["pos"]) * len(groups)
    return f


@program()
def deque_window():
    window = collections.deque([1.0, 2.0], maxlen=3)
    def f(x):
        inner = collections.deque(maxlen=2)
        total = 0.0
        for v in x:
            inner.append(v)
            total += sum(inner) * inner[0]
        inner.appendleft(x[2]); inner.rotate(1)
        window.append(x[0])
        return total + inner.popleft() * inner.pop() + sum(window)
    return Scene(f, lambda: window)


@program()
def namedtuples():
    Point = collections.namedtuple("Point", "a b", defaults=(2.0,))
    class Typed(typing.NamedTuple):
        v: float
        k: int = 2
        def power(self): return self.v**self.k
    def f(x):
        p = Point(x[0]); q = Point(*x[:2])
        r = q._replace(b=x[2])
        a, b = r
        typed = Typed(x[1]).power() * Typed(x[2], 3).power()
        return p.b * a + b * q.b + typed + sum(q._asdict().values())
    return f


@program()
def sets_of_numbers():
    def f(x):
        s = {x[0], x[1], x[0]}
        t = {v > 0 for v in x} | {None}
        seen = set()
        total = 0.0
        for v in [x[0], x[1], x[0], x[2]]:
            if v in seen: total += v * 5.0
            seen.add(v)
            total += v
        return total * len(s) + len(t) * max(s) + len(seen & s) * x[2]
    return f


@program()
def keys_from_data():
    def f(x):
        d = {float(x[0]): x[1], x[1]: x[2]}
        d[round(float(x[2]))] = x[0] * 2.0
        return d[float(x[0])] * d[x[1]] + d[round(float(x[2]))]
    return f


@program()
def sort_in_place_and_search():
    def f(x):
        l = list(x)
        l.sort()
        low = l[0]
        l.sort(key=lambda v: -abs(v))
        i = l.index(x[1])
        n = l.count(x[0]) + sum(v == low for v in l)
        l.remove(x[1])
        return low * 2.0 + l[0] * l[1] * (i + 1) + n * x[2] + (1.0 if x[2] in l else 0.0) * l[0]
    return f


@program()
def sort_pairs():
    def f(x):
        pairs = sorted(zip(x, ["a", "b", "c"]), reverse=True)
        best, name = pairs[0]
        rows = sorted([[x[0], 1], [x[1], 2], [x[2], 0]])
        return best * len(pairs) + rows[0][0] * rows[1][1] + (x[0] if name == "b" else x[1]) * best
    return f


@program()
def heap_of_data():
    def f(x):
        heap = [v * v for v in x]
        heapq.heapify(heap)
        heapq.heappush(heap, x[0] * x[1])
        a = heapq.heappop(heap)
        b = heapq.heapreplace(heap, a * 0.5 + x[2])
        c, d = heapq.nlargest(2, heap)
        return a * 3.0 + b * 2.0 + c - d * b + heapq.nsmallest(1, heap, key=lambda v: -v)[0]
    return f


@program()
def bisect_of_data():
    edges = [0.0, 0.5, 1.5, 4.0]
    values = [1.0, -2.0, 3.0, 0.5, 2.0]
    def f(x):
        total = sum(values[bisect.bisect(edges, v)] * v * v for v in x)
        l = sorted(x)
        bisect.insort(l, x[0] * 0.9)
        return total + l[1] * l[2]
    def before(k):
        values[2] = k + 1.0
    return Scene(f, before=before)


@program()
def stack_and_queue():
    def f(x):
        stack, y = [x[0], x[1], x[2]], 0.0
        while stack:
            v = stack.pop()
            if abs(v) > 0.62: stack.append(v * 0.5)
            elif v > 0.3: stack.extend([v * 0.4, v * 0.3])
            y = y * 0.9 + v * v
        return y
    return f


@program()
def expression_stack_machine():
    code = ["x0", "x1", "mul", "x2", "add", "sq"]
    def f(x):
        stack = []
        for op in code:
            if op[0] == "x": stack.append(x[int(op[1])])
            elif op == "sq": stack[-1] **= 2
            else:
                b, a = stack.pop(), stack.pop()
                stack.append(a * b if op == "mul" else a + b)
        (result,) = stack
        return result
    def before(k):
        code[2] = "mul" if k % 2 else "add"
    return Scene(f, lambda: code, before)


@program()
def list_of_outside_natively_used():
    w = [1.0, 2.0, 4.0]
    def f(x):
        total = sum(w) * x[0] + max(w) * x[1] + sorted(w)[0] * x[2] + np.array(w) @ x
        a, b, *_ = w
        return total + (w + [3.0])[-2] * [*w][1] * x[0] + a * b + np.sum(w * x) + w.index(max(w))
    def before(k):
        w[k % 3] = k - 0.5
    return Scene(f, lambda: w, before)


@program()
def chainmap_and_ordered_dict():
    base = {"lr": 0.1, "momentum": 0.9}
    def f(x):
        options = collections.ChainMap({"lr": x[0]}, base)
        od = collections.OrderedDict(a=x[1], b=x[2])
        od.move_to_end("a")
        first, second = od.values()
        return options["lr"] * options["momentum"] * first + second * base["lr"]
    def before(k):
        base["momentum"] = 0.9 - 0.2 * k
    return Scene(f, lambda: base, before)


@program()
def array_module_and_memory_of_lists():
    def f(x):
        pool = [None] * 4
        for i, v in enumerate(x): pool[i] = v
        pool[3] = pool[0] * pool[1] if pool[2] is not None else 0.0
        matrix = np.array(pool).reshape(2, 2)
        copy = pool.copy(); copy.clear()
        return matrix[0] @ matrix[1] + len(pool) + len(copy)
    return f
