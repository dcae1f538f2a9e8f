"""One look at a whole path, before anything is made of it."""

from hybridad.trace.ir import Node, Return, refs_of
from hybridad.trace.path import Decision, Enter, Exit, Head, Jump

__all__ = ["Survey"]


class Survey:
    """What must be known of a path in advance.

    Attributes
    ----------
    order : dict
        Id -> number of the event that made it.
    last_use : dict
        Id -> number of the last event that uses it.
    first_memory : dict
        Memory -> number of the event with which it appeared.
    written : set
        Memories that are written to.
    written_in : dict
        Number of a loop -> the memories that are written to in it.
    roots : dict
        Memory -> the id of the array by which it appeared.
    examples : dict
        Id -> value in the run.
    kinds : dict
        Id -> (aval, memory, name).
    last_id : int
    """

    def __init__(self, events):
        self.order, self.last_use, self.first_memory = {}, {}, {}
        self.written, self.written_in, self.roots, self.examples = set(), {}, {}, {}
        self.kinds = {}
        self._open = []
        for index, event in enumerate(events):
            _LOOKS[type(event)](self, index, event)
        self.last_id = max(self.order, default=-1)

    def make(self, index, id, memory=None, example=None, aval=None, name=None):
        """Event `index` gave `id`."""
        self.order[id] = index
        self.kinds[id] = aval, memory, name
        if memory is not None:
            self.first_memory.setdefault(memory, index)
            self.roots.setdefault(memory, id)
        if example is not None:
            self.examples[id] = example

    def _use(self, index, x):
        for ref in refs_of(x):
            self.last_use[ref.id] = index

    def _node(self, index, node):
        self._use(index, node.args)
        if node.kwargs:
            self._use(index, node.kwargs)
        self.make(index, node.id, node.memory, node.example, node.aval, node.name)
        if node.op == "write":
            self.written.add(node.memory)
            for inside in self._open:
                inside.add(node.memory)

    def _decision(self, index, decision):
        self._use(index, decision.test)

    def _enter(self, index, enter):
        self._use(index, enter.spec)
        self._open.append(self.written_in.setdefault(enter.number, set()))

    def _names(self, index, event):
        for name in event.names:
            self._use(index, name.before)
            if name.id is not None:
                self.make(index, name.id, name.memory, name.example, name.aval, name.name)

    def _head(self, index, head):
        self._names(index, head)
        if head.item is not None:
            self.make(index, head.item, head.item_memory, head.item_example, head.item_aval,
                      head.item_name)

    def _jump(self, index, jump):
        self._names(index, jump)
        if jump.label >= 2:  # there may come no `Exit`
            self._close(jump.number)

    def _exit(self, index, event):
        self._names(index, event)
        self._close(event.number)

    def _close(self, number):
        inside = self.written_in.get(number)
        self._open = [other for other in self._open if other is not inside]

    def _return(self, index, end):
        self._use(index, end.value)
        self._use(index, end.aux)


_LOOKS = {
    Node: Survey._node, Decision: Survey._decision, Enter: Survey._enter, Head: Survey._head,
    Jump: Survey._jump, Exit: Survey._exit, Return: Survey._return,
}
