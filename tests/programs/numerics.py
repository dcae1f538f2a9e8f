"""Numerical methods: root finding, integrators, solvers, filters, quadrature, transforms."""

# ruff: noqa: E701, E702

import math

import numpy as np

from tests.programs import A, Scene, program


@program(2.5, 5.0, 0.8, second=True)
def newton_for_a_cubic():
    def f(a):
        y = 1.0
        for _ in range(50):
            step = (y**3 + y - a) / (3 * y**2 + 1)
            y = y - step
            if abs(step) < 1e-14: break
        return y * y
    return f


@program(A(1.0, 0.5), A(2.0, -0.3), A(-1.5, 0.2))
def bisection_then_secant():
    def f(p):
        g = lambda t: t**3 + p[0] * t - p[1] - 1.0
        low, high = -3.0, 3.0
        for _ in range(6):
            mid = (low + high) / 2.0
            if g(low) * g(mid) <= 0: high = mid
            else: low = mid
        a, b = low, high
        for _ in range(12):
            ga, gb = g(a), g(b)
            if abs(gb) < 1e-14 or gb == ga: break
            a, b = b, b - gb * (b - a) / (gb - ga)
        return b * p[0] + b**2
    return f


@program(A(1, 0.5, 0.3), A(-0.5, 1, 0.8), A(0.2, -1, 0.1))
def runge_kutta_pendulum():
    def f(p):
        y = np.array([p[0], p[1]])
        def rate(t, y): return np.array([y[1], -np.sin(y[0]) - p[2] * y[1] + 0.1 * t])
        h = 0.1
        for n in range(5):
            t = n * h
            k1 = rate(t, y); k2 = rate(t + h / 2, y + h / 2 * k1)
            k3 = rate(t + h / 2, y + h / 2 * k2); k4 = rate(t + h, y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y @ y
    return f


@program(A(1, 0.5), A(3, -0.7), A(0.4, 2))
def adaptive_steps():
    def f(p):
        t, y, h, steps = 0.0, p[0], 0.4, 0
        while t < 1.0 - 1e-12 and steps < 60:
            h = min(h, 1.0 - t)
            euler = y + h * p[1] * math.sin(y)
            heun = y + h / 2 * p[1] * (math.sin(y) + math.sin(euler))
            error = abs(float(heun) - float(euler))
            steps += 1
            if error < 0.02: t, y = t + h, heun
            h = 0.2 if error > 0.01 else 0.3
            if steps > 8: h = 0.05
        return y * y + steps
    return f


@program(A(1, 0, 0.3), A(-0.5, 1, 0.8), A(0.2, -1, 0.1))
def leapfrog_three_bodies():
    def f(v0):
        p = np.array([[0.0, 0.0], [1.0, 0.1], [-0.3, 1.1]]); v = np.outer(v0, A(0.5, -0.2))
        def force(p):
            F = np.zeros_like(p)
            for i in range(3):
                for j in range(i):
                    d = p[j] - p[i]
                    g = d / (d @ d + 0.1) ** 1.5
                    F[i] += g; F[j] -= g
            return F
        for _ in range(4):
            v = v + 0.05 * force(p); p = p + 0.1 * v; v = v + 0.05 * force(p)
        return np.sum(v**2) + p[0] @ p[1]
    return f


@program(A([4, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 2]), A([2, 0.1, 0], [0.1, 5, 1], [0, 1, 3]),
         A([1, 0.2, 0.1], [0.2, 1, 0.3], [0.1, 0.3, 1]))
def cholesky_by_loops():
    def f(M):
        n = len(M); L = np.zeros((n, n))
        for i in range(n):
            for j in range(i + 1):
                s = M[i, j]
                for k in range(j): s -= L[i, k] * L[j, k]
                L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
        return np.sum(L * np.arange(9.0).reshape(3, 3)) + 2 * sum(np.log(L[i, i]) for i in range(n))
    return f


@program((A([1e-3, 2, 1], [3, 1, 0.5], [1, 0.2, 4]), A(1, 2, 3)),
         (A([4, 2, 1], [3, 1, 0.5], [1, 0.2, 4]), A(1, -2, 3)),
         (A([1, 0.2, 3], [0.1, 5, 1], [2, 1, 1]), A(0.5, 2, -3)), argnums=(0, 1))
def gauss_elimination_with_pivoting():
    def f(M, b):
        M, b, n = M.copy(), b.copy(), len(b)
        for k in range(n):
            p = k + np.argmax(np.abs(M[k:, k]))
            if p != k: M[[k, p]] = M[[p, k]]; b[[k, p]] = b[[p, k]]
            for i in range(k + 1, n):
                m = M[i, k] / M[k, k]
                M[i, k:] -= m * M[k, k:]
                b[i] -= m * b[k]
        x = np.zeros(n)
        for i in range(n - 1, -1, -1): x[i] = (b[i] - M[i, i + 1:] @ x[i + 1:]) / M[i, i]
        return np.sum(x**2)
    return f


@program(A(2, 3, 2.5, 4), A(5, 2.2, 3, 2.1), A(3, 3, 3, 3))
def tridiagonal_solver():
    def f(d):
        n = len(d); low = up = -1.0
        c, r = [0.0] * n, np.arange(1.0, n + 1)
        c[0], r[0] = up / d[0], r[0] / d[0]
        for i in range(1, n):
            m = d[i] - low * c[i - 1]
            c[i] = up / m
            r[i] = (r[i] - low * r[i - 1]) / m
        x = np.empty(n); x[-1] = r[-1]
        for i in reversed(range(n - 1)): x[i] = r[i] - c[i] * x[i + 1]
        return np.sum(x * x * d)
    return f


@program(A(4, 3, 2), A(1, 2, 5), A(3, 3, 1))
def conjugate_gradients():
    def f(d):
        M = np.diag(d) + 0.3 * np.ones((3, 3)); b = A(1, -2, 0.5)
        x = np.zeros(3); r = b - M @ x; p = r; rr = r @ r
        for _ in range(10):
            if rr < 1e-20: break
            Mp = M @ p
            alpha = rr / (p @ Mp)
            x = x + alpha * p; r = r - alpha * Mp
            new = r @ r
            p = r + new / rr * p
            rr = new
        return x @ d
    def gradient(d):
        M = np.diag(d) + 0.3 * np.ones((3, 3)); x = np.linalg.solve(M, A(1, -2, 0.5))
        return x - np.linalg.solve(M, d) * x
    return Scene(f, gradient=gradient)


@program(A(4, 1, 0.5), A(2, -1, 1), A(1, 3, 0.2))
def power_iteration():
    def f(p):
        M = np.array([[p[0], p[1]], [p[1], p[2] - 2.0]]); v = A(1, 0.3)
        for _ in range(20):
            w = M @ v
            v = w / np.sqrt(w @ w)
        return v @ M @ v * p[2]
    return f


@program(A(1, 2, -1, 0.5, 3, 0.2, -0.7, 1), A(0, 1, 2, 0.5, -3, 0.2, 0.7, 1),
         A(3, 1, 0, 1, 1, 2, 0, 1))
def fft_low_pass_filter():
    def f(x):
        X = np.fft.rfft(x)
        k = np.arange(len(X))
        X[k > 2] = 0.0
        X *= np.exp(-0.1 * k**2)
        y = np.fft.irfft(X, len(x))
        return np.sum(y**2 * np.arange(8)) + np.max(np.abs(X[1:]))
    return f


@program(A(1, 2, -1, 0.5), A(0, 1, 2, 0.5), A(3, 1, 0.1, 1))
def recursive_fft():
    def transform(z):
        n = len(z)
        if n == 1: return z
        even, odd = transform(z[::2]), transform(z[1::2])
        w = np.exp(-2j * np.pi * np.arange(n // 2) / n)
        return np.concatenate([even + w * odd, even - w * odd])
    def f(x):
        return np.sum(np.abs(transform(x + 0j)) ** 2 * A(1, 2, 3, 4)) + transform(x + 0j)[1].imag
    return f


@program(A(0.7, 1.3), A(2.1, 0.4), A(-0.5, 0.9))
def adaptive_quadrature():
    def f(p):
        g = lambda t: math.exp(-p[0] * t) * math.sin(p[1] * t + 1.0)
        def simpson(a, b): return (b - a) / 6 * (g(a) + 4 * g((a + b) / 2) + g(b))
        def integral(a, b, whole, depth):
            m = (a + b) / 2
            left, right = simpson(a, m), simpson(m, b)
            if depth == 0 or abs(left + right - whole) < 1e-4: return left + right
            return integral(a, m, left, depth - 1) + integral(m, b, right, depth - 1)
        return integral(0.0, 3.0, simpson(0.0, 3.0), 4)
    return f


@program((A(0, 1, 0.5, 2, 1), 1.3), (A(1, -1, 0.5, 0, 2), 3.6), (A(2, 1, 0, 1, 3), 2.2),
         argnums=(0, 1))
def cubic_spline_evaluation():
    def f(y, t):
        n = len(y); second = np.zeros(n); u = [0.0] * n
        for i in range(1, n - 1):
            p = 0.5 * second[i - 1] + 2.0
            second[i] = -0.5 / p
            u[i] = (3.0 * (y[i + 1] - 2 * y[i] + y[i - 1]) - 0.5 * u[i - 1]) / p
        for i in range(n - 2, -1, -1): second[i] = second[i] * second[i + 1] + u[i]
        k = int(np.floor(t)); b = t - k; a = 1.0 - b
        return a * y[k] + b * y[k + 1] + ((a**3 - a) * second[k] + (b**3 - b) * second[k + 1]) / 6
    return f


@program(A(0.5, 1, 2, 1), A(1.5, 0.2, 1, 0), A(0.3, -1, 0.5, 2))
def heat_equation_with_source():
    def f(p):
        u = np.zeros(8); u[2:6] = p
        for n in range(6):
            flux = np.diff(u)
            u[1:-1] += 0.2 * np.diff(flux)
            u[0], u[-1] = u[1], 0.0
            if n % 2: u[3] += 0.1 * p[0]
        return np.sum(u**2) + np.max(u)
    return f


@program(A(2, 1), A(-1.2, 1), A(0.4, 0.3))
def gradient_descent_with_line_search():
    def f(p):
        loss = lambda z: (1 - z[0]) ** 2 + 5.0 * (z[1] - z[0] ** 2) ** 2
        slope = lambda z: np.array([-2 * (1 - z[0]) - 20 * z[0] * (z[1] - z[0] ** 2),
                                    10 * (z[1] - z[0] ** 2)])
        z = p
        for _ in range(3):
            g, rate = slope(z), 0.3
            while loss(z - rate * g) > loss(z) - 0.3 * rate * (g @ g): rate *= 0.5
            z = z - rate * g
        return loss(z)
    return f


@program(A(0.9, 0.4, 1.5), A(2.0, -0.3, 0.5), A(1.1, 0.1, 0.7))
def continued_fraction_and_series():
    def f(p):
        c = 0.0
        for n in range(8, 0, -1): c = n * p[0] / (n + p[1] + c)
        term, total, n = 1.0, 0.0, 0
        while abs(term) > 1e-12:
            total += term
            n += 1
            term = term * (-p[2]) / n
        return c * total
    return f


@program(A([1, 2], [3, 4.5]), A([0, 1], [-1, 0.5]), A([2, 0.1], [0.3, 1]))
def matrix_exponential_by_squaring():
    def f(M):
        scale, S = 0, M
        while np.max(np.abs(S)) > 0.6: S = S / 2.0; scale += 1
        E, T = np.eye(2), np.eye(2)
        for k in range(1, 9): T = T @ S / k; E = E + T
        for _ in range(scale): E = E @ E
        return np.log(np.sum(E**2))
    return f


@program(A(1, 0.3), A(0.4, -0.8), A(2, 0.1))
def fixed_point_of_coupled_equations():
    def f(p):
        a, b, n = 0.0, 0.0, 0
        while True:
            a_new = np.tanh(p[0] * 0.5 + 0.3 * b); b_new = np.cos(a_new) * p[1] * 0.5
            done = abs(a_new - a) + abs(b_new - b) < 1e-13
            a, b, n = a_new, b_new, n + 1
            if done or n > 80: break
        return a * a + b
    return f
