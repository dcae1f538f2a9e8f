"""Foreign calls: code that is not followed gets plain values, and its results are lifted."""

import builtins
import functools
import types

import numpy as np

from hybridad._access import record_write
from hybridad._record import active, raw_of
from hybridad.errors import (
    HybridadError,
    LostDerivativeError,
    UnsupportedError,
    is_users,
    message,
)
from hybridad.recording.forms import package_form
from hybridad.recording.lines import at_users_line, is_call
from hybridad.recording.ownership import self_of
from hybridad.recording.refusals import name_of
from hybridad.recording.runtime.given import Given, holds, holds_active
from hybridad.recording.sharing import of_the_same_memory

__all__ = ["call_as_it_is", "call_foreign", "call_plainly", "draw", "draws", "effect", "is_pure",
           "is_writer", "plain_arrays"]

_IMPURE = {"print", "input", "open", "exec", "eval", "compile", "__import__", "breakpoint",
           "setattr", "delattr", "next"}
_PURE = {id(f) for name, f in vars(builtins).items()
         if isinstance(f, types.BuiltinFunctionType) and name not in _IMPURE}
_PURE_MODULES = ("math", "cmath", "_operator", "operator", "itertools", "_functools", "_bisect",
                 "_statistics")
_IMMUTABLE = (str, bytes, int, float, complex, tuple, frozenset, range, type(None), bool, slice,
              np.generic)


def is_pure(f):
    """Whether a builtin function neither has an effect nor reads what may change."""
    if id(f) in _PURE or f.__module__ in _PURE_MODULES:
        return True
    own = f.__self__
    return own is not None and type(own) is not types.ModuleType and isinstance(own, _IMMUTABLE)


def call_foreign(site, run, f, args, kwargs):
    """Call code from outside, in order with all the others.

    It gets plain values. Where a value that it needs is differentiated: what shows or stores it
    away gets the plain value; Python code of an installed package is entered in recording form;
    everything else is called with the wrappers, whose protocols see what NumPy does and refuse the
    rest.
    """
    if not holds_active((f, args, kwargs)):
        return call_plainly(run, f, args, kwargs)
    if site.discarded and _is_sink(f):
        return effect(site, run, f, args, kwargs)
    if _is_text_of(f):
        text = call_plainly(run, f, args, kwargs)
        site.guard("str", text)
        return text
    if _draws_into(f, args, kwargs):
        return _fill(run, f, args, **kwargs)
    if draws(f):
        return draw(run, f, args, kwargs)
    if type(f) is types.FunctionType:
        form = package_form(f)
        if form is not None:
            return run.wrap(form(*args, **kwargs))
    run.note(f"{name_of(f)} was called with differentiated values")
    return run.wrap(call_as_it_is(f, args, kwargs))


def call_as_it_is(f, args, kwargs):
    """Call `f` with the values of the run; what does not take them is named."""
    try:
        return at_users_line(f, args, kwargs)
    except Exception as error:
        if not holds((f, args, kwargs), active):
            raise
        refusal = _refusal_in(error)
        if refusal is not None:
            what = ("differentiated value, and was about to make it a plain one: its derivative "
                    "would be lost")
        elif isinstance(error, HybridadError) or isinstance(f, types.FunctionType) \
                or not _is_its_own(error) or not holds((args, kwargs), active):
            raise
        else:
            refusal = error
            text = str(error).replace("hybridad._parray.PersistentScalar", "a float").replace(
                "hybridad._parray.PersistentArray", "an array")
            what = f"differentiated value, which it does not take ({type(error).__name__}: {text})"
    raise LostDerivativeError(message(f"{name_of(f)} was called with a {what}.", _REMEDY)) \
        from refusal


_REMEDY = ("Write it with functions that have a derivative rule (NumPy's); or give it "
           "hybridad.stop_gradient(x), if no derivative is wanted there.")


def _refusal_in(error):
    """The refusal that library code ran into, or None: what the user's own code did is told so."""
    if isinstance(error, SystemError):      # compiled code went on after an error
        while error is not None and not isinstance(error, HybridadError):
            error = error.__cause__ or error.__context__
        return error
    if isinstance(error, AttributeError) and type(error.obj).__module__ == "hybridad._site":
        return error    # so did it here: with an error under way, Python finds no attributes
    if not isinstance(error, (LostDerivativeError, UnsupportedError)):
        return None
    codes = [code for code in _codes(error)
             if is_users(code.co_filename) and not code.co_filename.endswith(".pyx")]
    return error if codes and is_call(codes[-1]) else None


def _codes(error):
    """The code of the frames that an error came through, the outermost first."""
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame.f_code
        traceback = traceback.tb_next


def _is_its_own(error):
    """Whether compiled code has raised an error, and no function that it has called."""
    *_, innermost = _codes(error)
    return is_call(innermost)


def _is_text_of(f):
    """Whether a function makes a text of its arguments, or only looks whether they agree."""
    module = getattr(f, "__module__", None) or ""
    return module.startswith(("numpy.testing", "pprint")) or (
        module == "json" and f.__name__ == "dumps")


# What only shows values, or takes them out of the program, if its result is not used.
_SINKS = {
    "_io", "_json", "_pickle", "_warnings", "csv", "_csv", "io", "json", "logging", "matplotlib",
    "mlflow", "pickle", "plotly", "pprint", "rich", "seaborn", "sys", "tensorboard",
    "tensorboardX", "time", "tqdm", "traceback", "wandb", "warnings",
}
_DRAWING = {"matplotlib", "seaborn", "plotly"}
_WRITERS = {np.save, np.savetxt, np.savez, np.savez_compressed}


def _is_sink(f):
    return _package(f) in _SINKS


def _package(f):
    own = self_of(f)
    kind = f if own is None or isinstance(own, types.ModuleType) else type(own)
    return (kind.__module__ or "").split(".")[0]


def draws(f):
    """Whether a function or class is of a package that draws."""
    return _package(f) in _DRAWING


def draw(run, f, args, kwargs):
    """Call `f` of a package that draws: what it returns shows on paper, if it is no number."""
    made = call_plainly(run, f, args, kwargs)
    for x in made if isinstance(made, (tuple, list)) else (made,):
        if isinstance(raw_of(x), (float, np.inexact)) or (
                isinstance(x, np.ndarray) and x.dtype.kind in "fc"):
            raise LostDerivativeError(message(
                f"{name_of(f)} was called with a differentiated value, and has computed numbers "
                "from it: their derivative would be lost.", _REMEDY))
    return made


def effect(site, run, f, args, kwargs):
    """Call `f` for its effect, with plain values."""
    return call_plainly(run, f, args, kwargs)


def is_writer(f):
    """Whether a function of NumPy puts arrays into a file."""
    return any(f is writer for writer in _WRITERS)


def call_plainly(run, f, args, kwargs):
    """Call `f` with plain values; its result is as the run sees it."""
    given = Given(run)
    args = tuple([given.plain(x) for x in args])
    kwargs = {k: given.plain(x) for k, x in kwargs.items()}
    if type(f) is functools.partial:
        f = functools.partial(f.func, *map(given.plain, f.args),
                              **{k: given.plain(x) for k, x in f.keywords.items()})
    arrays = [w for w in given.arrays if raw_of(w).flags.writeable]
    before = [raw_of(w).copy() for w in arrays]
    written = [*map(raw_of, arrays), *plain_arrays((*args, *kwargs.values()))]
    run.suspended += 1
    try:
        result = run.journal.foreign(f, args, kwargs, written, at_users_line)
    finally:  # also what it did before it raised
        run.suspended -= 1
        for w, old in zip(arrays, before):
            _note_change(w, old, f)
        given.take_back()
    result = of_the_same_memory(given.arrays, result)
    if isinstance(result, np.ndarray) and type(raw_of(result)) is not np.ndarray:
        for w in given.arrays:
            if raw_of(w).flags.writeable and np.may_share_memory(result, raw_of(w)):
                raise UnsupportedError(message(
                    f"{name_of(f)} made a {type(result).__name__} upon the memory of an array, "
                    "which cannot be followed.",
                    "Let it copy the array (copy=True)."))
    return run.wrap(result)


def plain_arrays(values):
    """Arrays that are no values of the run, to which code in C may write too."""
    return [x for x in values if isinstance(x, np.ndarray) and x.flags.writeable
            and x.dtype.kind not in "fc"]


def _note_change(w, old, f):
    """Record that foreign code has written into an array that it was given."""
    raw = raw_of(w)
    if np.array_equal(raw, old, equal_nan=True):
        return
    if active(w):
        raise _written(f)
    new = raw.copy()
    raw[...] = old

    def perform():
        raw[...] = new

    record_write(w, raw, None, None, (new,), None, perform)


def _draws_into(f, args, kwargs):
    """Whether `f` draws into an array of differentiated values; draws from such are refused."""
    own = self_of(f, args[0] if args else None)     # methods come as functions, too
    if not type(own).__module__.startswith("numpy.random"):
        return False
    if active(kwargs.get("out")) and not holds_active((args, {**kwargs, "out": None})):
        return True
    raise LostDerivativeError(message(
        f"{name_of(f)} was asked to draw with differentiated parameters.",
        "Draw standard numbers and transform them: mu + sigma * rng.standard_normal(n); or "
        "draw with hybridad.stop_gradient(parameter) if the draw shall not be followed."))


def _fill(run, f, args, out, **kwargs):
    """Let a generator draw into an array of differentiated values, all of which it overwrites."""
    drawn = np.empty_like(raw_of(out))
    call_plainly(run, f, args, {**kwargs, "out": drawn})
    out[...] = drawn
    return out


def _written(f):
    return LostDerivativeError(message(
        f"{name_of(f)} wrote into an array of differentiated values, which cannot be followed.",
        "Let it write into an array of its own."))
