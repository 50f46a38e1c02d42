"""Laws of changing Python text: what is replaced is the definition, whole, and nothing else."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.workspace.sources.python_source import PythonSource
from notebook_ext.workspace.sources.python_usages import usages
from tests.tiers import examples

_NAMES = ("area", "größe", "ﬁx", "_", "Kitchen")
_LINES = (
    "x = 'a: b'",
    "return_ = 1",
    'text = """one\n  two # no\n\ttree"""',
    "y = f'{x!r:>{10}} #'",
    "pass; z = 3",
    "# a comment: with def in it",
    "if x: y = 1  # why",
    "é = (1,\n # in brackets\n 2)",
    "w = lambda: {1: 2}",
    "'\\d'",
)
_HEADS = (
    "def {}():",
    "async def {}(a, *, b: int = 3) -> 'x:y':",
    "class {}(object):",
    "def {}(\n  a=(1, ':'),\n):",
)
_DECORATORS = ("@deco", "@(  # a@b\n  deco)", "@deco(\n    1,\n)  # why")


@st.composite
def _block(draw: st.DrawFn, depth: int = 0) -> list[str]:
    """Lines of code, as pieces that are indented by one."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        if depth < 3 and draw(st.booleans()):
            lines += draw(_definition(depth))
        else:
            lines.append(draw(st.sampled_from(_LINES)))
        lines += [""] * draw(st.integers(0, 2))
    return [*lines, "pass"]


@st.composite
def _definition(draw: st.DrawFn, depth: int = 0) -> list[str]:
    margin = draw(st.sampled_from(("    ", "\t", " ")))
    head = draw(st.sampled_from(_HEADS)).format(draw(st.sampled_from(_NAMES)))
    inner = draw(_block(depth + 1))
    return [
        *draw(st.lists(st.sampled_from(_DECORATORS), max_size=2)),
        head,
        *(_moved(line, margin) for line in inner),
    ]


def _moved(line: str, margin: str) -> str:
    # what stands in a string must not move, nor may an empty line be filled
    first, newline, rest = line.partition("\n")
    if not first:
        return line
    keeps = '"""' in first or first.lstrip().startswith(("@", "def", "async", "é"))
    return margin + first + newline + (rest if keeps else rest.replace("\n", f"\n{margin}"))


@st.composite
def _module(draw: st.DrawFn) -> str:
    text = "\n".join(draw(_block())) + draw(st.sampled_from(("", "\n", "\n\n")))
    ending = draw(st.sampled_from(("\n", "\r\n", "\r")))
    return draw(st.sampled_from(("", "\ufeff"))) + text.replace("\n", ending)


def _source(text: str) -> PythonSource:
    return PythonSource(text, "m.py", operation="test")


@examples(60)
@given(text=_module(), choice=st.integers(0))
def test_a_definition_put_back_as_it_was_read_changes_nothing(text: str, choice: int) -> None:
    source = _source(text)
    if not source.definitions:
        return
    one = source.definitions[choice % len(source.definitions)]
    # as py_get_definition gives it: from the beginning of its line
    read = source.text[source.offset(one.line, 0) : one.end]
    assert source.with_definition(one.name, read, line=_line_of(source, one.name, one.line)) == text


@examples(60)
@given(text=_module(), choice=st.integers(0))
def test_only_the_definition_is_replaced(text: str, choice: int) -> None:
    source = _source(text)
    if not source.definitions:
        return
    one = source.definitions[choice % len(source.definitions)]
    line = _line_of(source, one.name, one.line)
    changed = source.with_definition(one.name, "def new(a):\n    return a\n", line=line)
    bare = changed.removeprefix("\ufeff")
    assert changed.startswith(source.mark + source.text[: one.start])
    assert changed.endswith(source.text[one.end :])
    assert changed[: len(source.mark)] == source.mark
    before = [ast.dump(node) for node in ast.walk(source.tree) if isinstance(node, ast.stmt)]
    after = [ast.dump(node) for node in ast.walk(_source(bare).tree) if isinstance(node, ast.stmt)]
    gone = [ast.dump(node) for node in ast.walk(one.node) if isinstance(node, ast.stmt)]
    # all other statements that do not hold it are there still
    around = {ast.dump(n) for n in ast.walk(source.tree) if isinstance(n, ast.stmt) and _holds(n, one.node)}
    for dumped in set(before) - set(gone) - around:
        assert dumped in after


@examples(60)
@given(text=_module(), choice=st.integers(0))
def test_a_signature_put_back_as_it_was_read_changes_nothing(text: str, choice: int) -> None:
    source = _source(text)
    if not source.definitions:
        return
    one = source.definitions[choice % len(source.definitions)]
    header = source.header(one)
    read = source.text[header.start : header.end]
    changed = source.with_signature(one.name, read, line=_line_of(source, one.name, one.line))
    assert ast.dump(_source(changed).tree) == ast.dump(source.tree)
    assert changed.startswith(source.mark + source.text[: header.start])
    assert changed.endswith(source.text[header.end :])


@examples(60)
@given(text=_module(), name=st.sampled_from((*_NAMES, "x", "é", "deco")))
def test_each_usage_stands_where_it_is_said(text: str, name: str) -> None:
    source = _source(text)
    for one in usages(source, name):
        start = source.offset(one.line, 0) + one.column - 1
        assert source.text[start] in (name[0], "{", "f")  # in an f-string Python 3.11 says where that begins


def _holds(node: ast.AST, inner: ast.AST) -> bool:
    return any(one is inner for one in ast.walk(node))


def _line_of(source: PythonSource, name: str, line: int) -> int | None:
    """A line that says which of several definitions is meant."""
    same = [one for one in source.definitions if one.name == name]
    return line if len(same) > 1 else None
