"""The problems that are compared: plain NumPy functions and the data they run on.

Nothing in the functions knows about derivatives. The k-means, bundle adjustment and LSTM
objectives are those of ADBench (Srajer, Kukelova, Fitzgibbon 2018), the data too; `data/README.md`
names every source.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from hybridad.errors import HybridadError

__all__ = ["PROBLEMS", "Problem", "ProblemError", "find", "read"]


class ProblemError(HybridadError, ValueError):
    """There is no such problem, or its data file cannot be read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A function to differentiate, its differentiated arguments, and where they come from."""

    name: str
    title: str
    function: Callable
    argnums: tuple[int, ...]
    data: str
    format: str
    parse: Callable[[str], tuple]


# ------------------------------------------------------------------------ logistic regression


def logistic(weights, bias, features, labels):
    """Mean cross entropy of labels 0 and 1, with a ridge penalty on the weights."""
    logits = features @ weights + bias
    return np.mean(np.logaddexp(0.0, logits) - labels * logits) + 1e-3 * np.sum(weights**2)


def parse_labelled_rows(text):
    """A head line, then rows of features with the label 0 or 1 last; features are standardized."""
    rows = np.array([line.split(",") for line in text.split("\n")[1:] if line.strip()], dtype=float)
    features, labels = rows[:, :-1], rows[:, -1]
    if features.size == 0 or not np.all((labels == 0.0) | (labels == 1.0)):
        raise ValueError("the last column must be 0 or 1, and one other is needed")
    spread = np.std(features, axis=0)
    features = (features - np.mean(features, axis=0)) / np.where(spread == 0.0, 1.0, spread)
    weights = 0.1 * np.random.default_rng(0).standard_normal(features.shape[1])
    return weights, 0.1, features, labels


# ------------------------------------------------------------------------------------ k-means


def kmeans(centroids, points):
    """Sum of squared distances to the nearest centroid, all points at once."""
    delta = points[:, None, :] - centroids[None, :, :]
    return np.sum(np.min(np.sum(delta**2, axis=2), axis=1))


def kmeans_loop(centroids, points):
    """The same, one point at a time: many small operations."""
    total = 0.0
    for point in points:
        total += np.min(np.sum((centroids - point) ** 2, axis=1))
    return total


def parse_mixture(text):
    """`d k n`, k weights, k means, k covariance factors, n points, `gamma m`: means and points."""
    head, rest = text.split("\n", 1)
    d, k, n = map(int, head.split())
    numbers = np.array(rest.split(), dtype=float)
    factors = k * (d + d * (d - 1) // 2)
    means, points = numbers[k : k + k * d], numbers[k + k * d + factors : -2]
    return means.reshape(k, d), points.reshape(n, d)


# -------------------------------------------------------------------------- bundle adjustment


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


# ----------------------------------------------------------------------------- character LSTM


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(main_params, extra_params, state, sequence):
    """Mean loss of a diagonal LSTM over a text; `state` is written step by step.

    main_params: (2 layers, 4 bits), weight and bias rows alternating; extra_params: (3, bits);
    state: (2 layers, bits), hidden and cell alternating; sequence: (characters, bits).
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
            ingate = sigmoid(hidden * w[bits : 2 * bits] + b[bits : 2 * bits])
            outgate = sigmoid(h * w[2 * bits : 3 * bits] + b[2 * bits : 3 * bits])
            change = np.tanh(hidden * w[3 * bits :] + b[3 * bits :])
            new_cell = cell * forget + ingate * change
            h = outgate * np.tanh(new_cell)
            state[i] = h
            state[i + 1] = new_cell
        y = h * extra_params[1] + extra_params[2]
        y -= np.log(np.sum(np.exp(y)) + 2.0)  # the + 2 is ADBench's
        total += np.dot(sequence[t + 1], y)
    return -total / ((steps - 1) * bits)


def parse_lstm(text):
    """`layers characters bits`, then main and extra parameters, state and the text as bits."""
    head, rest = text.split("\n", 1)
    layers, characters, bits = map(int, head.split())
    shapes = (2 * layers, 4 * bits), (3, bits), (2 * layers, bits), (characters, bits)
    sizes = [rows * columns for rows, columns in shapes]
    numbers = np.array(rest.split(), dtype=float)
    if len(numbers) != sum(sizes):
        raise ValueError(f"{sum(sizes)} numbers expected, {len(numbers)} found")
    parts = np.split(numbers, np.cumsum(sizes)[:-1])
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes))


# ----------------------------------------------------------------------------------- register

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        Problem(
            "logistic",
            "logistic regression, breast cancer",
            logistic,
            (0, 1),
            "breast_cancer.csv",
            "a CSV file: a head line, then features with the label 0 or 1 last",
            parse_labelled_rows,
        ),
        Problem(
            "kmeans",
            "k-means, whole arrays",
            kmeans,
            (0,),
            "gmm_d10_K25.txt",
            "a Gaussian mixture file of ADBench",
            parse_mixture,
        ),
        Problem(
            "kmeans_loop",
            "k-means, a point at a time",
            kmeans_loop,
            (0,),
            "gmm_d2_K5.txt",
            "a Gaussian mixture file of ADBench",
            parse_mixture,
        ),
        Problem(
            "bundle",
            "bundle adjustment, random cotangent",
            bundle,
            (0, 1, 2),
            "ba1_n49_m7776_p31843.txt",
            "a bundle adjustment file of ADBench",
            parse_bundle,
        ),
        Problem(
            "lstm",
            "character LSTM, with its state",
            lstm,
            (0, 1, 2),
            "lstm_l2_c1024.txt",
            "an LSTM file of ADBench",
            parse_lstm,
        ),
    )
}


def find(name: str) -> Problem:
    """The problem of that name."""
    if name not in PROBLEMS:
        raise ProblemError(f"no problem is called {name!r}; there are {', '.join(PROBLEMS)}")
    return PROBLEMS[name]


def read(problem: Problem, data: str | Path | None = None) -> tuple:
    """The arguments of a problem, from a file of the user's or from the one that is shipped."""
    if data is None:
        data = resources.files("hybridad.comparison") / "data" / problem.data
    try:
        text = (Path(data) if isinstance(data, str) else data).read_text(encoding="utf-8")
    except OSError as error:
        raise ProblemError(f"cannot read {str(data)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ProblemError(f"{str(data)!r} is not {problem.format}: not a text file") from None
    try:
        return problem.parse(text)
    except (ValueError, IndexError) as error:
        reason = str(error).split("\n")[0]
        raise ProblemError(f"{str(data)!r} is not {problem.format}: {reason}") from None
