"""Exceptions and `with`: try, except, else and finally, NumPy's errors caught, context managers."""

# ruff: noqa: E701, E702

import contextlib
import math
import warnings

import numpy as np

from tests.programs import A, Scene, program


@program()
def try_except_else_finally():
    log = []
    def f(x):
        try:
            log.append("try")
            if x[0] < 0: raise ValueError("negative")
            y = x[0] * x[1]
        except ValueError as error:
            log.append(str(error)); y = x[2] ** 2
        else:
            log.append("else"); y = y + x[2]
        finally:
            log.append("finally")
        return y * x[1]
    return Scene(f, lambda: log)


@program()
def return_in_try_with_finally():
    log = []
    def f(x):
        try:
            if x[0] > 0: return x[0] * x[1]
            log.append("no return")
        finally:
            log.append(len(log))
        return x[2] * 3.0
    return Scene(f, lambda: log)


@program()
def finally_in_a_loop():
    def f(x):
        total = 0.0
        for v in x:
            try:
                if v < 0: continue
                if v > 2: break
                total += v * v
            finally:
                total = total * 1.1 + 0.1 * v
        return total
    return f


@program()
def exception_with_a_value():
    class Found(Exception):
        def __init__(self, v, where): super().__init__(v, where); self.v = v
    def search(x):
        for i, v in enumerate(x):
            if v > 1: raise Found(v * 2.0, i)
        raise LookupError
    def f(x):
        try: search(x)
        except Found as found: return found.v * x[0] + found.args[1] + found.args[0]
    return f


@program()
def exception_that_escapes():
    log = []
    def f(x):
        y = x * x
        y[0] += 1.0
        log.append(y[0])
        if x[0] < 0: raise ValueError("negative", x[0], [y[1]])
        return np.sum(y * y)
    return Scene(f, lambda: log)


@program()
def exception_from_deep_down():
    def inner(v):
        if v < 0.5:
            raise ArithmeticError(v * 2.0)
        return math.sqrt(v)
    def middle(v):
        try: return inner(v)
        except ArithmeticError as error: raise RuntimeError("again") from error
    def f(x):
        total = 1.0
        for v in x:
            try: total *= middle(v)
            except RuntimeError as error: total += error.__cause__.args[0] * 0.5
        return total
    return f


@program()
def reraised_and_chained():
    notes = []
    def step(v):
        try:
            if v < 0: raise KeyError("low")
            return v
        except KeyError as error:
            notes.append(type(error.__context__).__name__)
            raise
    def f(x):
        try: return step(x[0]) * x[1]
        except (KeyError, IndexError) as error:
            return x[2] * len(error.args[0])
    return Scene(f, lambda: notes)


@program(2.0, 0.7, 3.0)
def cholesky_with_jitter():
    def f(s):
        K = np.array([[1.0, s], [s, 1.0]])
        jitter, tries = 0.0, 0
        while True:
            try:
                L = np.linalg.cholesky(K + jitter * np.eye(2))
                break
            except np.linalg.LinAlgError:
                jitter, tries = 0.5 + 2.0 * jitter, tries + 1
        return np.sum(np.log(np.diag(L))) * (tries + 1.0)
    return f


@program(A([2, 1], [1, 3]), A([2, 1], [4, 2]), A([0, 1], [-1, 0.5]))
def singular_solve_caught():
    def f(m):
        try: return np.sum(np.linalg.inv(m))
        except np.linalg.LinAlgError: return np.trace(m) * m[0, 0]
    def gradient(m):
        if np.linalg.det(m) == 0:
            return m[0, 0] * np.eye(2) + np.trace(m) * A([1, 0], [0, 0])
        inverse = np.linalg.inv(m).T
        return -inverse @ np.ones((2, 2)) @ inverse
    return Scene(f, gradient=gradient)


@program()
def index_and_key_errors():
    table = {0: 2.0, 1: 3.0}
    def f(x):
        k = int(abs(x[1]) + 0.3)
        try: a = table[k]
        except KeyError as error: a = 0.5 * error.args[0]
        try: b = [x[0], x[1]][k]
        except IndexError: b = x[2]
        try: c = x[k + 1]
        except IndexError: c = -x[0]
        return a * b + c * x[1]
    return f


@program()
def math_errors():
    def f(x):
        total = 0.0
        for v in x:
            try: total += math.log(v) * 2.0
            except ValueError: total += v**2
            try: total += float(v) / int(v)
            except ZeroDivisionError: total += 3.0 * v
        try: total += math.exp(1000.0 * abs(x[0])) * 0.0
        except OverflowError: total += x[2]
        return total
    return f


@program()
def shape_error_caught():
    def f(x):
        y = x[x > 0]
        try: return np.sum(y * x)
        except ValueError: return np.sum(y**2) * x[0]
    return f


@program(A(1, 2, 3), A(1, 0, 3), A(1, -2, 3))
def errstate_raises():
    def f(x):
        try:
            with np.errstate(divide="raise", invalid="raise"):
                return np.sum(np.sqrt(x) / np.floor(x[1] + 0.5))
        except FloatingPointError:
            return x[0] * x[2]
    return f


@program(A(1, 2, 3), A(4, 0.5, 3), A(2, 0, -1))
def errstate_silences_and_restores():
    def f(x):
        one = np.zeros(1)
        with np.errstate(divide="ignore"): a = 1.0 / one
        b = 1.0 / (one + 1.0)
        return np.sum(np.minimum(a, 5.0)) * x[0] + b[0] * x[2] ** 2
    return f


@program(A(1, 2, 3), A(4, 0.5, 3), A(2, 1, -1))
def warnings_of_numpy_and_of_the_user():
    def f(x):
        y = np.log(x)
        if x[2] > 2:
            warnings.warn(f"large {x[2]:.1f}", UserWarning, stacklevel=1)
        z = np.array([1.0, 0.0]) / np.array([2.0, 0.0])
        return np.sum(np.where(np.isnan(y), 0.0, y)) * x[0] + z[0] * x[1]
    return Scene(f, gradient=lambda x: np.where(x > 0, x[0] / x, 0.0) + np.array(
        [np.sum(np.log(np.where(x > 0, x, 1.0))), 0.5, 0.0]))


@program()
def user_context_manager():
    class Scale:
        def __init__(self, log): self.log, self.by = log, 1.0
        def __enter__(self): self.log.append("in"); self.by *= 2.0; return self
        def __exit__(self, kind, value, trace):
            self.log.append(kind.__name__ if kind else "out")
            return kind is KeyError
    log = []
    def f(x):
        y = x[1]
        with Scale(log) as outer, Scale(log) as inner:
            inner.by = x[0]
            if x[0] < 0: raise KeyError
            y = x[2] * inner.by * outer.by
        return y * x[0]
    return Scene(f, lambda: log)


@program()
def context_manager_from_a_generator():
    log, level = [], [1.0]

    @contextlib.contextmanager
    def raised(by):
        log.append(level[0])
        level[0] += by
        try: yield level[0]
        finally: level[0] -= by; log.append("end")

    def f(x):
        with raised(0.5) as a:
            with raised(0.25) as b: y = np.sum(x) * b
            y = y * a
        return y * level[0]
    return Scene(f, lambda: (log, level))


@program()
def suppress_and_exit_stack():
    log = []
    def f(x):
        y = x[0] * 1.0
        with contextlib.suppress(ValueError, IndexError):
            y = y * x[1]
            if x[0] > 1: raise ValueError
            y = y + x[2]
        with contextlib.ExitStack() as stack:
            stack.callback(log.append, "callback")
            stack.enter_context(contextlib.nullcontext())
            y = y * 2.0
        return y
    return Scene(f, lambda: log)


@program()
def write_then_raise():
    w = np.zeros(3)
    def f(x):
        try:
            w[0] = x[0]
            if x[0] < 0: raise KeyError
            w[1] = x[1] * w[0]
        except KeyError: w[2] += 1.0
        finally: w[1] += 1.0
        return np.sum(w * x)
    return Scene(f, lambda: w)


@program()
def exception_group_split():
    def f(x):
        y = 0.0
        try:
            raise ExceptionGroup("two", [ValueError(x[0]), KeyError("k")])
        except* ValueError as group:
            y = y + group.exceptions[0].args[0] * 2.0
        except* KeyError:
            y = y + x[1]
        return y * x[2]
    return f
