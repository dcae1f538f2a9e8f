"""Bundle adjustment."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hybridad.comparison.problems.bundle import bundle, parse_bundle, reproject

BUNDLE = "2 3 4\n1 2 3 4 5 6 7 8 9 0.1 0.01\n7.0 0.5 3.0\n0.4\n270.0 830.0\n"


def test_a_file_is_replicated():
    cams, pts, w, obs, feats, *_ = parse_bundle(BUNDLE)
    assert cams.shape == (2, 11) and pts.shape == (3, 3) and feats.shape == (4, 2)
    np.testing.assert_array_equal(w, [0.4] * 4)
    np.testing.assert_array_equal(obs, [[0, 0], [1, 1], [0, 2], [1, 0]])


def test_a_point_is_rotated_projected_and_distorted():
    cams, pts, w, obs, feats, g_errors, g_weights = parse_bundle(BUNDLE)
    cam, pt = cams[0], pts[0]
    x, y, z = Rotation.from_rotvec(cam[:3]).apply(pt - cam[3:6])
    at = np.array([x, y]) / z
    r2 = at @ at
    seen = (1.0 + cam[9] * r2 + cam[10] * r2**2) * at * cam[6] + cam[7:9]
    errors, weights = reproject(cams, pts, w, obs, feats)
    np.testing.assert_allclose(errors, [0.4 * (seen - feats[0])] * 4)
    np.testing.assert_allclose(weights, [1.0 - 0.4**2] * 4)
    value = bundle(cams, pts, w, obs, feats, g_errors, g_weights)
    assert value == pytest.approx(np.sum(g_errors * errors) + np.sum(g_weights * weights))
