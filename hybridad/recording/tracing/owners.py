"""Whose classes and modules are."""

import sys

import numpy as np

from hybridad.recording.ownership import is_installed, owner_of_file

__all__ = ["Owners"]


class Owners:
    """What a trace run knows of classes and modules; the rest of it is in `run`."""

    def is_users_module(self, module):
        file = getattr(module, "__file__", None)
        return file is not None and owner_of_file(file) == "user"

    def is_library_module(self, module):
        """Whether a module is Python's own or NumPy's, whose numbers stay what they are."""
        top = module.__name__.split(".")[0]
        return top in sys.stdlib_module_names or top in ("numpy", "scipy")

    def is_users_class(self, cls):
        return any("__module__" in b.__dict__ and not self._is_of_library(b)
                   for b in cls.__mro__ if b is not object)

    def _is_of_library(self, cls):
        name = str(cls.__module__)
        if name == "builtins" or name.split(".")[0] in sys.stdlib_module_names:
            return name != "__main__"
        return is_installed(name)

    def is_foreign_object(self, x):
        """Whether NumPy would have to ask an object what it is."""
        kind = type(x)
        return (hasattr(kind, "__array_ufunc__") and kind is not np.ndarray \
            and not issubclass(kind, np.generic)) or (hasattr(kind, "__array_function__") \
            and kind is not np.ndarray)
