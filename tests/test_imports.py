"""No module imports another that leads back to it: not for types only, and not inside a function either.

Two modules that need each other are one, or one of them holds what belongs to a third. A text that is the
name of a module counts as an import of it, for that is what such texts are for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("vcad_kernel", "notebook_ext")
_MODULE = re.compile(r"(vcad_kernel|notebook_ext)(\.[a-z_]+)+")

STILL_THERE = {
    ("vcad_kernel.loon.lowering.jumps", "vcad_kernel.loon.lowering.lower"),
    ("vcad_kernel.loon.checking.handlers", "vcad_kernel.loon.checking.infer"),
}
"""Imports that close a circle and are about to go; nothing is added here."""


def modules() -> dict[str, Path]:
    """Every module of the product, by its dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if "node_modules" not in path.parts
    }


def imported(path: Path) -> Iterator[str]:
    """The dotted names that a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _MODULE.fullmatch(node.value):
            yield node.value


def import_graph() -> dict[str, set[str]]:
    """Module → the modules that it imports."""
    known = modules()
    graph: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for wanted in imported(path):
            # `from a.b import c` means the module a.b.c, or something of the module a.b
            target = wanted if wanted in known else wanted.rpartition(".")[0]
            if wanted.startswith(PACKAGES):
                assert target in known, f"{name} imports {wanted}, which there is not"
            if target in known and target != name and (name, target) not in STILL_THERE:
                graph[name].add(target)
    return graph


def circles(graph: dict[str, set[str]]) -> Iterator[str]:
    """The shortest way to see each: one import after the other, until none is left."""
    while True:
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as found:
            path = found.args[1][::-1]
            yield " -> ".join(path)
            graph[path[0]].discard(path[1])
        else:
            return


def test_no_imports_go_in_circles() -> None:
    assert list(circles(import_graph())) == []


def test_the_kernel_does_not_know_the_notebook() -> None:
    known = import_graph()
    upwards = [
        f"{name} -> {target}"
        for name, targets in known.items()
        for target in sorted(targets)
        if name.startswith("vcad_kernel") and target.startswith("notebook_ext")
    ]
    assert upwards == []
