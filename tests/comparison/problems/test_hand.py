"""Hand tracking."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hybridad.comparison.problems import find, read
from hybridad.comparison.problems.hand import (
    hand,
    hand_surface,
    read_model,
    rotation_by_angles,
    rotation_by_vector,
    skin,
)


def test_rotations_are_those_of_scipy():
    angles = np.array([0.3, -0.7, 1.1])
    x, z, y = angles
    np.testing.assert_allclose(
        rotation_by_angles(angles), Rotation.from_euler("xyz", [x, y, z]).as_matrix(), atol=1e-15
    )
    vector = np.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(
        rotation_by_vector(vector), Rotation.from_rotvec(vector).as_matrix(), atol=1e-15
    )
    np.testing.assert_array_equal(rotation_by_vector(np.zeros(3)), np.eye(3))


def test_the_model_is_whole():
    model = read_model()
    assert model["weights"].shape == (544, 22) and model["triangles"].shape == (1084, 3)
    np.testing.assert_allclose(np.sum(model["weights"], axis=1), 1.0)
    assert model["triangles"].min() >= 0 and model["triangles"].max() < 544
    assert model["parents"][0] == -1 and np.all(model["parents"] < np.arange(22))


def test_at_rest_the_skin_is_the_model_moved():
    model = read_model()
    theta = np.zeros(26)
    theta[3:6] = 1.0, 2.0, 3.0
    rest = model["base_positions"][:, :3]
    np.testing.assert_allclose(skin(theta, model), rest + [1.0, 2.0, 3.0], atol=1e-6)
    mirrored = skin(theta, model | {"is_mirrored": True})
    np.testing.assert_allclose(mirrored, rest * [-1.0, 1.0, 1.0] + [1.0, 2.0, 3.0], atol=1e-6)


def test_a_point_on_the_skin_costs_nothing():
    theta, model, points, corresponding = read(find("hand"))
    vertices = skin(theta, model)
    assert hand(theta, model, vertices[corresponding], corresponding) == 0.0
    one = points[:1]
    distance = one[0] - vertices[corresponding[0]]
    assert hand(theta, model, one, corresponding[:1]) == pytest.approx(0.5 * distance @ distance)


def test_a_corner_of_a_triangle_is_its_vertex():
    theta, us, model, points, triangles = read(find("hand_surface"))
    corners = model["triangles"][triangles]
    for k, at in enumerate([(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)]):
        value = hand_surface(theta, np.full_like(us, at), model, points, triangles)
        assert value == pytest.approx(hand(theta, model, points, corners[:, k]), rel=1e-12)
