"""The examples of docs/inspection.md are what happens."""

import doctest
import re
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "inspection.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the tests run without the docs")
def test_the_page(tmp_path, monkeypatch):
    text = PAGE.read_text("utf-8")
    modules = dict(re.findall(r"in `(\w+)\.py`:\n\n```python\n(.*?)```", text, re.S | re.I))
    assert {*modules} == {"fit", "spring"}
    for name, code in modules.items():
        (tmp_path / f"{name}.py").write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names = (*modules, "fit_adjoint")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    said = []
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    found = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    for name in names:
        sys.modules.pop(name, None)
    assert found.attempted > 15 and not found.failed, "".join(said)
