"""The loops of random loop programs, and the statements in them."""

__all__ = ["write_loop"]


def write_loop(w, by_n=False):
    """Write a loop of any kind with its body, or one of those that mostly run `n` times."""
    rare = 1 if w.loops else 5
    ways = [(2 * rare + 4, _counted), (rare, _while_below), (rare, _until_break), (2, _until_small)]
    if not by_n:
        ways += [(3, _over_vector), (3, _enumerated), (3, _zipped), (2, _rows), (1, _newton)]
    w.weighted(ways)(w)


def _body(w, most=4):
    for _ in range(w.rng.randint(1, most)):
        if w.budget <= 0:
            break
        w.budget -= 1
        w.weighted(_statements(w))(w)
    if w.chance(60 if w.loops == 1 else 20) or (w.budget <= 0 and w.lines[-1].endswith(":")):
        _augment(w)


def _counted(w):
    at = w.name("i")
    if w.loops:
        known = [name for name, below in w.integers.items() if name not in w.counters]
        ways = [("range(3)", 3), ("range(2)", 2), ("range(1, 4)", 4)]
        if known and w.loops < 2:
            outer = w.pick(known)
            ways += [(f"range({outer} % 3)", 2), (f"range(min({outer}, 4))", 4),
                     (f"range({outer} % 2, 3)", 3)]
        text, below = w.pick(ways)
    else:
        text, below = w.pick((
            *[("range(n)", "n")] * 3, ("range(n - 1, -1, -1)", "n"),
            ("reversed(range(n))", "n"), ("range(0, n, 2)", "n"), ("range(1, n + 1)", None),
            ("range(1, n)", "n"), ("range(n, 0, -1)", None), ("range(n % 4 + 1)", 4)))
    with w.loop(f"for {at} in {text}:"):
        w.integers[at] = below
        _body(w)
    if w.chance(4):
        with w.block("else:"):
            _augment(w)


def _sequence(w):
    """Something to run over that gives numbers; short in an inner loop."""
    names = [*w.vectors[-2:], "x"]
    if w.buffers and w.loops == 0:
        names += w.buffers
    name = w.pick(names)
    return f"{name}{w.pick(('', '', '[::-1]', '[1:]', '[:n]', '[:-1]'))}"


def _over_vector(w):
    item, text = w.name("e"), _sequence(w)
    if w.chance(15):
        text = f"reversed({text})" if w.chance(50) else f"{text}.tolist()"
    with w.loop(f"for {item} in {text}:"):
        w.numbers.append(item)
        _body(w)


def _enumerated(w):
    at, item = w.name("i"), w.name("e")
    with w.loop(f"for {at}, {item} in enumerate({_sequence(w)}):"):
        w.integers[at] = None
        w.numbers.append(item)
        _body(w)


def _zipped(w):
    one, other = w.name("e"), w.name("e")
    with w.loop(f"for {one}, {other} in zip({_sequence(w)}, {_sequence(w)}):"):
        w.numbers += one, other
        _body(w)


def _rows(w):
    row = w.name("row")
    with w.loop(f"for {row} in {w.pick(('TABLE', 'TABLE[:n]', 'TABLE * w', 'MATRIX[:3]'))}:"):
        w.vectors.append(row)
        _body(w)


def _while_below(w):
    """``while k < n``, the counter going up first or last."""
    at, most = w.name("k"), "n" if w.loops == 0 else w.pick(("2", "3"))
    w.add(f"{at} = 0")
    first = w.chance(40)
    test = f"{at} < {most}" + (f" and {w.by_data()}" if w.chance(25) else "")
    with w.loop(f"while {test}:", can_continue=first):
        if first:
            w.add(f"{at} += 1")
        w.integers[at] = None if first else "n" if most == "n" else int(most)
        _body(w)
        if not first:
            w.add(f"{at} {w.pick(('+= 1', f'= {at} + 1'))}")


def _until_break(w):
    at, most = w.name("k"), "n" if w.loops == 0 else "3"
    w.add(f"{at} = 0")
    with w.loop("while True:", can_continue=False):
        w.integers[at] = None
        if w.chance(50):
            _body(w, 2)
        with w.block(f"if {at} >= {most}{f' or {w.by_data()}' if w.chance(30) else ''}:"):
            w.add("break")
        w.add(f"{at} += 1")
        w.can_continue = True
        _body(w, 3)


def _until_small(w):
    """A fixed point, to a tolerance that may depend on `n`."""
    new, old, change = w.name("new"), w.name("z"), w.name("d")
    fixed = f"{w.pick(('x[0]', 'x[-1]', 'w', 'w * x[1]', 'np.mean(x)'))}"
    w.add(f"{old}, {change} = {w.pick((fixed, '0.0', w.number(1)))}, 1.0")
    tolerance = w.pick(("1e-6", "1e-9", "0.1 ** (n % 8)", "1e-3"))
    with w.loop(f"while {w.pick(('abs', 'np.abs'))}({change}) > {tolerance}:", can_continue=False):
        w.add(f"{new} = {w.pick(('0.4 * np.cos({0})', '0.5 * np.sin({0})', 'np.tanh(0.4 * {0})'))}"
              .format(old) + f" + 0.3 * {fixed}")
        w.add(f"{change} = {new} - {old}")
        w.add(f"{old} = {new}")
        w.numbers += [old, change]
        if w.chance(50):
            _body(w, 2)
    w.numbers.append(old)


def _newton(w):
    root, of = w.name("z"), w.name("c")
    w.add(f"{of} = 1.0 + {w.pick(('x[0] * x[0]', 'w * w', 'np.sum(x * x)'))}")
    w.add(f"{root} = {of}")
    with w.loop(f"while abs({root} * {root} - {of}) > 1e-10:", can_continue=False):
        w.add(f"{root} = 0.5 * ({root} + {of} / {root})")
        w.numbers.append(root)
        if w.chance(40):
            _body(w, 2)
    w.numbers.append(root)


# Statements


def _statements(w):
    ways = [(5, _assign), (4, _augment), (5, _branch), (1, _bind_local)]
    if w.loops:
        ways.append((2, _jump))
    if w.loops < 2 and w.budget > 1:
        ways.append((3, write_loop))
    for weight, there, write in (
            (4, w.owned, _assign_vector), (4, w.owned, _write_vector),
            (6, w.buffers, _write_buffer), (3, w.owned[1:], _swap),
            (3, w.assigned[1:], _swap_numbers), (4, w.pairs, _carry), (4, w.flags, _first_time),
            (4, w.maybe, _accumulate), (5, w.bests, _keep_best),
            (4, w.lists, _append), (4, w.slots, _set_slot), (3, w.counters, _count)):
        if there:
            ways.append((weight, write))
    return ways


def _assign(w):
    name = w.pick(w.assigned)
    w.add(f"{name} = " + w.pick(("{1}", "0.5 * {0} + 0.3 * {1}", "{1}", "0.9 * {0} - {1}"))
          .format(name, w.squashed()))


def _augment(w):
    name = w.pick(w.assigned)
    w.add(w.pick((f"{name} += 0.3 * {w.squashed()}", f"{name} -= 0.2 * {w.squashed()}",
                  f"{name} *= 0.9", f"{name} *= {w.squashed()}", f"{name} /= 1.25")))


def _bind_local(w):
    name = w.name("t")
    w.add(f"{name} = {w.squashed()}")
    w.numbers.append(name)


def _assign_vector(w):
    name = w.pick(w.owned)
    w.add(f"{name} = {w.squashed_vector()}")


def _write_vector(w):
    name = w.pick(w.owned)
    w.add(w.pick((
        f"{w.element(name)} = {w.squashed()}", f"{w.element(name)} *= 0.8",
        f"{w.element(name)} += 0.3 * {w.squashed()}", f"{name}[:] = {w.squashed_vector()}",
        f"{name}[1:] = 0.7 * {name}[:-1]", f"{name}[1:-1] += 0.2 * ({name}[2:] - {name}[:-2])",
        f"{name}[::2] = {w.squashed()}", f"{name} += 0.3 * {w.squashed_vector()}", f"{name} *= 0.9",
        f"{name}[{name} > 0.9013] *= 0.5", f"np.tanh({name}, out={name})",
        f"{name}[2:] -= 0.3 * {w.squashed()}")))


def _write_buffer(w):
    name = w.pick(w.buffers)
    w.add(w.pick((
        f"{w.element(name)} = {w.squashed()}", f"{w.element(name)} = {w.squashed()}",
        f"{w.element(name)} = 0.5 * {w.element(name)} + {w.squashed()}",
        f"{w.element(name)} += 0.3 * {w.squashed()}", f"{w.element(name)} *= 0.8")))


def _swap(w):
    one, other = w.rng.sample(w.owned, 2)
    if w.chance(50):
        w.add(f"{other}[:] = {w.pick(('np.sin({0})', '0.5 * {0}', 'MATRIX @ {0}'))}".format(one))
    w.add(f"{one}, {other} = {other}, {one}")


def _swap_numbers(w):
    one, other = w.rng.sample(w.assigned, 2)
    new = w.pick((one, w.squashed(), f"0.5 * {one} + {w.squashed()}"))
    w.add(f"{one}, {other} = {other}, {new}")


def _carry(w):
    name = w.pick(w.pairs)
    w.add(w.pick((f"{name} = ({w.squashed()}, {name}[0])", f"{name} = {name}[::-1]",
                  f"{name} = (0.5 * {name}[1] + {w.squashed()}, {w.squashed()})")))


def _first_time(w):
    flag, name = w.pick(w.flags), w.pick(w.assigned)
    with w.block(f"if {flag}:"):
        w.add(f"{name} = {w.squashed()}")
        w.add(f"{flag} = False")
    if w.chance(70):
        with w.block("else:"):
            _augment(w)


def _accumulate(w):
    name = w.pick(w.maybe)
    new = w.squashed()
    if w.chance(50):
        w.add(f"{name} = {new} if {name} is None else 0.6 * {name} + {new}")
    else:
        with w.block(f"if {name} is None:"):
            w.add(f"{name} = {new}")
        with w.block("else:"):
            w.add(f"{name} {w.pick(('+= 0.3 *', '= 0.5 *'))} {w.squashed()}")


def _keep_best(w):
    (best, at), new = w.pick(w.bests), w.name("t")
    w.add(f"{new} = {w.squashed()}")
    if w.integers and w.chance(60):
        with w.block(f"if {new} > {best}:"):
            w.add(f"{best}, {at} = {new}, {w.pick(w.integers)}")
    elif w.chance(50):
        with w.block(f"if {new} {w.pick('<>')} {best}:"):
            w.add(f"{best} = {new}")
    else:
        w.add(f"{best} = {w.pick(('max', 'min'))}({best}, {new})")


def _append(w):
    name = w.pick(w.lists)
    w.add(w.pick((f"{name}.append({w.squashed()})", f"{name}.append({w.squashed()})",
                  f"if {name}:\n{'    ' * (w.depth + 1)}{name}[-1] = {w.squashed()}")))


def _set_slot(w):
    name = w.pick(w.slots)
    w.add(f'{name}["{w.pick("ab")}"] {w.pick(("=", "+= 0.3 *"))} {w.squashed()}')


def _count(w):
    name = w.pick(w.counters)
    if w.chance(40):
        w.add(f"{name} += {w.pick('12')}")
    else:
        with w.block(f"if {w.by_data()}:"):
            w.add(f"{name} += 1")


def _branch(w):
    with w.block(f"if {w.condition()}:"):
        _body(w, 2)
    if w.chance(25):
        with w.block(f"elif {w.condition()}:"):
            _body(w, 2)
    if w.chance(60):
        with w.block("else:"):
            _body(w, 2)


def _jump(w):
    late = [f"{at} {w.pick(('> 4', '== 6', '== n - 2', '> 40'))}" for at in w.integers]
    test = w.pick(late) if late and w.chance(50) else w.condition()
    with w.block(f"if {test}:"):
        if w.chance(40):
            _augment(w)
        if w.chance(8):
            w.add(f"return {w.squashed()} + np.sum(x) * w")
        elif w.can_continue and w.chance(55):
            w.add("continue")
        else:
            w.add("break")
