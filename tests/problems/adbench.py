"""The objectives of ADBench and GradBench, written as ordinary NumPy code.

Nothing here knows about automatic differentiation: floats and arrays in, floats and arrays out;
loops, in-place fills (out[i] = ...), slices and data-dependent branches where a NumPy user would
write them. Active arguments come first. Where two natural styles exist, both are given (`_loops`:
element or point at a time, many small operations; plain name or `_vec`: whole arrays).

`cases()` maps names to functions, arguments and how many of these are active; the inputs are those
that the evals of GradBench send. The files are those of ADBench that `hybridad.comparison` ships.
"""

import math
from importlib import resources

import numpy as np

__all__ = ["cases"]

DATA = resources.files("hybridad.comparison") / "data"

# ----------------------------------------------------------------- hello


def square(x):
    return x * x


# ------------------------------------------------------------------- lse


def logsumexp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def logsumexp_loops(x):
    top = x[0]
    for i in range(1, len(x)):
        if x[i] > top:
            top = x[i]
    acc = 0.0
    for i in range(len(x)):
        acc += np.exp(x[i] - top)
    return top + np.log(acc)


def lse_input(n, rng):
    return {"x": rng.rand(n)}


# ------------------------------------------------------------------ llsq


def llsq(x, n):
    """Half the squared misfit of the polynomial with coefficients x to sign(t)."""
    t = np.linspace(-1.0, 1.0, n)
    resid = np.sign(t)
    power = np.ones(n)
    for j in range(len(x)):
        resid -= x[j] * power
        power *= t
    return 0.5 * np.dot(resid, resid)


def llsq_vec(x, n):
    t = np.linspace(-1.0, 1.0, n)
    vander = np.vander(t, len(x), increasing=True)
    resid = np.sign(t) - vander @ x
    return 0.5 * np.sum(resid**2)


def llsq_input(n, m, rng):
    return {"x": rng.rand(m), "n": n}


# ------------------------------------------------------------------- ode


def ode_rhs(x, y):
    dy = np.empty_like(y)
    dy[0] = x[0]
    dy[1:] = x[1:] * y[:-1]
    return dy


def ode(x, steps):
    """Final state after `steps` classical Runge-Kutta steps from 0 to t = 2."""
    h = 2.0 / steps
    y = np.zeros(len(x))
    for _ in range(steps):
        k1 = ode_rhs(x, y)
        k2 = ode_rhs(x, y + 0.5 * h * k1)
        k3 = ode_rhs(x, y + 0.5 * h * k2)
        k4 = ode_rhs(x, y + h * k3)
        y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def ode_last(x, steps):
    return ode(x, steps)[-1]


def ode_input(n, s, rng):
    return {"x": rng.rand(n), "s": s}


# ------------------------------------------------------------------- det


def det_by_minors(a):
    """Determinant by expansion along the first row (a: square array)."""
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    total = 0.0
    for j in range(n):
        minor = np.empty((n - 1, n - 1))
        minor[:, :j] = a[1:, :j]
        minor[:, j:] = a[1:, j + 1:]
        term = a[0, j] * det_by_minors(minor)
        total = total + term if j % 2 == 0 else total - term
    return total


def det_by_index(a):
    """The same expansion on scalars only: no copies, a list of live columns."""
    n = a.shape[0]

    def expand(row, cols):
        if row == n - 1:
            return a[row, cols[0]]
        total = 0.0
        for pos, col in enumerate(cols):
            sub = expand(row + 1, cols[:pos] + cols[pos + 1:])
            if pos % 2 == 0:
                total += a[row, col] * sub
            else:
                total -= a[row, col] * sub
        return total

    return expand(0, tuple(range(n)))


def det_input(ell, rng):
    return {"A": rng.rand(ell * ell).reshape(ell, ell), "ell": ell}


# ---------------------------------------------------------------- kmeans


def kmeans_cost(centroids, points):
    total = 0.0
    for p in points:
        dist = np.sum((centroids - p) ** 2, axis=1)
        total += np.min(dist)
    return total


def kmeans_cost_vec(centroids, points):
    delta = points[:, None, :] - centroids[None, :, :]
    return np.sum(np.min(np.sum(delta**2, axis=2), axis=1))


def kmeans_cost_matmul(centroids, points):
    """Expanded square, as the pytorch and jax tools compute it."""
    dist = (np.sum(points**2, axis=1)[:, None] + np.sum(centroids**2, axis=1)[None, :]
            - 2.0 * points @ centroids.T)
    return np.sum(np.min(dist, axis=1))


def kmeans_input(k, n, d, rng):
    points = rng.rand(n, d)
    return {"points": points, "centroids": points[-k:].copy()}


# ------------------------------------------------------------------- gmm


def log_gamma_multi(a, d):
    out = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        out += math.lgamma(a - 0.5 * j)
    return out


def gmm_factors(q, l):
    """Lower triangular factors, exp(q) on the diagonal, l below it by columns."""
    k, d = q.shape
    low = np.zeros((k, d, d))
    start = 0
    for j in range(d):
        low[:, j, j] = np.exp(q[:, j])
        stop = start + d - 1 - j
        low[:, j + 1:, j] = l[:, start:stop]
        start = stop
    return low


def gmm_prior(low, q, gamma, m):
    k, d = q.shape
    dof = d + m + 1
    const = dof * d * math.log(gamma / math.sqrt(2.0)) - log_gamma_multi(0.5 * dof, d)
    return k * const - 0.5 * gamma**2 * np.sum(low**2) + m * np.sum(q)


def gmm(alpha, mu, q, l, x, gamma, m):
    """Log posterior, one mixture component at a time."""
    n, d = x.shape
    k = len(alpha)
    low = gmm_factors(q, l)
    logp = np.empty((n, k))
    for c in range(k):
        y = (x - mu[c]) @ low[c].T
        logp[:, c] = alpha[c] + np.sum(q[c]) - 0.5 * np.sum(y * y, axis=1)
    top = np.max(logp, axis=1)
    lse = top + np.log(np.sum(np.exp(logp - top[:, None]), axis=1))
    return (np.sum(lse) - n * (0.5 * d * math.log(2.0 * math.pi) + logsumexp(alpha))
            + gmm_prior(low, q, gamma, m))


def gmm_loops(alpha, mu, q, l, x, gamma, m):
    """Log posterior, one observation and component at a time."""
    n, d = x.shape
    k = len(alpha)
    low = gmm_factors(q, l)
    sum_q = np.sum(q, axis=1)
    total = 0.0
    logp = np.zeros(k)
    for i in range(n):
        for c in range(k):
            y = low[c] @ (x[i] - mu[c])
            logp[c] = alpha[c] + sum_q[c] - 0.5 * np.dot(y, y)
        total += logsumexp(logp)
    return (total - n * (0.5 * d * math.log(2.0 * math.pi) + logsumexp(alpha))
            + gmm_prior(low, q, gamma, m))


def gmm_vec(alpha, mu, q, l, x, gamma, m):
    """Log posterior without Python loops (fancy-index fill, einsum)."""
    n, d = x.shape
    k = len(alpha)
    cols, rows = np.triu_indices(d, 1)
    low = np.zeros((k, d, d))
    low[:, rows, cols] = l
    low[:, np.arange(d), np.arange(d)] = np.exp(q)
    y = np.einsum("kij,nkj->nki", low, x[:, None, :] - mu[None, :, :])
    logp = alpha + np.sum(q, axis=1) - 0.5 * np.sum(y**2, axis=2)
    top = np.max(logp, axis=1, keepdims=True)
    lse = top[:, 0] + np.log(np.sum(np.exp(logp - top), axis=1))
    return (np.sum(lse) - n * (0.5 * d * math.log(2.0 * math.pi) + logsumexp(alpha))
            + gmm_prior(low, q, gamma, m))


def gmm_input(d, k, n=1000, m=0, gamma=1.0, seed=31337):
    """GradBench's generator (same draw order, so the same numbers)."""
    rng = np.random.default_rng(seed)
    x = np.array([rng.normal(size=d) for _ in range(n)])
    alpha = rng.normal(size=k)
    mu = np.array([rng.uniform(size=d) for _ in range(k)])
    q = np.array([rng.normal(size=d) for _ in range(k)])
    l = np.array([rng.normal(size=d * (d - 1) // 2) for _ in range(k)]).reshape(k, -1)
    return {"d": d, "k": k, "n": n, "x": x, "m": m, "gamma": gamma,
            "alpha": alpha, "mu": mu, "q": q, "l": l}


# ------------------------------------------------------------------ lstm


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(main_params, extra_params, state, sequence):
    """Mean loss of the diagonal LSTM of ADBench over a sequence.

    main_params: (2 layers, 4 bits), weight and bias rows alternating;
    extra_params: (3, bits); state: (2 layers, bits), hidden and cell alternating.
    """
    steps, bits = sequence.shape
    state = state.copy()
    total = 0.0
    for t in range(steps - 1):
        h = sequence[t] * extra_params[0]
        for i in range(0, len(state), 2):
            w, b = main_params[i], main_params[i + 1]
            hidden, cell = state[i], state[i + 1]
            forget = sigmoid(h * w[:bits] + b[:bits])
            ingate = sigmoid(hidden * w[bits:2 * bits] + b[bits:2 * bits])
            outgate = sigmoid(h * w[2 * bits:3 * bits] + b[2 * bits:3 * bits])
            change = np.tanh(hidden * w[3 * bits:] + b[3 * bits:])
            new_cell = cell * forget + ingate * change
            h = outgate * np.tanh(new_cell)
            state[i] = h
            state[i + 1] = new_cell
        y = h * extra_params[1] + extra_params[2]
        y -= np.log(np.sum(np.exp(y)) + 2.0)     # the + 2 is ADBench's
        total += np.dot(sequence[t + 1], y)
    return -total / ((steps - 1) * bits)


def lstm_stacked(main_params, extra_params, state, sequence):
    """As `lstm`, with all four gates in one array operation."""
    steps, bits = sequence.shape
    hidden, cell = state[0::2].copy(), state[1::2].copy()
    loss = np.zeros(steps - 1)
    for t in range(steps - 1):
        h = sequence[t] * extra_params[0]
        for i in range(len(hidden)):
            gates = np.concatenate((h, hidden[i], h, hidden[i]))
            gates = gates * main_params[2 * i] + main_params[2 * i + 1]
            sig = sigmoid(gates[:3 * bits])
            cell[i] = cell[i] * sig[:bits] + sig[bits:2 * bits] * np.tanh(gates[3 * bits:])
            hidden[i] = sig[2 * bits:] * np.tanh(cell[i])
            h = hidden[i]
        y = h * extra_params[1] + extra_params[2]
        loss[t] = np.sum(sequence[t + 1] * (y - np.log(np.sum(np.exp(y)) + 2.0)))
    return -np.sum(loss) / ((steps - 1) * bits)


def lstm_input(layers, chars, rng, text=None):
    """As GradBench generates: characters as bit rows, everything else uniform."""
    if text is None:
        text = "".join(chr(97 + int(k)) for k in rng.randint(0, 26, size=chars))
    text = text[:chars]
    bits = math.ceil(math.log2(max(map(ord, text))))
    seq = np.zeros((chars, bits))
    for t, ch in enumerate(text):
        for b in range(bits):
            seq[t, bits - 1 - b] = (ord(ch) >> b) & 1
    return {"state": rng.random_sample((2 * layers, bits)),
            "main_params": rng.random_sample((2 * layers, 4 * bits)),
            "extra_params": rng.random_sample((3, bits)), "sequence": seq}


# -------------------------------------------------------------------- ba


def rotate(rot, pt):
    """Rodrigues rotation of pt by the angle-axis vector rot."""
    sq = np.dot(rot, rot)
    if sq == 0.0:
        return pt + np.cross(rot, pt)
    theta = np.sqrt(sq)
    axis = rot / theta
    cos = np.cos(theta)
    return pt * cos + np.cross(axis, pt) * np.sin(theta) + axis * (np.dot(axis, pt) * (1.0 - cos))


def project(cam, pt):
    """cam: 3 rotation, 3 centre, focal length, 2 principal point, 2 distortion."""
    local = rotate(cam[:3], pt - cam[3:6])
    proj = local[:2] / local[2]
    r2 = np.sum(proj**2)
    proj *= 1.0 + cam[9] * r2 + cam[10] * r2 * r2
    return proj * cam[6] + cam[7:9]


def ba_residual(cam, pt, w, feat):
    return w * (project(cam, pt) - feat)


def ba_residual_packed(v, feat):
    """v: the 15 active numbers of one observation (cam, pt, w)."""
    return ba_residual(v[:11], v[11:14], v[14], feat)


def ba_weight_error(w):
    return 1.0 - w * w


def ba(cams, pts, w, obs, feats):
    """All residuals (p, 2) and weight errors (p,), one observation at a time."""
    p = len(obs)
    reproj = np.empty((p, 2))
    w_err = np.empty(p)
    for i in range(p):
        reproj[i] = ba_residual(cams[obs[i, 0]], pts[obs[i, 1]], w[i], feats[i])
        w_err[i] = ba_weight_error(w[i])
    return reproj, w_err


def ba_vec(cams, pts, w, obs, feats):
    """All observations at once."""
    cam, pt = cams[obs[:, 0]], pts[obs[:, 1]]
    rot, x = cam[:, :3], pt - cam[:, 3:6]
    theta = np.sqrt(np.sum(rot**2, axis=1))[:, None]
    axis = rot / theta
    cos = np.cos(theta)
    local = (x * cos + np.cross(axis, x) * np.sin(theta)
             + axis * (np.sum(axis * x, axis=1)[:, None] * (1.0 - cos)))
    proj = local[:, :2] / local[:, 2:]
    r2 = np.sum(proj**2, axis=1)
    proj = proj * (1.0 + cam[:, 9] * r2 + cam[:, 10] * r2**2)[:, None]
    proj = proj * cam[:, 6:7] + cam[:, 7:9]
    return w[:, None] * (proj - feats), 1.0 - w**2


def ba_cost(cams, pts, w, obs, feats):
    """A scalar version: half the sum of squares (not in GradBench)."""
    reproj, w_err = ba(cams, pts, w, obs, feats)
    return 0.5 * (np.sum(reproj**2) + np.sum(w_err**2))


def ba_expand(n, m, p, cam, x, w, feat):
    """One camera, point, weight and feature, repeated to full arrays."""
    i = np.arange(p)
    return {"cams": np.tile(cam, (n, 1)), "pts": np.tile(x, (m, 1)), "w": np.full(p, w),
            "obs": np.stack((i % n, i % m), axis=1), "feats": np.tile(feat, (p, 1))}


def load_ba(path):
    """One camera, point, weight and feature, which the file says how often to repeat."""
    rows = path.read_text().splitlines()[1:5]
    cam, x, w, feat = ([float(v) for v in row.split()] for row in rows)
    return {"cam": cam, "x": x, "w": w[0], "feat": feat}


# -------------------------------------------------------------------- ht


def pose_from_theta(theta, bones):
    """(bones + 3, 3): rotation, scale, translation, then Euler angles per bone."""
    pose = np.zeros((bones + 3, 3))
    pose[0] = theta[:3]
    pose[1] = 1.0
    pose[2] = theta[3:6]
    src, row = 6, 5
    for _ in range(5):
        pose[row, :2] = theta[src:src + 2]
        pose[row + 1, 0] = theta[src + 2]
        pose[row + 2, 0] = theta[src + 3]
        src += 4
        row += 4
    return pose


def euler_matrix(xzy):
    cx, cz, cy = np.cos(xzy)
    sx, sz, sy = np.sin(xzy)
    rx, ry, rz = np.eye(3), np.eye(3), np.eye(3)
    rx[1, 1] = cx
    rx[1, 2] = -sx
    rx[2, 1] = sx
    rx[2, 2] = cx
    ry[0, 0] = cy
    ry[0, 2] = sy
    ry[2, 0] = -sy
    ry[2, 2] = cy
    rz[0, 0] = cz
    rz[0, 1] = -sz
    rz[1, 0] = sz
    rz[1, 1] = cz
    return rz @ ry @ rx


def angle_axis_matrix(v):
    norm = np.sqrt(np.sum(v**2))
    if norm < 1e-4:
        return np.eye(3)
    x, y, z = v / norm
    s, c = np.sin(norm), np.cos(norm)
    rot = np.empty((3, 3))
    rot[0, 0] = x * x + (1 - x * x) * c
    rot[0, 1] = x * y * (1 - c) - z * s
    rot[0, 2] = x * z * (1 - c) + y * s
    rot[1, 0] = x * y * (1 - c) + z * s
    rot[1, 1] = y * y + (1 - y * y) * c
    rot[1, 2] = y * z * (1 - c) - x * s
    rot[2, 0] = x * z * (1 - c) - y * s
    rot[2, 1] = z * y * (1 - c) + x * s
    rot[2, 2] = z * z + (1 - z * z) * c
    return rot


def skinned_vertices(theta, model):
    parents = model["parents"]
    bones = len(parents)
    pose = pose_from_theta(theta, bones)
    absolute = np.zeros((bones, 4, 4))
    verts = np.zeros((len(model["base_positions"]), 3))
    for b in range(bones):
        local = np.eye(4)
        local[:3, :3] = euler_matrix(pose[b + 3])
        rel = model["base_relatives"][b] @ local
        absolute[b] = rel if parents[b] == -1 else absolute[parents[b]] @ rel
        moved = model["base_positions"] @ (absolute[b] @ model["inverse_base_absolutes"][b]).T
        verts += model["weights"][:, b, None] * moved[:, :3]
    if model["is_mirrored"]:
        verts[:, 0] *= -1.0
    rot = angle_axis_matrix(pose[0]) * pose[1]
    return verts @ rot.T + pose[2]


def ht_simple(theta, model, points, corr):
    """Flat 3 n residuals: points minus their corresponding vertices."""
    verts = skinned_vertices(theta, model)
    return (points - verts[corr]).ravel()


def ht_complicated(theta, us, model, points, corr):
    """As ht_simple, with barycentric coordinates us (n, 2) on a triangle."""
    verts = skinned_vertices(theta, model)
    out = np.empty((len(points), 3))
    for i in range(len(points)):
        a, b, c = model["triangles"][corr[i]]
        u, v = us[i]
        out[i] = points[i] - (u * verts[a] + v * verts[b] + (1.0 - u - v) * verts[c])
    return out.ravel()


def ht_complicated_vec(theta, us, model, points, corr):
    verts = skinned_vertices(theta, model)
    tri = verts[model["triangles"][corr]]
    bary = np.concatenate((us, 1.0 - np.sum(us, axis=1, keepdims=True)), axis=1)
    return (points - np.sum(bary[:, :, None] * tri, axis=1)).ravel()


def load_ht_model():
    bone, vert, tri = (
        [line.split(":") for line in (DATA / name).read_text().splitlines() if line.strip()]
        for name in ("hand_bones.txt", "hand_vertices.txt", "hand_triangles.txt"))
    base = np.ones((len(vert), 4))
    weights = np.zeros((len(vert), len(bone)))
    for i, v in enumerate(vert):
        base[i, :3] = [float(s) for s in v[:3]]
        for j in range(int(v[8])):
            weights[i, int(v[9 + 2 * j])] = float(v[10 + 2 * j])
    numbers = np.array([b[2:34] for b in bone], dtype=float).reshape(-1, 2, 4, 4)
    return {"parents": np.array([int(b[1]) for b in bone]),
            "base_relatives": numbers[:, 0], "inverse_base_absolutes": numbers[:, 1],
            "base_positions": base, "weights": weights, "triangles": np.array(tri, dtype=int),
            "is_mirrored": False}


def load_ht(path, complicated):
    """`n t`, n rows of a vertex and a point, n rows of us if complicated, t rows of theta."""
    rows = [row.split() for row in path.read_text().splitlines()]
    n, nt = map(int, rows[0])
    head, us, theta = rows[1:n + 1], rows[n + 1:-nt], rows[-nt:]
    assert len(us) == (n if complicated else 0)
    return {"theta": np.array(theta, dtype=float)[:, 0],
            "us": np.array(us, dtype=float),
            "model": load_ht_model(),
            "points": np.array([row[1:] for row in head], dtype=float),
            "corr": np.array([int(row[0]) for row in head])}


# ------------------------------------------- particle and saddle (nested AD)


def descend(f, df, x0):
    """The suite's line-search-free descent: step doubles after ten gains, halves
    after a failure, stops when the gradient or the move is at most 1e-5."""
    x, eta, gains = np.array(x0, dtype=float), 1e-5, 0
    fx, gx = f(x), df(x)
    while np.sqrt(np.sum(gx**2)) > 1e-5:
        if gains == 10:
            eta, gains = 2.0 * eta, 0
            continue
        y = x - eta * gx
        if np.sqrt(np.sum((x - y) ** 2)) <= 1e-5:
            break
        fy = f(y)
        if fy < fx:
            x, fx, gx = y, fy, df(y)
            gains += 1
        else:
            eta, gains = 0.5 * eta, 0
    return x


def potential(pos, charges):
    out = 0.0
    for q in charges:
        out += 1.0 / np.sqrt(np.sum((pos - q) ** 2))
    return out


def particle_miss(w, force):
    """Squared landing position; force(pos, charges) is the gradient of potential."""
    charges = np.zeros((2, 2))
    charges[0, 0] = 10.0
    charges[0, 1] = 10.0 - w
    charges[1, 0] = 10.0
    pos, vel, dt = np.array([0.0, 8.0]), np.array([0.75, 0.0]), 0.1
    while True:
        acc = -force(pos, charges)
        pos = pos + dt * vel
        if pos[1] <= 0.0:
            return (pos[0] - pos[1] / vel[1] * vel[0]) ** 2
        vel = vel + dt * acc


def particle(w0, outer_grad, force):
    """outer_grad(f)(w): derivative of a function of the 1-vector w."""
    def miss(w):
        return particle_miss(w[0], force)
    return descend(miss, outer_grad(miss), [w0])[0]


def saddle_value(p, r):
    return p[0] ** 2 + p[1] ** 2 - r[0] ** 2 - r[1] ** 2


def saddle(start, outer_grad, inner_grad):
    """min over p of max over r; *_grad(f) returns the gradient function of f."""
    def best_response(p):
        def loss(r):
            return -saddle_value(p, r)
        return descend(loss, inner_grad(loss), start)

    def worst(p):
        return saddle_value(p, best_response(p))

    p = descend(worst, outer_grad(worst), start)
    return np.concatenate((p, best_response(p)))


# -------------------------------------------------------------- registry


def cases():
    """Name -> function, positional arguments, number of leading active ones."""
    out = {"square": (square, (3.0,), 1)}

    def add(name, function, values, arguments, active):
        out[name] = (function, tuple(values[a] for a in arguments.split()), active)

    def rng():
        return np.random.RandomState(31337)

    i = lse_input(2500, rng())
    add("lse", logsumexp, i, "x", 1)
    add("lse_loops", logsumexp_loops, i, "x", 1)
    i = llsq_input(64, 128, rng())
    add("llsq", llsq, i, "x n", 1)
    add("llsq_vec", llsq_vec, i, "x n", 1)
    i = ode_input(1000, 10, rng())
    add("ode", ode, i, "x s", 1)
    add("ode_last", ode_last, i, "x s", 1)
    add("ode_last_of_few", ode_last, ode_input(20, 10, rng()), "x s", 1)
    i = det_input(5, rng())
    add("det_by_minors", det_by_minors, i, "A", 1)
    add("det_by_index", det_by_index, i, "A", 1)
    i = kmeans_input(10, 1000, 8, rng())
    add("kmeans", kmeans_cost, i, "centroids points", 1)
    add("kmeans_vec", kmeans_cost_vec, i, "centroids points", 1)
    add("kmeans_matmul", kmeans_cost_matmul, i, "centroids points", 1)
    i = gmm_input(2, 5)
    add("gmm", gmm, i, "alpha mu q l x gamma m", 4)
    add("gmm_loops", gmm_loops, i, "alpha mu q l x gamma m", 4)
    add("gmm_vec", gmm_vec, i, "alpha mu q l x gamma m", 4)
    i = lstm_input(2, 64, rng())
    add("lstm", lstm, i, "main_params extra_params state sequence", 2)
    add("lstm_with_state", lstm, i, "main_params extra_params state sequence", 3)
    add("lstm_stacked", lstm_stacked, i, "main_params extra_params state sequence", 2)
    add("lstm_stacked_with_state", lstm_stacked, i, "main_params extra_params state sequence", 3)
    one = load_ba(DATA / "ba1_n49_m7776_p31843.txt")
    i = ba_expand(5, 50, 200, **one)
    add("ba", ba, i, "cams pts w obs feats", 3)
    add("ba_vec", ba_vec, i, "cams pts w obs feats", 3)
    add("ba_cost", ba_cost, i, "cams pts w obs feats", 3)
    packed = np.concatenate((one["cam"], one["x"], [one["w"]]))
    out["ba_residual"] = (ba_residual_packed, (packed, np.array(one["feat"])), 1)
    out["ba_weight_error"] = (ba_weight_error, (one["w"],), 1)
    i = load_ht(DATA / "hand_simple_t26_c100.txt", False)
    add("ht_simple", ht_simple, i, "theta model points corr", 1)
    i = load_ht(DATA / "hand_complicated_t26_c100.txt", True)
    add("ht_complicated", ht_complicated, i, "theta us model points corr", 2)
    add("ht_complicated_vec", ht_complicated_vec, i, "theta us model points corr", 2)
    return out
