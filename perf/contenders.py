"""Who runs on a problem: hybridad's engines, adjoints by hand and other libraries."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import hybridad
from perf import generated
from perf.peers import autograd_peer, handwritten, jax_peer, torch_peer

__all__ = ["Contender", "contenders", "disagreement"]

PEERS = {"autograd": autograd_peer, "torch": torch_peer, "jax": jax_peer}


@dataclass(frozen=True)
class Contender:
    """Something that runs a problem.

    Attributes
    ----------
    calls : list of callable
        One for each set of arguments, without parameters.
    as_numpy : callable or None
        Makes the value and a tuple of gradients of an answer; None where there is no gradient.
    """

    calls: list[Callable]
    as_numpy: Callable | None

    @property
    def run(self) -> Callable:
        """All calls, one after the other."""
        return self.calls[0] if len(self.calls) == 1 else self._run

    def _run(self):
        for call in self.calls:
            call()


def _plainly(answer):
    value, gradients = answer
    return value, gradients


def _of_generated(answer):
    value, *gradients = answer
    return value, gradients


def _bound(function, sets):
    return [functools.partial(function, *args) for args in sets]


def contenders(name: str, size: str, module, sets: list[tuple]) -> tuple[dict, dict]:
    """What is run on a problem: name -> Contender; and name -> why somebody cannot take part."""
    argnums = module.ARGNUMS
    tape = hybridad.value_and_grad(module.f, argnums, engine="tape")
    found = {"plain": Contender(_bound(module.f, sets), None),
             "tape": Contender(_bound(tape, sets), _plainly)}
    absent = {}
    specialized = hybridad.value_and_grad(module.f, argnums, engine="auto")
    if reason := generated.refusal(specialized, sets):
        absent["sct"] = reason
    else:
        found["sct"] = Contender(_bound(specialized, sets), _plainly)
        alone = [generated.generated(specialized, args) for args in sets]
        if None not in alone:
            found["generated"] = Contender(alone, _of_generated)
    if name in handwritten.ADJOINTS:
        found["hand"] = Contender(_bound(handwritten.ADJOINTS[name], sets), _plainly)
    for peer, library in PEERS.items():
        if reason := library.refusal(name, size):
            absent[peer] = reason
        else:
            prepared = [library.prepare(args) for args in sets]
            found[peer] = Contender(
                _bound(library.differentiate(name, argnums), prepared),
                lambda answer, library=library: library.as_numpy(*answer))
    return found, absent


def disagreement(found: dict[str, Contender]) -> dict[str, float]:
    """The largest difference of an answer from the tape's, relative to its largest element."""
    tape = found["tape"]
    expected = [tape.as_numpy(call()) for call in tape.calls]
    worst = {}
    for name, contender in found.items():
        if contender.as_numpy is None or name == "tape":
            continue
        worst[name] = 0.0
        for call, (value, gradients) in zip(contender.calls, expected, strict=True):
            other_value, others = contender.as_numpy(call())
            pairs = [(value, other_value), *zip(gradients, others, strict=True)]
            apart = max(np.max(np.abs(a - b)) / np.max(np.abs(b)) for a, b in pairs)
            worst[name] = max(worst[name], float(apart))
    return worst
