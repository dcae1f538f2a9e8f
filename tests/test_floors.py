"""The house stands: imports go down only, and what the conventions ask of every module."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import hybridad
from hybridad import errors

ROOT = Path(hybridad.__file__).resolve().parent
TESTS = Path(__file__).resolve().parent

FLOORS = {
    0: ("errors", "tree", "namespace"),  # and the compiled modules, whose names begin with "_"
    1: ("rules",),
    2: ("recording", "trace"),
    3: ("tape", "sct", "cache"),
    4: ("engine",),
    5: ("api", "inspection"),
    6: ("comparison", "testing", "__main__"),
}
FLOOR_OF = {room: floor for floor, rooms in FLOORS.items() for room in rooms}

# What `hybridad/__init__.py`, which everyone imports, may itself import.
ENTRANCE = {"api", "inspection", "errors", "tree"}

UNTESTED = {
    "__main__": "run by tests/comparison",
    "rules.spaces": "every check of a rule projects, expands and broadcasts",
    "testing.disagreement": "its texts are what tests/testing/test_gradients.py reads",
    "testing.subject": "every check in tests/testing/test_gradients.py is of a subject",
}

SOURCES = sorted(ROOT.rglob("*.py"))
MODULES = [path for path in SOURCES if path.name != "__init__.py"]


def dotted(path):
    """``rules.spaces`` for ``hybridad/rules/spaces.py``; a room for its ``__init__.py``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor_of(name):
    room = name.split(".")[0]
    if room in FLOOR_OF:
        return FLOOR_OF[room]
    assert room.startswith("_"), f"{room} has no floor: give it one in tests/test_floors.py"
    return 0


def imports_of(path):
    """What a module imports of hybridad, as (name within hybridad, line)."""
    package = ["hybridad", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            base = ".".join(filter(None, (base, node.module)))
            names = [f"{base}.{a.name}" if base == "hybridad" else base for a in node.names]
        else:
            continue
        for name in names:
            if name == "hybridad" or name.startswith("hybridad."):
                yield name.removeprefix("hybridad").removeprefix("."), node.lineno


@pytest.mark.parametrize("path", SOURCES, ids=dotted)
def test_imports_go_down(path):
    own = dotted(path)
    for name, line in imports_of(path):
        where = f"{path}:{line} imports {name or 'hybridad'}"
        room = name.split(".")[0]
        if not own:
            assert room in ENTRANCE or room.startswith("_"), where
        elif not name:
            assert floor_of(own) == 6, f"{where}: only what people run may use the whole house"
        elif (ROOT / room).is_dir() or (ROOT / f"{room}.py").exists() or room.startswith("_"):
            if room != own.split(".")[0]:
                assert floor_of(name) <= floor_of(own), f"{where}, on a floor above its own"
        else:  # a public name: `from hybridad import grad`
            assert floor_of(own) == 6, f"{where}: only what people run may use the whole house"


def test_no_circles():
    """Rooms of one floor may use each other, but not in a circle; nor may the modules of a room."""
    edges = {}
    for path in MODULES:
        known = {dotted(p) for p in MODULES} - {"__main__"}
        edges[dotted(path)] = {name for name, _ in imports_of(path) if name in known}
    done = set()
    while left := {name for name, to in edges.items() if name not in done}:
        free = {name for name in left if edges[name] <= done}
        assert free, f"these import each other: {sorted(left)}"
        done |= free


def test_every_room_stands_on_a_floor():
    for path in SOURCES:
        if dotted(path):
            floor_of(dotted(path))


@pytest.mark.parametrize("path", SOURCES, ids=dotted)
def test_module_is_small_and_has_a_purpose(path):
    text = path.read_text("utf-8")
    assert text.count("\n") <= 450, "split it by ideas"
    assert path.stem not in ("utils", "util", "common", "misc", "helpers", "helper", "tools")
    assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"


@pytest.mark.parametrize("path", [p for p in SOURCES if p.name == "__init__.py"], ids=dotted)
def test_rooms_hold_no_code(path):
    for k, node in enumerate(ast.parse(path.read_text("utf-8")).body):
        docstring = k == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        names = (isinstance(node, ast.Assign) and len(node.targets) == 1
                 and getattr(node.targets[0], "id", "") in ("__all__", "__version__"))
        # The package itself also says what to do when it is not built.
        unbuilt = path.parent == ROOT and isinstance(node, ast.Try)
        assert docstring or names or unbuilt or isinstance(node, (ast.Import, ast.ImportFrom)), (
            f"{path}:{node.lineno} is code")


@pytest.mark.parametrize("path", SOURCES, ids=dotted)
def test_public_names_are_documented(path):
    if path.name == "__main__.py":
        return
    module = importlib.import_module(f"hybridad.{dotted(path)}".rstrip("."))
    public = getattr(module, "__all__", None)
    if public is None:
        assert not _public_definitions(path), f"{path} has public names but no __all__"
        return
    for name in public:
        value = getattr(module, name)
        if callable(value) and getattr(value, "__module__", "").startswith("hybridad"):
            assert (value.__doc__ or "").strip(), f"{module.__name__}.{name} has no docstring"


def _public_definitions(path):
    body = ast.parse(path.read_text("utf-8")).body
    return [n.name for n in body
            if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")]


def test_public_names_of_the_package_exist():
    for name in hybridad.__all__:
        assert hasattr(hybridad, name)
    assert sorted(set(hybridad.__all__)) == sorted(hybridad.__all__)


def test_modules_are_found_by_import():
    """No folder of modules without an ``__init__.py``, which a wheel would lack."""
    found = {m.name.removeprefix("hybridad.")
             for m in pkgutil.walk_packages([str(ROOT)], "hybridad.")}
    assert {dotted(p) for p in SOURCES if dotted(p)} <= found


def test_every_error_is_tested():
    tests = "\n".join(p.read_text("utf-8") for p in TESTS.rglob("test_*.py")
                      if p.name != Path(__file__).name)
    untested = [name for name in errors.__all__
                if name[0].isupper() and not re.search(rf"\b{name}\b", tests)]
    assert not untested, f"no test names {untested}"


def test_tests_mirror_the_package():
    missing = []
    for path in MODULES:
        name = dotted(path)
        *rooms, module = name.split(".")
        expected = TESTS.joinpath(*rooms, f"test_{module}.py")
        if rooms == ["rules"]:  # rules are tested by their cases
            expected = TESTS / "rules" / "cases" / f"{module}.py"
            if not expected.exists():
                expected = TESTS / "rules" / f"test_{module}.py"
        if name in UNTESTED:
            assert UNTESTED[name] and not expected.exists(), f"{name} is tested: take it off"
        elif not expected.exists():
            missing.append(str(expected))
    assert not missing, "\n".join(missing)


def test_reasons_are_for_modules_that_exist():
    assert {dotted(p) for p in MODULES} >= set(UNTESTED)
