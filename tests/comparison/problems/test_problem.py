"""How a problem's arguments are read, and what is said of a file that is none of its own."""

import pytest

from hybridad.comparison.problems import ProblemError, find, read

MIXTURE = "2 1 3\n0.5\n1.0 2.0\n0.1 0.2 0.3\n1.0 2.0\n2.0 2.0\n1.0 5.0\n1.0 0\n"
HAND = "1 26\n{vertex} 0.1 0.2 0.3\n" + 26 * "0.5\n"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("logistic", "a,b\n", "is not a CSV file"),
        ("logistic", "a,b\n1.0,2.0,1\n3.0,1\n", "is not a CSV file"),
        ("logistic", "a,b\n1.0,2.0\n", "the last column must be 0 or 1"),
        ("kmeans", "", "is not a Gaussian mixture file"),
        ("kmeans", MIXTURE[:-20], "is not a Gaussian mixture file"),
        ("mixture", MIXTURE.replace("2 1 3", "2 1 4"), "4 points expected, 3 found"),
        ("bundle", "1 2 3\n", "is not a bundle adjustment file"),
        ("lstm", "1 2 3\n1.0", "numbers expected, 1 found"),
        ("hand", "1 26\n", "28 lines and 26 pose parameters expected, 1 lines found"),
        ("hand", HAND.format(vertex=544), "others than the 544 vertices"),
        ("hand", HAND.format(vertex=-1), "others than the 544 vertices"),
        ("hand_surface", HAND.format(vertex=3), "29 lines"),
        ("hand_surface", "1 2\n3 0.1 0.2 0.3\n0.1 0.2\n0.5\n0.5\n", "26 pose parameters"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path, name, text, reason):
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(ProblemError, match=reason) as caught:
        read(find(name), path)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_a_binary_or_missing_file_is_refused(tmp_path):
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\xfe\x00\xff")
    with pytest.raises(ProblemError, match="not a text file"):
        read(find("lstm"), path)
    with pytest.raises(ProblemError, match="No such file"):
        read(find("lstm"), tmp_path / "missing")
    with pytest.raises(ProblemError, match="directory"):
        read(find("lstm"), tmp_path)


def test_a_file_may_be_named_by_text_or_path(tmp_path):
    path = tmp_path / "mixture.txt"
    path.write_text(MIXTURE)
    assert [str(part) for part in read(find("mixture"), str(path))] == [
        str(part) for part in read(find("mixture"), path)
    ]
