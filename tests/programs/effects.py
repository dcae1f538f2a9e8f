"""What a program does besides computing: printing, logging, appends, stores to the outside."""

# ruff: noqa: E701, E702

import bisect
import collections
import contextlib
import heapq
import io
import json
import logging
import pickle
import sys
import time
import weakref

import numpy as np

from tests.programs import Scene, program

TOTAL = 0.0


class Recorder(logging.Handler):
    """Keeps the texts and arguments of what is logged."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def emit(self, record):
        self.seen.append((record.levelname, record.getMessage(), record.args))


@program()
def prints():
    def f(x):
        print("x:", x, x[0], np.sum(x), sep=" | ")
        y = x * x
        print(f"{y[1]:.3f}", end="\n--\n")
        if x[0] < 0: print("negative", [x[0], {"y": y[0]}])
        return np.sum(y)
    return f


@program()
def prints_to_files():
    class Tee:
        def __init__(self): self.parts = []
        def write(self, text): self.parts.append(text)
        def flush(self): self.parts.append("flush")
    tee, buffer = Tee(), io.StringIO()
    def f(x):
        print("a", x[0], file=tee, flush=True)
        buffer.write(f"{x[1]}\n")
        sys.stdout.write("direct %s\n" % x[2])  # noqa: UP031
        return np.sum(x**2)
    return Scene(f, lambda: (tee.parts, buffer.getvalue()))


@program()
def prints_redirected_inside():
    log = []
    def f(x):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            print(x[0] * 2.0)
        log.append(text.getvalue())
        return x[0] * x[1] * len(log)
    return Scene(f, lambda: log)


@program()
def logs():
    handler = Recorder()
    logger = logging.Logger("corpus"); logger.addHandler(handler)
    def f(x):
        logger.info("start %s", x[0])
        y = np.exp(x * 0.1)
        logger.debug("y = %.3f and %r", y[0], y)
        if x[0] < 0: logger.warning("negative %d", int(x[0] * 10))
        return np.sum(y * x)
    return Scene(f, lambda: handler.seen)


@program()
def appends_numbers_and_arrays():
    log = []
    def f(x):
        y = x * 2.0
        log.append(y[0]); log.append(y); log.append([y[1], (x[2], {"s": np.sum(y)})])
        y[0] = 7.0
        log.extend(v * 3.0 for v in x)
        log.insert(0, len(log))
        return np.sum(y * x)
    return Scene(f, lambda: log)


@program()
def append_and_read_back():
    history = [1.0]
    def f(x):
        history.append(np.sum(x))
        history[0] = history[-1] * x[0]
        return history[-1] * history[-2] + history[0]
    return Scene(f, lambda: history)


@program()
def pops_and_clears():
    queue, names = collections.deque([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), {"a", "b", "c", "d"}
    def f(x):
        v = queue.popleft()
        names.discard("abcd"[len(queue) % 4]); names.add(len(queue))
        if x[0] < 0: queue.pop(); queue.append(v)
        return np.sum(x) * v + len(queue) * x[0] + len(names) * x[1]
    return Scene(f, lambda: (queue, names))


@program()
def outside_dict_of_every_kind():
    d = {"n": 0, "w": 1.0, "log": []}
    def f(x):
        d["n"] += 1
        d["w"] *= 0.5
        d["log"].append(d["n"])
        d.setdefault("first", x[0]); d.update(last=x[1])
        if d["n"] == 2: del d["first"]
        return np.sum(x * x) * d["w"] + d["last"] * x[2] + d.get("first", 1.0) * x[0]
    return Scene(f, lambda: d)


@program()
def attributes_of_outside_objects():
    class Stats: n, total, last, best = 0, 0.0, None, ()
    s = Stats()
    def f(x):
        s.n += 1
        s.total += x[0] * 2.0
        s.last = x
        s.best = (*s.best, max(x))
        setattr(s, f"call{s.n}", np.sum(x))
        return s.total * x[1] + s.last[2] * s.n
    def state():
        return {k: np.array(v) if k == "last" and v is not None else v
                for k, v in vars(s).items()}
    return Scene(f, state)


@program()
def attribute_deleted_and_class_counted():
    class Registry: made, items = 0, {}
    class Item:
        def __init__(self, v): self.v = v; Registry.made += 1; Registry.items[Registry.made] = self
    def f(x):
        a, b = Item(x[0]), Item(x[1] * x[2])
        a.extra = b.v * a.v
        y = a.extra * 2.0
        del a.extra
        b.partner = a
        return y + b.partner.v
    Registry.items = {}
    return Scene(f, lambda: (Registry.made, Registry.items))


@program()
def local_containers_escape():
    store = {}
    def f(x):
        parts = [x[0]]
        store["parts"] = parts
        parts.append(x[1] * 2.0)
        inner = {"p": parts, "y": x * 3.0}
        store["inner"] = inner
        inner["y"][0] = x[2]
        return parts[1] * parts[0] + np.sum(store["inner"]["y"]) * (inner["p"] is parts)
    return Scene(f, lambda: store)


@program()
def local_objects_escape():
    kept = []
    class Particle:
        def __init__(self, x): self.x = x; self.links = []
    def f(x):
        p, q = Particle(x[0]), Particle(x[1])
        kept.append(p)
        p.links.append(q); q.links.append(p)
        p.x = p.x * q.x
        q.v = x * p.x
        return p.x * x[2] + np.sum(q.v)
    return Scene(f, lambda: kept)


@program()
def functions_escape():
    kept = []
    def f(x):
        y = x[0] * 2.0
        def later(v):
            return y * v
        kept.append(later)
        kept.append(lambda v, z=x[1] * 1.0: v * z)
        y = y * x[1]
        return later(x[2]) + kept[-1](x[0])
    return Scene(f, lambda: [g(2.0) for g in kept])


@program()
def stored_array_stays_aliased():
    class S: y = None
    s = S()
    def f(x):
        y = x * 2.0
        s.y = y; s.part = y[1:]
        y += 1.0
        s.y *= 2.0
        s.part[0] = x[0]
        return np.sum(y * s.y)
    return Scene(f, lambda: vars(s))


@program()
def global_number_stored():
    global TOTAL
    TOTAL = 0.0
    def f(x):
        global TOTAL
        TOTAL = TOTAL + x[0] * 0.5
        y = TOTAL * x[1]
        if x[0] < 0: TOTAL = 0.25
        return y + x[2]
    return Scene(f, lambda: TOTAL)


@program()
def memo_of_data():
    memo = {}
    def f(x):
        if "s" not in memo: memo["s"] = np.sum(x)
        memo[len(memo)] = memo["s"] * 2.0
        return memo["s"] * x[0] + len(memo)
    return Scene(f, lambda: memo)


@program()
def exception_kept():
    errors = []
    def f(x):
        try:
            if x[0] > 0: raise ValueError("bad", x[0] * 2.0)
            return x[1] * x[2]
        except ValueError as error:
            errors.append(error)
            return error.args[1] * x[1]
    return Scene(f, lambda: errors)


@program()
def effects_before_and_after_a_branch():
    log = []
    def f(x):
        log.append(("in", len(log)))
        y = np.sum(x)
        log.append(y)
        if x[0] > 0:
            log.append("positive"); return y * len(log)
        log.pop()
        log.append("negative")
        return y * y * len(log)
    return Scene(f, lambda: log)


@program()
def clock_and_counter():
    class Clock:
        def __init__(self): self.t = 0.0
        def now(self): self.t += 0.5; return self.t
    clock = Clock()
    def f(x):
        start = time.perf_counter()
        y = np.sum(x * x) * clock.now()
        took = time.perf_counter() - start
        return y + clock.now() * (1.0 if took >= 0 and time.time() > 1e9 else 0.0)
    return Scene(f, lambda: clock.t)


@program()
def heap_and_sorted_list_outside():
    heap, ordered = [2.5, 3.5], [0.0, 1.0]
    def f(x):
        heapq.heappush(heap, x[0]); bisect.insort(ordered, float(len(heap)))
        low = heapq.heappop(heap)
        heapq.heappush(heap, x[1] * 2.0)
        return low * x[2] + heap[0] * len(ordered)
    return Scene(f, lambda: (heap, ordered))


@program()
def serialized_to_the_outside():
    files = []
    def f(x):
        files.append(json.dumps({"x0": round(float(x[0]), 3), "n": len(x)}))
        files.append(pickle.loads(pickle.dumps([1.0, "text"])))
        scale = json.loads('{"scale": 2.0}')["scale"]
        return np.sum(x * x) * scale * len(files)
    return Scene(f, lambda: files)


@program()
def weak_references_and_identity():
    class Node:
        def __init__(self, v): self.v = v
    alive = []
    def f(x):
        n = Node(x[0] * x[1])
        r = weakref.ref(n)
        alive.append(r() is n)
        return r().v * x[2]
    return Scene(f, lambda: alive)


@program()
def sort_and_reverse_outside():
    h = [0.5, 2.0]
    def f(x):
        h.append(x[0]); h.append(x[1])
        h.sort()
        y = h[0] * 2.0 + h[-1]
        h.reverse(); h.remove(x[1])
        return y * x[2] + h[0]
    return Scene(f, lambda: h)


@program()
def callbacks_given_by_the_caller():
    events = []
    hooks = {"step": [lambda v, n: events.append((n, v))]}
    def f(x):
        y = x[0]
        for n in range(3):
            y = y * x[1] * 0.5 + x[2]
            for hook in hooks["step"]: hook(y, n)
        return y
    def before(k):
        if k == 1: hooks["step"].append(lambda v, n: events.append(n))
        if k == 2: del hooks["step"][0]
    return Scene(f, lambda: events, before)
