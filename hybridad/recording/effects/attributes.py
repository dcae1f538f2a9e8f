"""Where attributes lie: read and written in C alone, past whatever code a class has for them."""

from types import (
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)

__all__ = ["ABSENT", "Attribute", "instance_dict", "look_up", "members"]

ABSENT = type("_Absent", (), {"__slots__": (), "__repr__": lambda self: "ABSENT"})()

_mro_of = type.__dict__["__mro__"].__get__
_namespace_of = type.__dict__["__dict__"].__get__
_NATIVE = (GetSetDescriptorType, MemberDescriptorType)


def look_up(kind, name):
    """What a type has under a name, or ABSENT; runs no code of the type's or its metaclass'."""
    for base in _mro_of(kind):
        namespace = _namespace_of(base)
        if name in namespace:
            return namespace[name]
    return ABSENT


def instance_dict(obj):
    """The ``__dict__`` of an object (of a class: a read-only view of it), or None."""
    descriptor = look_up(type(obj), "__dict__")
    if type(descriptor) not in _NATIVE:
        return None
    try:
        return descriptor.__get__(obj)
    except (AttributeError, TypeError):
        return None


def members(kind):
    """The slots of a type's instances, as descriptors."""
    return [value for base in _mro_of(kind) for value in _namespace_of(base).values()
            if type(value) is MemberDescriptorType]


def _native_setattr(obj):
    """How C sets and deletes an attribute of such objects, below any ``__setattr__`` in Python."""
    for base in _mro_of(type(obj)):
        namespace = _namespace_of(base)
        if type(namespace.get("__setattr__")) is WrapperDescriptorType:
            return namespace["__setattr__"], namespace["__delattr__"]
    return object.__setattr__, object.__delattr__


def _is_data_descriptor(kind):
    return look_up(kind, "__set__") is not ABSENT or look_up(kind, "__delete__") is not ABSENT


class Attribute:
    """The place of one attribute: a slot, or an entry in the object's dictionary.

    An attribute that is served by a descriptor written in Python (a property) has no place; what
    its functions store, they store elsewhere.
    """

    __slots__ = ("_descriptor", "_dict", "name", "obj")

    def __init__(self, obj, name):
        self.obj, self.name, self._descriptor, self._dict = obj, name, None, None
        found = look_up(type(obj), name)
        if type(found) in _NATIVE:
            self._descriptor = found
        elif found is ABSENT or not _is_data_descriptor(type(found)):
            self._dict = instance_dict(obj)
        elif (type(look_up(type(found), "__set__")) is WrapperDescriptorType
              and not issubclass(type(found), property)):
            self._descriptor = found  # of an extension module: a field of a ctypes structure

    @property
    def exists(self):
        """Whether there is such a place."""
        return self._descriptor is not None or self._dict is not None

    @property
    def order(self):
        """The names in the object's dictionary, if its order can be restored; else None."""
        # A module is seen by other threads, to which no name of it may be missing for a moment.
        if type(self._dict) is dict and not issubclass(type(self.obj), ModuleType):
            return tuple(self._dict)
        return None

    def read(self):
        """What is there, or ABSENT."""
        if self._descriptor is None:
            return self._dict.get(self.name, ABSENT)
        try:
            return self._descriptor.__get__(self.obj, type(self.obj))
        except AttributeError:
            return ABSENT

    def write(self, value):
        """Put a value there, or nothing: ABSENT."""
        if self._descriptor is not None:
            if value is not ABSENT:
                self._descriptor.__set__(self.obj, value)
            elif self.read() is not ABSENT:
                self._descriptor.__delete__(self.obj)
        elif type(self._dict) is dict:
            if value is not ABSENT:
                self._dict[self.name] = value
            else:
                self._dict.pop(self.name, None)
        else:  # a class
            store, delete = _native_setattr(self.obj)
            if value is not ABSENT:
                store(self.obj, self.name, value)
            elif self.name in self._dict:
                delete(self.obj, self.name)

    def reorder(self, order):
        """Bring the names in the object's dictionary into this order; new ones come last."""
        names, known = list(self._dict), set(order)
        wanted = [name for name in order if name in self._dict]
        wanted += [name for name in names if name not in known]
        if wanted != names:
            for name in wanted:
                self._dict[name] = self._dict.pop(name)
