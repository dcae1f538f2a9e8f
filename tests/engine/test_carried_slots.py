"""Slots of dicts, lists and objects that loops change, at trip counts in any order."""

import types

import numpy as np
import pytest

from tests.engine.carried import ORDERS, check_against_plain_python, recordings_of


class Particle:
    """Moves by changing itself."""

    def __init__(self, p, v):
        self.p, self.v = p, v

    def step(self, dt):
        self.p = self.p + dt * self.v
        self.v = self.v - dt * np.sin(self.p)


class Counting(Particle):
    """Counts its steps."""

    steps = 0

    def step(self, dt):
        super().step(dt)
        self.steps += 1


class Filter:
    """Has a flag, a state that is None at first, and a buffer that is written in place."""

    def __init__(self, gain):
        self.gain, self.state, self.started = gain, None, False
        self.buffer = np.zeros(3)

    def feed(self, value):
        if not self.started:
            self.state, self.started = value, True
        else:
            self.state = self.gain * self.state + value
        self.buffer[1:] = self.buffer[:-1]
        self.buffer[0] = self.state
        return self.state


def dict_slots(x, w, n):
    state = {"p": x[0], "v": w}
    for _ in range(n):
        state["p"] = state["p"] + 0.1 * state["v"]
        state["v"] = state["v"] - 0.1 * np.sin(state["p"])
    return state["p"] ** 2 + state["v"]


def list_slots(x, w, n):
    s = [x[0], w * x[1]]
    for _ in range(n):
        s[0] = s[0] + 0.1 * s[1]
        s[1] -= 0.1 * np.sin(s[0])
    return s[0] * s[1] + w


def swapped_slots(x, w, n):
    s = {"a": np.sin(w), "b": w}
    for _ in range(n):
        s["a"], s["b"] = s["b"], s["a"]
    return w + 10 * s["a"] + np.sum(x) * s["b"]


def swapped_and_read(x, w, n):
    s, t = [np.sin(w), w], 0.0
    for _ in range(n):
        s[0], s[1] = s[1], s[0]
        t = t + w * s[0]
    return t + s[0] * x[0]


def attributes(x, w, n):
    q = Particle(x[0], w)
    for _ in range(n):
        q.step(0.1)
    return q.p ** 2 + 0.1 * q.v


def counted_steps(x, w, n):
    q = Counting(x[0], w)
    for _ in range(n):
        q.step(0.1)
    return q.p ** 2 + 0.1 * q.v + q.steps * x[1]


def attributes_of_two(x, w, n):
    a, b = Particle(x[0], w), Particle(x[1], x[2])
    for _ in range(n):
        a.step(0.05)
        b.v = b.v + 0.1 * (a.p - b.p)
        b.step(0.05)
        a, b = b, a
    return a.p * b.v + a.v


def objects_in_a_list(x, w, n):
    many = [Particle(v, w) for v in x[:3]]
    for _ in range(n):
        for q in many:
            q.step(0.05)
        many[0].v = many[0].v + 0.1 * many[1].p
    return many[0].p * many[1].p + many[2].v


def new_objects(x, w, n):
    q = Particle(x[0], w)
    for _ in range(n):
        q = Particle(q.p + 0.1 * q.v, q.v - 0.1 * np.sin(q.p))
    return q.p * q.v


def flags_and_none(x, w, n):
    f, total = Filter(w * 0.5), 0.0
    for k in range(n):
        total = total + f.feed(x[k % 5])
    return total + np.sum(f.buffer**2)


def one_dict_by_two_names(x, w, n):
    a = {"s": w}
    b = a
    for k in range(n):
        a["s"] = a["s"] * 0.9 + x[k % 5]
        b["s"] = b["s"] + 0.1
    return a["s"] * b["s"]


def seen_by_a_closure(x, w, n):
    state = {"s": w, "count": 0}

    def advance(v):
        state["s"] = state["s"] * 0.8 + np.sin(v)
        state["count"] += 1
        return state["s"]

    total = 0.0
    for k in range(n):
        total = total + advance(x[k % 5])
    return total + state["s"] + state["count"]


def decaying_rate(x, w, n):
    state = {"w": w, "rate": 0.1, "t": 0}
    for _ in range(n):
        state["t"] += 1
        state["w"] = state["w"] - state["rate"] * np.sin(state["w"] * x[state["t"] % 5])
        state["rate"] *= 0.9
    return state["w"] ** 2 + state["rate"] * x[1] + state["t"]


def swapped_buffers(x, w, n):
    s = {"new": x * 1.0, "old": x * w}
    for _ in range(n):
        s["new"][1:-1] = s["old"][1:-1] + 0.1 * (s["old"][2:] - s["old"][:-2])
        s["new"], s["old"] = s["old"], s["new"]
    return np.sum(s["new"] ** 2) + np.sum(s["old"])


def buffers_of_an_object(x, w, n):
    f = Filter(w)
    f.other = x[:3] * 1.0
    for k in range(n):
        f.other *= 0.9
        f.buffer, f.other = f.other, f.buffer
        f.buffer[k % 3] += w
    return np.sum(f.buffer**2) + np.sum(f.other * x[0])


def one_more_at_the_end(x, w, n):
    """By which way the loop was left tells how many there are behind it."""
    items, key = [w], {"a": x[0]}
    while True:
        if n > 2:
            w = w * 0.9
        else:
            items.append(0.8)
            key["b"] = x[1]
        break
    return sum(items) + w + sum(key.values())


class Node:
    """Refers to the next one."""

    def __init__(self, value):
        self.value, self.next = value, None


def which_object_it_is(x, w, n):
    """The third one is another one, which only `is` tells."""
    a, b, c = Node(w), Node(x[0]), Node(x[1])
    a.next, b.next, c.next = b, c, a
    here = a
    for _ in range(n):
        here.value = here.value * 0.9 + (2.0 if here is c else 1.0)
        here = here.next
    return a.value + 2 * b.value + 3 * c.value + (here.value if here is not c else 0.0)


def found_object(x, w, n):
    """By which way the loop was left tells which object it is."""
    a, b = Node(w), Node(x[0])
    found = a
    for k in range(n):
        if x[k % 5] > 0.4:
            found = b
            break
        if k > 3:
            break
        a.value = a.value + 0.1
    found.value = found.value * 2
    return a.value + 3 * b.value


def keys_that_come(x, w, n):
    state = {}
    for k in range(n):
        state["s"] = state.get("s", w) * 0.9 + x[k % 5]
    return state.get("s", 2.0 * w)


def left_early(x, w, n):
    q = Particle(x[0], w)
    for _ in range(n):
        q.step(0.2)
        if q.p > 1.2:
            q.v = -q.v * 0.9
            break
    return q.p + q.v


def nested_loops(x, w, n):
    state = {"m": w, "rows": [x * 1.0, x * w]}
    for _ in range(n):
        for j in range(2):
            state["rows"][j] = 0.9 * state["rows"][j] + 0.1 * state["m"]
        state["m"] = np.mean(state["rows"][0])
    return state["m"] + np.sum(state["rows"][1] ** 2)


def first_value_is_a_constant_too(x, w, n):
    s = {"a": w, "b": x[0]}
    for k in range(n):
        s["b"] = s["b"] * 0.8 - w
        if x[k % 5] <= 0.2:
            s["a"] = s["a"] * 0.9 + np.sin(s["a"])
    return s["b"] + s["a"]


def one_dict_then_two(x, w, n):
    a = b = {"v": w}
    for k in range(n):
        a["v"] = a["v"] + x[0]
        if k == 2:
            a = dict(b)
    return a["v"] + 2.0 * b["v"]


def left_with_a_count(x, w, n):
    s, v = {"c": 0}, w
    for k in range(n):
        v = v * 0.9 + abs(x[k % 5])
        s["c"] += 1
        if v > 1.5:
            break
    return v + s["c"]


def left_with_a_new_key(x, w, n):
    s = {"a": w}
    for _ in range(n):
        s["a"] = s["a"] * 0.9 + x[0]
        if s["a"] > 1.5:
            s["over"] = s["a"] * x[1]
            break
    return sum(s.values())


def counted_out_of_sight(x, w, n):
    s, seen = types.SimpleNamespace(c=0), set()
    for k in range(n):
        s.c += 1
        seen.add(k % 7)
    return s.c * w + len(seen) * x[0]


def counted_in_a_class(x, w, n):
    class Counter:
        c = 0

    for _ in range(n):
        Counter.c += 1
    return Counter.c * w


def views_at_times(x, w, n):
    s = {"a": x * w, "b": x * w}
    for k in range(n):
        s["a"] = s["a"] * 0.9
        s["b"] = s["a"][1:] if k % 2 else s["a"][1:].copy()
    s["b"][1] *= 2.0
    return np.sum(s["a"])


def one_list_at_times(x, w, n):
    a, b = [0], [0]
    for k in range(n):
        a = [0]
        b = a if k % 2 else [0]
    b.append(1)
    return sum(a) * x[0] + len(a) * w


def type_of_a_slot(x, w, n):
    s = {"t": w}
    for k in range(n):
        s["t"] = s["t"] * x[k % 5]
    return s["t"] * (2.0 if type(s["t"]) is float else 3.0)


PROGRAMS = (
    first_value_is_a_constant_too, one_dict_then_two, left_with_a_count, left_with_a_new_key,
    counted_out_of_sight, counted_in_a_class, views_at_times, one_list_at_times, type_of_a_slot,
    dict_slots, list_slots, swapped_slots, swapped_and_read, attributes, counted_steps,
    attributes_of_two, objects_in_a_list, new_objects, flags_and_none, one_dict_by_two_names,
    seen_by_a_closure, keys_that_come, which_object_it_is, found_object, one_more_at_the_end,
    left_early, nested_loops, decaying_rate, swapped_buffers, buffers_of_an_object)
FOLDED = (dict_slots, list_slots, attributes, counted_steps, left_early, nested_loops,
          decaying_rate)


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("f", PROGRAMS)
def test_each_is_as_in_plain_python(f, order):
    check_against_plain_python(f, order)


@pytest.mark.parametrize("f", FOLDED)
def test_what_slots_carry_is_folded(f):
    assert recordings_of(f) <= 5
