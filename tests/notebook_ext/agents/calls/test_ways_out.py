"""A fix says what its reader can do: it names no tool that a client is not shown."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from notebook_ext.agents import registry
from notebook_ext.agents.calls.ways_out import sentences, tools_in, with_tools
from notebook_ext.agents.packs import PACKS

ROOT = Path(__file__).parents[4]
CORE = {tool.name for tool in registry.load(())}
OF_PACK = {pack: {tool.name for tool in registry.load((pack,))} for pack in PACKS}


def texts(node: ast.expr) -> Iterator[str]:
    """What an expression may come to, with a word in place of what is put in."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(part.value if isinstance(part, ast.Constant) else "it" for part in parts)
        case ast.IfExp(body=one, orelse=other):
            yield from texts(one)
            yield from texts(other)
        case ast.BinOp(left=ast.expr() as one, right=ast.expr() as other):
            yield from texts(one)
            yield from texts(other)


SAID_OF_TOOLS = {"Tool", "_tool", "reads", "_reading", "_writing", "Field"}
"""Calls whose texts describe tools and arguments to who is shown them."""
BEHIND = {
    "notebook_ext/agents/packs/notebook/": "notebook",
    "notebook_ext/workspace/notebooks/": "notebook",
    "notebook_ext/front_end/": "notebook",
    "notebook_ext/agents/packs/python/": "python",
    "notebook_ext/agents/packs/project/": "project",
    "notebook_ext/agents/packs/sketchup": "sketchup",
}
"""What only the tools of one pack come to: who sees its errors is shown that pack."""


def fixes() -> Iterator[tuple[str, str]]:
    """(file, text) of every text in the sources that may become a fix: what calls and names are given."""
    for folder in ("notebook_ext", "vcad_kernel"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            source = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(source)) if tools_in(source) else ():
                given: list[ast.expr] = []
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") not in SAID_OF_TOOLS:
                    given = [*node.args, *(word.value for word in node.keywords if word.arg == "fix")]
                elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                    given = [node.value]
                for expression in given:
                    yield from ((file, text) for text in texts(expression) if " " in text)


def test_every_fix_leaves_something_that_its_reader_can_do() -> None:
    found = [(file, text) for file, text in fixes() if tools_in(text)]
    assert len(found) > 15
    shown = {
        file: CORE.union(*(OF_PACK[pack] for folder, pack in BEHIND.items() if file.startswith(folder)))
        for file, _ in found
    }
    stuck = [
        (file, text)
        for file, text in found
        if not any(tools_in(sentence) <= shown[file] for sentence in sentences(text))
    ]
    assert stuck == []


@pytest.mark.parametrize(
    ("fix", "core", "files"),
    [
        ("look twice; list_directory shows more", "look twice", "look twice; list_directory shows more"),
        ("vcad_node shows it", "vcad_node shows it", "vcad_node shows it"),
        ("write tool_env.toml anew", "write tool_env.toml anew", "write tool_env.toml anew"),
        ("plain words", "plain words", "plain words"),
    ],
)
def test_what_names_other_tools_is_left_out(fix: str, core: str, files: str) -> None:
    assert with_tools(fix, CORE) == core
    assert with_tools(fix, OF_PACK["files"]) == files
