"""Operations that are no primitives, as the primitives that they are made of.

An operation is run once on the tape's wrappers of its arguments; what the tape has recorded is
written down as operations of the trace. Only what depends on nothing but arguments and static
values may stand in them: the result is checked on other arguments, and what looks like it had come
from data is refused.
"""

import operator

import numpy as np

from hybridad._record import is_wrapper, leaf, raw_of, storage_node
from hybridad._tape import Tape
from hybridad.errors import HybridadError
from hybridad.sct.differentiate.calls import is_differentiable
from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.writer import aval_of, computed
from hybridad.trace.ir import HOLE, Method, Node, Ref, map_refs, refs_of
from hybridad.trace.windows import steps_to

__all__ = ["decomposed"]


def decomposed(node, examples, ids, part):
    """The operations that an operation is made of.

    Parameters
    ----------
    node : Node
        An "apply".
    examples : dict
        Id -> example.
    ids : iterator of int
        Free ids.
    part : str

    Returns
    -------
    nodes : list of Node
    results : Ref or list of Ref
        Of what stands for the result, or for each of its items.

    Raises
    ------
    Unsupported
    """
    name = getattr(node.target, "name", None) or getattr(node.target, "__name__", node.target)
    if not _is_followed(node.target):
        raise Unsupported(f"{name} has no rule", node.place)
    refs = list(dict.fromkeys(refs_of((node.args, node.kwargs))))
    if any(isinstance(x, np.ndarray) and not is_differentiable(x)
           for x in (examples[ref.id] for ref in refs)):
        raise Unsupported(f"{name} of an array of integers that comes from data", node.place)
    try:
        made = _Decomposition(node, refs, examples, ids, part)
        made.run()
    except HybridadError as error:
        raise Unsupported(str(error).splitlines()[0], node.place) from None
    made.check(name)
    return made.nodes, made.results


def _is_followed(target):
    """Whether a function is one of those that the protocols of wrappers see."""
    return type(target) in (Method, np.ufunc) or (
        (getattr(target, "__module__", None) or "numpy").partition(".")[0] in _MODULES)


_MODULES = {"numpy", "scipy", "operator", "_operator", "builtins"}


class _Decomposition:
    def __init__(self, node, refs, examples, ids, part):
        self.node = node
        self.refs = refs
        self.examples = examples
        self.ids = ids
        self.part = part
        self.nodes = []
        self.known = {}         # node of the tape -> Ref
        self.plain = {}         # id of an operation made here -> example
        self.tuples = {}        # node of the tape of the first of several results -> Ref

    def run(self):
        """Run the operation on wrappers and write down what has been recorded."""
        tape = Tape("decomposed")
        tape.keeps_constants = True
        wrappers = {}
        for ref in self.refs:
            raw = self.examples[ref.id]
            if is_differentiable(raw) and not isinstance(raw, tuple):
                wrappers[ref] = wrapper = leaf(tape, raw)
                self.known[storage_node(wrapper)] = ref
            else:
                wrappers[ref] = raw
        mark = len(tape)
        args = map_refs(wrappers.__getitem__, self.node.args)
        kwargs = map_refs(wrappers.__getitem__, self.node.kwargs)
        result = _called(self.node.target, args, kwargs)
        entries = tape.entries_since(mark)
        if tape.guards():
            raise Unsupported("a decision inside of a function of NumPy", self.node.place)
        self.raws = {number: raw_of(wrappers[ref]) for number, ref in self.known.items()}
        for entry in entries:
            self._entry(*entry)
        if type(result) in (tuple, list):
            self.results = [self._result(item) for item in result]
        else:
            self.results = self._result(result)
        tape.close()

    def _entry(self, number, primitive, ans, kwargs, operands, out, nout, write):
        self.raws[number] = ans
        if write is not None:
            raise Unsupported("a write inside of a function of NumPy", self.node.place)
        if primitive is None and operands and operands[0][0] == "element":
            _, source, offset = operands[0]
            array = self.raws[source]
            index = np.unravel_index(offset // array.itemsize, array.shape) \
                if array.flags.c_contiguous else _index_at(array, offset)
            self.known[number] = self._apply(operator.getitem, (
                self.known[source], tuple(map(int, index))), {}, ans)
            return
        if primitive is None:
            if nout:
                self._several(number, None, operands, kwargs, out, nout, ans)
                return
            raise Unsupported("a constant inside of a function of NumPy", self.node.place)
        if nout:
            self._several(number, primitive, operands, kwargs, out, nout, ans)
            return
        args = tuple([self._operand(x) for x in operands])
        if primitive.func is operator.getitem:
            self.known[number] = self._apply(operator.getitem, args, {}, ans)
            return
        if primitive.sequence:
            args = (list(args),)
        self.known[number] = self._apply(primitive.func, args, kwargs or {}, ans)

    def _several(self, number, primitive, operands, kwargs, out, nout, ans):
        first = number - out
        if first not in self.tuples:
            if primitive is None:
                raise Unsupported("a function of several results", self.node.place)
            args = tuple([self._operand(x) for x in operands])
            plain = computed(primitive.func, self._plain(args), kwargs or {})
            self.tuples[first] = self._apply(primitive.func, args, kwargs or {}, plain)
        self.known[number] = self._apply(operator.getitem, (self.tuples[first], out), {}, ans)

    def _operand(self, operand):
        kind, x = operand[0], operand[1]
        if kind == "constant":
            for ref in self.refs:
                if x is self.examples[ref.id] and not isinstance(x, (int, float)):
                    return ref
            # Floats that come from data change with it, which `check` sees; masks need not.
            if isinstance(x, np.ndarray) and x.ndim and x.dtype.kind not in "fc" \
                    and not self._is_static(x):
                raise Unsupported("an array inside of a function of NumPy", self.node.place)
            return x
        if kind == "node":
            return self.known[x]
        return self._view(x, operand[2])

    def _is_static(self, x):
        """Whether an array stands in the operation as the user wrote it."""
        waiting = [self.node.args, self.node.kwargs]
        while waiting:
            item = waiting.pop()
            if item is x:
                return True
            if type(item) in (tuple, list):
                waiting.extend(item)
            elif type(item) is dict:
                waiting.extend(item.values())
        return False

    def _view(self, number, raw):
        """A view of the storage of a node, by basic indexing and the like."""
        x = self.known[number]
        if raw is self.raws[number]:
            return x
        steps = steps_to(self.raws[number], raw)
        if steps is None:
            raise Unsupported("a view inside of a function of NumPy", self.node.place)
        for step in steps:
            args = tuple([x if y is HOLE else y for y in step.args])
            x = self._apply(step.target, args, step.kwargs)
        return x

    def _result(self, x):
        if not is_wrapper(x) or storage_node(x) not in self.known:
            raise Unsupported("a result that is not differentiated", self.node.place)
        number = storage_node(x)
        if raw_of(x) is self.raws[number] or not isinstance(raw_of(x), np.ndarray):
            return self.known[number]
        return self._view(number, raw_of(x))

    def _plain(self, x):
        return map_refs(lambda ref: self.plain.get(ref.id, self.examples.get(ref.id)), x)

    def _apply(self, target, args, kwargs, example=None):
        if example is None:
            example = computed(target, self._plain(args), self._plain(kwargs))
        id = next(self.ids)
        self.plain[id] = example
        self.nodes.append(Node(id, "apply", target, args, kwargs, aval_of(example), None,
                               self.node.place, None, self.part, self.node.id, example))
        return Ref(id)

    # -- checking ----------------------------------------------------------------------------

    def check(self, name):
        """Raise if the operations give something else than the function, on other arguments."""
        rng = np.random.default_rng(0)
        with np.errstate(all="ignore"):
            for change in (_scaled, _shuffled):
                values = {ref.id: change(rng, self.examples[ref.id]) for ref in self.refs}
                if not self._is_right(values):
                    raise Unsupported(f"{name} decides by values", self.node.place)

    def _is_right(self, values):
        """Whether the operations give what the function gives for these values of `refs`."""
        def filled(x):
            return map_refs(lambda ref: values[ref.id], x)

        try:
            expected = _called(self.node.target, filled(self.node.args), filled(self.node.kwargs))
        except Exception:
            return True     # it is not defined there
        for node in self.nodes:
            values[node.id] = computed(node.target, filled(node.args), filled(node.kwargs))
        found = filled(self.results)
        return _agree(found, list(expected) if type(self.results) is list else expected)


def _called(target, args, kwargs):
    if type(target) is Method:
        found = getattr(args[0], target.name)
        return found(*args[1:], **kwargs) if callable(found) else found
    return target(*args, **kwargs)


def _scaled(rng, x):
    if not is_differentiable(x):
        return x
    changed = x * (1.0 + 0.1 * rng.uniform(size=np.shape(x)))
    return changed.astype(x.dtype) if isinstance(x, np.ndarray) else type(x)(changed)


def _shuffled(rng, x):
    x = _scaled(rng, x)
    if not isinstance(x, np.ndarray) or x.size < 2:
        return x
    return rng.permutation(x.ravel()).reshape(x.shape)


def _agree(found, expected):
    if type(found) is list:
        return len(found) == len(expected) and all(map(_agree, found, expected))
    return np.shape(found) == np.shape(expected) and np.allclose(
        found, expected, rtol=1e-5, atol=1e-8, equal_nan=True)


def _index_at(array, offset):
    index = []
    for _, stride in sorted(enumerate(array.strides), key=lambda pair: -abs(pair[1])):
        index.append(offset // stride if stride else 0)
        offset -= index[-1] * stride
    order = sorted(range(array.ndim), key=lambda k: -abs(array.strides[k]))
    found = [0] * array.ndim
    for axis, k in zip(order, index):
        found[axis] = k
    return found
