# ruff: noqa
"""What the compiler warns of when the module is imported, and must not warn of again.

PYTEST_DONT_REWRITE: pytest would warn as well.
"""


def literal_identity():
    x = 5
    return x is 5, x is not None, "a" is "a"


def call_of_number():
    return 1(
        2)


def assertion_of_tuple():
    assert (1, "always")
    return "here"


def item_of_list():
    return [1, 2](0)


def index_by_text():
    return [1, 2]["a"]


def old_escape():
    return "\d" + f"\w{1}"


def in_pattern():
    match 1:
        case 1 if 1 is 1:
            return [x for x in (1, 2) if x is 1]
