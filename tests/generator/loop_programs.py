"""Source text of random loop programs: plain NumPy functions ``f(x, w, n)``, one for each seed.

`x` is a vector of `SIZE` numbers, `w` a number, and `n` is how often most loops run. Values stay
small whatever the seed: what is carried from one iteration to the next is squashed or damped.
"""

from tests.generator.loop_statements import write_loop
from tests.generator.loop_writer import SIZE, LoopWriter

__all__ = ["SIZE", "loop_source"]

_HEAD = """\
import math

import numpy as np

MATRIX = np.array([[0.3, -0.2, 0.0, 0.1, 0.2], [0.1, 0.4, -0.3, 0.0, 0.1],
                   [-0.2, 0.1, 0.2, 0.3, 0.0], [0.0, 0.2, 0.1, -0.4, 0.3],
                   [0.2, 0.0, -0.1, 0.1, 0.3]])
TABLE = np.array([[0.4, -0.3, 0.8, 0.1, -0.7], [-0.2, 0.9, 0.3, -0.6, 0.5],
                  [0.7, 0.2, -0.4, 0.6, -0.1]])

"""
_HELPERS = (
    ("def {0}(a, b):", "    return {1} * np.sin(a) + 0.3 * b"),
    ("def {0}(a, b=0.3):", "    if a > b:", "        return np.tanh(a - b)",
     "    return {1} * a * np.cos(b)"),
    ("def {0}(a, b):", "    s = {1}", "    for k in range(3):",
     "        s = 0.5 * s + np.tanh(a + 0.1 * k * b)", "    return s"),
    ("{0} = lambda a, b: np.tanh({1} * a + b)",),
    ("def {0}(a, b):", "    out = np.zeros(3)", "    out[0] = a", "    for k in range(1, 3):",
     "        out[k] = np.sin(out[k - 1]) + {1} * b", "    return out[-1]"),
)


def loop_source(seed: int) -> str:
    """The source of a module with the function ``f(x, w, n)``."""
    w = LoopWriter(seed)
    for _ in range(w.pick((0, 0, 1, 2))):
        _helper(w)
    w.add("def f(x, w, n):")
    w.depth = 1
    _beginning(w)
    for k in range(w.pick((1, 1, 2))):
        write_loop(w, by_n=not k)
        w.budget = max(w.budget, 3)
    _end(w)
    return _HEAD + "\n" + "\n".join(w.lines) + "\n"


def _helper(w):
    name = w.name("step")
    w.helpers.append(name)
    for line in w.pick(_HELPERS):
        w.add(line.format(name, w.constant()))
    w.add("")
    w.add("")


# What is carried, and what is made of it at the end


def _beginning(w):
    """Bind what the loops carry."""
    for _ in range(w.pick((1, 2, 2))):
        _bind_number(w, w.pick(("0.0", w.number(1), "w * x[0]", w.constant(), "1.0")))
    for _ in range(w.pick((0, 0, 1, 2))):
        name = w.name("v")
        w.add(f"{name} = {w.pick(('x.copy()', 'np.zeros(5)', 'np.tanh(x * w)', 'np.ones(5)'))}")
        w.vectors.append(name)
        w.owned.append(name)
    for _ in range(w.pick((0, 0, 1, 1, 2))):
        length, name = w.pick(("n + 1", "4", "n + 1", "3")), w.name("out")
        w.add(f"{name} = np.{w.pick(('zeros', 'ones', 'zeros'))}({length})")
        if w.chance(50):
            w.add(f"{name}[0] = {w.squashed()}")
        w.buffers[name] = length
    for percent, bind in ((25, _bind_counter), (25, _bind_pair), (18, _bind_flag),
                          (18, _bind_maybe), (28, _bind_best), (14, _bind_list), (8, _bind_slot)):
        if w.chance(percent):
            bind(w)


def _bind_number(w, text):
    name = w.name("y")
    w.add(f"{name} = {text}")
    w.numbers.append(name)
    w.assigned.append(name)


def _bind_counter(w):
    name = w.name("k")
    w.add(f"{name} = 0")
    w.counters.append(name)
    w.integers[name] = None


def _bind_pair(w):
    name = w.name("pair")
    w.add(f"{name} = ({w.squashed()}, {w.pick(('0.0', 'w', w.constant()))})")
    w.pairs.append(name)


def _bind_flag(w):
    name = w.name("first")
    w.add(f"{name} = True")
    w.flags.append(name)


def _bind_maybe(w):
    name = w.name("acc")
    w.add(f"{name} = None")
    w.maybe.append(name)


def _bind_best(w):
    best, at = w.name("best"), w.name("at")
    w.add(f"{best}, {at} = {w.pick(('x[0]', '-1.0', 'w'))}, 0")
    w.bests.append((best, at))


def _bind_list(w):
    name = w.name("items")
    w.add(f"{name} = {w.pick(('[]', '[w]', '[x[0] * w]'))}")
    w.lists.append(name)


def _bind_slot(w):
    name = w.name("state")
    w.add(f'{name} = {{"a": {w.squashed()}, "b": 0.0}}')
    w.slots.append(name)


def _end(w):
    """Return a sum of all that was carried."""
    w.add(f"total = {w.squashed()} + w * x[0]")
    for name in w.assigned:
        w.add(f"total = total + {name}")
    for name in (*w.owned, *w.buffers):
        w.add(f"total += {w.pick(('np.sum({0})', 'np.dot({0}, {0})', 'np.mean(np.sin({0}))'))}"
              .format(name))
    for name in w.counters:
        w.add(f"total += 0.1 * {name} * w")
    for name in w.pairs:
        w.add(f"total += {name}[0] - 0.5 * {name}[1]")
    for name in w.maybe:
        w.add(f"if {name} is not None:")
        w.add(f"    total += {name}")
    for best, at in w.bests:
        w.add(f"total += {best} * x[{at} % 5]")
    for name in w.lists:
        w.add("total += " + w.pick(("sum({})", "np.sum(np.array({}))", "len({0}) * w + sum({0})"))
              .format(name))
    for name in w.slots:
        w.add(f'total += {name}["a"] * 0.7 + {name}["b"]')
    w.add(f"return total{w.pick(('', ' * 0.5', ' * w', ' + np.sum(x * x)'))}")
