"""All problems of the comparison, by name."""

from hybridad.comparison.problems.bundle import bundle, parse_bundle
from hybridad.comparison.problems.clusters import kmeans, kmeans_loop, parse_means_and_points
from hybridad.comparison.problems.hand import (
    hand,
    hand_surface,
    parse_hand,
    parse_hand_surface,
)
from hybridad.comparison.problems.lstm import lstm, parse_lstm
from hybridad.comparison.problems.mixture import mixture, mixture_loop, parse_mixture
from hybridad.comparison.problems.problem import Problem, ProblemError
from hybridad.comparison.problems.regression import logistic, parse_labelled_rows

__all__ = ["PROBLEMS", "find"]

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
            parse_means_and_points,
        ),
        Problem(
            "kmeans_loop",
            "k-means, a point at a time",
            kmeans_loop,
            (0,),
            "gmm_d2_K5.txt",
            "a Gaussian mixture file of ADBench",
            parse_means_and_points,
        ),
        Problem(
            "mixture",
            "Gaussian mixture, a component at a time",
            mixture,
            (0, 1, 2, 3),
            "gmm_d10_K25.txt",
            "a Gaussian mixture file of ADBench",
            parse_mixture,
        ),
        Problem(
            "mixture_loop",
            "Gaussian mixture, a point at a time",
            mixture_loop,
            (0, 1, 2, 3),
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
            "character LSTM",
            lstm,
            (0, 1),
            "lstm_l2_c1024.txt",
            "an LSTM file of ADBench",
            parse_lstm,
        ),
        Problem(
            "hand",
            "hand tracking, points at vertices",
            hand,
            (0,),
            "hand_simple_t26_c100.txt",
            "a simple hand tracking file of ADBench",
            parse_hand,
        ),
        Problem(
            "hand_surface",
            "hand tracking, points on triangles",
            hand_surface,
            (0, 1),
            "hand_complicated_t26_c100.txt",
            "a complicated hand tracking file of ADBench",
            parse_hand_surface,
        ),
    )
}


def find(name: str) -> Problem:
    """The problem of that name."""
    if name not in PROBLEMS:
        raise ProblemError(f"no problem is called {name!r}; there are {', '.join(PROBLEMS)}")
    return PROBLEMS[name]
