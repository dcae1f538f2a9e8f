"""Bundle adjustment: cameras and points from where the points were seen."""

import numpy as np

__all__ = ["bundle", "parse_bundle", "reproject"]


def reproject(cams, pts, w, obs, feats):
    """Weighted reprojection errors and weight errors of all observations.

    A camera is rotation vector 3, centre 3, focal length, principal point 2, distortion 2.
    """
    cam, pt = cams[obs[:, 0]], pts[obs[:, 1]]
    rot, x = cam[:, :3], pt - cam[:, 3:6]
    theta = np.sqrt(np.sum(rot**2, axis=1))[:, None]
    axis = rot / theta
    cos = np.cos(theta)
    local = (
        x * cos
        + np.cross(axis, x) * np.sin(theta)
        + axis * (np.sum(axis * x, axis=1)[:, None] * (1.0 - cos))
    )
    proj = local[:, :2] / local[:, 2:]
    r2 = np.sum(proj**2, axis=1)
    proj = proj * (1.0 + cam[:, 9] * r2 + cam[:, 10] * r2**2)[:, None]
    proj = proj * cam[:, 6:7] + cam[:, 7:9]
    return w[:, None] * (proj - feats), 1.0 - w**2


def bundle(cams, pts, w, obs, feats, g_errors, g_weights):
    """The outputs of `reproject` contracted with a fixed random cotangent."""
    errors, weights = reproject(cams, pts, w, obs, feats)
    return np.sum(g_errors * errors) + np.sum(g_weights * weights)


def parse_bundle(text):
    """`n m p`, then one camera, point, weight and feature, which all n, m and p repeat."""
    lines = text.strip().split("\n")
    n, m, p = map(int, lines[0].split())
    cam, point, w, feat = (np.array(line.split(), dtype=float) for line in lines[1:5])
    i, rng = np.arange(p), np.random.default_rng(0)
    return (
        np.tile(cam.reshape(11), (n, 1)),
        np.tile(point.reshape(3), (m, 1)),
        np.full(p, w.reshape(1)[0]),
        np.stack((i % n, i % m), axis=1),
        np.tile(feat.reshape(2), (p, 1)),
        rng.standard_normal((p, 2)),
        rng.standard_normal(p),
    )
