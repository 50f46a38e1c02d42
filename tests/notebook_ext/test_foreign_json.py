"""JSON that others have written may be nested without end: whoever reads some catches that, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import notebook_ext

ROOT = Path(notebook_ext.__file__).parent
KNOWN = {
    "workspace/notebooks/opened.py": 1,  # what asks for a server's sessions is called where it is caught
    "approval/panel/panel.py": 1,  # what a widget of ours holds
    "display/pickled_result.py": 1,  # a pickle can do anything anyway
}
"""Calls that need not, by file."""


def _is_reader(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.loads", "msgspec.json.decode")


def _caught(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(
            handler.type is not None and "RecursionError" in ast.unparse(handler.type)
            for handler in node.handlers
        ):
            yield from (inner for statement in node.body for inner in ast.walk(statement))


def test_whoever_reads_json_of_others_knows_that_it_may_be_nested_too_deeply() -> None:
    careless = {}
    for file in sorted(ROOT.rglob("*.py")):
        if "node_modules" in file.parts:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        readers = {node for node in ast.walk(tree) if _is_reader(node)}
        left = readers - set(_caught(tree))
        if left:
            careless[file.relative_to(ROOT).as_posix()] = len(left)
    assert careless == KNOWN
