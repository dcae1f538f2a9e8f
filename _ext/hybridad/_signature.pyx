"""The signature of a call: all that specialized code relies on without looking again.

It is made of a walk (see `_walk`) only if the call is new; calls are compared with it word by word.
"""

from cpython.object cimport Py_EQ, PyObject_Hash, PyObject_RichCompareBool
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

import numpy as np
import optree

cimport numpy as cnp

from hybridad import tree as pytrees
from hybridad._overlaps cimport put_shared
from hybridad._walk cimport (
    ARRAY, COMPLEX, DICT, DIFFERENTIATED, ELLIPSIS, FALSE, FLOAT, HAS_DTYPE, HAS_STRIDES, INT, LIST,
    NONE, OBJECT, PLAIN, SCALAR, SCALARS, SWAPPED, TREE, TRUE, TUPLE, VALUE, Walk, begin_walk,
    end_walk, is_a, leaves_of, walk_call)

cnp.import_array()

cdef object _treespec = optree.PyTreeSpec


cdef class Structure:
    """How an argument is made of its leaves.

    Attributes
    ----------
    kind : int
    leaf, leaves : int
        The number of the leaf, or of a container's first one; and how many it has.
    children : tuple of Structure
    value : object
        What is known by value; the keys of a dict; the `PyTreeSpec` of another pytree.
    type : type or None
        Of numbers.
    text : str
        Of leaves: what is known of them ("float64[3, 4]").
    """

    def parts(self, str place):
        """Pairs of a place ("x['w'][0]") and what is known of what stands there."""
        cdef Structure child
        cdef list found = []
        if self.kind in (TUPLE, LIST, DICT, TREE):
            keys = self.value if self.kind == DICT else range(len(self.children))
            found.append((place, self.text))
            for key, child in zip(keys, self.children):
                found.extend(child.parts(f"{place}[{key!r}]"))
            return found
        return [(place, self.text)]


cdef class Signature:
    """What all calls that one specialized function answers have in common.

    Attributes
    ----------
    leaves : int
        How many leaves such a call has.
    keys : tuple of (int or str)
        Positions and names of the differentiated arguments, in the order of their gradients.
    arguments : tuple of Structure
        Of each argument, those passed by name last.
    names : tuple of str
        Of those.
    structures : tuple of Structure
        Of the differentiated arguments, in the order of `keys`.
    wanted : tuple of int
        The numbers of the differentiated leaves, in that order.
    statics : tuple
        The objects that are known by value or by identity, among them types.
    """

    def __dealloc__(self):
        free(self.words)

    def __hash__(self):
        return self.hashed

    def __eq__(self, other):
        cdef Signature that
        cdef Py_ssize_t k
        if type(other) is not Signature:
            return False
        that = <Signature>other
        if self.hashed != that.hashed or self.nwords != that.nwords \
                or len(self.statics) != len(that.statics) \
                or memcmp(self.words, that.words, self.nwords * sizeof(int64_t)):
            return False
        for k in range(len(self.statics)):
            if not same_static(self.statics[k], that.statics[k]):
                return False
        return True

    cdef bint fits(self, Walk* w) except -1:
        """Whether a call that was walked has this signature."""
        cdef Py_ssize_t k
        if self.nwords != w.nwords or len(self.statics) != w.nstatics \
                or memcmp(self.words, w.words, w.nwords * sizeof(int64_t)):
            return False
        for k in range(w.nstatics):
            if not same_static(self.statics[k], <object>w.statics[k]):
                return False
        return True

    def parts(self):
        """What is known of a call, place by place, as texts: for messages.

        Returns
        -------
        dict of str to str
        """
        cdef Structure shape
        cdef list found = []
        cdef Py_ssize_t k, positional = len(self.arguments) - len(self.names)
        for k, shape in enumerate(self.arguments):
            name = repr(self.names[k - positional]) if k >= positional else str(k)
            found.extend(shape.parts(f"argument {name}"))
        return dict(found)

    def rebuild(self, list leaves):
        """Arguments of this signature with other leaves.

        Parameters
        ----------
        leaves : list
            As many as the signature has.

        Returns
        -------
        args : tuple
        kwargs : dict
            What is known by value is as it was when the signature was made.
        """
        cdef Py_ssize_t k, positional = len(self.arguments) - len(self.names)
        cdef PyObject** values
        if len(leaves) != self.leaves:
            raise ValueError(f"{len(leaves)} leaves where there are {self.leaves}")
        values = <PyObject**>malloc((len(leaves) + 1) * sizeof(PyObject*))
        if values == NULL:
            raise MemoryError
        try:
            for k in range(len(leaves)):
                values[k] = <PyObject*>leaves[k]
            built = [build(shape, values, None, False) for shape in self.arguments]
        finally:
            free(values)
        return tuple(built[:positional]), dict(zip(self.names, built[positional:]))

    def __repr__(self):
        return "<Signature " + ", ".join(f"{k}: {v}" for k, v in self.parts().items()) + ">"


cdef inline bint same_static(object a, object b) except -1:
    """Texts, dtypes and structures of trees are compared by value, all else by identity."""
    if a is b:
        return True
    cdef type t = type(a)
    if t is not type(b):
        return False
    if t is str or t is bytes or cnp.PyArray_DescrCheck(a):
        return PyObject_RichCompareBool(a, b, Py_EQ)
    if t is _treespec:
        try:
            return PyObject_RichCompareBool(a, b, Py_EQ)
        except Exception:   # of what a user's class holds beside its children: an array, say
            return False
    return False


cdef Py_hash_t hash_of(Walk* w) except -1:
    cdef unsigned long long found = 1469598103934665603ULL
    cdef Py_ssize_t k
    cdef object x
    for k in range(w.nwords):
        found = (found ^ <unsigned long long>w.words[k]) * 1099511628211ULL
        found ^= found >> 29
    for k in range(w.nstatics):
        x = <object>w.statics[k]
        if type(x) is _treespec:
            found ^= <unsigned long long>x.num_leaves   # what a user's class holds may not hash
        elif type(x) is str or type(x) is bytes or cnp.PyArray_DescrCheck(x):
            found ^= <unsigned long long>PyObject_Hash(x)
        else:
            found ^= <unsigned long long><size_t><void*>x >> 4
        found *= 1099511628211ULL
    found &= 0x7FFFFFFFFFFFFFFFULL
    return <Py_hash_t>found


cdef Signature probe(Walk* w):
    """The signature of a call that has been walked, to be looked up: it can be compared only."""
    cdef Signature made = Signature.__new__(Signature)
    cdef Py_ssize_t k
    made.words = <int64_t*>malloc(w.nwords * sizeof(int64_t))
    if made.words == NULL:
        raise MemoryError
    memcpy(made.words, w.words, w.nwords * sizeof(int64_t))
    made.nwords = w.nwords
    made.statics = tuple([<object>w.statics[k] for k in range(w.nstatics)])
    made.hashed = hash_of(w)
    made.leaves = w.nleaves
    return made


cdef int complete(Signature made, tuple args, dict kwargs, tuple keys) except -1:
    """Give a signature that is new what else is known of the call."""
    cdef Reader reader = Reader.__new__(Reader)
    cdef Structure shape
    cdef list arguments, numbers, wanted = []
    cdef Py_ssize_t k
    made.keys = keys
    made.names = tuple(kwargs) if kwargs else ()
    reader.words, reader.statics, reader.word = made.words, made.statics, 1
    arguments = [reader.read() for k in range(len(args))]
    for k in range(len(made.names)):
        reader.static += 1
        arguments.append(reader.read())
    made.arguments = tuple(arguments)
    made.structures = tuple([
        made.arguments[key if type(key) is int else len(args) + made.names.index(key)]
        for key in keys])
    for shape in made.structures:
        wanted.extend(range(shape.leaf, shape.leaf + shape.leaves))
    made.wanted = tuple(wanted)
    return 0


cdef inline bint is_leaf(int kind) noexcept:
    return kind == ARRAY or kind == FLOAT or kind == SCALAR or kind == COMPLEX or kind == INT \
        or kind == OBJECT


cdef class Reader:
    """Reads structures from words."""

    cdef int64_t* words
    cdef tuple statics
    cdef Py_ssize_t word, static, leaf, tree

    cdef object take(self):
        self.static += 1
        return self.statics[self.static - 1]

    cdef Structure read(self):
        cdef Structure made = Structure.__new__(Structure)
        cdef int64_t word = self.words[self.word]
        cdef int kind = word & 0xFF
        cdef Py_ssize_t n = word >> 8, k
        self.word += 1
        if kind == DIFFERENTIATED:
            return self.read()
        made.kind, made.leaf, made.children = kind, self.leaf, ()
        if kind == ARRAY:
            made.text = self.read_array(word)
        elif kind == OBJECT:
            made.type = self.take()
            made.text = f"an object of {made.type.__qualname__}"
        elif kind == SCALAR:
            made.type = SCALARS[n]
            made.text = made.type.__name__
        elif kind in (FLOAT, COMPLEX, INT):
            made.type = float if kind == FLOAT else complex if kind == COMPLEX else int
            made.text = made.type.__name__
        elif kind in (TUPLE, LIST, DICT, TREE):
            if kind == DICT:
                made.value = tuple([self.take() for k in range(n)])
            elif kind == TREE:
                made.value, made.tree = self.take(), self.tree
                self.tree += 1
            made.children = tuple([self.read() for k in range(n)])
            if kind == DICT:        # which were read in the order of the sorted keys
                by_key = dict(zip(sorted(made.value), made.children))
                made.children = tuple([by_key[key] for key in made.value])
            made.text = _CONTAINERS[kind].format(n, made.value)
        else:
            made.value = self.take() if kind == VALUE else _CONSTANTS[kind]
            made.text = f"{made.value!r:.80}"
        self.leaf += is_leaf(kind)
        made.leaves = self.leaf - made.leaf
        return made

    cdef str read_array(self, int64_t word):
        cdef int ndim = word >> 8 & 0xFF, kind = word >> 16 & 0xFFFF
        cdef int64_t flags = word >> 32
        cdef object dtype, shape
        dtype = self.take() if flags & HAS_DTYPE else cnp.PyArray_DescrFromType(kind)
        if flags & SWAPPED and not flags & HAS_DTYPE:
            dtype = dtype.newbyteorder()
        shape = [self.words[self.word + k] for k in range(ndim)]
        self.word += ndim
        text = f"{dtype}{shape}"
        if flags & HAS_STRIDES:
            text += f" of strides {[self.words[self.word + k] for k in range(ndim)]}"
            self.word += ndim
        elif not flags & cnp.NPY_ARRAY_C_CONTIGUOUS:
            text += " in Fortran order"
        if not flags & cnp.NPY_ARRAY_ALIGNED:
            text += ", not aligned"
        return text if flags & cnp.NPY_ARRAY_WRITEABLE else text + ", read-only"


cdef dict _CONTAINERS = {TUPLE: "a tuple of {}", LIST: "a list of {}", DICT: "a dict with {1}",
                         TREE: "{1}"}
cdef dict _CONSTANTS = {TRUE: True, FALSE: False, NONE: None, ELLIPSIS: ...}


cdef object build(Structure shape, PyObject** values, list trees, bint converts):
    """The argument of a structure, of new leaves: leaf number k is ``values[k]``.

    `trees` are the structures of TREEs in the call itself, which remember in what order its dicts
    were filled; None: those of the signature. `converts`: numbers become what the leaves are.
    """
    cdef dict made
    cdef list items
    cdef int kind = shape.kind
    cdef Py_ssize_t k
    cdef object x
    if is_leaf(kind):
        x = <object>values[shape.leaf]
        if converts and shape.type is not None and type(x) is not shape.type:
            return shape.type(x)
        return x
    if kind == DICT:
        made = {}
        for k in range(len(shape.children)):
            made[(<tuple>shape.value)[k]] = build(
                <Structure>shape.children[k], values, trees, converts)
        return made
    if kind == LIST or kind == TUPLE or kind == TREE:
        items = []
        for k in range(len(shape.children)):
            items.append(build(<Structure>shape.children[k], values, trees, converts))
        if kind == LIST:
            return items
        if kind == TUPLE:
            return tuple(items)
        return pytrees.unflatten(shape.value if trees is None else trees[shape.tree], items)
    return shape.value


def signature(tuple args, dict kwargs, keys):
    """The signature of a call, and its leaves.

    Parameters
    ----------
    args : tuple
    kwargs : dict
    keys : iterable of (int or str)
        Positions in `args` (not negative) and names in `kwargs` of the differentiated arguments.

    Returns
    -------
    (Signature, list) or None
        None if an argument is a wrapper, or holds one: the call is part of a run.
    """
    cdef Walk w
    cdef tuple where = tuple(keys)
    cdef Signature made
    begin_walk(&w)
    try:
        if walk_call(&w, args, kwargs, where) != PLAIN:
            return None
        put_shared(&w)
        made = probe(&w)
        complete(made, args, kwargs, where)
        return made, leaves_of(&w)
    finally:
        end_walk(&w)
