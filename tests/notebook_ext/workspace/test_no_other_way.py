"""No tool opens a file but through the gate (agent_tools.md §7, layer 3)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import notebook_ext

_ROOT = Path(notebook_ext.__file__).parent
_FOLDERS = ("workspace", "agents/packs")

_REASONS = {
    "workspace/files/gate.py": "is the gate",
    "workspace/files/git_diff.py": "starts git, with names that have passed the gate",
    "workspace/files/persons.py": "keeps in the workbench's folder what would be gone, and compares digests",
    "workspace/shell/shell.py": "starts approved scripts, keeps them in the workbench's folder, ends them",
    "workspace/shell/layout.py": "looks at names before a script sees them, and opens none",
    "workspace/shell/repository.py": "lends a script the repository, which no tool may reach",
    "workspace/shell/set_aside.py": "moves away what a script has made and others would run",
    "workspace/shell/sandbox.py": "tries which sandbox the system has",
    "workspace/shell/jail.py": "is a program of its own, which lays out the namespaces of a script",
    "workspace/notebooks/opened.py": "reads the records of Jupyter servers, which no agent may",
}
"""Files that may do otherwise, and why."""

_READING = {"open", "read_text", "read_bytes", "iterdir", "glob", "rglob", "walk", "readlink"}
_WRITING = {"write_text", "write_bytes", "touch", "unlink", "rmdir", "mkdir", "rename", "chmod"}
_LINKING = {"symlink_to", "hardlink_to"}
_METHODS = frozenset(_READING | _WRITING | _LINKING)
_CALLS = frozenset({"open"})
_MODULES = frozenset(
    {"shutil", "subprocess", "tempfile", "glob", "io", "fileinput", "linecache", "tokenize", "mmap", "pty"}
)
_IMPORTED_FROM = _MODULES | {"os", "vcad_kernel.system.files"}
_OF_OS = frozenset(
    {"path", "environ", "fspath", "sep", "linesep", "name", "PathLike", "devnull", "getpid", "kill"}
)
_HARMLESS = {("io", "StringIO"), ("io", "BytesIO"), ("tokenize", "generate_tokens")}


def _other_ways(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in _CALLS:
                yield node.lineno, called.id
            elif isinstance(called, ast.Attribute):
                owner = called.value.id if isinstance(called.value, ast.Name) else ""
                if called.attr in _METHODS and owner not in {"ast", "re"}:
                    yield node.lineno, f".{called.attr}"
                elif owner == "os" and called.attr not in _OF_OS:
                    yield node.lineno, f"os.{called.attr}"
                elif (
                    owner in _MODULES and called.attr[:1].islower() and (owner, called.attr) not in _HARMLESS
                ):
                    yield node.lineno, f"{owner}.{called.attr}"
        elif isinstance(node, ast.ImportFrom) and node.module in _IMPORTED_FROM:
            for one in node.names:
                if one.name[:1].islower() and (node.module, one.name) not in _HARMLESS:
                    yield node.lineno, f"{node.module}.{one.name}"


def _files() -> Iterator[tuple[str, Path]]:
    for folder in _FOLDERS:
        for path in sorted((_ROOT / folder).rglob("*.py")):
            yield path.relative_to(_ROOT).as_posix(), path


def test_every_folder_is_looked_through() -> None:
    looked_at = {name for name, _ in _files()}
    assert set(_REASONS) <= looked_at
    assert "agents/packs/files/reading.py" in looked_at


def test_no_tool_opens_a_file_any_other_way() -> None:
    found = [
        f"{name}:{line}: {what}"
        for name, path in _files()
        if name not in _REASONS
        for line, what in _other_ways(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_the_check_sees_the_ways_there_are() -> None:
    text = "open(a); p.read_text(); os.scandir(a); shutil.copy(a, b); subprocess.run(a); from io import open"
    ways = [what for _, what in _other_ways(ast.parse(text.replace("; ", "\n")))]
    assert sorted(ways) == sorted(
        ["open", ".read_text", "os.scandir", "shutil.copy", "subprocess.run", "io.open"]
    )
