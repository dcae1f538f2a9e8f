"""The generated ``__init__`` of a dataclass, whose ``__post_init__`` is the user's."""

import dataclasses
import inspect

from hybridad._record import is_wrapper

__all__ = ["initialize", "is_generated"]

_INITVAR = getattr(dataclasses, "_FIELD_INITVAR", None)
_CLASSVAR = getattr(dataclasses, "_FIELD_CLASSVAR", None)


def is_generated(cls):
    """Whether the ``__init__`` of `cls` was generated and goes on to ``__post_init__``."""
    for base in cls.__mro__:
        if "__init__" in base.__dict__:
            return ("__dataclass_fields__" in base.__dict__ and hasattr(cls, "__post_init__")
                    and base.__init__.__code__.co_filename == "<string>")
    return False


def initialize(site, run, made, args, kwargs):
    """Do what the generated ``__init__`` does, with ``__post_init__`` in recording form.

    Parameters
    ----------
    site : Site
    run : Run
    made : object
        The new instance.
    args : tuple
    kwargs : dict
    """
    cls = type(made)
    try:
        bound = inspect.signature(cls.__init__).bind(made, *args, **kwargs)
    except TypeError:
        cls.__init__(made, *args, **kwargs)  # raises as it always did
        raise
    given = bound.arguments
    frozen = cls.__dataclass_params__.frozen
    later = []
    for field in cls.__dataclass_fields__.values():
        if field._field_type is _CLASSVAR:
            continue
        if field.init and field.name in given:
            value = given[field.name]
        elif field.default_factory is not dataclasses.MISSING:
            value = site.call(field.default_factory)
        elif field.default is not dataclasses.MISSING and (field.init
                                                           or hasattr(cls, "__slots__")):
            value = field.default
        else:
            continue
        if not is_wrapper(value):
            value = run.wrap(value)
        if field._field_type is _INITVAR:
            later.append(value)
        elif frozen:
            object.__setattr__(made, field.name, value)
        else:
            site.set_attr(value, made, field.name)
    site.call(made.__post_init__, *later)
