"""One Python file as text with its syntax tree: where a definition stands, and the text with another there.

    source = PythonSource(text, "plan.py", operation="py_update_definition")
    source.definition("Plan.area").text
    source.with_definition("Plan.area", "def area(self):\\n    return 2")

Everything is found by the tree and changed in the text, so that comments and formatting stay. What is given
back has been parsed again. Knows no files: text comes in, text goes out, with the line ends it came with.
Lines are 1-based and inclusive.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from notebook_ext.workspace.sources.python_layout import Header, header_end, indented_as, parsed
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Declaration", "Definition", "FunctionNode", "PythonSource", "own_statements", "targets"]

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_DefinitionNode: TypeAlias = FunctionNode | ast.ClassDef

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_REST: Final = re.compile(r"[ \t\f]*;?[ \t\f]*(?:#[^\r\n]*)?(?=[\r\n]|\Z)")
_COMMENT_LINES: Final = re.compile(r"(?:(?:\r\n|\r|\n)[ \t\f]*)*(?:\r\n|\r|\n)([ \t]*)#[^\r\n]*")
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or a class, where it stands."""

    name: str
    """Dotted, as ``Class.method``."""
    kind: str
    """``class``, ``function``, ``method``."""
    node: _DefinitionNode
    line: int
    """First line, decorators included."""
    end_line: int
    start: int
    """Offset into the text of the first decorator, or of ``def`` or ``class``."""
    end: int
    depth: int
    """Definitions around it."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A statement that gives a name its value or its type."""

    name: str
    line: int
    end_line: int
    start: int
    end: int


class PythonSource:
    """The text of one file, parsed.

    name: what errors call the file. operation: the tool on whose behalf it is read.
    Raises: ServiceFailure SYNTAX_ERROR for text that Python cannot read.
    """

    def __init__(self, text: str, name: str, *, operation: str) -> None:
        self.name = name
        self.operation = operation
        self.mark = _BOM if text.startswith(_BOM) else ""
        self.text = text.removeprefix(_BOM)
        self.tree = parsed(self.text, name, operation)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @cached_property
    def line_end(self) -> str:
        """The line end that the text uses, by its first one; a newline where it has none."""
        match = _LINE_END.search(self.text)
        return match.group() if match else "\n"

    def line_text(self, line: int) -> str:
        """One line without its end."""
        starts = self._line_starts
        stop = starts[line] if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : stop].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """Where in the text a place of the tree is. column: 0-based, in bytes of UTF-8, as ast counts."""
        start = self._line_starts[line - 1]
        if column == 0:
            return start
        content = self.line_text(line)
        return start + len(content.encode("utf-8")[:column].decode("utf-8", errors="ignore"))

    def start_of(self, node: ast.stmt) -> int:
        """Where a statement begins, its decorators included."""
        decorators = getattr(node, "decorator_list", None)
        if not decorators:
            return self.offset(node.lineno, node.col_offset)
        first = decorators[0]
        # the tree places the expression, not the sign before it; brackets and comments may stand between
        # them, but the sign is the first on its line
        at = self.text.rindex("@", 0, self.offset(first.lineno, first.col_offset))
        while self.text[self._line_starts[self.line_at(at) - 1] : at].strip():
            at = self.text.rindex("@", 0, at)
        return at

    def end_of(self, node: ast.stmt | ast.expr) -> int:
        """Where a node ends, exclusive."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def line_at(self, offset: int) -> int:
        """The line that an offset lies in."""
        return bisect_right(self._line_starts, offset)

    # ---- finding ---------------------------------------------------------------------------

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Every function and class, in the order of the text, the inner after the outer."""
        return tuple(self._definitions(self.tree.body, "", 0, in_class=False))

    def _definitions(
        self, body: list[ast.stmt], prefix: str, depth: int, *, in_class: bool
    ) -> Iterator[Definition]:
        for node in own_statements(body):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            is_class = isinstance(node, ast.ClassDef)
            kind = "class" if is_class else "method" if in_class else "function"
            start = self.start_of(node)
            end = self._end_with_comments(node)
            name = f"{prefix}{node.name}"
            yield Definition(name, kind, node, self.line_at(start), self.line_at(end), start, end, depth)
            yield from self._definitions(node.body, f"{name}.", depth + 1, in_class=is_class)

    def _end_with_comments(self, node: _DefinitionNode) -> int:
        """Where a definition ends with the comments that belong to it.

        That is one behind its last statement, and those below that stand further right than its head.
        """
        end = self.end_of(node)
        rest = _REST.match(self.text, end)
        if rest is None:
            return end
        end = rest.end()
        margin = self.text[self.offset(node.lineno, 0) : self.offset(node.lineno, node.col_offset)]
        while node.lineno != node.end_lineno and (below := _COMMENT_LINES.match(self.text, end)):
            if len(below[1].expandtabs()) <= len(margin.expandtabs()):
                break
            end = below.end()
        return end

    def definition(self, name: str, *, line: int | None = None, kind: str | None = None) -> Definition:
        """The definition of a dotted name.

        line: any line of the wanted one, where several have the name (a property and its setter).
        kind: "class" where nothing else will do.
        Raises: ServiceFailure INVALID_PARAMS when there is none, or more than one and no line says which.
        """
        name = _as_python_reads(name)
        named = [
            definition
            for definition in self.definitions
            if definition.name == name and kind in {None, definition.kind}
        ]
        if line is not None:
            named = [definition for definition in named if definition.line <= line <= definition.end_line]
        if len(named) == 1:
            return named[0]
        if named:
            places = ", ".join(str(definition.line) for definition in named)
            raise self._refused(
                f"{self.name} defines {name!r} {len(named)} times, in the lines {places}",
                "name",
                f"a name that is defined once, or with it a line: {places}",
                fix="say with `line` which one is meant",
            )
        known = [definition.name for definition in self.definitions if kind in {None, definition.kind}]
        what = kind or "function or class"
        raise self._refused(f"there is no {what} {name!r} in {self.name}", "name", _one_of(known))

    def header(self, definition: Definition) -> Header:
        """The ``def …:`` or ``class …:`` of a definition, without decorators."""
        start = self.offset(definition.node.lineno, definition.node.col_offset)
        return Header(start, start + header_end(self.text[start : definition.end]))

    def declaration(self, name: str) -> Declaration:
        """The first statement that gives a module's or a class's variable its value or type.

        name: ``NAME``, ``Class.name``; an attribute that only methods set (``self.name = …``) is found too.
        Raises: ServiceFailure INVALID_PARAMS when there is none.
        """
        owner, _, attribute = _as_python_reads(name).rpartition(".")
        body = self.definition(owner, kind="class").node.body if owner else self.tree.body
        for node in own_statements(body):
            if attribute in _bound_names(node):
                return self._declared(name, node)
        if owner:
            for method in own_statements(body):
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                    for inner in ast.walk(method):
                        if isinstance(inner, ast.stmt) and attribute in _own_attributes(method, inner):
                            return self._declared(name, inner)
        known = [
            f"{owner}.{bound}" if owner else bound
            for statement in own_statements(body)
            for bound in _bound_names(statement)
        ]
        raise self._refused(f"there is no declaration of {name!r} in {self.name}", "name", _one_of(known))

    def _declared(self, name: str, node: ast.stmt) -> Declaration:
        assert node.end_lineno is not None
        start = self.offset(node.lineno, node.col_offset)
        return Declaration(name, node.lineno, node.end_lineno, start, self.end_of(node))

    # ---- changing --------------------------------------------------------------------------

    def with_definition(self, name: str, new: str, *, line: int | None = None) -> str:
        """The text with another definition in the place of this one and its decorators.

        new: with its own decorators; it is moved to the indentation of the old one.
        Raises: ServiceFailure SYNTAX_ERROR, INVALID_PARAMS.
        """
        old = self.definition(name, line=line)
        piece = self._own_piece(new, "content")
        if not any(isinstance(node, _DefinitionNode) for node in piece.body):
            raise self._refused("the new text holds no definition", "content", "a function or a class, whole")
        return self._replaced(old.start, old.end, new)

    def with_signature(self, name: str, new: str, *, line: int | None = None) -> str:
        """The text with another ``def …:`` or ``class …:``; decorators and body stay.

        Raises: ServiceFailure SYNTAX_ERROR, INVALID_PARAMS when the new line is of another name or kind.
        """
        old = self.definition(name, line=line)
        stated = new.strip().removesuffix(":").rstrip() + ":"
        piece = self._own_piece(f"{stated}\n    pass", "content")
        wanted = "class" if isinstance(old.node, ast.ClassDef) else "def"
        node = piece.body[0] if len(piece.body) == 1 else None
        given = "class" if isinstance(node, ast.ClassDef) else "def"
        fits = isinstance(node, _DefinitionNode) and not node.decorator_list and given == wanted
        # to its own colon: a comment behind it, or an ``if …:`` below it, is none of it
        if not fits or header_end(stated) != len(stated) or getattr(node, "name", "") != old.node.name:
            raise self._refused(
                f"{stated!r} is no signature of {name}",
                "content",
                f"{wanted} {old.node.name} … with its arguments, without decorators, comments and body",
                fix="to rename, replace the whole definition and its usages",
            )
        header = self.header(old)
        return self._replaced(header.start, header.end, stated)

    def with_declaration(self, name: str, new: str) -> str:
        """The text with another statement in the place of the one that declares the variable.

        Raises: ServiceFailure SYNTAX_ERROR, INVALID_PARAMS when the new one does not declare it.
        """
        old = self.declaration(name)
        piece = self._own_piece(new, "content")
        last = _as_python_reads(name).rpartition(".")[2]
        if last not in _declared_by(piece):
            raise self._refused(
                f"the new text does not declare {last!r}", "content", f"a statement as {last} = value"
            )
        declares = _declared_by(self._own_piece(self.text[old.start : old.end], "content"))
        lost = declares - _declared_by(piece)
        if lost:
            raise self._refused(
                f"the statement declares {', '.join(sorted(lost))} too, and the new text does not",
                "content",
                f"a statement, or several, for all of {', '.join(sorted(declares))}",
            )
        return self._replaced(old.start, old.end, new)

    def _own_piece(self, new: str, argument: str) -> ast.Module:
        return parsed(indented_as("", new, self.operation), f"<{argument}>", self.operation)

    def _replaced(self, start: int, end: int, new: str) -> str:
        """The whole text with a stretch replaced, parsed again."""
        first = self._line_starts[self.line_at(start) - 1]
        before = self.text[first:start]
        shared = before.strip() != ""
        margin = " " * len(before) if shared else before
        piece = indented_as(margin, new.strip("\r\n").rstrip(), self.operation).lstrip()
        text = self.text[:start] + _LINE_END.sub(self.line_end, piece) + self.text[end:]
        parsed(text, self.name, self.operation)
        return self.mark + text

    def _refused(self, message: str, path: str, expected: str, *, fix: str | None = None) -> ServiceFailure:
        return ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            message,
            fix=fix or f"expected: {expected}",
            details={"path": path, "expected": expected, "operation": self.operation},
        )


def _as_python_reads(name: str) -> str:
    """A name in the normal form in which Python keeps names."""
    return unicodedata.normalize("NFKC", name)


def own_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a scope, also those within ``if``, ``try``, ``with`` and loops, in order."""
    for node in body:
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for part in ("body", "handlers", "cases", "orelse", "finalbody"):
            for inner in getattr(node, part, ()):
                yield from own_statements([inner] if isinstance(inner, ast.stmt) else inner.body)


def targets(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement assigns to, tuples and lists taken apart."""
    if isinstance(node, ast.Assign):
        waiting = list(node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        waiting = [node.target]
    elif type(node).__name__ == "TypeAlias":  # Python 3.12
        waiting = [node.name]  # type: ignore[attr-defined]
    else:
        return
    while waiting:
        target = waiting.pop(0)
        if isinstance(target, ast.Tuple | ast.List):
            waiting[:0] = target.elts
        elif isinstance(target, ast.Starred):
            waiting.insert(0, target.value)
        else:
            yield target


def _bound_names(node: ast.AST) -> list[str]:
    return [target.id for target in targets(node) if isinstance(target, ast.Name)]


def _any_attributes(node: ast.AST) -> list[str]:
    return [target.attr for target in targets(node) if isinstance(target, ast.Attribute)]


def _declared_by(piece: ast.Module) -> set[str]:
    return {name for node in piece.body for name in (*_bound_names(node), *_any_attributes(node))}


def _own_attributes(method: FunctionNode, node: ast.AST) -> list[str]:
    """What a statement of a method sets on its own object."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    own = arguments[0].arg if arguments else ""
    return [
        target.attr
        for target in targets(node)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own
    ]


def _one_of(names: list[str], shown: int = 30) -> str:
    if not names:
        return "there is none in this file"
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return "one of " + ", ".join(dict.fromkeys(names[:shown])) + more
