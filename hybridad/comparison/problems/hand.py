"""Hand tracking of ADBench: the pose that brings the skin of a hand to measured points.

A hand is a tree of bones, each with its matrix relative to its parent, and a skin of vertices that
follow the bones with given weights. Each measured point corresponds to a vertex (`hand`), or to a
point on a triangle of vertices that is itself sought (`hand_surface`).
"""

from importlib import resources

import numpy as np

__all__ = ["hand", "hand_surface", "parse_hand", "parse_hand_surface", "read_model"]

DATA = resources.files("hybridad.comparison") / "data"


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


def hand(theta, model, points, corresponding):
    """Half the sum of squared distances of the points from their vertices."""
    misfit = points - skin(theta, model)[corresponding]
    return 0.5 * np.sum(misfit**2)


def hand_surface(theta, us, model, points, corresponding):
    """The same with points on triangles, where `us` says where on them, one point at a time."""
    vertices = skin(theta, model)
    misfit = np.empty((len(points), 3))
    for i in range(len(points)):
        a, b, c = model["triangles"][corresponding[i]]
        u, v = us[i]
        surface = u * vertices[a] + v * vertices[b] + (1.0 - u - v) * vertices[c]
        misfit[i] = points[i] - surface
    return 0.5 * np.sum(misfit**2)


def read_model():
    """The hand of ADBench, as a dict of arrays."""
    bones, skin, triangles = (
        [line.split(":") for line in (DATA / name).read_text(encoding="utf-8").split()]
        for name in ("hand_bones.txt", "hand_vertices.txt", "hand_triangles.txt")
    )
    positions = np.ones((len(skin), 4))
    weights = np.zeros((len(skin), len(bones)))
    for i, vertex in enumerate(skin):  # position 3, normal 3, two texture coordinates, weights
        positions[i, :3] = vertex[:3]
        for j in range(int(vertex[8])):
            weights[i, int(vertex[9 + 2 * j])] = float(vertex[10 + 2 * j])
    matrices = np.array([bone[2:34] for bone in bones], dtype=float).reshape(-1, 2, 4, 4)
    return {
        "parents": np.array([int(bone[1]) for bone in bones]),
        "base_relatives": matrices[:, 0],
        "inverse_base_absolutes": matrices[:, 1],
        "base_positions": positions,
        "weights": weights,
        "triangles": np.array(triangles, dtype=int),
        "is_mirrored": False,
    }


def parse_hand(text):
    """`n t`, n rows of a vertex and a point, t rows of theta; the model is ADBench's small one."""
    theta, _, points, corresponding = _parse(text, coordinates=0)
    model = read_model()
    _check_range(corresponding, len(model["weights"]), "vertices")
    return theta, model, points, corresponding


def parse_hand_surface(text):
    """`n t`, n rows of a triangle and a point, n rows of two coordinates, t rows of theta."""
    theta, us, points, corresponding = _parse(text, coordinates=2)
    model = read_model()
    _check_range(corresponding, len(model["triangles"]), "triangles")
    return theta, us, model, points, corresponding


def _parse(text, coordinates):
    rows = [line.split() for line in text.strip().split("\n")]
    n, size = map(int, rows[0])
    lines = 1 + n + (n if coordinates else 0) + size
    if len(rows) != lines or size != 26:
        raise ValueError(f"{lines} lines and 26 pose parameters expected, {len(rows)} lines found")
    points = np.array([row[1:] for row in rows[1 : n + 1]], dtype=float).reshape(n, 3)
    us = np.array(rows[n + 1 : -size], dtype=float).reshape(n, coordinates)
    theta = np.array(rows[-size:], dtype=float).reshape(size)
    return theta, us, points, np.array([int(row[0]) for row in rows[1 : n + 1]])


def _check_range(corresponding, count, what):
    if np.any((corresponding < 0) | (corresponding >= count)):
        raise ValueError(f"it refers to others than the {count} {what} of the shipped hand")
