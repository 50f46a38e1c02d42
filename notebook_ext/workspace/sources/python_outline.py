"""What a Python file holds, in brief: skeleton, outline, one class, imports, docstrings.

Reads a `PythonSource`; changes nothing. Lines are 1-based and inclusive.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from notebook_ext.workspace.sources.python_source import Definition, PythonSource, own_statements, targets

__all__ = [
    "Attribute",
    "ImportedName",
    "OutlineRow",
    "attributes",
    "base_names",
    "constants",
    "docstring",
    "first_line",
    "imports",
    "outline",
    "signature",
    "skeleton",
]


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One definition of a file."""

    name: str
    kind: str
    signature: str
    """In one line, without the colon."""
    line: int
    end_line: int
    depth: int
    summary: str
    """First line of its docstring."""


@dataclass(frozen=True, slots=True)
class ImportedName:
    """One name that an import statement brings."""

    module: str
    """With its leading dots where it is relative."""
    name: str
    """What is taken from the module; "" for the module itself."""
    alias: str
    """"" where it keeps its name."""
    line: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """A value of a class or of its objects."""

    name: str
    annotation: str
    line: int
    of_object: bool
    """Set by a method on ``self``, not in the class body."""


def docstring(node: ast.AST) -> str:
    """The docstring of a module, class or function, dedented; "" for none."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ast.get_docstring(node) or ""
    return ""


def first_line(text: str) -> str:
    """The first line of a text; "" of an empty one."""
    return text.strip().split("\n", 1)[0].strip()


def signature(source: PythonSource, definition: Definition) -> str:
    """``def …`` or ``class …`` as it is written, on one line, without the colon."""
    header = source.header(definition)
    stated = source.text[header.start : header.end].rstrip()[:-1].rstrip()
    if "\n" not in stated and "\r" not in stated:
        return stated
    # more than one line: the tree's own spelling, since a comment may stand between
    node = definition.node
    if isinstance(node, ast.ClassDef):
        inside = [
            *(ast.unparse(base) for base in node.bases),
            *(ast.unparse(keyword) for keyword in node.keywords),
        ]
        return f"class {node.name}({', '.join(inside)})"
    sign = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    gives = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"{sign} {node.name}({ast.unparse(node.args)}){gives}"


def outline(source: PythonSource) -> tuple[OutlineRow, ...]:
    """Every class and function in order, the inner after the outer."""
    return tuple(
        OutlineRow(
            definition.name,
            definition.kind,
            signature(source, definition),
            definition.line,
            definition.end_line,
            definition.depth,
            first_line(docstring(definition.node)),
        )
        for definition in source.definitions
    )


def skeleton(source: PythonSource) -> str:
    """The file with every function's body taken out but for its docstring."""
    pieces: list[str] = []
    at = 0
    for definition in source.definitions:
        node = definition.node
        if isinstance(node, ast.ClassDef) or definition.start < at:
            continue
        body = node.body[1:] if docstring(node) else node.body
        if not body or (len(body) == 1 and _is_ellipsis(body[0])):
            continue
        start = source.start_of(body[0])
        # what stands between the header and the body, comments, stays
        pieces += [source.text[at:start], "..."]
        at = source.end_of(node)
    return "".join([*pieces, source.text[at:]])


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def imports(source: PythonSource) -> tuple[ImportedName, ...]:
    """What every import of the file brings, those within functions too, in order."""
    nodes = [node for node in ast.walk(source.tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    rows: list[ImportedName] = []
    for node in sorted(nodes, key=lambda statement: (statement.lineno, statement.col_offset)):
        for alias in node.names:
            if isinstance(node, ast.Import):
                rows.append(ImportedName(alias.name, "", alias.asname or "", node.lineno))
            else:
                module = "." * node.level + (node.module or "")
                rows.append(ImportedName(module, alias.name, alias.asname or "", node.lineno))
    return tuple(rows)


def constants(source: PythonSource) -> tuple[str, ...]:
    """Names in capitals that the module gives a value."""
    return tuple(
        dict.fromkeys(row.name for row in _assigned(source.tree.body, of_object=False) if row.name.isupper())
    )


def base_names(node: ast.ClassDef) -> tuple[str, ...]:
    """The bases of a class as they are written."""
    return tuple(ast.unparse(base) for base in node.bases)


def attributes(node: ast.ClassDef) -> tuple[Attribute, ...]:
    """What a class and its methods set, each name once, first place first."""
    rows = list(_assigned(node.body, of_object=False))
    for method in own_statements(node.body):
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            rows += _set_on_object(method)
    once: dict[str, Attribute] = {}
    for row in rows:
        once.setdefault(row.name, row)
    return tuple(once.values())


def _assigned(body: list[ast.stmt], *, of_object: bool) -> Iterator[Attribute]:
    for node in own_statements(body):
        annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
        for target in _plain_targets(node):
            if isinstance(target, ast.Name):
                yield Attribute(target.id, annotation, node.lineno, of_object)


def _set_on_object(method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Attribute]:
    arguments = [*method.args.posonlyargs, *method.args.args]
    own = arguments[0].arg if arguments else ""
    for node in ast.walk(method):
        annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
        for target in _plain_targets(node):
            value = target.value if isinstance(target, ast.Attribute) else None
            if isinstance(target, ast.Attribute) and isinstance(value, ast.Name) and value.id == own:
                yield Attribute(target.attr, annotation, target.lineno, True)


def _plain_targets(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement sets anew: ``+=`` only changes what is there."""
    return targets(node) if isinstance(node, ast.Assign | ast.AnnAssign) else iter(())
