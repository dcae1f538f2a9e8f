"""Functions made of source texts, for tests that need another file, or a newer Python."""

import linecache
import textwrap


def cell(source, filename="<ipython-input-1>", **namespace):
    """The namespace of a notebook cell: its source is known to `linecache` alone."""
    source = textwrap.dedent(source)
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    exec(compile(source, filename, "exec", dont_inherit=True), namespace)
    return namespace


def module(path, source):
    """The namespace of a file."""
    path.write_text(textwrap.dedent(source), "utf-8")
    namespace = {"__name__": path.stem}
    exec(compile(path.read_text("utf-8"), str(path), "exec", dont_inherit=True), namespace)
    return namespace
