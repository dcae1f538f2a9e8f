"""Hand tracking of ADBench: matrices filled element by element; size is vertices x points.

The hand is drawn at random: a palm and five chains of bones, vertices that follow two bones each.
"""

import numpy as np

ARGNUMS = (0,)
SIZES = ("544x100",)
BONES = 22


def f(theta, model, points, corresponding):
    misfit = points - skin(theta, model)[corresponding]
    return 0.5 * np.sum(misfit**2)


def skin(theta, model):
    """Where the vertices are in a pose."""
    parents = model["parents"]
    bones = len(parents)
    pose = pose_of(theta, bones)
    absolutes = np.zeros((bones, 4, 4))
    vertices = np.zeros((len(model["base_positions"]), 3))
    for b in range(bones):
        local = np.eye(4)
        local[:3, :3] = rotation_by_angles(pose[b + 3])
        relative = model["base_relatives"][b] @ local
        absolutes[b] = relative if parents[b] == -1 else absolutes[parents[b]] @ relative
        moved = model["base_positions"] @ (absolutes[b] @ model["inverse_base_absolutes"][b]).T
        vertices += model["weights"][:, b, None] * moved[:, :3]
    if model["is_mirrored"]:
        vertices[:, 0] *= -1.0
    rotation = rotation_by_vector(pose[0]) * pose[1]
    return vertices @ rotation.T + pose[2]


def pose_of(theta, bones):
    """Rows: rotation, scale and translation of the hand, then the angles of each bone."""
    pose = np.zeros((bones + 3, 3))
    pose[0] = theta[:3]
    pose[1] = 1.0
    pose[2] = theta[3:6]
    source, row = 6, 5
    for _finger in range(5):
        pose[row, :2] = theta[source : source + 2]
        pose[row + 1, 0] = theta[source + 2]
        pose[row + 2, 0] = theta[source + 3]
        source += 4
        row += 4
    return pose


def rotation_by_angles(xzy):
    """The rotation about x, then y, then z."""
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


def rotation_by_vector(v):
    """The rotation about v by its length."""
    angle = np.sqrt(np.sum(v**2))
    if angle < 1e-4:
        return np.eye(3)
    x, y, z = v / angle
    s, c = np.sin(angle), np.cos(angle)
    out = np.empty((3, 3))
    out[0, 0] = x * x + (1 - x * x) * c
    out[0, 1] = x * y * (1 - c) - z * s
    out[0, 2] = x * z * (1 - c) + y * s
    out[1, 0] = x * y * (1 - c) + z * s
    out[1, 1] = y * y + (1 - y * y) * c
    out[1, 2] = y * z * (1 - c) - x * s
    out[2, 0] = x * z * (1 - c) - y * s
    out[2, 1] = z * y * (1 - c) + x * s
    out[2, 2] = z * z + (1 - z * z) * c
    return out


def make(size, seed):
    vertices, points = map(int, size.split("x"))
    rng = np.random.default_rng(seed)
    parents = np.arange(-1, BONES - 1)
    parents[[2, 6, 10, 14, 18]] = 1
    relatives = np.tile(np.eye(4), (BONES, 1, 1))
    relatives[:, :3, 3] = 0.1 * rng.standard_normal((BONES, 3))
    absolutes = relatives.copy()
    for b in range(1, BONES):
        absolutes[b] = absolutes[parents[b]] @ relatives[b]
    weights = np.zeros((vertices, BONES))
    weights[np.arange(vertices), rng.integers(0, BONES, vertices)] += 0.75
    weights[np.arange(vertices), rng.integers(0, BONES, vertices)] += 0.25
    model = {
        "parents": parents,
        "base_relatives": relatives,
        "inverse_base_absolutes": np.linalg.inv(absolutes),
        "base_positions": np.column_stack((rng.standard_normal((vertices, 3)), np.ones(vertices))),
        "weights": weights,
        "is_mirrored": False,
    }
    corresponding = rng.integers(0, vertices, points)
    return 0.5 * rng.standard_normal(26), model, rng.standard_normal((points, 3)), corresponding
